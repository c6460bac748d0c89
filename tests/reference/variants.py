"""Variants that train in a moment: few planted texts, narrow word vectors, one epoch."""

from pathlib import Path
from typing import Any

from whyword.grids.variant import TrainedVariant, Variant, find_source

TEXTS = "planted:train=40,dev=10,test=12"


def tiny_variant(
    method: str = "vmask", name: str | None = None, encoder: str = "bag", **method_settings: Any
) -> Variant:
    settings = {
        "method": {"name": method, **method_settings},
        "encoder": {"name": encoder, "dim": 6},
        "training": {"epochs": 1, "batch_size": 8, "learning_rate": 0.05},
    }
    return Variant(name or method, settings)


def tiny_trained(
    folder: Path | None, variant: Variant | None = None, data: str = TEXTS, seed: int = 0, **fields: Any
) -> TrainedVariant:
    return TrainedVariant(variant or tiny_variant(), find_source(data), seed, folder, **fields)
