"""The contract of adapters: each opens one kind of model that is not whyword's as a classifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from .classifier import Classifier
from .document import Label
from .errors import OptionError


@dataclass(frozen=True)
class Access:
    """How a model may be opened, and what it does not say itself; plain values, so that it travels to workers."""

    device: str = "auto"
    classes: tuple[Label, ...] | None = None  # in the order of its probabilities; None: as the model names them
    allow_download: bool = False  # of what is named and not on this machine
    allow_pickle: bool = False  # of files that can run code when they are read
    template: Path | None = None  # JSON that says how an HTTP endpoint is asked
    learned: str | None = None  # folder of an explainer that was learned for it
    precision: str = "float32"  # of the network: float32, bfloat16 or int8
    example: tuple[str, ...] = ("a",)  # a text, or a pair, to count the classes of a model that does not name them

    def classes_of(self, names: Sequence[Label], model: str) -> tuple[Label, ...]:
        """Give the classes of a model: as the user names them, or as the model does, unless it only numbers them."""
        if self.classes is not None:
            if len(self.classes) != len(names):
                raise OptionError(
                    f"{model} has {len(names)} classes and {len(self.classes)} were named: name each, in its order."
                )
            return self.classes
        numbered = all(label == f"LABEL_{number}" for number, label in enumerate(names))  # as Hugging Face does
        return tuple(range(len(names)) if numbered else names)


@dataclass(frozen=True, eq=False)
class ForeignModel:
    """A model that is not whyword's, opened."""

    classifier: Classifier
    name: str  # for people
    kind: str  # name of the adapter
    fingerprint: Callable[[], str] | None = None  # names the contents; None where nobody can see that they change


class Adapter(ABC):
    """One kind of model, named on a command line or handed over as an object."""

    forms: ClassVar[str]  # how such a model is written on a command line, for people

    @classmethod
    @abstractmethod
    def recognizes(cls, model: object) -> bool:
        """Say whether this is such a model, by its name, path or type; no library is imported for it."""

    @classmethod
    @abstractmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Open a model that was recognized, or say in a sentence why it cannot be."""


def is_a(model: object, library: str, *names: str) -> bool:
    """Say whether an object is of a class of that name, or of one that inherits from it, in a library."""
    return any(base.__name__ in names and base.__module__.partition(".")[0] == library for base in type(model).__mro__)
