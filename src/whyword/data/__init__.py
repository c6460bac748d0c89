"""Corpora: readers, words, tokenizers, vectors, batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dataset import load_dataset

__all__ = ["load_dataset"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "load_dataset":
        from .dataset import load_dataset

        return load_dataset
    raise AttributeError(f"module 'whyword.data' has no attribute '{name}'")
