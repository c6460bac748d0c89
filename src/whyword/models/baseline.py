"""The baseline that a model is trained beside: TF-IDF with logistic regression, which takes seconds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import torch

from ..blocks.ordered import CutPoints
from ..data.batching import Corpus
from ..data.dataset import Dataset
from ..data.forbidden import Forbidden
from ..data.labels import are_multi_label
from ..data.store import StoredDocuments, words_of
from ..data.tokenizers.forbidding import forbid
from ..data.weights import weigh
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Document, Label
from ..interfaces.method import Method
from ..storage.atomic import writing
from ..training.loop import TrainingRun
from .assemble import Parts, assemble
from .config import FORBIDDEN, RunConfig, make_config
from .decisions import decide_on_dev

BASELINE = "tfidf"
SMALLEST_PRIOR = 1e-6  # of a class whose texts all have the weight 0


def read_corpora(parts: Parts, dataset: Dataset, classes: Sequence[Label]) -> tuple[Corpus, Corpus]:
    """Tokenize the texts to learn from, each with its weight, and those to choose by; the method learns its prior."""
    config = parts.config
    ignored = () if config.is_solved else config.forbid_soft
    with writing(dataset.train.store.folder) if isinstance(dataset.train, StoredDocuments) else nullcontext():
        train = Corpus.read(dataset.train, classes, parts.tokenizer)
    dev = Corpus.read(dataset.dev, classes, forbid(parts.tokenizer, ignored))  # or dev would choose what relies on them
    train = weigh(train, dataset.train, config.training.class_weight, classes)
    if ignored:
        train = replace(train, ignored=_marks(dataset.train, Forbidden(ignored)))
    set_prior(parts.method, train)
    if train.labels.ndim == 2:
        start_from_shares(parts.method, train)
    place_cut_points(parts.method, train)
    return train, dev


def _marks(documents: Sequence[Document], forbidden: Forbidden) -> Sequence[np.ndarray]:
    """Say which words are forbidden, of documents on disk when they are read."""
    if isinstance(documents, StoredDocuments):
        return documents.words.then(forbidden.marks)
    return [forbidden.marks(document.words) for document in documents]


def set_prior(method: Method, train: Corpus) -> None:
    """Let a text of no known word be answered by the shares of the classes or labels, as heavy as in training."""
    if method.prior is not None and train.labels.ndim == 2:
        weights = np.ones(1) if train.weights is None else train.weights.reshape(len(train), -1)
        shares = (train.labels * weights).mean(0) / np.broadcast_to(weights, train.labels.shape).mean(0).clip(min=1e-12)
        method.prior.copy_(_log_odds(shares))
    elif method.prior is not None:
        counts = np.bincount(train.labels, train.weights, len(method.prior))
        method.prior.copy_(torch.from_numpy(counts / counts.sum()).clamp(min=SMALLEST_PRIOR).log())


@torch.no_grad()
def start_from_shares(method: Method, train: Corpus) -> None:
    """Let the last layer start from how often texts have each label, so that rare ones need not be unlearned first."""
    bias = getattr(getattr(getattr(method, "head", None), "linear", None), "bias", None)
    if isinstance(bias, torch.Tensor):
        bias.copy_(_log_odds(train.labels.mean(0)))


def place_cut_points(method: Method, train: Corpus) -> None:
    """Let an ordinal model start from the shares of the classes, which it then gives to texts of the score 0."""
    for cuts in (part for part in method.modules() if isinstance(part, CutPoints)):
        counts = np.bincount(train.labels, train.weights, len(cuts.steps) + 2)
        cuts.place(_log_odds(counts.cumsum()[:-1] / counts.sum()))


def _log_odds(shares: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(shares).clamp(SMALLEST_PRIOR, 1 - SMALLEST_PRIOR).logit()


def fit_baseline(config: RunConfig, dataset: Dataset, classes: Sequence[Label]) -> FittedClassifier:
    """Solve the baseline of a run: with the same vocabulary, weights of classes and rule of choice."""
    lists = {name: getattr(config, name) for name in FORBIDDEN}
    plain = make_config({"encoder": BASELINE, "seed": config.seed, "task": config.task, "order": config.order, **lists})
    training = replace(plain.training, class_weight=config.training.class_weight, select=config.training.select)
    plain = replace(plain, vocabulary=replace(config.vocabulary, from_vectors=None), training=training)
    several = are_multi_label(dataset.train)
    parts = assemble(plain, len(classes), words_of(dataset.train), several)
    train, dev = read_corpora(parts, dataset, classes)
    for _ in TrainingRun(parts.method, training, train, dev, config.seed, torch.device("cpu")).steps():
        pass
    classifier = FittedClassifier(parts.method, parts.tokenizer, tuple(classes))
    return decide_on_dev(classifier, training, dataset.dev)[0] if several else classifier
