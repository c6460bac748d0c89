"""How well scores of tokens agree with the words that people marked: average precision."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from torch import Tensor

from ..interfaces.document import REASON, Batch
from ..maths.stats.average_precision import average_precision
from ..maths.stats.ties import tied_ranks
from ..maths.tensors.masked import gather_words


def agreement_of(scored: Iterable[tuple[Batch, Tensor | None]], average: bool = True) -> dict[str, float]:
    """Mean over marked texts of the average precision of their words, and about what random scores would get.

    The scores of a word's tokens are averaged or summed. Nothing where no text is marked.
    """
    found: list[float] = []
    shares: list[float] = []
    for batch, scores in scored:
        if scores is None or batch.marks is None:
            continue
        words = int(batch.word_of_token.max()) + 1
        table = gather_words(scores, batch.word_of_token, words, average).double().cpu().numpy()
        marks = gather_words((batch.marks == REASON).to(scores.dtype), batch.word_of_token, words, average=True)
        lengths = batch.word_of_token.amax(1).cpu().numpy() + 1
        for row, marked, length in zip(table, marks.cpu().numpy() > 0, lengths, strict=True):
            if marked[:length].any():
                found.append(average_precision(tied_ranks(row[:length]), marked[:length]))
                shares.append(float(marked[:length].mean()))
    if not found:
        return {}
    return {"agreement": float(np.mean(found)), "random_agreement": float(np.mean(shares))}
