"""Whether words that must not decide do: how far each answer moves without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ..data.forbidden import Forbidden
from ..interfaces.classifier import Classifier, is_multi_label, predicted_classes, predicted_labels
from ..interfaces.document import Document
from ..maths.stats.intervals import mean_interval
from .data import ForbiddenWords, Share


def without_forbidden(
    classifier: Classifier, documents: Sequence[Document], entries: Sequence[str]
) -> ForbiddenWords | None:
    """Ask about the texts that hold forbidden words once more without them; None where no word is forbidden.

    An answer moves by the largest change of the probability of a class.
    """
    if not entries:
        return None
    forbidden = Forbidden(tuple(entries))
    marked = [(document.words, forbidden.marks(document.words)) for document in documents]
    holding = [(words, marks) for words, marks in marked if marks.any()]
    if not holding:
        return ForbiddenWords(forbidden.entries, texts=0, of=len(documents))
    requests = [(words, torch.from_numpy(np.stack([np.ones_like(marks), ~marks]))) for words, marks in holding]
    answers = torch.stack(list(classifier.probabilities_of_many(requests))).double()  # (text, 2, class)
    moved = (answers[:, 0] - answers[:, 1]).abs().amax(1).numpy()
    decide = predicted_labels if is_multi_label(classifier) else predicted_classes
    before, after = (decide(classifier, answers[:, place]).reshape(len(holding), -1) for place in (0, 1))
    farthest = int(moved.argmax())
    words, marks = holding[farthest]
    low, high = mean_interval(moved)
    return ForbiddenWords(
        entries=forbidden.entries,
        texts=len(holding),
        of=len(documents),
        mean=Share(float(moved.mean()), low, high, len(holding)),
        largest=float(moved[farthest]),
        largest_without=tuple(word for word, gone in zip(words.strings, marks, strict=True) if gone),
        answered_otherwise=int((before != after).any(1).sum()),
    )
