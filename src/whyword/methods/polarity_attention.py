"""Attention whose scores can be read word by word: Sun & Lu, ACL 2020 (their DP, DP-A, DP-L and AD)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Literal

import torch
from torch import Tensor, nn

from ..blocks.attention import (
    AdditiveAttention,
    Attentive,
    DotProductAttention,
    affine_layer,
    plain_query,
    query_overlap,
)
from ..blocks.heads import PolarityHead
from ..interfaces.document import Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder, Prediction
from ..interfaces.settings import check_above_zero, check_from, check_share_below_one
from ..maths.tensors.polarity import Scorer, Sums, sum_over_texts, token_groups, updates


class PolarityAttention(Attentive):
    """DP on the encoder bag, DP-A on affine, DP-L on lstm (bidirectional); AD is additive on bag."""

    attention: DotProductAttention | AdditiveAttention
    head: PolarityHead

    @dataclass(frozen=True)
    class Config:
        """Settings of the attention; training as the authors': adagrad at 0.02, batches of 100, 40 epochs."""

        kind: Literal["dot", "additive"] = "dot"
        scale: float | None = None  # λ that divides the scores; None: the root of the state width, 10 in the paper
        penalty: float = 0.0  # weight of |V·W|; authors' code: 1e-4 on SST, 1e-3 on synthetic texts
        l2: float = 1e-4  # weight of ½|θ|² of affine, LSTM and additive layers; the paper tells no number
        start: Literal["linear", "wide"] = (
            "linear"  # W as torch draws a linear layer, or from U(-1, 1): synthetic texts
        )
        dropout: float = 0.5  # on the text vector; the authors also drop 0.5 of word vectors: encoder.dropout
        trace: bool = False  # record after every epoch, on dev texts, scores by word group and the terms A to F

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "scale")
            check_from(self, 0, "penalty", "l2")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__()
        self.encoder, self.config, self.classes = encoder, config, classes
        dim = encoder.state_dim
        scale = config.scale or dim**0.5
        if config.kind == "dot":
            self.attention = DotProductAttention(dim, scale)
        else:
            self.attention = AdditiveAttention(dim, dim, scale)
            nn.init.normal_(self.attention.query.weight)
        self.head = PolarityHead(dim, classes, config.dropout)
        if config.start == "wide":
            nn.init.uniform_(self.head.linear.weight, -1.0, 1.0)
        if config.trace and not self.decomposes:
            raise OptionError("method.trace is true: that needs method.kind=dot and the encoder bag or affine.")

    def expect_several_labels(self, labels: int) -> None:
        """Give each of two labels a score of its own; of two classes that exclude each other, one score says all."""
        super().expect_several_labels(labels)
        if labels == 2:
            one = self.head.linear.weight
            both = nn.Linear(one.shape[1], labels, bias=False)
            if self.config.start == "wide":
                nn.init.uniform_(both.weight, -1.0, 1.0)
            self.head.linear = both.to(one)

    @property
    def decomposes(self) -> bool:
        """Whether the terms A to F describe this model: dot-product attention on word vectors, mapped at most once."""
        encoder, layer = self.encoder, affine_layer(self.encoder)
        vectors = sum(1 for name, _ in encoder.named_parameters() if name.startswith("embedding."))
        others = 0 if layer is None else len(list(layer.parameters()))
        return self.config.kind == "dot" and vectors == 1 and len(list(encoder.parameters())) == vectors + others

    def predict_with_terms(self, batch: Batch) -> tuple[Prediction, dict[str, Tensor]]:
        """Predict, and give what is asked for of penalty and weight decay."""
        terms: dict[str, Tensor] = {}
        if self.config.penalty:
            terms["penalty"] = self.config.penalty * self.overlap().abs().sum()
        layers = list(self._layers())
        if self.config.l2 and layers:
            terms["l2"] = self.config.l2 / 2 * torch.stack([layer.square().sum() for layer in layers]).sum()
        return self(batch), terms

    def overlap(self) -> Tensor:
        """V·W, one number per score: what drives the attention of the classes apart."""
        query = plain_query(self.attention)
        assert query is not None
        return query_overlap(query, self.head.linear.weight, self.encoder)

    def _layers(self) -> Iterator[Tensor]:
        """Weights between word vectors and scores, but for V and W; none of a pretrained encoder."""
        if isinstance(self.attention, AdditiveAttention):
            yield self.attention.hidden.weight
        if self.encoder.token_kind == "words":
            for name, parameter in self.encoder.named_parameters():
                if not name.startswith("embedding."):
                    yield parameter

    def word_states(self) -> tuple[Tensor, Tensor]:
        """Give (word, embedding_dim) vectors of the vocabulary and (word, dim) states, where these need no text."""
        vectors: Tensor = self.encoder.embedding.table.weight  # type: ignore[assignment, union-attr]
        layer = affine_layer(self.encoder)
        return vectors, vectors if layer is None else layer(vectors)

    @torch.no_grad()
    def updates(self, batches: Sequence[Batch]) -> dict[str, Tensor]:
        """Decompose the step that gradient descent on these texts would take, in evaluation: terms A to F per word."""
        vectors, states = self.word_states()
        scorer = self._scorer()
        sums = reduce(add, (self._sums(batch, scorer, len(vectors)) for batch in batches))
        return updates(sums, scorer, vectors, states, vectors.requires_grad)

    def _scorer(self) -> Scorer:
        assert isinstance(self.attention, DotProductAttention)
        layer = affine_layer(self.encoder)
        matrix = None if layer is None else layer.weight
        return Scorer(self.head.linear.weight, self.attention.query, self.attention.scale, matrix, layer is not None)

    def _sums(self, batch: Batch, scorer: Scorer, vocabulary: int) -> Sums:
        assert batch.labels is not None
        embedded = self.encoder.embed(batch)
        weights, states = self.attention_and_states(embedded, batch)
        return sum_over_texts(batch.tokens, embedded, states, weights, batch.labels, scorer, vocabulary)

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """V·W; with trace also the means by word group of scores and terms, as polarity_class_1 or A_neutral."""
        overlap = self.overlap()
        found = {"overlap": float(overlap if len(overlap) == 1 else overlap.abs().mean())}
        if not self.config.trace or not batches:
            return found
        vectors, states = self.word_states()
        values = {"polarity": self.head.linear(states), "attention": self.attention.scores(states)}
        values |= self.updates(batches)
        groups = torch.from_numpy(token_groups(_label_counts(batches, len(vectors), self.classes).numpy()))
        for number in range(self.classes + 1):
            members = groups.to(vectors.device) == number
            name = "neutral" if number == self.classes else f"class_{number}"
            if members.any():
                found |= {f"{term}_{name}": _mean(value[members], number) for term, value in values.items()}
        return found


def _label_counts(batches: Sequence[Batch], vocabulary: int, classes: int) -> Tensor:
    """Occurrences of each word in texts of each class, (word, class)."""
    counts = torch.zeros(vocabulary * classes, dtype=torch.long)
    for batch in batches:
        assert batch.labels is not None
        if batch.labels.dim() == 2:
            text = batch.is_word.nonzero()[:, 0]
            table = counts.view(vocabulary, classes)
            table.index_add_(0, batch.tokens[batch.is_word].cpu(), batch.labels[text].long().cpu())
            continue
        cells = (batch.tokens * classes + batch.labels.unsqueeze(1))[batch.is_word].cpu()
        counts += torch.bincount(cells, minlength=len(counts))
    return counts.view(vocabulary, classes)


def _mean(values: Tensor, group: int) -> float:
    """Average over words: their only score, that of their class, or all scores for neutral words of many classes."""
    several = values.dim() == 2 and values.shape[1] > 1
    return float(values[:, group].mean() if several and group < values.shape[1] else values.mean())
