"""Encoders, one file each, and what an encoder of your own is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..blocks.word_encoder import WordEncoder
    from ..interfaces.document import Batch
    from ..interfaces.method import Encoder
    from .affine import Affine
    from .bag import Bag
    from .cnn import Cnn
    from .lstm import Lstm
    from .tfidf import Tfidf
    from .transformer import Transformer

_HOMES = {
    "Affine": ".affine",
    "Bag": ".bag",
    "Batch": "..interfaces.document",
    "Cnn": ".cnn",
    "Encoder": "..interfaces.method",
    "Lstm": ".lstm",
    "Tfidf": ".tfidf",
    "Transformer": ".transformer",
    "WordEncoder": "..blocks.word_encoder",
}

__all__ = [
    "Affine",
    "Bag",
    "Batch",
    "Cnn",
    "Encoder",
    "Lstm",
    "Tfidf",
    "Transformer",
    "WordEncoder",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
