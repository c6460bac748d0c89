"""Tokenized texts of any number, written once to a folder on disk; batches are drawn from there.

A text is a record of 32-bit integers: how many tokens and words it has, how many words were cut off, what else is kept,
the token ids and, where they do not go without saying, the words and segments of the tokens and the owners of words.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, overload

import numpy as np

from ..interfaces.document import Tokenizer, Tokens, Words
from .store import StoredDocuments, read_at

FACTS, RECORDS, STARTS = "tokens.json", "tokens.bin", "starts.bin"
HEAD = 4  # integers before the tokens
PLACED, SHARED = 1, 2  # what else is kept: words and segments of tokens; owners of words
TOGETHER = 512  # texts that are tokenized at a time


class TokenStore(Sequence[Tokens]):
    """Tokenized texts on disk; only their lengths are in memory, four bytes a text."""

    def __init__(self, folder: Path) -> None:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        self.code: int = facts["code"]  # a check sum of all tokens
        self.truncated: int = facts["truncated"]  # texts whose ends are cut
        self._records, self._starts = (os.open(folder / name, os.O_RDONLY) for name in (RECORDS, STARTS))
        self.lengths = np.fromfile(folder / "lengths.bin", dtype=np.int32)

    def __del__(self) -> None:
        """Close the files."""
        for file in (getattr(self, "_records", None), getattr(self, "_starts", None)):
            if file is not None:
                os.close(file)

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.lengths)

    @overload
    def __getitem__(self, place: int) -> Tokens: ...
    @overload
    def __getitem__(self, place: slice) -> list[Tokens]: ...
    def __getitem__(self, place: int | slice) -> Tokens | list[Tokens]:
        """Read one text, or several."""
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        start, stop = np.frombuffer(read_at(self._starts, int(place % len(self)) * 8, 16), dtype=np.int64).tolist()
        return _tokens(np.frombuffer(read_at(self._records, start, stop - start), dtype=np.int32))


def tokenize(documents: StoredDocuments, tokenizer: Tokenizer) -> TokenStore:
    """Tokenize documents into a folder beside them; one that was done to the end is taken as it is."""
    what = [tokenizer.to_json(), getattr(getattr(tokenizer, "forbidden", None), "entries", ())]
    what += [documents.store.facts.code, zlib.crc32(documents.left_out.tobytes()), len(documents)]
    name = f"tokens-{sha256(json.dumps(what).encode()).hexdigest()[:16]}"
    folder = documents.store.folder / name
    if not (folder / FACTS).exists():
        folder.mkdir(exist_ok=True)
        _write(folder, documents.words, tokenizer)
    return TokenStore(folder)


def _write(folder: Path, texts: Sequence[Words], tokenizer: Tokenizer) -> None:
    facts: dict[str, Any] = {"code": 0, "truncated": 0}
    start = 0
    with (
        (folder / RECORDS).open("wb") as records,
        (folder / STARTS).open("wb") as starts,
        (folder / "lengths.bin").open("wb") as lengths,
    ):
        for some in _together(texts):
            tokens = tokenizer(some)
            made = [_record(text) for text in tokens]
            sizes = np.array([len(record) for record in made], dtype=np.int64)
            together = b"".join(made)
            records.write(together)
            starts.write((start + np.cumsum(sizes) - sizes).tobytes())
            lengths.write(np.array([len(text) for text in tokens], dtype=np.int32).tobytes())
            start += len(together)
            facts["code"] = zlib.crc32(together, facts["code"])
            facts["truncated"] += sum(text.truncated_words > 0 for text in tokens)
        starts.write(np.array([start], dtype=np.int64).tobytes())
        for file in (records, starts, lengths):
            file.flush()
            os.fsync(file.fileno())
    beside = folder / f"{FACTS}.new"
    beside.write_text(json.dumps(facts), encoding="utf-8")
    beside.replace(folder / FACTS)


def _together(texts: Sequence[Words]) -> Iterator[list[Words]]:
    waiting: list[Words] = []
    for text in texts:
        waiting.append(text)
        if len(waiting) == TOGETHER:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _record(text: Tokens) -> bytes:
    placed = bool(text.segment.any()) or not np.array_equal(text.word, np.arange(len(text)))
    kept = (PLACED if placed else 0) | (SHARED if text.owner is not None else 0)
    parts = [np.array([len(text), text.words, text.truncated_words, kept]), text.ids]
    parts += [text.word, text.segment] if placed else []
    parts += [] if text.owner is None else [text.owner]
    return np.concatenate(parts).astype(np.int32).tobytes()


def _tokens(record: np.ndarray) -> Tokens:
    count, words, truncated, kept = record[:HEAD].tolist()
    rest = record[HEAD:].astype(np.int64)
    placed = bool(kept & PLACED)
    word = rest[count : 2 * count] if placed else np.arange(count)
    segment = rest[2 * count : 3 * count] if placed else np.zeros(count, dtype=np.int64)
    owner = rest[-words:] if kept & SHARED else None
    return Tokens(rest[:count], word, segment, words, truncated, owner)
