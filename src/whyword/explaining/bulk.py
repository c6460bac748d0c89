"""One part of the texts of a large run, answered by itself: the numbers do not depend on who answers the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from threadpoolctl import threadpool_limits

from ..data.parts import Part, read_part
from ..data.rows import Columns
from ..inference.device import choose_device
from ..interfaces.classifier import Classifier
from ..interfaces.document import Label
from ..interfaces.errors import ModelError
from ..interfaces.explainer import Explainer
from ..models.fingerprint import model_fingerprint
from ..models.folder import load_model
from .cache import ExplanationCache
from .predicting import predict_chunks
from .stream import explain_chunks


@dataclass(frozen=True)
class Task:
    """What is asked about every part, in values that travel to other processes and machines."""

    model: Path  # absolute: readable wherever a part is answered
    contents: str  # the fingerprint of the model
    columns: Columns
    explainer: Explainer | None = None  # None: predictions are asked for
    target: Label | None = None
    top: int | None = None
    cache: Path | None = None
    device: str = "auto"
    threads: int = 1  # not all cores: the last digits depend on it


def answer(task: Task, part: Part, classifier: Classifier | None = None) -> Iterator[dict[str, Any]]:
    """Answer the texts of a part in order; the model is loaded once per process unless it is given.

    How long a text took is left out, so that the same texts give the same bytes.
    """
    if classifier is None:
        classifier = _load_once(task.model, task.contents, task.device)
    torch.set_num_threads(task.threads)
    threadpool_limits(task.threads, "blas")  # the solvers of LIME and Shapley values are numpy's
    documents = read_part(part, task.columns)
    if task.explainer is None:
        yield from chain.from_iterable(predict_chunks(classifier, documents))
        return
    kept = None if task.cache is None else ExplanationCache(task.cache, task.contents)
    for explanation in chain.from_iterable(explain_chunks(classifier, documents, task.explainer, task.target, kept)):
        values = explanation.to_dict(task.top)
        del values["seconds"]
        yield values


@lru_cache(maxsize=1)
def _load_once(folder: Path, contents: str, device: str) -> Classifier:
    trained = load_model(folder, choose_device(device))
    if model_fingerprint(trained) != contents:
        raise ModelError(f"{folder} is not the model that the run began with: put that one there, on every machine.")
    return trained.classifier
