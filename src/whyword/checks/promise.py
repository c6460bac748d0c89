"""What a broken promise looks like, and a random stream that no promise disturbs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

EXACT = 1e-9  # what rounding may change in float64, generously


def expect(kept: bool, otherwise: str) -> None:
    """Raise an AssertionError with a sentence unless the promise is kept; python -O does not silence it."""
    if not kept:
        raise AssertionError(otherwise)


def expect_close(got: Tensor, wanted: Tensor, what: str, tolerance: float = EXACT) -> None:
    """Expect two tensors of the same shape whose entries differ by no more than the tolerance."""
    expect(got.shape == wanted.shape, f"{what}: the shape {tuple(got.shape)} is not {tuple(wanted.shape)}.")
    gap = float((got.detach() - wanted.detach()).abs().max()) if got.numel() else 0.0
    expect(gap <= tolerance, f"{what}: values differ by up to {gap:.2g}, more than {tolerance:g}.")


def expect_same_weights(got: dict[str, Tensor], wanted: dict[str, Tensor], what: str) -> None:
    """Expect equal names and bit-equal values."""
    expect(got.keys() == wanted.keys(), f"{what}: the names {sorted(got.keys() ^ wanted.keys())} are in one only.")
    changed = [name for name, tensor in wanted.items() if not torch.equal(got[name], tensor)]
    expect(not changed, f"{what}: {', '.join(changed)} differ.")


@contextmanager
def seeded(seed: int = 0) -> Iterator[None]:
    """Start torch's random stream at a seed and give the caller's stream back afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
