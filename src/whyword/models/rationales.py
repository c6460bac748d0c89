"""Whether enough training texts are marked to learn what people mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..data.store import StoredDocuments
from ..interfaces.document import REASON, Document
from .config import RunConfig


def with_reader_if_marked(config: RunConfig, train: Sequence[Document]) -> tuple[RunConfig, tuple[str, ...]]:
    """Leave the reader of reasons out where too few texts are marked; and say in a sentence what is done."""
    if config.rationales is None or isinstance(train, StoredDocuments):  # marked rows are never stored
        return replace(config, rationales=None), ()
    marked = sum(REASON in (document.word_marks or ()) for document in train)
    fewest = config.rationales.least_texts
    if marked >= fewest:
        return config, (
            f"{marked:,} training texts have marked words: what people would mark is learned from them, which changes "
            "no answer of the classifier (--no-rationales leaves it out).",
        )
    few = f"{marked} training {'text has' if marked == 1 else 'texts have'} marked words: too few to learn what people "
    notes = (f"{few}would mark, {fewest} are needed (rationales.least_texts).",) if marked else ()
    return replace(config, rationales=None), notes
