"""Expectations that raise one sentence when a contract is broken: equal answers, and models left as they were."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from ..interfaces.document import Batch

EXACT = 1e-9  # what rounding may change in float64, generously


def expect(holds: bool, otherwise: str) -> None:
    """Raise an AssertionError with a sentence unless it holds; python -O does not silence it."""
    if not holds:
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


@dataclass(frozen=True)
class Answers:
    """Everything a network says about a batch, by name."""

    of_tokens: dict[str, Tensor]  # (batch, time, …), compared first: the earliest layer at fault is named
    of_texts: dict[str, Tensor]  # (batch, …)


Ask = Callable[[Batch], Answers]


@torch.no_grad()
def expect_one_by_one(ask: Ask, batch: Batch) -> None:
    """Expect for each text alone the answers it has in the batch."""
    together = ask(batch)
    for row, length in enumerate(batch.mask.sum(-1).tolist()):
        alone = ask(text_alone(batch, row, length))
        what = f"text {row} alone and in a batch of {len(batch)}"
        for name, answer in together.of_tokens.items():
            expect_close(alone.of_tokens[name], answer[row : row + 1, :length], f"{name} of {what}")
        for name, answer in together.of_texts.items():
            expect_close(alone.of_texts[name], answer[row : row + 1], f"{name} of {what}")


@torch.no_grad()
def expect_no_trace_of_padding(ask: Ask, batch: Batch, tokens: int, padding: int) -> None:
    """Expect the same answers with more padding, and whatever token ids stand under it."""
    bare = ask(batch)
    longer = pad_more(batch, 5, padding)
    garbage = torch.randint(tokens, longer.tokens.shape, generator=torch.Generator().manual_seed(0))
    scribbled = replace(longer, tokens=torch.where(longer.mask, longer.tokens, garbage))
    for changed, what in (
        (longer, "with five columns of padding"),
        (scribbled, "with random tokens under the padding"),
    ):
        answers = ask(changed)
        for name, answer in bare.of_tokens.items():
            expect_close(answers.of_tokens[name][changed.mask], answer[batch.mask], f"{name} {what}")
        for name, answer in bare.of_texts.items():
            expect_close(answers.of_texts[name], answer, f"{name} {what}")


@torch.no_grad()
def expect_repeatable(ask: Ask, batch: Batch) -> None:
    """Expect the same answers twice: nothing is drawn at random."""
    first, second = ask(batch), ask(batch)
    for name, answer in {**first.of_tokens, **first.of_texts}.items():
        expect_close({**second.of_tokens, **second.of_texts}[name], answer, f"{name} asked for twice", 0.0)


def text_alone(batch: Batch, row: int, length: int) -> Batch:
    """Cut one text out of a batch, without padding."""
    return Batch(
        tokens=batch.tokens[row : row + 1, :length],
        mask=batch.mask[row : row + 1, :length],
        word_of_token=batch.word_of_token[row : row + 1, :length],
        segments=batch.segments[row : row + 1, :length],
        labels=None if batch.labels is None else batch.labels[row : row + 1],
    )


def pad_more(batch: Batch, columns: int, padding: int) -> Batch:
    """Add columns of padding to a batch."""
    more = (0, columns)
    return replace(
        batch,
        tokens=pad(batch.tokens, more, value=padding),
        mask=pad(batch.mask, more, value=False),
        word_of_token=pad(batch.word_of_token, more, value=-1),
        segments=pad(batch.segments, more),
    )


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
