"""Methods, one file each, and what a method of your own is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..blocks.heads import Head, PooledClassifier
    from ..interfaces.document import Batch
    from ..interfaces.method import Encoder, Method, Objective, Phase, Prediction, task_loss
    from .agn import Agn
    from .attention import Attention
    from .base import Base
    from .evarm import Evarm
    from .iba import Iba
    from .l2 import L2
    from .l2x import L2x
    from .polarity_attention import PolarityAttention
    from .scl import Scl
    from .vat import Vat
    from .vmask import Vmask
    from .word_regularized import WordRegularized

_HOMES = {
    "Agn": ".agn",
    "Attention": ".attention",
    "Base": ".base",
    "Batch": "..interfaces.document",
    "Encoder": "..interfaces.method",
    "Evarm": ".evarm",
    "Head": "..blocks.heads",
    "Iba": ".iba",
    "L2": ".l2",
    "L2x": ".l2x",
    "Method": "..interfaces.method",
    "Objective": "..interfaces.method",
    "Phase": "..interfaces.method",
    "PolarityAttention": ".polarity_attention",
    "PooledClassifier": "..blocks.heads",
    "Prediction": "..interfaces.method",
    "Scl": ".scl",
    "Vat": ".vat",
    "Vmask": ".vmask",
    "WordRegularized": ".word_regularized",
    "task_loss": "..interfaces.method",
}

__all__ = [
    "L2",
    "Agn",
    "Attention",
    "Base",
    "Batch",
    "Encoder",
    "Evarm",
    "Head",
    "Iba",
    "L2x",
    "Method",
    "Objective",
    "Phase",
    "PolarityAttention",
    "PooledClassifier",
    "Prediction",
    "Scl",
    "Vat",
    "Vmask",
    "WordRegularized",
    "task_loss",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
