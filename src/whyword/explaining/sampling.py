"""Some of many documents."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from ..interfaces.document import Document


def draw(documents: Iterable[Document], size: int, seed: int) -> list[Document]:
    """Draw so many documents at random, each equally likely, in their order; memory holds only those drawn."""
    generator = Random(seed)
    drawn: list[tuple[int, Document]] = []
    for number, document in enumerate(documents):
        if number < size:
            drawn.append((number, document))
        elif (place := generator.randrange(number + 1)) < size:
            drawn[place] = number, document
    return [document for _, document in sorted(drawn, key=lambda item: item[0])]
