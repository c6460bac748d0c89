"""Contributions: a head that predicts, in the pass of the classifier, what each word adds to each class.

It learns the Shapley values of the classifier's own answers to sub-texts (FastSHAP, Jethani et al. 2022), by way of a
formula: p(S) = softmax(log p(∅) + Σ weights of the words in S). The weights of a text add up to log p(text) - log p(∅),
so the formula is right about the whole and the empty text by construction; a word's contribution is its Shapley value
in the formula, which takes no further pass. Where a text may have several labels, each label has a formula of its own:
p(S) = sigmoid(log-odds of p(∅) + Σ weights), whose weights add up to the rise of the log-odds. Where classes have an
order, p(y > k | S) = sigmoid(log-odds of p(y > k | ∅) + Σ weights) for every cut k, with one learned weight per word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.method import Method, Prediction
from ..interfaces.settings import check_above_zero, check_share_below_one
from ..maths.tensors.ordered import class_logits, odds_above
from ..maths.tensors.subsets import Link, link_shapley
from .heads import Dropout
from .neighborhood import NeighborhoodReader, Part, features_of, part_of, read_two_tokens, text_of_no_word

SMALL_START = 0.01  # of the last layer: from large random weights the formula saturates and learns nothing


def start_of(logits: Tensor, link: Link) -> Tensor:
    """Give logits as the formula has them: log-probabilities of classes, log-odds of labels or of p(y > k)."""
    if link == "cumulative":
        return odds_above(logits)
    return logits if link == "sigmoid" else logits.log_softmax(-1)


def answers_of(logits: Tensor, link: Link) -> Tensor:
    """Give the probabilities of the formula's logits."""
    if link == "cumulative":
        return class_logits(logits).exp()
    return logits.sigmoid() if link == "sigmoid" else logits.softmax(-1)


def base_of(classes: int, link: Link) -> Tensor:
    """Give what the formula starts from where all classes are alike."""
    uniform = torch.full((classes,), 1 / classes).log()
    return odds_above(uniform) if link == "cumulative" else uniform


class ContributionHead(NeighborhoodReader):
    """Reads each token's vector, state, part in the text vector, and neighborhood: a weight per word and class."""

    revision: ClassVar[int] = 2  # raised by hand when changed code or a changed default gives other contributions

    @dataclass(frozen=True)
    class Config:
        """Settings of the head and of its fitting."""

        texts: int = 10_000  # most texts it is fitted to, drawn at random
        least_texts: int = 5_000  # where there are fewer, shortened copies make up the number, up to seven of a text
        pairs: int | None = None  # of complementary sub-texts, per text; None: 8 to 16, of pretrained encoders 10
        epochs: int = 4  # over these texts; more if that makes fewer steps than below
        steps: int = 600  # at least
        batch_size: int = 64  # texts per step
        learning_rate: float = 5e-3  # falls to 0 along a cosine
        width: int = 48  # of the convolutions
        hidden: int = 64  # of the last layers
        dropout: float = 0.1

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "texts", "least_texts", "pairs", "epochs", "steps", "batch_size", "learning_rate")
            check_above_zero(self, "width", "hidden")
            check_share_below_one(self, "dropout")

    def __init__(self, features: int, classes: int, part: Part | None, config: Config, link: Link = "softmax") -> None:
        super().__init__(features, config.width, part)
        self.config = config
        self.link = link
        self.weigh = nn.Sequential(
            nn.LayerNorm(2 * config.width),  # without it some fits die early
            nn.Linear(2 * config.width, config.hidden),
            nn.ReLU(),
            Dropout(config.dropout),
            nn.Linear(config.hidden, config.hidden),
            nn.ReLU(),
            Dropout(config.dropout),
            nn.Linear(
                config.hidden, 1 if link == "cumulative" else classes, bias=False
            ),  # a bias would be taken off again by the normalization
        )
        with torch.no_grad():
            self.weigh[-1].weight.mul_(SMALL_START)  # type: ignore[operator]
        self.register_buffer("base", base_of(classes, link))
        self.base: Tensor  # log p(∅), or its log-odds

    def weights(self, features: Tensor, logits: Tensor, batch: Batch, most: int | None = None) -> Tensor:
        """Give the formula's weights, (batch, word, class); pieces of a word are summed, other words have 0.

        most is the number of words in the result; None: the most of any text.
        """
        return self.normalize(self.weigh(self.read(features, batch)), logits, batch, most)

    def normalize(self, raw: Tensor, logits: Tensor, batch: Batch, most: int | None = None) -> Tensor:
        """Sum (batch, time, class) over words, and let those of a text add up to what its words change together."""
        present = words_present(batch, most)
        summed = sum_by_word(raw, batch, present.shape[1])
        rise = start_of(logits, self.link) - self.base
        missing = (rise - summed.sum(1)) / present.sum(1, keepdim=True).clamp(min=1)
        return (summed + missing.unsqueeze(1)) * present.unsqueeze(-1)

    def probabilities(self, weights: Tensor, kept: Tensor) -> Tensor:
        """Answer sub-texts by the formula: (batch, word, class), (batch, subset, word) to (batch, subset, class)."""
        return answers_of(self.base + kept.to(weights.dtype) @ weights, self.link)

    def forward(self, embedded: Tensor, prediction: Prediction, batch: Batch) -> Tensor:
        """Give what each word adds to the probability of each class: (batch, word, class)."""
        weights = self.weights(features_of(embedded, prediction, self.part), prediction.logits, batch)
        return link_shapley(self.base, weights, batch.word_of_token.amax(1) + 1, self.link)


class LinearContributions(nn.Module):
    """The weights of the formula as they stand in a linear model: what each word's tokens add to the logits.

    Nothing is learned. Where the answer to a text of no words is not the model's intercept, the words that the model
    knows share the difference in equal parts.
    """

    base: Tensor  # (class,) log p(∅), or its log-odds

    def __init__(self, classes: int, link: Link = "softmax") -> None:
        super().__init__()
        self.link = link
        self.register_buffer("base", base_of(classes, link))

    def weights(self, prediction: Prediction, batch: Batch) -> Tensor:
        """Give the formula's weights, (batch, word, class); those of unknown words are 0."""
        assert prediction.token_logits is not None
        assert prediction.known is not None
        words = words_present(batch).shape[1]
        summed = sum_by_word(prediction.token_logits, batch, words)
        known = sum_by_word(prediction.known.to(summed.dtype).unsqueeze(-1), batch, words)
        logits = prediction.logits if self.link == "softmax" else start_of(prediction.logits, self.link)
        missing = (logits - self.base - summed.sum(1)) / known.sum(1).clamp(min=1)
        return summed + missing.unsqueeze(1) * known

    def forward(self, embedded: Tensor, prediction: Prediction, batch: Batch) -> Tensor:
        """Give what each word adds to the probability of each class: (batch, word, class)."""
        weights = self.weights(prediction, batch)
        return link_shapley(self.base, weights, batch.word_of_token.amax(1) + 1, self.link)


def sum_by_word(raw: Tensor, batch: Batch, words: int) -> Tensor:
    """Sum (batch, time, class) over the tokens of each word: (batch, word, class)."""
    index = batch.word_of_token.clamp(min=0).unsqueeze(-1).expand_as(raw)
    summed = raw.new_zeros(raw.shape[0], words, raw.shape[-1])  # not len(raw), which an export would take as fixed
    return summed.scatter_add(1, index, raw * batch.is_word.unsqueeze(-1))


def words_present(batch: Batch, most: int | None = None) -> Tensor:
    """(batch, word) bool: the words of which a token was read, to the most words of any text, or one."""
    words = batch.word_of_token
    pieces = words.new_zeros(words.shape[0], most or max(1, int(words.max()) + 1))
    return pieces.scatter_add(1, words.clamp(min=0), batch.is_word.long()) > 0


@torch.no_grad()
def add_head(method: Method, config: ContributionHead.Config) -> None:
    """Let a method carry contributions; how wide its vectors are, and how they are pooled, is seen from two tokens."""
    first = next(method.parameters())
    embedded, prediction = read_two_tokens(method)
    link: Link = "sigmoid" if method.multi_label else "cumulative" if method.ordered else "softmax"
    if prediction.token_logits is not None:
        method.contributions = LinearContributions(prediction.logits.shape[-1], link).to(first)
        return
    part = part_of(method, prediction)
    width = features_of(embedded, prediction, part).shape[-1]
    method.contributions = ContributionHead(width, prediction.logits.shape[-1], part, config, link).to(first)


@torch.no_grad()
def read_base(method: Method) -> None:
    """Let the contributions of a linear model start from its answer to a text of no words."""
    assert isinstance(method.contributions, LinearContributions)
    base = method.contributions.base
    logits = method.eval()(text_of_no_word([method.unknown_token], base.device)).logits[0]
    base.copy_(start_of(logits, method.contributions.link))
