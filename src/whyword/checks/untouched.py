"""Looking at a model must not change it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from .promise import expect, expect_same_weights


@contextmanager
def expect_untouched(model: nn.Module, doing: str) -> Iterator[None]:
    """Expect weights, modes, gradients, what is trainable, hooks and attributes to be afterwards as they were."""
    weights = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
    modes = {name: module.training for name, module in model.named_modules()}
    trainable = {name: parameter.requires_grad for name, parameter in model.named_parameters()}
    gradients, attributes = _gradients(model), _attributes(model)
    yield
    expect_same_weights(dict(model.state_dict()), weights, f"The weights before and after {doing}")
    for name, module in model.named_modules():
        expect(module.training == modes.get(name), f"{doing} switched {_named(name)} between training and evaluation.")
    for name, parameter in model.named_parameters():
        expect(parameter.requires_grad == trainable[name], f"{doing} left requires_grad of {name} changed.")
    after = _gradients(model)
    for name, gradient in gradients.items():
        expect(_same(after[name], gradient), f"{doing} left the gradient of {name} changed.")
    left = _attributes(model) ^ attributes
    expect(not left, f"{doing} left attributes or hooks behind: {', '.join(sorted(f'{a}.{b}' for a, b, _ in left))}.")


@contextmanager
def expect_random_streams_alone(doing: str) -> Iterator[None]:
    """Expect the global random streams of torch, NumPy and Python not to have moved."""
    torch_state, numpy_state, python_state = torch.get_rng_state(), np.random.get_state(legacy=False), random.getstate()
    yield
    expect(torch.equal(torch.get_rng_state(), torch_state), f"{doing} drew from torch's global random stream.")
    expect(
        _position(np.random.get_state(legacy=False)) == _position(numpy_state),
        f"{doing} drew from NumPy's global random stream.",
    )
    expect(random.getstate() == python_state, f"{doing} drew from Python's global random stream.")


def _position(state: object) -> str:
    with np.printoptions(threshold=10_000):
        return repr(state)


def _gradients(model: nn.Module) -> dict[str, Tensor | None]:
    return {name: None if p.grad is None else p.grad.clone() for name, p in model.named_parameters()}


def _attributes(model: nn.Module) -> set[tuple[str, str, int]]:
    """Name every attribute of every module, with its size where it is a collection, such as that of the hooks."""
    return {
        (name, key, len(value) if isinstance(value, dict | list) else 0)
        for name, module in model.named_modules()
        for key, value in vars(module).items()
    }


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    return one is other if one is None or other is None else torch.equal(one, other)


def _named(name: str) -> str:
    return name or "the model"
