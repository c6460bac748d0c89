"""Explain a stream of documents with one of the explainers, a bounded number of them at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice

from .. import catalog
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document, Label
from ..interfaces.errors import unknown_name
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation

CHUNK = 512  # texts explained together: enough to fill batches, few enough for constant memory


def make_explainer(name: str | None, classifier: Classifier, seed: int = 0) -> Explainer:
    """Load an explainer by name; without one, the model's own scores if it has any, else occlusion."""
    if name is None:
        own = isinstance(classifier, OpenClassifier) and classifier.method.own_score is not None
        name = "own" if own else "occlusion"
    chosen = catalog.load("explainers", name)
    takes_seed = any(field.name == "seed" for field in fields(chosen))
    explainer: Explainer = chosen(seed=seed) if takes_seed else chosen()
    return explainer


def explain_documents(
    classifier: Classifier, documents: Iterable[Document], explainer: Explainer, target: Label | None = None
) -> Iterator[Explanation]:
    """Explain each document for the class it is predicted to be, or for the class named as target."""
    number = None if target is None else class_number(classifier.classes, target)
    stream = iter(documents)
    while chunk := list(islice(stream, CHUNK)):
        yield from explainer.explain(classifier, chunk, None if number is None else [number] * len(chunk))


def class_number(classes: Sequence[Label], label: Label) -> int:
    """Find a class by its label, also when an integer label is given as a word."""
    names = [str(name) for name in classes]
    if str(label) not in names:
        raise unknown_name(str(label), "the classes of this model", names)
    return names.index(str(label))
