"""The reader of reasons: how likely a person is to mark each word as a reason, learned from marked training texts.

It reads the classifier's states and gives it nothing back: it says what people would mark, not what the model relies
on. The classifier is the same with and without it. Several networks that differ in their first weights and in what
dropout hides from them read side by side, as one alone depends on its luck where few texts are marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from ..interfaces.document import REASON, UNKNOWN, Batch
from ..interfaces.method import Method, Prediction
from ..interfaces.settings import check_above_zero, check_from, check_share_below_one
from ..maths.tensors.masked import gather_words
from .heads import Dropout
from .neighborhood import Part, Standardized, convolutions, features_of, part_of, read_around, read_two_tokens


class RationaleReader(Standardized):
    """Reads each token and its neighborhood: the log-odds that a person marks its word, the mean of its networks."""

    revision: ClassVar[int] = 2  # raised by hand when changed code or a changed default gives other scores

    @dataclass(frozen=True)
    class Config:
        """Settings of the reader and of its fitting; chosen on marked training posts of HateXplain held out."""

        least_texts: int = 20  # texts with a marked word, below which nothing is learned
        epochs: int = 8  # over the marked texts; more if that makes fewer steps than below
        steps: int = 80  # at least
        batch_size: int = 32  # texts per step
        learning_rate: float = 2e-3  # falls to 0 along a cosine
        unmarked: float = 1.0  # most texts marked as having no reason, as a multiple of those with a marked word
        networks: int = 3  # whose log-odds are averaged
        width: int = 48  # of the convolutions
        hidden: int = 64  # of the last layer
        dropout: float = 0.5  # on what is read and before the last layer

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "least_texts", "epochs", "steps", "batch_size", "learning_rate")
            check_above_zero(self, "networks", "width", "hidden")
            check_from(self, 0, "unmarked")
            check_share_below_one(self, "dropout")

    def __init__(self, features: int, part: Part | None, config: Config) -> None:
        super().__init__(features, part)
        self.config = config
        self.networks = nn.ModuleList(_Network(features, config) for _ in range(config.networks))

    def log_odds(self, features: Tensor, batch: Batch) -> Tensor:
        """Give the log-odds of every token's word being marked: (batch, time)."""
        return self._of_each(features, batch).mean(0)

    def loss(self, features: Tensor, batch: Batch) -> Tensor:
        """Mean binary cross-entropy of the networks over the tokens of words that are known to be marked or not."""
        assert batch.marks is not None
        known = batch.marks != UNKNOWN
        odds = self._of_each(features, batch)[:, known]
        return binary_cross_entropy_with_logits(odds, (batch.marks[known] == REASON).to(odds.dtype).expand_as(odds))

    def _of_each(self, features: Tensor, batch: Batch) -> Tensor:
        """Give the log-odds of each network: (network, batch, time)."""
        standardized = self.standardize(features)
        return torch.stack([network(standardized, batch) for network in self.networks])

    def forward(self, embedded: Tensor, prediction: Prediction, batch: Batch) -> Tensor:
        """Give the probability that a person marks each word, the mean over its tokens: (batch, word)."""
        odds = self.log_odds(features_of(embedded, prediction, self.part), batch)
        words = int(batch.word_of_token.max()) + 1
        return gather_words(odds.sigmoid(), batch.word_of_token, words, average=True)


class _Network(nn.Module):
    """One of the networks: it squeezes the features, reads the tokens around each one, and judges."""

    def __init__(self, features: int, config: RationaleReader.Config) -> None:
        super().__init__()
        self.dropout = Dropout(config.dropout)
        self.squeeze = nn.Linear(features, config.width)
        self.around = convolutions(config.width)
        self.judge = nn.Sequential(
            nn.LayerNorm(2 * config.width),
            nn.Linear(2 * config.width, config.hidden),
            nn.ReLU(),
            Dropout(config.dropout),
            nn.Linear(config.hidden, 1),
        )

    def forward(self, standardized: Tensor, batch: Batch) -> Tensor:
        """Give the log-odds of every token: (batch, time)."""
        read = read_around(self.squeeze, self.around, self.dropout(standardized), batch)
        odds: Tensor = self.judge(read).squeeze(-1)
        return odds


@torch.no_grad()
def add_reader(method: Method, config: RationaleReader.Config) -> None:
    """Let a method carry a reader of reasons."""
    embedded, prediction = read_two_tokens(method)
    part = part_of(method, prediction)
    width = features_of(embedded, prediction, part).shape[-1]
    method.rationales = RationaleReader(width, part, config).to(method.logit_scale.device)
