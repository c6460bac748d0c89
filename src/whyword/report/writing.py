"""How numbers and strangers' texts are written on a page."""

from __future__ import annotations

from math import isfinite
from typing import Any

from markupsafe import Markup, escape

from ..views.characters import showable

NOTHING = "–"
LONGEST_NAME = 60


def number(value: Any, digits: int = 3) -> str:
    """Write a number with a true minus, a dash where there is none."""
    if not _is_number(value):
        return NOTHING
    return (f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.3e}").replace("-", "−")


def amount(value: Any) -> str:
    """Write a count as a count and any other number with three digits."""
    return count(value) if _is_number(value) and value == int(value) and abs(value) >= 2 else number(value)


def signed(value: Any, digits: int = 3) -> str:
    """Write a difference with its sign."""
    return f"{value:+.{digits}f}".replace("-", "−") if _is_number(value) else NOTHING


def interval(low: Any, high: Any, digits: int = 3) -> str:
    """Write both ends of an interval; nothing where there is none."""
    return f"{number(low, digits)} to {number(high, digits)}" if _is_number(low) and _is_number(high) else ""


def percent(value: Any, digits: int = 1) -> str:
    """Write a share as a percentage."""
    return f"{value:.{digits}%}".replace("-", "−") if _is_number(value) else NOTHING


def percents(low: Any, high: Any, digits: int = 1) -> str:
    """Write an interval of shares."""
    return f"{percent(low, digits)} to {percent(high, digits)}" if _is_number(low) and _is_number(high) else ""


def p_value(value: Any) -> str:
    """Write a probability of chance with three digits."""
    if not _is_number(value):
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def count(value: Any) -> str:
    """Write a count with its thousands apart."""
    return f"{value:,.0f}" if _is_number(value) else NOTHING


def words(value: Any) -> str:
    """Write a name as words: probability-drop becomes Probability drop."""
    return capital(str(value or "").replace("-", " ").replace("_", " "))


def capital(value: Any) -> str:
    """Begin with a capital letter."""
    text = str(value or "")
    return text[:1].upper() + text[1:]


def sentence(value: Any) -> str:
    """Begin with a capital letter and end with a full stop."""
    text = str(value or "").strip()
    return capital(text) + ("" if text.endswith((".", "?", "!", "…")) or not text else ".")


def duration(seconds: Any) -> str:
    """Write a time in the unit a reader would choose."""
    if not _is_number(seconds):
        return NOTHING
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def short(value: Any, most: int = LONGEST_NAME) -> str:
    """Cut a long text and say so by an ellipsis."""
    text = showable(str(NOTHING if value is None else value))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def isolated(value: Any, most: int = LONGEST_NAME) -> Markup:
    """Write a stranger's name, cut, escaped, and unable to reorder the text around it."""
    return Markup("<bdi>{}</bdi>").format(escape(short(value, most)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and isfinite(value)
