"""How different can the attention to a text be while the answer stays? Jain & Wallace, NAACL 2019, section 4.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import relu

from ..interfaces.classifier import OpenClassifier
from ..interfaces.document import Words
from ..interfaces.method import Attending
from ..maths.tensors.divergences import jensen_shannon, max_jensen_shannon, total_variation
from ..maths.tensors.masked import masked_softmax
from .replaced_attention import Reading, answer, attending, read


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
    classifier: OpenClassifier, texts: Sequence[Words], search: Search | None = None, seed: int = 0
) -> Adversaries:
    """Search for all texts of a batch, and all restarts, at once; a text's result does not depend on its batch."""
    search = search or Search()
    method = attending(classifier)
    result = Adversaries(*(np.zeros(len(texts)) for _ in range(3)))
    for reading in read(classifier, texts):
        noise = [_noise(seed, int(place), search.restarts, reading.mask.shape[1]) for place in reading.positions]
        starts = search.spread * torch.from_numpy(np.stack(noise, axis=1)).to(reading.weights)
        jsd, change = find(method, reading, starts, search)
        result.jsd[reading.positions] = jsd.double().cpu().numpy()
        result.output_change[reading.positions] = change.double().cpu().numpy()
        furthest = max_jensen_shannon(reading.weights, reading.mask)
        result.furthest[reading.positions] = furthest.double().cpu().numpy()
    return result


def find(method: Attending, reading: Reading, starts: Tensor, search: Search) -> tuple[Tensor, Tensor]:
    """Descend from (restart, batch, time) log-attention; give the largest JSD met within tolerance, and its TVD.

    Each step takes −JSD(α', α) + 500 relu(TVD − 0.01) down and pushes the restarts of a text apart.
    """
    free = starts.clone().requires_grad_()
    optimizer = torch.optim.Adam([free], lr=search.learning_rate, amsgrad=True)
    best = torch.zeros_like(reading.probabilities[:, 0])
    best_change = torch.zeros_like(best)
    for _ in range(search.steps + 1):
        other = masked_softmax(free, reading.mask)
        change = total_variation(answer(method, other, reading.states), reading.probabilities)
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
