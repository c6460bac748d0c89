"""The contracts of encoders and methods: a text passes three seams, words → embedded → states → logits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ..maths.stats.classes import Selection
from ..maths.tensors.ordered import scale_odds
from .document import Batch
from .errors import OptionError


class Encoder(nn.Module, ABC):
    """Reads a batch in two steps, so that a method can act on the word vectors in between."""

    Config: ClassVar[type[Any]]  # frozen dataclass of its settings
    revision: ClassVar[int] = 1  # raised by hand when changed code or a changed default gives other models
    learning_rate: ClassVar[float] = 1e-3  # when the user names no other
    epochs: ClassVar[int] = 30  # at most, when the user names no other number
    token_kind: ClassVar[str] = "words"  # "words", or "pieces" when a pretrained tokenizer cuts words up
    methods: ClassVar[tuple[str, ...] | None] = None  # the only methods that can stand on it; None: all

    embedding_dim: int
    layer_dims: tuple[int, ...]  # width of each layer that encode returns

    @abstractmethod
    def embed(self, batch: Batch) -> Tensor:
        """Look up one vector per token: (batch, time, embedding_dim)."""

    @abstractmethod
    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Put the vectors in context: one (batch, time, layer_dim) per layer, the top layer last."""

    @abstractmethod
    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Pool the top layer to one vector per text, as this encoder's plain classifier does: (batch, state_dim)."""

    @property
    def state_dim(self) -> int:
        """Width of the top layer."""
        return self.layer_dims[-1]


class LinearEncoder(Encoder):
    """An encoder whose states are what each token adds to the logits, and whose summary is the logits.

    It is not trained step by step but solved at once.
    """

    @abstractmethod
    def set_classes(self, classes: int) -> None:
        """Take up the number of classes, which is the width of its states, before anything is learned."""

    def set_order(self, classes: int) -> None:
        """Take up that classes have an order: states are one number wide, the summary is the log-odds of p(y > k)."""
        raise OptionError(f"The encoder {type(self).__name__} knows no order of classes: leave out task ordinal.")

    @abstractmethod
    def solve(self, train: LabelledTexts, dev: LabelledTexts, by: Selection) -> Iterator[tuple[int, int]]:
        """Learn all weights, choosing on dev; gives how many parts of the work are done, and how many there are."""


@dataclass(frozen=True)
class Prediction:
    """What a method says about a batch."""

    logits: Tensor  # (batch, class)
    pooled: Tensor  # (batch, dim): what the last layer reads
    token_weights: Tensor | None = None  # (batch, time): the method's own score per token, if it has one
    states: Tensor | None = None  # (batch, time, dim): the states that were pooled
    lower: Tensor | None = None  # (batch, time, dim): states of lower layers side by side, of encoders that have any
    contributions: Tensor | None = None  # (batch, word, class): what each word adds to each probability; from explain
    token_logits: Tensor | None = None  # (batch, time, class): what each token adds to the logits, of linear models
    known: Tensor | None = None  # (batch, time) bool: tokens of words that the model knows; for contributions
    would_mark: Tensor | None = None  # (batch, word): how likely a person is to mark each word; from explain


def task_loss(logits: Tensor, batch: Batch) -> Tensor:
    """Mean cross-entropy of the labels, each text as heavy as the batch says: the task of every method.

    Where a text may have several labels, the mean over texts and labels of the binary cross-entropy of each.
    """
    assert batch.labels is not None
    if batch.labels.dim() == 2:
        weights = batch.weights
        if weights is not None and weights.dim() == 1:
            weights = weights.unsqueeze(1)
        return binary_cross_entropy_with_logits(logits, batch.labels.to(logits.dtype), weights)
    if batch.weights is None:
        return cross_entropy(logits, batch.labels)
    return (cross_entropy(logits, batch.labels, reduction="none") * batch.weights).mean()


def count_right(logits: Tensor, labels: Tensor) -> int:
    """Count the texts whose class is the likeliest or, of several labels, all of which are told right at one half."""
    right = (logits > 0).eq(labels > 0).all(-1) if labels.dim() == 2 else logits.argmax(-1) == labels
    return int(right.sum())


def lower_layers(layers: Sequence[Tensor]) -> Tensor | None:
    """Put two layers below the top side by side, a third and two thirds of the way down; None where there are none."""
    chosen = layers[:: -max(1, len(layers) // 3)][1:3]
    return torch.cat(tuple(chosen), -1) if chosen else None


Losses = Callable[[Batch, float], dict[str, Tensor]]  # named terms to add up, of a batch and the progress of the phase


@dataclass(frozen=True)
class Objective:
    """One optimizer step on a batch: what to minimize, and which weights may move."""

    losses: Losses
    parameters: Sequence[nn.Parameter]
    weight_decay: float = 0.0
    learning_rate: float | None = None  # None: that of the training
    learning_rates: Sequence[tuple[nn.Module, float]] = ()  # parts that have a learning rate of their own
    schedule: Literal["constant", "linear", "cosine"] | None = None  # of the learning rate; None: that of the training
    in_training: Sequence[nn.Module] | None = None  # parts in training mode, the rest in evaluation; None: all


class Texts(Protocol):
    """Tokenized texts that a phase trains on."""

    @property
    def lengths(self) -> np.ndarray:
        """(text,) number of tokens."""
        ...

    def batch(self, chosen: np.ndarray) -> Batch:
        """Pad the chosen texts."""
        ...


class LabelledTexts(Texts, Protocol):
    """Tokenized texts with their classes."""

    @property
    def labels(self) -> np.ndarray:
        """(text,) int64: index of the class; (text, label) bool where a text may have several."""
        ...

    @property
    def weights(self) -> np.ndarray | None:
        """(text,) or (text, label): how much each counts in training, one on average; None: all the same."""
        ...


Solve = Callable[[LabelledTexts, LabelledTexts, Selection], Iterator[tuple[int, int]]]  # as LinearEncoder.solve


@dataclass(frozen=True)
class Phase:
    """A stretch of training with its own objectives, taken in turn on each batch, and its own early stopping."""

    name: str
    epochs: int
    objectives: Sequence[Objective]
    eligible: bool = True  # whether its best weights may be the final ones
    run_all_epochs: bool = False  # whether all its epochs are run, because a schedule must finish
    logits: Callable[[Batch], Tensor] | None = None  # how dev is measured in this phase; None: as the method predicts
    refinement: Refinement | None = None  # of a phase that leaves the classifier as it was chosen
    solve: Solve | None = None  # in the place of objectives
    start_counts: bool = False  # whether the weights it starts from are measured too, and may be its best

    def with_losses(self, change: Callable[[Losses], Losses]) -> Phase:
        """Give the phase with the losses of each objective changed."""
        return replace(self, objectives=[replace(each, losses=change(each.losses)) for each in self.objectives])


@dataclass(frozen=True)
class Refinement:
    """A phase that adds to the chosen classifier: it trains on texts of its own and is judged by a loss of its own."""

    prepare: Callable[[], Iterator[tuple[int, int]]]  # with the chosen weights in place; gives texts done, and in all
    texts: Texts
    dev_loss: Callable[[], float]
    health: Callable[[float], dict[str, float]]  # what a dev loss means, in numbers for people
    batch_size: int


class Method(nn.Module, ABC):
    """A classifier on top of an encoder, and the way it is trained."""

    Config: ClassVar[type[Any]]  # frozen dataclass of its settings
    revision: ClassVar[int] = 1  # raised by hand when changed code or a changed default gives other models
    # "share": token weights add up to one, those of a word's pieces are summed; "gate": each in [0, 1], averaged
    own_score: ClassVar[Literal["share", "gate"] | None] = None

    multi_label: bool = False  # whether a text may have several labels: their probabilities do not add up to 1
    ordered: bool = False  # whether classes have an order: logits are log-probabilities, from blocks/ordered.py
    encoder: Encoder
    contributions: nn.Module | None  # the head of blocks/contributions.py, where the model carries it
    rationales: nn.Module | None  # the reader of blocks/rationales.py, where the model carries it
    unknown_token: int  # what a sub-text of no words consists of
    first_word: int | None  # token ids from here on are words of a vocabulary; None: every token says something
    logit_scale: Tensor  # () or (label,) that the logits are multiplied by, one over the temperature
    prior: Tensor | None  # (class,) logits of a text of which no word is known; None: as any other text

    def __init__(self) -> None:
        super().__init__()
        self.contributions = None
        self.rationales = None
        self.unknown_token = 1
        self.first_word = None
        self.register_buffer("logit_scale", torch.ones(()))
        self.register_buffer("prior", None)

    @abstractmethod
    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors, so that gradients reach the words."""

    def forward(self, batch: Batch) -> Prediction:
        """Predict from token ids."""
        return self.answer(self.classify(self.encoder.embed(batch), batch), batch)

    def answer(self, prediction: Prediction, batch: Batch) -> Prediction:
        """Scale what classify gave by the temperature; a text of which no word is known is answered by the prior."""
        logits, token_logits = self.scaled(prediction.logits), prediction.token_logits
        if token_logits is not None:
            token_logits = token_logits * self.logit_scale
        if self.prior is not None:
            logits = torch.where(self.known(batch).any(1, keepdim=True), logits, self.prior)
        return replace(prediction, logits=logits, token_logits=token_logits)

    def scaled(self, logits: Tensor) -> Tensor:
        """Multiply what classify gave by one over the temperature; of ordered classes, the log-odds of p(y > k)."""
        return scale_odds(logits, self.logit_scale) if self.ordered else logits * self.logit_scale

    def known(self, batch: Batch) -> Tensor:
        """(batch, time) bool: the tokens of known words; of pieces, all that are no padding."""
        return batch.mask if self.first_word is None else batch.is_word & (batch.tokens >= self.first_word)

    def probabilities(self, logits: Tensor) -> Tensor:
        """Turn logits into probabilities: of classes that exclude each other or, with several labels, of each label."""
        return logits.sigmoid() if self.multi_label else logits.softmax(-1)

    def expect_several_labels(self, labels: int) -> None:
        """Take up, before anything is learned, that a text may have several labels: each has its own temperature."""
        self.multi_label = True
        self.logit_scale = torch.ones(labels)

    def read(self, batch: Batch) -> tuple[Tensor, Prediction]:
        """Give the word vectors, and the prediction with its states."""
        embedded = self.encoder.embed(batch)
        prediction = self.answer(self.classify(embedded, batch), batch)
        if prediction.states is None:
            layers = self.encoder.encode(embedded, batch)
            prediction = replace(prediction, states=layers[-1], lower=lower_layers(layers))
        return embedded, prediction

    def explain(self, batch: Batch, logits: Tensor | None = None) -> Prediction:
        """Predict, and give the contributions and what a person would mark, where the method carries their heads.

        With the logits of another classifier, contributions are to those: then this method only reads for it.
        """
        embedded, prediction = self.read(batch)
        if self.rationales is not None:
            prediction = replace(prediction, would_mark=self.rationales(embedded, prediction, batch))
        if self.contributions is None:
            return prediction
        if logits is not None:
            prediction = replace(prediction, logits=logits)
            return replace(prediction, contributions=self.contributions(embedded, prediction, batch))
        known = self.known(batch)
        contributions = self.contributions(embedded, replace(prediction, known=known), batch)
        return replace(prediction, contributions=contributions * known.any(1).view(-1, 1, 1))

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Name the terms that are added up and minimized; progress runs from 0 to 1 through the phase."""
        prediction, terms = self.predict_with_terms(batch)
        return {"task": task_loss(prediction.logits, batch), **terms}

    def predict_with_terms(self, batch: Batch) -> tuple[Prediction, dict[str, Tensor]]:
        """Predict, and name what training minimizes whatever the task, from the same pass; nothing for most methods."""
        return self(batch), {}

    def plan(self, epochs: int) -> Sequence[Phase]:
        """List the phases of training; one phase that trains everything unless a method says otherwise."""
        return [Phase("train", epochs, [Objective(self.losses, list(self.parameters()))])]

    def prepare(self, batches: Iterable[Batch]) -> None:
        """Look at the training texts once, before training; what is seen must be kept in buffers."""
        return

    def vocabulary_scores(self, vectors: Tensor) -> Tensor | None:
        """Score words by their vectors alone, (word, embedding_dim) to (word,); None for methods that need a text."""
        return None

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Measure, after an epoch, whether the explanation mechanism is alive; nothing for methods that have none."""
        return {}

    def warnings(self, health: dict[str, float]) -> list[str]:
        """Say in plain sentences what is wrong with the final model, judged by its health, and what to change."""
        return []


@runtime_checkable
class Attending(Protocol):
    """A method whose prediction is read out of states, each weighted by the attention its token gets.

    classify(embedded, batch) is classify_from(*attention_and_states(embedded, batch)).
    """

    def scaled(self, logits: Tensor) -> Tensor:
        """Multiply logits by one over the temperature."""
        ...

    def attention_and_states(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give the (batch, time) weights, 0 on padding, and the (batch, time, dim) states that they weigh."""
        ...

    def classify_from(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict from the states with these weights, whoever chose them."""
        ...
