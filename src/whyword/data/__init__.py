"""Corpora: read them, or write documents of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..interfaces.document import Document, Words
    from .dataset import Dataset, load_dataset
    from .doctor import DataCheck
    from .findings import Finding
    from .rows import Columns
    from .words import split

_HOMES = {
    "Columns": ".rows",
    "DataCheck": ".doctor",
    "Dataset": ".dataset",
    "Document": "..interfaces.document",
    "Finding": ".findings",
    "Words": "..interfaces.document",
    "load_dataset": ".dataset",
    "split": ".words",
}

__all__ = [
    "Columns",
    "DataCheck",
    "Dataset",
    "Document",
    "Finding",
    "Words",
    "load_dataset",
    "split",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
