"""Which device the weights go to."""

from __future__ import annotations

import torch

from ..interfaces.errors import OptionError, unknown_name


def choose_device(name: str) -> torch.device:
    """Give the device of that name; auto takes the fastest there is."""
    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if present[kind]))
    kind = name.partition(":")[0]
    if kind not in present:
        raise unknown_name(name, "the choices of --device", ["auto", *present])
    if not present[kind]:
        raise OptionError(f"This machine has no {kind} device: choose auto or cpu.")
    try:
        return torch.device(name)
    except RuntimeError:
        raise OptionError(f"'{name}' is no device: write {kind}, or {kind}:0 for the first of several.") from None
