"""When two texts count as one: the same letters, whatever their case and the spaces between them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from unicodedata import normalize

from ..interfaces.document import Document, Label, Words

Key = bytes


def text_key(words: Words) -> Key:
    """Name a text, or a pair, up to case, white space and compatible ways to write a letter (NFKC)."""
    plain = "\0".join(" ".join(normalize("NFKC", text).casefold().split()) for text in words.texts)
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def same_texts(documents: Sequence[Document]) -> list[list[int]]:
    """Put the numbers of documents with the same text together, in order."""
    groups: dict[Key, list[int]] = {}
    for number, document in enumerate(documents):
        groups.setdefault(text_key(document.words), []).append(number)
    return list(groups.values())


def label_key(label: Label | None) -> str | int | None:
    """Name a label up to case and white space; an integer is what it is."""
    return " ".join(label.split()).casefold() if isinstance(label, str) else label
