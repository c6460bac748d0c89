"""Fill a template: one HTML file that needs nothing from outside, in which every stranger's text is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import ChainableUndefined, Environment, PackageLoader

from ..views.characters import showable
from . import writing
from .charts.axes import label_of


def fill(name: str, values: Mapping[str, Any]) -> str:
    """Fill the template of this name; what the values lack is left out or shown as a dash."""
    return _environment().get_template(name).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("whyword.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=ChainableUndefined,
        finalize=_showable,
    )
    environment.filters |= {
        "number": writing.number,
        "signed": writing.signed,
        "interval": writing.interval,
        "percent": writing.percent,
        "percents": writing.percents,
        "p_value": writing.p_value,
        "count": writing.count,
        "short": writing.short,
        "own": writing.isolated,
        "words": writing.words,
        "sentence": writing.sentence,
        "capital": writing.capital,
        "duration": writing.duration,
        "amount": writing.amount,
        "plain": label_of,
    }
    return environment


def _showable(value: Any) -> Any:
    """Keep control characters out of the page, wherever a text comes from."""
    return showable(value) if type(value) is str else value
