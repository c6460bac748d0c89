"""A classifier that computes without torch: an ONNX file that answers for texts and for any of their sub-texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..data.order import values_of
from ..data.padding import Padded, by_token_budget, pad
from ..interfaces.classifier import Contributions, Removal
from ..interfaces.document import Label, Tokenizer, Tokens, Words
from ..interfaces.errors import OptionError
from ..maths.arrays.shapley import answers_of, link_shapley
from .onnx_file import OnnxFile
from .subsets import lay_out, replacement_of

BATCH_TOKENS = 4_096  # padded tokens of a forward pass
NONE = "This ONNX file has no contributions: choose occlusion, or export a model that carries them."


def ask(file: OnnxFile, batch: Padded, weights: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Give probabilities and, if they are wanted, the weights of words."""
    return file.probabilities_and_weights(batch) if weights else (file.probabilities(batch), None)


@dataclass(frozen=True, eq=False)
class SessionClassifier:
    """What explainers and servers ask; tables of kept words come in as arrays, and answers leave as arrays."""

    run: Callable[[Padded, bool], tuple[np.ndarray, np.ndarray | None]]  # whoever must, can watch each forward pass
    file: OnnxFile
    tokenizer: Tokenizer
    classes: tuple[Label, ...]

    takes_arrays = True

    @classmethod
    def of(cls, file: OnnxFile, classes: tuple[Label, ...]) -> SessionClassifier:
        """Ask a file."""
        return cls(partial(ask, file), file, file.tokenizer, classes)

    def twin(self) -> SessionClassifier:
        """Give the same session with a tokenizer of its own, for a second thread."""
        return replace(self, tokenizer=deepcopy(self.tokenizer))

    @property
    def explainers(self) -> tuple[str, ...]:
        """Those that need no torch."""
        return ("occlusion", "own") if self.has_contributions else ("occlusion",)

    @property
    def multi_label(self) -> bool:
        """Whether a text may have several labels."""
        return self.file.multi_label

    @property
    def offsets(self) -> np.ndarray | None:
        """(class,) added to log-probabilities before a class is predicted; None: none."""
        return self.file.list_of("offsets")

    @property
    def thresholds(self) -> np.ndarray | None:
        """(label,) probability from which on a text has it, of several; None: one half."""
        return self.file.list_of("thresholds")

    @property
    def values(self) -> tuple[float, ...] | None:
        """Where each class stands on the scale, if classes have an order."""
        return values_of(self.classes) if self.file.ordered else None

    @property
    def has_contributions(self) -> bool:
        """Whether the file gives what contributions are made of."""
        return self.file.has_weights

    def truncated_words(self, texts: Sequence[Words]) -> list[int]:
        """Count the words at the end of each text that the encoder's limit cuts off."""
        if self.tokenizer.limit is None:
            return [0] * len(texts)
        return [text.truncated_words for text in self.tokenizer(texts)]

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give the numbers of the words in each overlapping window that the encoder can read; none if a text fits."""
        return self.tokenizer.windows(texts)

    def known_words(self, texts: Sequence[Words]) -> list[int] | None:
        """Count the words of each text that are in the vocabulary; None where words are cut into pieces."""
        first = self.file.first_word
        if first is None:
            return None
        return [int(((text.ids >= first) & (text.word >= 0)).sum()) for text in self.tokenizer(texts)]

    def _batches(self, tokens: Sequence[Tokens]) -> Iterator[tuple[np.ndarray, Padded]]:
        lengths = np.array([len(text) for text in tokens], dtype=np.int64)
        for chosen in by_token_budget(lengths, BATCH_TOKENS):
            yield chosen, pad([tokens[i] for i in chosen], self.tokenizer.padding)

    def probabilities(self, texts: Sequence[Words]) -> Any:
        """Give (text, class) probabilities."""
        table = np.empty((len(texts), len(self.classes)))
        for chosen, batch in self._batches(self.tokenizer(texts)):
            table[chosen] = self.run(batch, False)[0]
        return table

    def contributions(self, texts: Sequence[Words]) -> Contributions:
        """Give what each word adds to the probability of each class, from one pass over each text."""
        if not self.has_contributions:
            raise OptionError(NONE)
        tokens = self.tokenizer(texts)
        table: Any = np.empty((len(texts), len(self.classes)))
        scores: list[np.ndarray] = [np.empty(0)] * len(texts)
        for chosen, batch in self._batches(tokens):
            probabilities, weights = self.run(batch, True)
            assert weights is not None
            table[chosen] = probabilities
            for row, i in enumerate(chosen):
                scores[i] = self._scores(weights[row], tokens[i])
        base = answers_of(self.file.base, self.file.link)
        return Contributions(scores, table, base, [text.truncated_words for text in tokens])

    def _scores(self, weights: np.ndarray, text: Tokens) -> np.ndarray:
        """Give the (class, word) contributions of a text; words that share a piece share what it adds."""
        read = int(text.word.max(initial=-1)) + 1
        found = np.zeros((len(self.classes), text.words))
        found[:, :read] = link_shapley(self.file.base, weights[:read].astype(np.float64), self.file.link).T
        if text.owner is None:
            return found
        shared: np.ndarray = found[:, text.owner] / np.bincount(text.owner)[text.owner]
        return shared

    def probabilities_of_subsets(self, text: Words, kept: Any, removal: Removal = "delete") -> Any:
        """Give (subset, class) probabilities of sub-texts; kept, (subset, word) bool, marks the words that stay."""
        return next(self.probabilities_of_many([(text, kept)], removal))

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, Any]], removal: Removal = "delete"
    ) -> Iterator[Any]:
        """Answer probabilities_of_subsets for many texts, in order."""
        tokenizer = self.tokenizer
        replacement = replacement_of(tokenizer, removal)
        for text, kept in requests:
            rows = np.asarray(kept, dtype=bool)
            sub_texts = lay_out(tokenizer([text]), [rows], tokenizer.padding, tokenizer.unknown, replacement)
            table = np.empty((sub_texts.rows, len(self.classes)))
            for numbers, batch in sub_texts.batches(BATCH_TOKENS):
                table[numbers] = self.run(batch, False)[0]
            yield table[sub_texts.row_of_request[0]]
