"""Whether words that must not decide do: how far each answer moves without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ..data.forbidden import Forbidden
from ..interfaces.classifier import Classifier
from ..interfaces.document import Document
from ..maths.stats.intervals import mean_interval
from .data import ForbiddenWords, Share


def without_forbidden(
    classifier: Classifier, documents: Sequence[Document], entries: Sequence[str]
) -> ForbiddenWords | None:
    """Ask about the texts that hold forbidden words once more without them; None where no text holds any.

    An answer moves by the largest change of the probability of a class.
    """
    forbidden = Forbidden(tuple(entries))
    marked = [(document.words, forbidden.marks(document.words)) for document in documents]
    holding = [(words, marks) for words, marks in marked if marks.any()]
    if not holding:
        return None
    requests = [(words, torch.from_numpy(np.stack([np.ones_like(marks), ~marks]))) for words, marks in holding]
    answers = torch.stack(list(classifier.probabilities_of_many(requests))).double().numpy()  # (text, 2, class)
    moved = np.abs(answers[:, 0] - answers[:, 1]).max(1)
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
        other_class=int((answers[:, 0].argmax(1) != answers[:, 1].argmax(1)).sum()),
    )
