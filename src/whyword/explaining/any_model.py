"""Any model becomes a Classifier: ours, scikit-learn's, or a function from strings to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inference.black_box import BlackBox
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Label, Words
from ..interfaces.errors import OptionError, unknown_name
from ..models.folder import TrainedModel, model_fingerprint, named_fingerprint
from .inputs import read_labels


def trained_model(model: Any) -> TrainedModel | None:
    """Give the trained model that a value is or, as a fitted TextClassifier does, holds; None for models not ours."""
    held = getattr(model, "model_", model)
    return held if isinstance(held, TrainedModel) else None


def as_classifier(model: Any, texts: Sequence[Words], classes: Sequence[Label] | None = None) -> Classifier:
    """Make any model answer like ours; texts are some to ask it about, if nobody names the classes."""
    if (ours := trained_model(model)) is not None:
        return ours.classifier
    if isinstance(model, Classifier):
        return model
    predict_proba = getattr(model, "predict_proba", model)
    if not callable(predict_proba):
        raise OptionError(
            f"{type(model).__name__} is no model: give a TextClassifier, or a function from texts to probabilities."
        )
    if classes is None:
        classes = getattr(getattr(predict_proba, "__self__", None), "classes_", None)
    if classes is None:
        first = texts[0].texts
        classes = range(np.asarray(predict_proba([first[0] if len(first) == 1 else first])).shape[-1])
    return BlackBox(predict_proba, tuple(read_labels(classes)))


def open_classifier(model: Any) -> OpenClassifier:
    """Give the classifier of a model of ours, whose weights and gradients can be looked at; refuse any other."""
    ours = trained_model(model)
    classifier = model if ours is None else ours.classifier
    if not isinstance(classifier, OpenClassifier):
        raise OptionError(f"{type(model).__name__} cannot be looked into: give a model that whyword trained.")
    return classifier


def class_number(classes: Sequence[Label], label: Label) -> int:
    """Find a class by its label, also when an integer label is given as a word."""
    names = [str(name) for name in classes]
    if str(label) not in names:
        raise unknown_name(str(label), "the classes of this model", names)
    return names.index(str(label))


def model_identity(model: Any, classes: Sequence[Label], fingerprint: str | None) -> str | None:
    """Name a model, to tell whether it is the one of an earlier run: ours by its contents, others by their fingerprint.

    The fingerprint is a name that the user changes whenever the model changes; None if there is none.
    """
    if (ours := trained_model(model)) is not None:
        return model_fingerprint(ours)
    return None if fingerprint is None else named_fingerprint(fingerprint, classes)
