"""Open any model that is not whyword's: the adapter that recognizes it does, or it is a function of strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import catalog
from ..interfaces.adapter import Access, Adapter, ForeignModel
from ..interfaces.document import Label
from ..interfaces.errors import OptionError
from .black_box import BlackBox


def open_foreign(model: object, access: Access) -> ForeignModel | None:
    """Open a model by the first adapter that recognizes it; None if none does."""
    for adapter in _adapters():
        if adapter.recognizes(model):
            return adapter.open(model, access)
    return None


def open_object(model: Any, access: Access, name: str | None = None) -> ForeignModel:
    """Open a Python object: one that an adapter recognizes, has predict_proba, or is a function of texts."""
    opened = None if isinstance(model, str) else open_foreign(model, access)
    if opened is not None:
        return opened
    predict_proba = getattr(model, "predict_proba", model)
    if not callable(predict_proba):
        raise OptionError(
            f"{type(model).__name__} is no model: give a TextClassifier, a Hugging Face, scikit-learn, SetFit, spaCy "
            "or fastText classifier, or a function from texts to probabilities."
        )
    classes = access.classes or _named_classes(predict_proba)
    if classes is None:
        only = access.example
        answer = np.asarray(predict_proba([only[0] if len(only) == 1 else only]))
        classes = tuple(range(answer.shape[-1] if answer.ndim else 0))
    called = name or str(getattr(model, "__name__", type(model).__name__))
    return ForeignModel(BlackBox(predict_proba, classes), called, "function")


def _named_classes(predict_proba: Any) -> tuple[Label, ...] | None:
    """Read what scikit-learn's estimators know, or what a function was given, as its classes."""
    owner = getattr(predict_proba, "__self__", None)
    classes = getattr(owner, "classes_", getattr(predict_proba, "classes", None))
    return None if classes is None else tuple(classes.tolist() if hasattr(classes, "tolist") else classes)


def forms() -> str:
    """Say how models are written on a command line."""
    return ", ".join(adapter.forms for adapter in _adapters())


def _adapters() -> Iterator[type[Adapter]]:
    """Give whyword's own first: a plug-in that cannot be imported harms only models that none of them knows."""
    own = catalog.built_in_names("adapters")
    for name in [*own, *(name for name in catalog.names("adapters") if name not in own)]:
        yield catalog.load("adapters", name)
