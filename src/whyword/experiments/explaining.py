"""Explain a stream of documents with one of the explainers, a bounded number of them at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice
from typing import Any

import numpy as np

from .. import catalog
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document, Label, Words
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from ..training.black_box import BlackBox
from .inputs import read_labels

FIRST_CHUNK = 8  # texts explained together before it is known how many forward passes a text takes
LARGEST_CHUNK = 512  # enough to fill batches, few enough for constant memory
CHUNK_PASSES = 4_096  # forward passes of later chunks: the first answers come soon, however slow the explainer


def make_explainer(name: str | None, classifier: Classifier, seed: int = 0) -> Explainer:
    """Load an explainer by name; without one, the model's own scores if it has any, else occlusion."""
    if name is None:
        own = isinstance(classifier, OpenClassifier) and classifier.method.own_score is not None
        name = "own" if own else "occlusion"
    chosen = catalog.load("explainers", name)
    takes_seed = any(field.name == "seed" for field in fields(chosen))
    explainer: Explainer = chosen(seed=seed) if takes_seed else chosen()
    return explainer


def as_classifier(model: Any, texts: Sequence[Words], classes: Sequence[Label] | None = None) -> Classifier:
    """Make any model answer like ours; texts are some to ask it about, if nobody names the classes."""
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


def explain_documents(
    classifier: Classifier, documents: Iterable[Document], explainer: Explainer, target: Label | None = None
) -> Iterator[Explanation]:
    """Explain each document for the class it is predicted to be, or for the class named as target."""
    number = None if target is None else class_number(classifier.classes, target)
    return _in_chunks(classifier, iter(documents), explainer, number)


def _in_chunks(
    classifier: Classifier, documents: Iterator[Document], explainer: Explainer, target: int | None
) -> Iterator[Explanation]:
    size, texts, passes = FIRST_CHUNK, 0, 0
    while chunk := list(islice(documents, size)):
        explanations = explainer.explain(classifier, chunk, None if target is None else [target] * len(chunk))
        texts += len(chunk)
        passes += sum(explanation.forward_passes for explanation in explanations)
        size = max(1, min(CHUNK_PASSES * texts // max(1, passes), LARGEST_CHUNK))
        yield from _with_unread(explanations, classifier)


def _with_unread(explanations: Sequence[Explanation], classifier: Classifier) -> Iterator[Explanation]:
    """Say of each explanation how many words the model could not read, if that is known."""
    if not isinstance(classifier, OpenClassifier):
        yield from explanations
        return
    counts = classifier.unread_words([explanation.document.words for explanation in explanations])
    for explanation, unread in zip(explanations, counts, strict=True):
        yield replace(explanation, unread=unread) if unread else explanation


def class_number(classes: Sequence[Label], label: Label) -> int:
    """Find a class by its label, also when an integer label is given as a word."""
    names = [str(name) for name in classes]
    if str(label) not in names:
        raise unknown_name(str(label), "the classes of this model", names)
    return names.index(str(label))


def only_top(explanation: Explanation, top: int | None) -> Explanation:
    """Keep the scores of the words that speak most for the target, and set the others to 0; None keeps all."""
    if top is None:
        return explanation
    scores = np.zeros_like(explanation.scores)
    best = explanation.ranking[:top]
    scores[best] = explanation.scores[best]
    return replace(explanation, scores=scores)
