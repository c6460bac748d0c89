"""Any function from strings to probabilities, which answers like a model of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..interfaces.classifier import REMOVALS, Contributions, Removal
from ..interfaces.document import Label, Words
from ..interfaces.errors import ModelError, OptionError, WhywordError, first_line, unknown_name
from .fitted import FittedClassifier

REPLACEMENTS: dict[Removal, str | None] = {"delete": None, "unknown": "[UNK]", "mask": "[MASK]"}
ROUNDING = 1e-3  # how far below 0 or above 1 a probability may be
BATCH_TEXTS = 256  # strings handed over at a time, so that memory stays bounded


@dataclass(frozen=True)
class BlackBox:
    """Rebuilds the strings of sub-texts and asks the function about each distinct one once."""

    predict_proba: Callable[[Any], Any]  # a list of strings, or of pairs of strings, to (text, class) probabilities
    classes: tuple[Label, ...]
    multi_label: bool = False  # whether a text may have several labels: their probabilities do not add up to 1
    pairs: bool = True  # whether it may be asked about pairs of texts
    reader: FittedClassifier | None = None  # that learned contributions for this one

    @property
    def has_contributions(self) -> bool:
        """Whether contributions were learned for it."""
        return self.reader is not None

    def contributions(self, texts: Sequence[Words]) -> Contributions:
        """Give what each word adds to the probability of each class, from one question about each text."""
        if self.reader is None:
            raise OptionError(
                "No contributions were learned for this model: learn them with  whyword learn-explainer MODEL TEXTS "
                "-o EXPLAINER."
            )
        return self.reader.contributions(texts, self.probabilities(texts))

    def probabilities(self, texts: Sequence[Words]) -> Tensor:
        """Give (text, class) probabilities."""
        return self._ask([text.texts for text in texts])

    def probabilities_of_subsets(self, text: Words, kept: Tensor, removal: Removal = "delete") -> Tensor:
        """Give (subset, class) probabilities of sub-texts; kept, (subset, word) bool, marks the words that stay."""
        if removal not in REMOVALS:
            raise unknown_name(removal, "the ways to remove words", list(REMOVALS))
        if removal not in REPLACEMENTS:
            raise OptionError(
                f"Removal '{removal}' needs a model's own tokens: for a black box choose delete, unknown or mask."
            )
        replacement = REPLACEMENTS[removal]
        return self._ask([sub_text(text, row, replacement) for row in kept.tolist()])

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, Tensor]], removal: Removal = "delete"
    ) -> Iterator[Tensor]:
        """Answer probabilities_of_subsets for many texts, in order."""
        for text, kept in requests:
            yield self.probabilities_of_subsets(text, kept, removal)

    def _ask(self, texts: Sequence[tuple[str, ...]]) -> Tensor:
        distinct = list(dict.fromkeys(texts))
        tables = [self._call(distinct[i : i + BATCH_TEXTS]) for i in range(0, len(distinct), BATCH_TEXTS)]
        table = np.concatenate(tables) if tables else np.empty((0, len(self.classes)))
        row = {text: number for number, text in enumerate(distinct)}
        return torch.from_numpy(table[[row[text] for text in texts]])

    def _call(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
        if not self.pairs and any(len(text) > 1 for text in texts):
            raise OptionError(
                "This model reads single texts, and pairs of texts were given: leave the second ones out."
            )
        strings = [text[0] if len(text) == 1 else text for text in texts]
        try:
            table = np.asarray(self.predict_proba(strings), dtype=np.float64)
        except WhywordError:
            raise
        except Exception as error:  # whatever somebody else's code raises
            raise ModelError(
                f"The model failed on {len(texts)} texts ({type(error).__name__}: {first_line(error)}): it must take a "
                "list of strings and return one row of probabilities per text."
            ) from error
        if table.shape != (len(texts), len(self.classes)):
            raise OptionError(
                f"predict_proba answered {len(texts)} texts with an array of shape {table.shape}: it must return one "
                f"row per text and one column for each of the {len(self.classes)} classes."
            )
        if not np.isfinite(table).all():
            raise OptionError("predict_proba answered with NaN or infinity: it must return finite probabilities.")
        outside = (table < -ROUNDING) | (table > 1 + ROUNDING)
        if outside.any():
            raise OptionError(
                f"predict_proba answered with {table[outside][0]:g}: it must return probabilities, from 0 to 1."
            )
        return table


def sub_text(text: Words, kept: Sequence[bool], replacement: str | None = None) -> tuple[str, ...]:
    """Write the kept words as a string, with a space wherever there was one between the words that now meet.

    With a replacement, that word stands where another was removed.
    """
    strings: list[str] = []
    first = 0
    for string, spans in zip(text.texts, text.spans, strict=True):
        pieces: list[str] = []
        end_before: int | None = None
        for (start, end), keep in zip(spans, kept[first : first + len(spans)], strict=True):
            if not keep and replacement is None:
                continue
            if end_before is not None and end_before != start:
                pieces.append(" ")
            pieces.append(string[start:end] if keep or replacement is None else replacement)
            end_before = end
        strings.append("".join(pieces))
        first += len(spans)
    return tuple(strings)
