"""Words that must not decide: what a list of them names, and what is left of a text without them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import regex

from ..interfaces.document import Span, Words
from ..interfaces.errors import OptionError
from .words import split

SLOW = 1.0  # seconds that an expression may take over a word
MOST_KEPT = 1 << 17  # words whose verdicts are kept

Phrase = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ClosedUp:
    """What is read of a text: without the words that are left out, as if they had never stood there."""

    text: Words
    places: np.ndarray  # (word of it,) where they stand in the whole text
    words: int  # of the whole text

    @property
    def left_out(self) -> np.ndarray:
        """(word of the whole text,) bool."""
        left_out = np.ones(self.words, dtype=bool)
        left_out[self.places] = False
        return left_out

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Give (…, word of it) values as those of the words of the whole text; words that are left out have none."""
        whole = np.zeros((*values.shape[:-1], self.words), dtype=values.dtype)
        whole[..., self.places] = values
        return whole

    def truncated(self, words: int) -> int:
        """Count the words at the end of the whole text where so many at the end of this one were cut off."""
        if not words:
            return 0
        read = len(self.places) - words
        return self.words - (int(self.places[read - 1]) + 1 if read else 0)


@dataclass(frozen=True)
class Forbidden:
    """Words, phrases and regular expressions, as their entries are written in a list.

    A word is forbidden wherever it stands by itself, whatever its case. An entry of several words forbids them where
    they stand one after the other. One between slashes is a regular expression that a whole word must match.
    """

    entries: tuple[str, ...]
    _words: frozenset[str] = field(init=False, repr=False, compare=False)
    _phrases: dict[str, list[Phrase]] = field(init=False, repr=False, compare=False)  # by their first words
    _expressions: tuple[regex.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _known: dict[str, bool] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Read the entries; one that cannot be read is refused."""
        words: set[str] = set()
        phrases: dict[str, list[Phrase]] = {}
        expressions: list[regex.Pattern[str]] = []
        for entry in self.entries:
            try:
                read = _read(entry)
            except ValueError as error:
                raise OptionError(f"The forbidden word {entry!r} cannot be read: {error}.") from None
            if not isinstance(read, tuple):
                expressions.append(read)
            elif len(read) == 1:
                words.add(read[0])
            else:
                phrases.setdefault(read[0], []).append(read)
        object.__setattr__(self, "_words", frozenset(words))
        object.__setattr__(self, "_phrases", phrases)
        object.__setattr__(self, "_expressions", tuple(expressions))

    @property
    def words(self) -> frozenset[str]:
        """The entries of one word, in lower case."""
        return self._words

    def unmatched(self, texts: Sequence[Words]) -> list[str]:
        """Give the entries that no text holds anything of."""
        distinct = {visible(word) for text in texts for word in text.strings}
        known = {word.casefold() for word in distinct}
        return [entry for entry in self.entries if not _matches(entry, texts, distinct, known)]

    def marks(self, text: Words) -> np.ndarray:
        """(word,) bool: the words of a text, or of a pair, that are forbidden."""
        strings = text.strings
        marked = np.fromiter(map(self.forbids, strings), bool, len(strings))
        if self._phrases:
            first = 0
            for spans in text.spans:
                self._mark_phrases([as_read(word) for word in strings[first : first + len(spans)]], marked[first:])
                first += len(spans)
        return marked

    def forbids(self, word: str) -> bool:
        """Whether a word is forbidden wherever it stands."""
        known = self._known.get(word)
        if known is None:
            if len(self._known) > MOST_KEPT:
                self._known.clear()
            known = self._known[word] = as_read(word) in self._words or self._is_matched(visible(word))
        return known

    def _is_matched(self, word: str) -> bool:
        for expression in self._expressions:
            try:
                if expression.fullmatch(word, timeout=SLOW):
                    return True
            except TimeoutError:
                raise OptionError(
                    f"The forbidden expression /{expression.pattern}/ takes more than {SLOW:g} s over a word of "
                    f"{len(word)} characters: write one that repeats less."
                ) from None
        return False

    def _mark_phrases(self, words: Sequence[str], marked: np.ndarray) -> None:
        """Mark phrases until there are none: the text closes up, and what stands together then may be one too."""
        while True:
            left = np.flatnonzero(~marked[: len(words)]).tolist()
            standing = [words[i] for i in left]
            together = [
                place
                for start, word in enumerate(standing)
                for phrase in self._phrases.get(word, ())
                if tuple(standing[start : start + len(phrase)]) == phrase
                for place in left[start : start + len(phrase)]
            ]
            if not together:
                return
            marked[together] = True

    def close_up(self, text: Words) -> ClosedUp:
        """Leave the forbidden words out of a text."""
        return close_up(text, self.marks(text))


def _matches(entry: str, texts: Sequence[Words], distinct: Iterable[str], known: set[str]) -> bool:
    read = _read(entry)
    if not isinstance(read, tuple):
        return any(map(Forbidden((entry,)).forbids, distinct))
    if len(read) == 1 or not known.issuperset(read):
        return known.issuperset(read)
    return any(Forbidden((entry,)).marks(text).any() for text in texts)


def close_up(text: Words, left_out: np.ndarray) -> ClosedUp:
    """Leave out the marked words, (word,) bool, each with the blank before it, and let the text close up."""
    places = np.flatnonzero(~left_out)
    if len(places) == len(left_out):
        return ClosedUp(text, places, len(left_out))
    texts: list[str] = []
    spans: list[tuple[Span, ...]] = []
    first = 0
    for string, words in zip(text.texts, text.spans, strict=True):
        closed, left = _without(string, words, left_out[first : first + len(words)].tolist())
        texts.append(closed)
        spans.append(left)
        first += len(words)
    return ClosedUp(Words(tuple(texts), tuple(spans)), places, len(left_out))


def _without(text: str, words: Sequence[Span], left_out: Sequence[bool]) -> tuple[str, tuple[Span, ...]]:
    """Cut words out of a string; two that were apart do not become one."""
    closed, end = "", 0
    spans: list[Span] = []
    for leave, group in groupby(zip(words, left_out, strict=True), lambda word: word[1]):
        run = [span for span, _ in group]
        before = text[end : run[0][0]]
        if not leave:
            closed += before
            for (start, stop), (following, _) in pairwise([*run, (run[-1][1], 0)]):
                spans.append((len(closed), len(closed) + stop - start))
                closed += text[start:following]
            end = run[-1][1]
            continue
        closed += before.rstrip()
        end = run[-1][1]
        after = text[end : end + 1]
        if not closed:
            end += len(text[end:]) - len(text[end:].lstrip())
        elif after and not after.isspace() and before == before.rstrip():
            closed += " "
    return closed + text[end:], tuple(spans)


@lru_cache(maxsize=1 << 17)
def visible(word: str) -> str:
    """Write a word as it is seen: without invisible characters, compatible ones alike, with a straight apostrophe."""
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFKC", word).replace("’", "'")
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")


def as_read(word: str) -> str:
    """Write a word as it is seen, whatever its case."""
    return visible(word).casefold()


def _read(entry: str) -> Phrase | regex.Pattern[str]:
    """Read an entry of a list; raises a ValueError that says what is wrong with it."""
    entry = entry.strip()
    if len(entry) > 1 and entry.startswith("/") and entry.endswith("/"):
        if len(entry) == 2:
            raise ValueError("there is no regular expression between the slashes")
        try:
            return regex.compile(visible(entry[1:-1]), regex.IGNORECASE | regex.VERSION1)
        except regex.error as error:
            raise ValueError(f"it is no regular expression ({error})") from None
    words = tuple(as_read(word) for word in split(entry).strings)
    if not words:
        raise ValueError("there is no word in it")
    return words


def as_entries(forbidden: Sequence[str] | str | Path | None) -> tuple[str, ...]:
    """Give the entries of a list, or of the file that is named."""
    return read_entries([Path(forbidden)]) if isinstance(forbidden, str | Path) else tuple(forbidden or ())


def read_entries(files: Iterable[Path]) -> tuple[str, ...]:
    """Read lists of forbidden words: an entry a line; empty lines, and those that begin with #, are passed over."""
    entries: list[str] = []
    for file in files:
        found = list(_entries(file))
        if not found:
            raise OptionError(f"{file} names no word: write one a line, or leave the file out.")
        entries += found
    return tuple(dict.fromkeys(entries))


def _entries(file: Path) -> Iterable[str]:
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise OptionError(f"There is no file {file}: give a list of words, one a line.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not written in UTF-8"
        raise OptionError(f"The list {file} cannot be read ({reason}): give a text file with a word a line.") from None
    for number, line in enumerate(lines, start=1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        try:
            _read(entry)
        except ValueError as error:
            raise OptionError(f"Line {number} of {file}, {entry!r}, cannot be read: {error}.") from None
        yield entry
