"""The order of classes such as stars and grades: by their numbers, by well-known grades, or as a user names it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite

from ..interfaces.document import Label
from ..interfaces.errors import OptionError

# scales from low to high; names of one place are alternatives
_SCALES: tuple[tuple[str, ...], ...] = (
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("strongly negative", "negative", "neutral", "positive", "strongly positive"),
    ("negative", "somewhat negative", "neutral", "somewhat positive", "positive"),
    (
        "awful|terrible",
        "very bad|very poor",
        "bad|poor",
        "fair|ok|okay|average|mixed",
        "good",
        "very good",
        "excellent",
    ),
    ("strongly disagree", "disagree", "neutral|neither agree nor disagree|undecided", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "neutral|possible", "likely", "very likely"),
    ("never", "rarely|seldom", "sometimes|occasionally", "often|frequently", "always"),
    ("none", "minimal", "mild", "moderate", "severe", "critical"),
    ("trivial", "minor", "normal|moderate", "major", "critical", "blocker"),
    ("none", "very low", "low", "medium|moderate|normal", "high", "very high|urgent|critical"),
    ("beginner", "intermediate", "advanced", "expert"),
    ("easy", "medium", "hard"),
)
_MOST_SHOWN = 10  # labels of an error


def ordered_classes(classes: Sequence[Label], order: Sequence[Label] | None = None) -> tuple[Label, ...]:
    """Put classes in order, lowest first: as named or, where nothing is, as their numbers or grades say."""
    if order is not None:
        return _as_named(classes, order)
    numbers = _numbers(classes)
    if numbers is not None and len(set(numbers)) == len(numbers):
        return tuple(label for _, label in sorted(zip(numbers, classes, strict=True)))
    for scale in _SCALES:
        place = {name: number for number, names in enumerate(scale) for name in names.split("|")}
        places = [place.get(_plain(label)) for label in classes]
        if None not in places and len(set(places)) == len(places):
            return tuple(sorted(classes, key=lambda label: place[_plain(label)]))
    raise OptionError(
        f"The labels {_listed(classes)} are neither numbers nor grades that whyword knows: name their order, lowest "
        "first, such as --order bad,fair,good."
    )


def values_of(classes: Sequence[Label]) -> tuple[float, ...]:
    """Say where ordered classes stand on their scale: their numbers if these rise, else their ranks from 1 up."""
    numbers = _numbers(classes)
    if numbers is not None and all(one < other for one, other in pairwise(numbers)):
        return numbers
    return tuple(float(rank) for rank in range(1, len(classes) + 1))


def are_stars(classes: Sequence[Label]) -> bool:
    """Whether classes look like a scale of numbers: three or more, one after the other or in equal steps."""
    numbers = _numbers(classes)
    if numbers is None or len(numbers) < 3:
        return False
    ordered = sorted(numbers)
    steps = [other - one for one, other in pairwise(ordered)]
    return min(steps) > 0 and max(steps) - min(steps) < 1e-9


def _as_named(classes: Sequence[Label], order: Sequence[Label]) -> tuple[Label, ...]:
    known = {str(label): label for label in classes}
    names = [str(name).strip() for name in order]
    missing = [label for label in classes if str(label) not in names]
    unknown = [name for name in names if name not in known]
    if missing or unknown or len(names) > len(known):
        what = (
            f"leaves out {_listed(missing)}"
            if missing
            else f"names {_listed(unknown)}, which no training row has"
            if unknown
            else "names a label twice"
        )
        raise OptionError(f"The order {','.join(names)} {what}: name each of {_listed(classes)} once, lowest first.")
    return tuple(known[name] for name in names)


def _numbers(classes: Sequence[Label]) -> tuple[float, ...] | None:
    try:
        numbers = tuple(float(label) for label in classes)
    except ValueError:
        return None
    return numbers if all(map(isfinite, numbers)) else None


def _plain(label: Label) -> str:
    return " ".join(str(label).casefold().replace("-", " ").replace("_", " ").split())


def _listed(labels: Sequence[Label]) -> str:
    shown = ", ".join(map(str, labels[:_MOST_SHOWN]))
    return shown if len(labels) <= _MOST_SHOWN else f"{shown}, … ({len(labels)} in all)"
