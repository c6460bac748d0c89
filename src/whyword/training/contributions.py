"""The last phase of training: contributions are fitted to the frozen classifier's answers to sub-texts.

States and answers are computed once; every step is taken on what is kept of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..blocks.contributions import ContributionHead, start_of
from ..blocks.neighborhood import features_of
from ..data.batching import Corpus, as_batch, shuffled
from ..data.padding import by_token_budget
from ..inference.fitted import BATCH_TOKENS, logits_of
from ..inference.subsets import lay_out
from ..interfaces.classifier import Classifier
from ..interfaces.document import Batch, Tokens, Words
from ..interfaces.method import Method, Objective, Phase, Refinement
from ..maths.tensors.subsets import complementary_subsets
from .kept_states import CHUNK_TOKENS, KeptStates, most_tokens

CONTRIBUTIONS = "contributions"  # the name of the phase
PAIRS, MOST_PAIRS, ALL_PAIRS = (
    8,
    16,
    80_000,
)  # of sub-texts when the user names no number: more a text where texts are few
PAIRS_OF_PRETRAINED = 10  # large encoders are slow; with 6, r with Shapley values was .01 lower on one dev model
DEV_TEXTS, DEV_PAIRS = 300, 4  # that choose the epoch: more would cost as much as the fitting
MOST_COPIES = 7  # of a text, shortened
LEAST_KEPT = 0.5  # share of the words that a shortened copy keeps, at least
SMALLEST_LOSS = 1e-9  # of equal shares: words of a model that never changes its mind explain nothing


@dataclass(frozen=True)
class Sample:
    """A text that is asked about, or a shortened copy of one."""

    tokens: Tokens
    number: int  # of the text among those it was drawn from
    kept: np.ndarray | None = None  # (word,) bool: the words of that text that are left; None: all


@dataclass(frozen=True)
class Outside:
    """Another classifier whose answers are to be explained, and the texts as it reads them."""

    classifier: Classifier
    train: Sequence[Words]
    dev: Sequence[Words]


def contribution_phase(method: Method, train: Corpus, dev: Corpus, seed: int, outside: Outside | None = None) -> Phase:
    """Plan the fitting of the head that a method carries; texts need no labels.

    The answers that it is fitted to are the method's own, or those of a classifier outside: then the encoder, which
    only reads for it, learns too.
    """
    head = method.contributions
    assert isinstance(head, ContributionHead)
    config = head.config
    generator = np.random.default_rng(seed)
    fit = most_tokens(method)
    chosen = _some(train.texts, config.texts, fit, generator)
    copies = _shortened(chosen, min(config.least_texts - len(chosen), MOST_COPIES * len(chosen)), generator)
    pairs = config.pairs or _pairs(len(chosen) + len(copies), method.encoder.token_kind == "pieces")
    judged = _some(dev.texts, DEV_TEXTS, fit, generator)
    if outside is None:
        texts = Answered(method, [*chosen, *copies], train.padding, pairs, [seed, 0])
        judge = Answered(method, judged, dev.padding, DEV_PAIRS, [seed, 1])
    else:
        asked = outside.classifier
        texts = AnsweredOutside(method, [*chosen, *copies], train.padding, pairs, [seed, 0], asked, outside.train)
        judge = AnsweredOutside(method, judged, dev.padding, DEV_PAIRS, [seed, 1], asked, outside.dev)
    steps = math.ceil(len(texts.texts) / config.batch_size)
    learning: list[nn.Module] = [head] if outside is None else [head, method.encoder]
    objective = Objective(
        lambda batch, _: {"sub-texts": texts.loss(batch)},
        [parameter for part in learning for parameter in part.parameters()],
        learning_rate=config.learning_rate,
        learning_rates=[(part, method.encoder.learning_rate) for part in learning[1:]],
        schedule="cosine",
        in_training=learning,
    )

    def prepare() -> Iterator[tuple[int, int]]:
        total = len(texts.texts) + len(judge.texts)
        texts.read_base()
        for done in texts.ask():
            yield done, total
        texts.scale_features()
        for done in judge.ask():
            yield len(texts.texts) + done, total
        judge.equal_shares_loss = judge.mean_loss(equal_shares=True)

    def health(loss: float) -> dict[str, float]:
        return {"explained": 1 - loss / max(judge.equal_shares_loss, SMALLEST_LOSS), "texts": float(len(texts.texts))}

    return Phase(
        CONTRIBUTIONS,
        max(config.epochs, math.ceil(config.steps / max(1, steps))),
        [objective],
        run_all_epochs=True,
        refinement=Refinement(prepare, texts, judge.mean_loss, health, config.batch_size),
    )


class Answered(KeptStates):
    """Texts with the classifier's states, logits, and answers to some of their sub-texts, once ask has run."""

    def __init__(
        self, method: Method, samples: Sequence[Sample], padding: int, pairs: int, seed: Sequence[int]
    ) -> None:
        super().__init__(method, [sample.tokens for sample in samples], padding)
        self.samples, self.pairs, self.seed = samples, pairs, seed
        self.words = [_words_read(text) for text in self.texts]
        self.kept: list[Tensor] = []  # per text: (subset, word) bool
        self.equal_shares_loss = 0.0  # of a formula in which all words of a text weigh the same
        self.answers = torch.empty(0)

    @property
    def head(self) -> ContributionHead:
        """The head that is fitted."""
        assert isinstance(self.method.contributions, ContributionHead)
        return self.method.contributions

    @torch.inference_mode()
    def ask(self) -> Iterator[int]:
        """Compute the states and the answers, and give how many texts are done."""
        generator = np.random.default_rng(self.seed)
        kept = [complementary_subsets(words, self.pairs, generator) for words in self.words]
        self.kept = [torch.from_numpy(subsets) for subsets in kept]
        done = 0
        for chosen in by_token_budget(self.lengths, CHUNK_TOKENS):
            self._read_states(chosen)
            self._read_answers(chosen, kept)
            done += len(chosen)
            yield done

    @torch.inference_mode()
    def read_base(self) -> None:
        """Ask about no words at all; what special tokens a pair of texts has, the first text shows."""
        first = self.texts[0]
        nothing = lay_out([first], [np.zeros((1, first.words), dtype=bool)], self.padding, self.method.unknown_token)
        for _, batch in nothing.batches(BATCH_TOKENS):
            logits = self.method(as_batch(batch).to(self.device)).logits[0]
            self.head.base.copy_(start_of(logits, self.head.link))

    def _read_states(self, chosen: np.ndarray) -> None:
        super()._read_states(chosen)
        if not self.answers.numel():
            self.answers = torch.empty(len(self.texts), 2 * self.pairs, self.logits.shape[-1])

    def _read_answers(self, chosen: np.ndarray, kept: list[np.ndarray]) -> None:
        texts, subsets = [self.texts[i] for i in chosen], [kept[i] for i in chosen]
        sub_texts = lay_out(texts, subsets, self.padding, self.method.unknown_token)
        answers = torch.empty(sub_texts.rows, self.logits.shape[-1])
        for rows, batch in sub_texts.batches(BATCH_TOKENS):
            logits = self.method(as_batch(batch).to(self.device)).logits
            answers[torch.from_numpy(rows)] = self.method.probabilities(logits).cpu().float()
        for i, rows in zip(chosen, sub_texts.row_of_request, strict=True):
            self.answers[i] = answers[torch.from_numpy(rows)]

    def loss(self, batch: Batch, equal_shares: bool = False) -> Tensor:
        """Mean squared error of the halved difference between a sub-text and the words left out.

        Half the sum of the two is no concern of Shapley values, so it is left out.
        """
        assert batch.rows is not None
        rows = batch.rows.cpu()
        where = self.device
        logits = self.logits[rows].to(where)
        weights = (
            self.head.normalize(logits.new_zeros(*batch.tokens.shape, 1), logits, batch)
            if equal_shares
            else self.head.weights(self._features(batch), logits, batch)
        )
        kept = torch.zeros(len(rows), 2 * self.pairs, weights.shape[1], dtype=torch.bool)
        for row, i in enumerate(rows.tolist()):
            kept[row, :, : self.kept[i].shape[1]] = self.kept[i]
        error = self.head.probabilities(weights, kept.to(where)) - self.answers[rows].to(where)
        return ((error[:, 0::2] - error[:, 1::2]) / 2).square().sum(-1).mean()

    @torch.inference_mode()
    def mean_loss(self, equal_shares: bool = False) -> float:
        """Measure the loss over all texts; of equal shares, that of a formula which tells no word from another."""
        return self.mean_over_texts(lambda batch: self.loss(batch, equal_shares))


class AnsweredOutside(Answered):
    """Texts with the answers of another classifier; the method that reads them learns, so no states are kept."""

    def __init__(
        self,
        method: Method,
        samples: Sequence[Sample],
        padding: int,
        pairs: int,
        seed: Sequence[int],
        classifier: Classifier,
        words: Sequence[Words],
    ) -> None:
        super().__init__(method, samples, padding, pairs, seed)
        self.classifier, self.words_of = classifier, words

    def read_base(self) -> None:
        """Ask about no words at all."""
        first = self.words_of[self.samples[0].number]
        nothing = torch.zeros(1, len(first), dtype=torch.bool)
        self.head.base.copy_(self._logits(self.classifier.probabilities_of_subsets(first, nothing)[0]))

    def _read_states(self, chosen: np.ndarray) -> None:
        if not len(self.logits):
            classes = len(self.head.base)
            self.logits = torch.empty(len(self.texts), classes)
            self.answers = torch.empty(len(self.texts), 2 * self.pairs, classes)

    def _features(self, batch: Batch) -> Tensor:
        embedded, prediction = self.method.read(batch.to(self.device))
        return features_of(embedded, prediction, self.head.part)

    def _read_answers(self, chosen: np.ndarray, kept: list[np.ndarray]) -> None:
        requests = [self._request(i, kept[i]) for i in chosen]
        for i, answer in zip(chosen, self.classifier.probabilities_of_many(requests), strict=True):
            self.logits[i], self.answers[i] = self._logits(answer[0]), answer[1:].float()

    def _logits(self, probabilities: Tensor) -> Tensor:
        return logits_of(probabilities, self.method.multi_label)

    def _request(self, number: int, kept: np.ndarray) -> tuple[Words, Tensor]:
        """Ask about the whole sample, and then about its sub-texts."""
        sample = self.samples[number]
        text = self.words_of[sample.number]
        left = np.ones(len(text), dtype=bool) if sample.kept is None else sample.kept
        rows = np.zeros((1 + len(kept), len(text)), dtype=bool)
        rows[0] = left
        rows[1:, np.flatnonzero(left)] = kept
        return text, torch.from_numpy(rows)


def _pairs(texts: int, pretrained: bool) -> int:
    """Choose how many pairs of sub-texts to ask about per text."""
    return PAIRS_OF_PRETRAINED if pretrained else min(MOST_PAIRS, max(PAIRS, ALL_PAIRS // max(1, texts)))


def _some(texts: Sequence[Tokens], most: int, most_tokens: int, generator: np.random.Generator) -> list[Sample]:
    """Draw texts, not more than may be kept; of two words or more if there are any: one word has nothing to share."""
    order = shuffled(len(texts), generator)
    for fewest in (2, 0):
        chosen: list[Sample] = []
        tokens = 0
        for i in map(int, order):
            text = texts[i]
            if _words_read(text) < fewest:
                continue
            tokens += len(text)
            if len(chosen) == most or tokens > most_tokens:
                return chosen
            chosen.append(Sample(text, i))
        if chosen:
            return chosen
    return chosen


def _shortened(samples: Sequence[Sample], copies: int, generator: np.random.Generator) -> list[Sample]:
    """Give copies of the texts, one after the other, that lack some of their words: the classifier answers for any."""
    shortened: list[Sample] = []
    for number in range(copies):
        sample = samples[number % len(samples)]
        text = sample.tokens
        words_read = _words_read(text)
        if not words_read:
            continue
        stays = generator.random(words_read) < generator.uniform(LEAST_KEPT, 1)
        stays[generator.integers(0, words_read, 2)] = True
        kept = (text.word < 0) | stays[text.word]
        words = np.where(text.word < 0, -1, (np.cumsum(stays) - 1)[text.word])[kept]
        copy = Tokens(text.ids[kept], words, text.segment[kept], int(stays.sum()))
        shortened.append(Sample(copy, sample.number, stays))
    return shortened


def _words_read(text: Tokens) -> int:
    """Count the words up to the last one that has a token; the encoder's limit may have cut off others."""
    return int(text.word.max(initial=-1)) + 1
