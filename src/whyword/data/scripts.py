"""The scripts that texts are written in, and words that mix two of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from unicodedata import name

from ..interfaces.document import Words

_TOGETHER = {
    "CJK": "Han",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "FULLWIDTH": "Latin",
    "HALFWIDTH": "Japanese",
}
_ALIKE = {"Latin", "Cyrillic", "Greek"}  # whose letters look alike, so that a word of two of them is likely a mistake
_SHARED = {"Modifier", "Masculine", "Feminine", "Micro", "Superscript", "Mathematical", "Script", "Double"}


@lru_cache(maxsize=1 << 16)
def script_of(letter: str) -> str | None:
    """Name the script of a letter; None for what is no letter, or belongs to none."""
    if not letter.isalpha():
        return None
    word = name(letter, "").partition(" ")[0]
    script = _TOGETHER.get(word, word.capitalize())
    return None if not script or script in _SHARED else script


def scripts_of(text: Words) -> frozenset[str]:
    """Name the scripts of a text."""
    return frozenset().union(*(_scripts(string) for string in text.texts))


def mixed_words(text: Words) -> list[str]:
    """List the words with letters of two scripts that look alike, such as a Cyrillic letter in a Latin word."""
    if all(string.isascii() for string in text.texts):
        return []
    return [word for word in text.strings if not word.isascii() and len(_scripts(word) & _ALIKE) > 1]


def _scripts(letters: Iterable[str]) -> set[str]:
    if isinstance(letters, str) and letters.isascii():
        return {"Latin"} if any(map(str.isalpha, letters)) else set()
    return {script for letter in set(letters) if (script := script_of(letter))}
