"""Pages from templates: one HTML file that needs nothing from outside, in which every stranger's text is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import TypeGuard

from jinja2 import ChainableUndefined, ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup, escape

from ..views.characters import showable
from .charts.axes import label_of

SHARED = "whyword.report"  # base.html, marks.html and style.css
NOTHING = "–"
LONGEST_NAME = 60


def fill(package: str, template: str, values: Mapping[str, object]) -> str:
    """Fill a template of a package, or one that all share; what the values lack is left out or shown as a dash."""
    return _environment(package).get_template(template).render(values)


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(SHARED)]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=ChainableUndefined,
        finalize=_showable,
    )
    environment.filters |= {
        "number": number,
        "signed": signed,
        "interval": interval,
        "percent": percent,
        "percents": percents,
        "p_value": p_value,
        "count": count,
        "short": short,
        "own": isolated,
        "words": words,
        "sentence": sentence,
        "capital": capital,
        "duration": duration,
        "amount": amount,
        "plain": label_of,
    }
    return environment


def _showable(value: object) -> object:
    """Keep control characters out of the page, wherever a text comes from."""
    return showable(value) if type(value) is str else value


def number(value: object, digits: int = 3) -> str:
    """Write a number with a true minus, a dash where there is none."""
    if not _is_number(value):
        return NOTHING
    return (f"{value:z.{digits}f}" if abs(value) < 1e6 else f"{value:.3e}").replace("-", "−")


def amount(value: object) -> str:
    """Write a count as a count and any other number with three digits."""
    return count(value) if _is_number(value) and value == int(value) and abs(value) >= 2 else number(value)


def signed(value: object, digits: int = 3) -> str:
    """Write a difference with its sign."""
    return f"{value:+z.{digits}f}".replace("-", "−") if _is_number(value) else NOTHING


def interval(low: object, high: object, digits: int = 3) -> str:
    """Write both ends of an interval; nothing where there is none."""
    return f"{number(low, digits)} to {number(high, digits)}" if _is_number(low) and _is_number(high) else ""


def percent(value: object, digits: int = 1) -> str:
    """Write a share as a percentage."""
    return f"{value:z.{digits}%}".replace("-", "−") if _is_number(value) else NOTHING


def percents(low: object, high: object, digits: int = 1) -> str:
    """Write an interval of shares."""
    return f"{percent(low, digits)} to {percent(high, digits)}" if _is_number(low) and _is_number(high) else ""


def p_value(value: object) -> str:
    """Write a probability of chance with three digits."""
    if not _is_number(value):
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def count(value: object) -> str:
    """Write a count with its thousands apart."""
    return f"{value:,.0f}" if _is_number(value) else NOTHING


def words(value: object) -> str:
    """Write a name as words: probability-drop becomes Probability drop."""
    return capital(str(value or "").replace("-", " ").replace("_", " "))


def capital(value: object) -> str:
    """Begin with a capital letter."""
    text = str(value or "")
    return text[:1].upper() + text[1:]


def sentence(value: object) -> str:
    """Begin with a capital letter and end with a full stop."""
    text = str(value or "").strip()
    return capital(text) + ("" if text.endswith((".", "?", "!", "…")) or not text else ".")


def duration(seconds: object) -> str:
    """Write a time in the unit a reader would choose."""
    if not _is_number(seconds):
        return NOTHING
    if seconds < 0.1:
        return f"{1000 * seconds:.2g} ms" if seconds < 0.0095 else f"{1000 * seconds:.0f} ms"
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def short(value: object, most: int = LONGEST_NAME) -> str:
    """Cut a long text and say so by an ellipsis."""
    text = showable(str(NOTHING if value is None else value))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def isolated(value: object, most: int = LONGEST_NAME) -> Markup:
    """Write a stranger's name, cut, escaped, and unable to reorder the text around it."""
    return Markup("<bdi>{}</bdi>").format(escape(short(value, most)))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and isfinite(value)
