"""Run a model with attention that is not its own, and see how much its answers change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..interfaces.classifier import OpenClassifier
from ..interfaces.document import Words
from ..interfaces.errors import OptionError
from ..interfaces.method import Attending
from ..maths.tensors.divergences import jensen_shannon, total_variation

PERMUTATIONS = 100  # as Jain & Wallace
ENTRIES = 4_000_000  # numbers of repeated states held at a time


@dataclass(frozen=True, eq=False)
class Reading:
    """What a model attends to in the texts of a batch, and what it says of them."""

    positions: np.ndarray  # (batch,) places of the texts in the input
    weights: Tensor  # (batch, time)
    states: Tensor  # (batch, time, dim): what the weights weigh
    mask: Tensor  # (batch, time) bool
    probabilities: Tensor  # (batch, class)


@dataclass(frozen=True, eq=False)
class Replaced:
    """What became of each text when the attention was replaced."""

    attention_change: np.ndarray  # (text,) JSD between own and other attention, 0 to ln 2; a median over many others
    output_change: np.ndarray  # (text,) TVD between the probabilities, 0 to 1; a median over many others
    probabilities: np.ndarray | None = None  # (text, class) with the other attention, where there is one


def attending(classifier: OpenClassifier) -> Attending:
    """Give the method if its attention can be replaced."""
    method = classifier.method
    if not isinstance(method, Attending):
        raise OptionError(
            f"The method '{type(method).__name__.lower()}' does not weigh states by attention, so there is none to be "
            "replaced: choose a model trained with attention or word-regularized."
        )
    return method


def read(classifier: OpenClassifier, texts: Sequence[Words]) -> Iterator[Reading]:
    """Read texts batch by batch."""
    method = attending(classifier)
    encoder = classifier.method.eval().encoder
    for positions, batch in classifier.batches(texts):
        with torch.no_grad():
            weights, states = method.attention_and_states(encoder.embed(batch), batch)
            if weights.dim() != 2:
                raise OptionError(
                    "The attention has several heads, which cannot be replaced by one: set method.heads=1."
                )
            probabilities = method.classify_from(weights, states).logits.softmax(-1)
        yield Reading(positions, weights, states, batch.mask, probabilities)


def answer(method: Attending, weights: Tensor, states: Tensor) -> Tensor:
    """Give probabilities under other attention: (…, batch, time) weights to (…, batch, class)."""
    repeated = states.expand(*weights.shape[:-2], *states.shape)
    flat = method.classify_from(weights.flatten(0, -2), repeated.flatten(0, -3)).logits.softmax(-1)
    return flat.view(*weights.shape[:-1], -1)


def uniform_attention(classifier: OpenClassifier, texts: Sequence[Words]) -> Replaced:
    """Let every token of a text count the same."""
    return _replace(classifier, texts, lambda reading: _even(reading.mask, reading.weights.dtype))


def swapped_attention(classifier: OpenClassifier, lender: OpenClassifier, texts: Sequence[Words]) -> Replaced:
    """Take the attention of another model with the same vocabulary, such as one trained from another seed."""
    for (mine, batch), (theirs, other) in zip(classifier.batches(texts), lender.batches(texts), strict=False):
        if not np.array_equal(mine, theirs) or not torch.equal(batch.tokens.cpu(), other.tokens.cpu()):
            raise OptionError(
                "The two models cut texts into different tokens: give two that were trained on the same texts."
            )
    lent = read(lender, texts)
    return _replace(classifier, texts, lambda _: next(lent).weights)


@torch.no_grad()
def permuted_attention(
    classifier: OpenClassifier, texts: Sequence[Words], permutations: int = PERMUTATIONS, seed: int = 0
) -> Replaced:
    """Deal the weights of a text out anew among its tokens; the changes are medians over the permutations."""
    method, generator = attending(classifier), torch.Generator().manual_seed(seed)
    attention_change, output_change = np.zeros(len(texts)), np.zeros(len(texts))
    for reading in read(classifier, texts):
        at_once = max(1, ENTRIES // max(1, reading.states.numel()))
        moved, changed = [], []
        for start in range(0, permutations, at_once):
            size = min(at_once, permutations - start)
            keys = torch.rand(size, *reading.mask.shape, generator=generator).to(reading.mask.device)
            order = keys.masked_fill(~reading.mask, 2.0).argsort(-1)  # padding, to the right, stays there
            other = reading.weights.expand(size, -1, -1).gather(-1, order)
            moved.append(jensen_shannon(other, reading.weights))
            changed.append(total_variation(answer(method, other, reading.states), reading.probabilities))
        attention_change[reading.positions] = _median(torch.cat(moved))
        output_change[reading.positions] = _median(torch.cat(changed))
    return Replaced(attention_change, output_change)


@torch.no_grad()
def _replace(classifier: OpenClassifier, texts: Sequence[Words], other_of: Callable[[Reading], Tensor]) -> Replaced:
    method = attending(classifier)
    attention_change, output_change = np.zeros(len(texts)), np.zeros(len(texts))
    probabilities = np.zeros((len(texts), len(classifier.classes)))
    for reading in read(classifier, texts):
        other = other_of(reading)
        answers = answer(method, other, reading.states)
        attention_change[reading.positions] = jensen_shannon(other, reading.weights).double().cpu().numpy()
        output_change[reading.positions] = total_variation(answers, reading.probabilities).double().cpu().numpy()
        probabilities[reading.positions] = answers.double().cpu().numpy()
    return Replaced(attention_change, output_change, probabilities)


def _even(mask: Tensor, kind: torch.dtype) -> Tensor:
    return mask.to(kind) / mask.sum(-1, keepdim=True)


def _median(values: Tensor) -> np.ndarray:
    median: np.ndarray = np.median(values.double().cpu().numpy(), axis=0)
    return median
