"""TF-IDF: word 1- and 2-grams weighed by how rare they are, and logistic regression, solved in seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from ..blocks.label_regression import solve_label
from ..blocks.ngrams import ABSENT, find_keys, hash_keys, ngram_keys, occurrence_values
from ..blocks.ordered_regression import OrderedFit, solve_ordered
from ..data.padding import by_token_budget
from ..data.tokenizers.word_level import WordLevelTokenizer
from ..interfaces.document import Batch
from ..interfaces.method import LabelledTexts, LinearEncoder
from ..interfaces.settings import check_above_zero, refuse
from ..maths.stats.classes import Selection, judge, log_probabilities
from ..maths.stats.labels import judge_labels
from ..maths.tensors.ordered import class_logits

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PENALTIES = (0.02, 0.1, 0.5, 2.0, 8.0, 32.0)  # scikit-learn's C, strongest penalty first, when the user names none
MOST_ITERATIONS = 1_000
MOST_JUDGING = 50  # labels that choose the penalty, where a text may have several of many
BATCH_TOKENS = 65_536  # padded tokens whose n-grams are counted together
Solution = tuple[np.ndarray, np.ndarray, np.ndarray]  # weights, intercepts, and (text, class) log-probabilities of dev


@dataclass(frozen=True)
class Ngrams:
    """The n-grams of training texts, sorted, with their rarity, and the tf-idf values of texts."""

    keys: Tensor  # (feature,)
    hashed: bool
    idf: np.ndarray  # (feature,)
    train: csr_matrix  # (text, feature)
    dev: csr_matrix


class Tfidf(LinearEncoder):
    """A text is its n-grams; what each adds to the logits is its tf-idf value times its weight, shared by its words."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the n-grams and of the regression."""

        ngrams: int | None = None  # longest n-gram: 1, words alone, or 2, pairs of neighbors too; None: chosen on dev
        sublinear: bool = True  # an n-gram that occurs tf times counts 1 + log tf; false: tf
        penalty: float | None = None  # scikit-learn's C, the inverse of the penalty; None: chosen on dev
        features: int = 1_048_576  # most n-grams with a weight of their own; if there are more, they are hashed into it

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "penalty", "features")
            if self.ngrams not in (None, 1, 2):
                refuse(self, "ngrams", "1 or 2")

    methods = ("base",)
    epochs = 1

    def __init__(self, config: Config, vocabulary: int, padding: int) -> None:
        super().__init__()
        self.config = config
        words = torch.arange(WordLevelTokenizer.first_word, max(vocabulary, WordLevelTokenizer.first_word))
        self.register_buffer("keys", words)  # (feature,) sorted
        self.register_buffer("idf", torch.ones(len(words) + 1).index_fill_(0, torch.tensor([len(words)]), 0.0))
        self.register_buffer("hashed", torch.tensor(False))
        self.keys: Tensor
        self.idf: Tensor  # (feature + 1,): the last one is of all that is no feature
        self.hashed: Tensor
        self.ordered = False
        self.set_classes(2)

    def set_classes(self, classes: int) -> None:
        """Draw weights at random for so many classes; solve replaces them."""
        self.embedding_dim, self.layer_dims = classes, (classes,)
        weights = torch.randn(len(self.idf), classes, device=self.idf.device) * (self.idf > 0).unsqueeze(1)
        self.weights = nn.Parameter(weights, requires_grad=False)  # (feature + 1, class)
        self.bias = nn.Parameter(torch.zeros(classes, device=self.idf.device), requires_grad=False)

    def set_order(self, classes: int) -> None:
        """Draw one weight per n-gram, and let the intercepts be those of the log-odds of p(y > k)."""
        self.set_classes(1)
        falling = torch.arange(classes - 2, -classes, -2, device=self.idf.device) / 2
        self.bias = nn.Parameter(falling, requires_grad=False)  # (class - 1,)
        self.ordered = True

    def embed(self, batch: Batch) -> Tensor:
        """Give the weights of each word by itself, zero for words that are no feature."""
        return self.weights[self._find(batch, 1)[..., 0]]

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Give what each token adds to the logits: its share as a word, and half of each pair that it is in."""
        longest = self.config.ngrams or 2  # of words alone, chosen on dev, no pair is a feature
        found = self._find(batch, longest)
        values = occurrence_values(found, self.idf, self.config.sublinear).unsqueeze(-1)
        states = embedded * values[:, :, 0]
        if longest == 2 and states.shape[1] > 1:
            half = (self.weights[found[:, :-1, 1]] * values[:, :-1, 1]) / 2
            states = states + nn.functional.pad(half, (0, 0, 0, 1)) + nn.functional.pad(half, (0, 0, 1, 0))
        return (states,)

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Add up over the text, and add the intercept."""
        return (states * batch.mask.unsqueeze(-1)).sum(1) + self.bias

    def _find(self, batch: Batch, longest: int) -> Tensor:
        """Look up the n-grams that begin at each token: (batch, time, length) places of features."""
        keys = _keys(batch, longest)
        return find_keys(hash_keys(keys, self.config.features) if self.hashed else keys, self.keys)

    def solve(self, train: LabelledTexts, dev: LabelledTexts, by: Selection) -> Iterator[tuple[int, int]]:
        """Learn n-grams and their rarity, then fit a regression with each penalty; dev chooses it and the n-grams."""
        penalties = PENALTIES if self.config.penalty is None else (self.config.penalty,)
        tables = self._tables(train, dev)
        yield 1, 1 + len(tables) * len(penalties)
        if train.labels.ndim == 2:
            yield from self._solve_labels(tables, train, dev, by, penalties)
            return
        fit_each = partial(_fit_ordered, classes=len(self.bias) + 1) if self.ordered else _fit_classes
        best: tuple[float, float] | None = None
        for number, table in enumerate(tables):
            for done, (weights, bias, of_dev) in enumerate(fit_each(table, train, penalties), number * len(penalties)):
                score = judge(of_dev, dev.labels, by)
                if best is None or score > best:
                    best = score
                    self._take(weights, bias, table)
                yield 2 + done, 1 + len(tables) * len(penalties)

    def _solve_labels(
        self,
        tables: Sequence[Ngrams],
        train: LabelledTexts,
        dev: LabelledTexts,
        by: Selection,
        penalties: Sequence[float],
    ) -> Iterator[tuple[int, int]]:
        """Solve one regression per label; dev chooses what they share, by some of the labels if many."""
        labels = np.arange(train.labels.shape[1])
        judging = labels[np.linspace(0, len(labels) - 1, min(len(labels), MOST_JUDGING)).round().astype(int)]
        trials = [(table, penalty) for table in tables for penalty in penalties]
        parts = 1 + len(trials) * len(judging) + len(labels)
        done = 1
        scores = []
        for table, penalty in trials if len(trials) > 1 else ():
            weights, bias = np.zeros((len(judging), table.train.shape[1])), np.zeros(len(judging))
            for row, label in enumerate(judging.tolist()):
                weights[row], bias[row] = solve_label(table.train, train, label, penalty)
                done += 1
                yield done, parts
            scores.append(judge_labels(table.dev @ weights.T + bias, dev.labels[:, judging], by))
        table, chosen = trials[max(range(len(scores)), key=scores.__getitem__)] if scores else trials[0]
        weights, bias = np.zeros((len(labels), table.train.shape[1])), np.zeros(len(labels))
        for label in labels.tolist():
            weights[label], bias[label] = solve_label(table.train, train, label, chosen)
            if label < labels[-1]:
                yield min(done + 1 + int(label), parts - 1), parts
        self._take(weights, bias, table)
        yield parts, parts

    def _tables(self, train: LabelledTexts, dev: LabelledTexts) -> list[Ngrams]:
        """Count words and pairs, and words alone, if neither was named; where there are many, only the former."""
        table = self._count(train, dev, self.config.ngrams or 2)
        alone = self.config.ngrams is None and not table.hashed  # so that a pair is no feature of a model of words
        return [self._count(train, dev, 1), table] if alone else [table]

    def _count(self, train: LabelledTexts, dev: LabelledTexts, longest: int) -> Ngrams:
        """Give every n-gram of the training texts a place, and count and weigh them."""
        from sklearn.feature_extraction.text import TfidfTransformer

        rows, keys = self._occurrences(train, longest)
        distinct, which = np.unique(keys, return_inverse=True)
        hashed = len(distinct) > self.config.features
        if hashed:
            keys = hash_keys(torch.from_numpy(keys), self.config.features).numpy()
            distinct, which = np.unique(keys, return_inverse=True)
        counted = _counts(rows, which.reshape(-1), (len(train.lengths), len(distinct)))
        rows, keys = self._occurrences(dev, longest)
        tensor, vocabulary = torch.from_numpy(keys), torch.from_numpy(distinct)
        found = find_keys(hash_keys(tensor, self.config.features) if hashed else tensor, vocabulary).numpy()
        known = found < len(distinct)
        of_dev = _counts(rows[known], found[known], (len(dev.lengths), len(distinct)))
        weigh = TfidfTransformer(sublinear_tf=self.config.sublinear).fit(counted)
        return Ngrams(vocabulary, hashed, weigh.idf_, weigh.transform(counted), weigh.transform(of_dev))

    def _occurrences(self, texts: LabelledTexts, longest: int) -> tuple[np.ndarray, np.ndarray]:
        """List each occurrence of an n-gram as the number of its text and its key."""
        rows, keys = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for chosen in by_token_budget(texts.lengths, BATCH_TOKENS):
            table = _keys(texts.batch(chosen), longest).flatten(1).numpy()
            row, place = np.nonzero(table != ABSENT)
            rows.append(chosen[row])
            keys.append(table[row, place])
        return np.concatenate(rows), np.concatenate(keys)

    def _take(self, weights: np.ndarray, bias: np.ndarray, table: Ngrams) -> None:
        """Copy (class, feature) weights and (class,) intercepts of a table of n-grams."""
        like = self.bias
        self.keys, self.hashed = table.keys.to(self.keys.device), torch.tensor(table.hashed, device=self.keys.device)
        self.idf = torch.from_numpy(np.append(table.idf, 0.0)).to(like)
        self.weights.data = torch.from_numpy(np.concatenate([weights.T, np.zeros((1, len(weights)))])).to(like)
        self.bias.data = torch.from_numpy(bias).to(like)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Take as many features as the saved weights have."""
        for name in ("keys", "idf", "weights"):
            saved = state_dict.get(f"{prefix}{name}")
            if saved is not None:
                own = getattr(self, name)
                own.data = own.data.new_zeros(saved.shape)
        super()._load_from_state_dict(state_dict, prefix, *rest)


def _fit_classes(table: Ngrams, train: LabelledTexts, penalties: Sequence[float]) -> Iterator[Solution]:
    """Fit scikit-learn's logistic regression with each penalty."""
    from sklearn.linear_model import LogisticRegression

    fit = LogisticRegression(max_iter=MOST_ITERATIONS, warm_start=True)
    for penalty in penalties:
        fit.set_params(C=penalty).fit(table.train, train.labels, sample_weight=train.weights)
        weights, bias = fit.coef_, fit.intercept_
        if len(weights) == 1:  # the log-odds of two classes are shared by both
            weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
        yield weights, bias, log_probabilities(fit.predict_proba(table.dev))


def _fit_ordered(table: Ngrams, train: LabelledTexts, penalties: Sequence[float], classes: int) -> Iterator[Solution]:
    """Fit an ordinal regression with each penalty."""
    fit: OrderedFit | None = None
    for penalty in penalties:
        fit = solve_ordered(table.train, train.labels, classes, penalty, train.weights, fit)
        yield fit.weights[None], -fit.cuts, class_logits(torch.from_numpy(fit.odds(table.dev))).numpy()


def _keys(batch: Batch, longest: int) -> Tensor:
    known = batch.mask & batch.is_word & (batch.tokens >= WordLevelTokenizer.first_word)
    return ngram_keys(batch.tokens, known, longest)


def _counts(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    table = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    table.sum_duplicates()
    return table
