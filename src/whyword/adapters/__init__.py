"""Adapters, one file each, that open models which are not whyword's, and what one of your own is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..inference.black_box import BlackBox
    from ..interfaces.adapter import Access, Adapter, ForeignModel
    from .fasttext import Fasttext
    from .http import Http
    from .hugging_face import HuggingFace
    from .onnx import Onnx
    from .python import Python
    from .scikit_learn import ScikitLearn
    from .set_fit import SetFit
    from .spacy import Spacy

_HOMES = {
    "Access": "..interfaces.adapter",
    "Adapter": "..interfaces.adapter",
    "BlackBox": "..inference.black_box",
    "Fasttext": ".fasttext",
    "ForeignModel": "..interfaces.adapter",
    "Http": ".http",
    "HuggingFace": ".hugging_face",
    "Onnx": ".onnx",
    "Python": ".python",
    "ScikitLearn": ".scikit_learn",
    "SetFit": ".set_fit",
    "Spacy": ".spacy",
}

__all__ = [
    "Access",
    "Adapter",
    "BlackBox",
    "Fasttext",
    "ForeignModel",
    "Http",
    "HuggingFace",
    "Onnx",
    "Python",
    "ScikitLearn",
    "SetFit",
    "Spacy",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
