"""Run a model with attention that is not its own, and see how much its answers change.

Uniform, permuted, another model's, and adversarial attention (Jain & Wallace, NAACL 2019, section 4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import relu

from ..explaining.any_model import open_classifier
from ..interfaces.classifier import OpenClassifier
from ..interfaces.document import Words
from ..interfaces.errors import OptionError
from ..interfaces.method import Attending
from ..maths.tensors.distances import jensen_shannon, max_jensen_shannon, total_variation
from ..maths.tensors.masked import masked_softmax

PERMUTATIONS = 100  # as Jain & Wallace
ENTRIES = 4_000_000  # numbers of repeated states held at a time


@dataclass(frozen=True, eq=False)
class Reading:
    """Attention, states and probabilities of a model on a batch."""

    positions: np.ndarray  # (batch,) places of the texts in the input
    weights: Tensor  # (batch, time)
    states: Tensor  # (batch, time, dim): what the weights weigh
    mask: Tensor  # (batch, time) bool
    probabilities: Tensor  # (batch, class)


@dataclass(frozen=True, eq=False)
class Replaced:
    """How attention and answer of each text changed when the attention was replaced."""

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
            probabilities = method.scaled(method.classify_from(weights, states).logits).softmax(-1)
        yield Reading(positions, weights, states, batch.mask, probabilities)


def classify_with(method: Attending, weights: Tensor, states: Tensor) -> Tensor:
    """Give probabilities under other attention: (…, batch, time) weights to (…, batch, class)."""
    repeated = states.expand(*weights.shape[:-2], *states.shape)
    flat = method.classify_from(weights.flatten(0, -2), repeated.flatten(0, -3)).logits
    flat = method.scaled(flat).softmax(-1)
    return flat.view(*weights.shape[:-1], -1)


def uniform_attention(model: Any, texts: Sequence[Words]) -> Replaced:
    """Let every token of a text count the same."""
    return _replace(open_classifier(model), texts, lambda reading: _even(reading.mask, reading.weights.dtype))


def swapped_attention(model: Any, other_model: Any, texts: Sequence[Words]) -> Replaced:
    """Use the attention of another model with the same vocabulary, such as one trained from another seed."""
    classifier, other_classifier = open_classifier(model), open_classifier(other_model)
    batches = zip(classifier.batches(texts), other_classifier.batches(texts), strict=False)
    for (mine, batch), (theirs, other) in batches:
        if not np.array_equal(mine, theirs) or not torch.equal(batch.tokens.cpu(), other.tokens.cpu()):
            raise OptionError(
                "The two models cut texts into different tokens: give two that were trained on the same texts."
            )
    readings = read(other_classifier, texts)
    return _replace(classifier, texts, lambda _: next(readings).weights)


@torch.no_grad()
def permuted_attention(model: Any, texts: Sequence[Words], permutations: int = PERMUTATIONS, seed: int = 0) -> Replaced:
    """Shuffle the weights of a text among its tokens; the changes are medians over the permutations."""
    classifier = open_classifier(model)
    method, generator = attending(classifier), torch.Generator().manual_seed(seed)
    attention_change, output_change = np.zeros(len(texts)), np.zeros(len(texts))
    for reading in read(classifier, texts):
        at_once = max(1, ENTRIES // max(1, reading.states.numel()))
        jsd, tvd = [], []
        for start in range(0, permutations, at_once):
            size = min(at_once, permutations - start)
            keys = torch.rand(size, *reading.mask.shape, generator=generator).to(reading.mask.device)
            order = keys.masked_fill(~reading.mask, 2.0).argsort(-1)  # padding, to the right, stays there
            other = reading.weights.expand(size, -1, -1).gather(-1, order)
            jsd.append(jensen_shannon(other, reading.weights))
            tvd.append(total_variation(classify_with(method, other, reading.states), reading.probabilities))
        attention_change[reading.positions] = _median(torch.cat(jsd))
        output_change[reading.positions] = _median(torch.cat(tvd))
    return Replaced(attention_change, output_change)


@torch.no_grad()
def _replace(classifier: OpenClassifier, texts: Sequence[Words], other_of: Callable[[Reading], Tensor]) -> Replaced:
    method = attending(classifier)
    attention_change, output_change = np.zeros(len(texts)), np.zeros(len(texts))
    probabilities = np.zeros((len(texts), len(classifier.classes)))
    for reading in read(classifier, texts):
        other = other_of(reading)
        replaced = classify_with(method, other, reading.states)
        attention_change[reading.positions] = jensen_shannon(other, reading.weights).double().cpu().numpy()
        output_change[reading.positions] = total_variation(replaced, reading.probabilities).double().cpu().numpy()
        probabilities[reading.positions] = replaced.double().cpu().numpy()
    return Replaced(attention_change, output_change, probabilities)


def _even(mask: Tensor, kind: torch.dtype) -> Tensor:
    return mask.to(kind) / mask.sum(-1, keepdim=True)


def _median(values: Tensor) -> np.ndarray:
    median: np.ndarray = np.median(values.double().cpu().numpy(), axis=0)
    return median


@dataclass(frozen=True)
class Search:
    """Settings of the search; defaults are those of the authors' code."""

    restarts: int = 5
    steps: int = 500
    learning_rate: float = 0.01
    tolerance: float = 0.01  # TVD of the probabilities up to which an answer counts as the same
    penalty: float = 500.0  # for each unit of TVD beyond the tolerance
    spread: float = 3.0  # standard deviation of the log-attention at the start


@dataclass(frozen=True, eq=False)
class Adversaries:
    """The most different attention found for each text whose answer stays within the tolerance."""

    jsd: np.ndarray  # (text,) from the model's own attention; 0 where none was found
    furthest: np.ndarray  # (text,) JSD that any attention at all could have, which short texts keep below ln 2
    output_change: np.ndarray  # (text,) TVD of the probabilities, at most the tolerance

    @property
    def share(self) -> np.ndarray:
        """(text,) JSD as a share of the furthest: 1, the attention could be anything; 0, only what it is."""
        return np.where(self.furthest > 0, self.jsd / np.maximum(self.furthest, np.finfo(float).tiny), 0.0)


def adversarial_attention(
    model: Any, texts: Sequence[Words], search: Search | None = None, seed: int = 0
) -> Adversaries:
    """Search for all texts of a batch, and all restarts, at once; a text's result does not depend on its batch."""
    classifier, search = open_classifier(model), search or Search()
    method = attending(classifier)
    result = Adversaries(*(np.zeros(len(texts)) for _ in range(3)))
    for reading in read(classifier, texts):
        noise = [_noise(seed, int(place), search.restarts, reading.mask.shape[1]) for place in reading.positions]
        starts = search.spread * torch.from_numpy(np.stack(noise, axis=1)).to(reading.weights)
        jsd, change = search_batch(method, reading, starts, search)
        result.jsd[reading.positions] = jsd.double().cpu().numpy()
        result.output_change[reading.positions] = change.double().cpu().numpy()
        furthest = max_jensen_shannon(reading.weights, reading.mask)
        result.furthest[reading.positions] = furthest.double().cpu().numpy()
    return result


def search_batch(method: Attending, reading: Reading, starts: Tensor, search: Search) -> tuple[Tensor, Tensor]:
    """Descend from (restart, batch, time) log-attention; give the largest JSD met within tolerance, and its TVD.

    Each step takes −JSD(α', α) + 500 relu(TVD − 0.01) down and pushes the restarts of a text apart.
    """
    free = starts.clone().requires_grad_()
    optimizer = torch.optim.Adam([free], lr=search.learning_rate, amsgrad=True)
    best = torch.zeros_like(reading.probabilities[:, 0])
    best_change = torch.zeros_like(best)
    for _ in range(search.steps + 1):
        other = masked_softmax(free, reading.mask)
        change = total_variation(classify_with(method, other, reading.states), reading.probabilities)
        jsd = jensen_shannon(other, reading.weights)
        best, best_change = _better(best, best_change, jsd.detach(), change.detach(), search.tolerance)
        apart = jensen_shannon(other.unsqueeze(0), other.unsqueeze(1)).mean((0, 1)).sum()
        loss = (search.penalty * relu(change - search.tolerance) - jsd).sum() - apart
        (free.grad,) = torch.autograd.grad(loss, free)
        optimizer.step()
    return best, best_change


def _better(best: Tensor, best_change: Tensor, jsd: Tensor, change: Tensor, tolerance: float) -> tuple[Tensor, Tensor]:
    """Take the furthest of the restarts that keep the answer, if it is further than the best so far."""
    top, which = jsd.masked_fill(change > tolerance, -1.0).max(0)
    better = top > best
    there = change.gather(0, which.unsqueeze(0)).squeeze(0)
    return torch.where(better, top, best), torch.where(better, there, best_change)


def _noise(seed: int, text: int, restarts: int, time: int) -> np.ndarray:
    """Draw token by token, so that padding draws last and changes nothing before it."""
    drawn = np.random.default_rng([seed, text]).standard_normal((time, restarts))
    return drawn.T.astype(np.float64)
