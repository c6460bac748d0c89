"""Attention whose states must keep their words: Tutek & Šnajder, RepL4NLP 2020, arXiv 2005.09379."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from ..blocks.attention import AdditiveAttention, attend, states_health, states_warnings
from ..blocks.heads import Head
from ..blocks.word_encoder import word_table
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Method, Prediction, lower_layers
from ..interfaces.settings import check_above_zero, check_from, check_share_below_one, refuse
from ..maths.tensors.distances import conicity


class WordRegularized(Method):
    """Nothing in plain attention asks a state to stand for its word; these terms, alone or together, do."""

    own_score = "share"

    @dataclass(frozen=True)
    class Config:
        """Settings of the word-level objectives; a weight of 0 leaves one out."""

        concat: bool = False  # attend over, and classify from, the state and the word vector side by side
        tying: float = 1.0  # weight δ of the distance between a state and its word vector; authors' values unknown
        distance: Literal["norm", "squared"] = "norm"  # the authors' later code takes the norm
        mlm: float = 0.0  # weight η of predicting masked words from their states; 1 is usual
        masked_share: float = 0.15  # of the words, in a pass of its own: the classifier reads the text unmasked
        candidates: int | None = 5_000  # a larger vocabulary is drawn from for each prediction; None: never
        conicity: float = 0.0  # weight κ of the conicity of the states, from the authors' later paper
        width: int | None = None  # hidden width of the attention; None: half of what is attended, as Jain & Wallace
        dropout: float = 0.2  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_from(self, 0, "tying", "mlm", "conicity")
            check_from(self, 1, "candidates")
            check_above_zero(self, "width")
            check_share_below_one(self, "dropout")
            if not 0 < self.masked_share <= 1:
                refuse(self, "masked_share", "a share above 0, up to 1")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = encoder
        dim = encoder.state_dim + (encoder.embedding_dim if config.concat else 0)
        self.attention = AdditiveAttention(dim, config.width or max(1, dim // 2), 1.0)
        self.head = Head(dim, classes, config.dropout)
        if (config.tying or config.mlm) and encoder.state_dim != encoder.embedding_dim:
            self.to_word: nn.Module = nn.Linear(encoder.state_dim, encoder.embedding_dim)
        else:
            self.to_word = nn.Identity()
        if config.mlm:
            self.mask_vector = nn.Parameter(torch.zeros(encoder.embedding_dim))
            self.word_bias = nn.Parameter(torch.zeros(word_table(encoder).num_embeddings))

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors; special tokens of transformers take part in the attention."""
        layers = self.encoder.encode(embedded, batch)
        prediction = self.classify_from(*self._attend(layers[-1], embedded, batch))
        return replace(prediction, lower=lower_layers(layers))

    def attention_and_states(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give the weights, and the states that they weigh."""
        return self._attend(self.encoder.encode(embedded, batch)[-1], embedded, batch)

    def _attend(self, states: Tensor, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        values = torch.cat([states, embedded], dim=-1) if self.config.concat else states
        return self.attention(values, batch.mask), values

    def classify_from(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict from the weighted sum of the states."""
        pooled = attend(weights, states)
        return Prediction(self.head(pooled), pooled, weights, states)

    def predict_with_terms(self, batch: Batch) -> tuple[Prediction, dict[str, Tensor]]:
        """Predict, and give the word-level terms that have a weight."""
        config = self.config
        terms: dict[str, Tensor] = {}
        embedded = self.encoder.embed(batch)
        states = self.encoder.encode(embedded, batch)[-1]
        prediction = self.classify_from(*self._attend(states, embedded, batch))
        if config.tying:
            terms["tying"] = config.tying * self._distance(states, embedded, batch)
        if config.mlm:
            hidden = (torch.rand(batch.tokens.shape, device=states.device) < config.masked_share) & batch.is_word
            terms["mlm"] = config.mlm * self.surprise(embedded, hidden, batch)
        if config.conicity:
            terms["conicity"] = config.conicity * conicity(states, batch.mask).mean()
        return prediction, terms

    def _distance(self, states: Tensor, embedded: Tensor, batch: Batch) -> Tensor:
        """Mean distance of the states of words from their vectors, in the space of the vectors."""
        apart = (self.to_word(states) - embedded)[batch.is_word]
        distances = apart.norm(dim=-1) if self.config.distance == "norm" else apart.square().sum(-1)
        total: Tensor = distances.sum()
        return total / max(1, len(distances))

    def surprise(self, embedded: Tensor, hidden: Tensor, batch: Batch) -> Tensor:
        """Mean cross-entropy of the hidden words, each read out of its state when a mask stands in its place.

        Only hidden places meet the vocabulary, whose vectors are the decoder. Of a large vocabulary they meet the words
        to be found and others drawn anew each time.
        """
        masked = torch.where(hidden.unsqueeze(-1), self.mask_vector, embedded)
        vectors = self.to_word(self.encoder.encode(masked, batch)[-1][hidden])
        wanted = batch.tokens[hidden]
        table: Tensor = word_table(self.encoder).weight
        bias: Tensor = self.word_bias
        if self.config.candidates is not None and len(table) > self.config.candidates:
            drawn = torch.randint(len(table), (self.config.candidates,), device=wanted.device)
            chosen, place = torch.cat([wanted, drawn]).unique(return_inverse=True)
            wanted, table, bias = place[: len(wanted)], table[chosen], bias[chosen]
        return cross_entropy(linear(vectors, table, bias), wanted, reduction="sum") / max(1, len(wanted))

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Conicity of what is attended, averaged over the dev texts."""
        return states_health(self, self.encoder, batches)

    def warnings(self, health: dict[str, float]) -> list[str]:
        """Say whether the states are too much alike for attention to matter."""
        return states_warnings(health, "Raise method.tying, method.mlm or method.conicity, or set method.concat=true.")
