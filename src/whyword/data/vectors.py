"""Pretrained word vectors, read from the text formats of GloVe and word2vec, plain or gzipped."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..interfaces.errors import DataError

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Vectors:
    """One row per vocabulary word, zeros for a word that the file does not have."""

    dim: int
    rows: np.ndarray  # (word, dim) float32
    found: np.ndarray  # (word,) bool

    @property
    def coverage(self) -> float:
        """Share of the vocabulary that was found."""
        return float(self.found.mean())


def load_vectors(path: str | Path, vocabulary: Sequence[str]) -> Vectors:
    """Read the vectors of these words, each as it is spelled or, if the file has no such form, in lower case."""
    exact, lowered = _places(vocabulary)
    heads = {word.partition(b" ")[0] for word in (*exact, *lowered)}
    found, is_exact = np.zeros(len(vocabulary), bool), np.zeros(len(vocabulary), bool)
    rows: np.ndarray | None = None
    for number, line in _lines(Path(path)):
        if rows is None:
            header = _header(line)
            dim = header or len(_parse(line.split(b" ")[1:], path, number))
            rows = np.zeros((len(vocabulary), dim), np.float32)
            if header:
                continue
        extra = line.count(b" ") - dim
        if extra < 0 or (extra > 0 and _is_number(line.split(b" ")[1])):
            raise DataError(
                f"{path}, line {number}: {line.count(b' ')} numbers after the word where the others have {dim}; "
                "fix or remove the line."
            )
        if line.partition(b" ")[0] not in heads:
            continue
        word, *numbers = line.rsplit(b" ", dim)
        places = [place for place in exact.get(word, ()) if not is_exact[place]]
        is_exact[places] = True
        places += [place for place in lowered.get(word, ()) if not found[place]]
        if places:
            rows[places] = _parse(numbers, path, number)
            found[places] = True
    if rows is None:
        raise DataError(f"{path} holds no vectors: give a text file of GloVe or word2vec vectors.")
    if not found.any():
        raise DataError(
            f"{path} has none of the {len(vocabulary):,} words of the vocabulary: give vectors of the texts' language."
        )
    return Vectors(dim, rows, found)


def words_of(path: str | Path) -> list[str]:
    """List the words of a file in its order, which usually is that of their frequency."""
    lines = (line for _, line in _lines(Path(path)))
    first = next(lines, b"")
    rest = lines if _header(first) else chain([first], lines)
    return list(dict.fromkeys(line.partition(b" ")[0].decode() for line in rest))


def describe(vectors: Vectors, counts: Sequence[int] | np.ndarray) -> str:
    """Say in one sentence how much of the vocabulary, and of its occurrences, the vectors cover."""
    occurrences = np.asarray(counts, float)
    share = occurrences[vectors.found].sum() / max(occurrences.sum(), 1.0)
    return (
        f"Vectors cover {vectors.found.sum():,} of {len(vectors.found):,} words ({100 * vectors.coverage:.1f} %), "
        f"{100 * share:.1f} % of occurrences."
    )


def _places(vocabulary: Sequence[str]) -> tuple[dict[bytes, list[int]], dict[bytes, list[int]]]:
    exact: dict[bytes, list[int]] = defaultdict(list)
    lowered: dict[bytes, list[int]] = defaultdict(list)
    for place, word in enumerate(vocabulary):
        exact[word.encode()].append(place)
        if word.lower() != word:
            lowered[word.lower().encode()].append(place)
    return exact, lowered


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines that are not blank, as bytes which are known to be UTF-8."""
    number = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_unzipped(file), start=1):
                line = line.rstrip(b" \r\n")
                if not line.isascii():
                    line.decode()
                if line:
                    yield number, line
    except UnicodeDecodeError:
        raise DataError(f"{path}, line {number}: not UTF-8; give vectors in text format, saved as UTF-8.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError(f"{path} ends early or is damaged after line {number}: download it again.") from None
    except OSError as error:
        raise DataError(f"Cannot read the vectors {path}: {error.strerror}; give the path of a text file.") from None


def _unzipped(file: io.BufferedReader) -> BinaryIO:
    if file.peek(2)[:2] == b"\x1f\x8b":
        return io.BufferedReader(gzip.GzipFile(fileobj=file), 1 << 20)
    return file


def _header(line: bytes) -> int | None:
    """Give the dimension if this is the first line of word2vec's format: how many words, how many numbers each."""
    count, _, dim = line.partition(b" ")
    return int(dim) if count.isdigit() and dim.isdigit() else None


def _parse(fields: list[bytes], path: str | Path, line: int) -> np.ndarray:
    try:
        with np.errstate(over="ignore"):  # too large a number becomes infinite, which is refused below
            numbers = np.array(fields).astype(np.float32)
        if len(numbers) and np.isfinite(numbers).all():
            return numbers
    except ValueError:
        pass
    wrong = next((field for field in fields if not _is_number(field)), None)
    came = "nothing" if wrong is None else f"'{wrong.decode()}'"
    raise DataError(f"{path}, line {line}: {came} where a number was expected; fix or remove the line.")


def _is_number(field: bytes) -> bool:
    try:
        return abs(float(field)) <= _LARGEST
    except ValueError:
        return False
