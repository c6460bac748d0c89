"""The options of the planted corpus: its difficulty, variant, sizes and seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from ..interfaces.errors import OptionError, unknown_name

Difficulty = Literal["easy", "medium", "hard"]
Variant = Literal["reviews", "spurious", "pairs", "sun-lu-1", "sun-lu-2"]

_SMALLEST = {"train": 1, "dev": 0, "test": 0, "classes": 2, "seed": 0}


@dataclass(frozen=True)
class Planted:
    """What to generate.

    easy: only cue words of the label; medium: also fewer cue words of the other class; hard: also negated cue words.
    """

    difficulty: Difficulty = "easy"
    variant: Variant = "reviews"
    train: int = 1200
    dev: int = 200
    test: int = 400
    classes: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.difficulty not in get_args(Difficulty):
            raise unknown_name(self.difficulty, "the difficulties of planted", get_args(Difficulty))
        if self.variant not in get_args(Variant):
            raise unknown_name(self.variant, "the variants of planted", get_args(Variant))
        for name, smallest in _SMALLEST.items():
            if getattr(self, name) < smallest:
                raise OptionError(f"{name}={getattr(self, name)} is too small for planted: give at least {smallest}.")
        if self.classes > 3:
            raise OptionError(f"classes={self.classes} is too many for planted: choose 2 or 3.")
        if self.classes == 3 and self.variant not in ("reviews", "spurious"):
            raise OptionError(f"The variant {self.variant} of planted has two classes: leave out classes=3.")
        if self.difficulty != "easy" and self.variant.startswith("sun-lu"):
            raise OptionError(f"The variant {self.variant} of planted has one difficulty: leave out {self.difficulty}.")

    @property
    def options(self) -> str:
        """The shortest options that give these settings again."""
        usual = {"difficulty": "easy", "variant": "reviews", **_sizes(self.variant), "classes": 2, "seed": 0}
        chosen = {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}
        return ",".join(f"{name}={value}" if name in _SMALLEST else value for name, value in chosen.items())


def parse(options: str) -> Planted:
    """Read comma-separated options: a difficulty, a variant, and numbers for train, dev, test, classes and seed."""
    difficulty: Difficulty = "easy"
    variant: Variant = "reviews"
    numbers: dict[str, int] = {}
    for option in filter(None, (option.strip() for option in options.split(","))):
        name, equals, number = (part.strip() for part in option.partition("="))
        if name in _SMALLEST:
            numbers[name] = _whole(name, number)
        elif not equals and name in get_args(Difficulty):
            difficulty = cast(Difficulty, name)
        elif not equals and name in get_args(Variant):
            variant = cast(Variant, name)
        else:
            known = (*get_args(Difficulty), *get_args(Variant), *(f"{number}=" for number in _SMALLEST))
            raise unknown_name(option, "the options of planted", known)
    return Planted(difficulty, variant, **(_sizes(variant) | numbers))


def _sizes(variant: Variant) -> dict[str, int]:
    if variant.startswith("sun-lu"):
        return {"train": 9600, "dev": 1200, "test": 1200}  # 6000 texts of each class, as in the paper
    return {"train": 1200, "dev": 200, "test": 400}


def _whole(name: str, number: str) -> int:
    try:
        return int(number)
    except ValueError:
        raise OptionError(f"{name}={number} in the options of planted: give a whole number, as in {name}=3.") from None
