"""A frozen classifier's states of texts, computed once, so that a head is fitted to them in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from ..blocks.neighborhood import Standardized, features_of
from ..data.batching import collate
from ..data.padding import by_token_budget
from ..inference.fitted import BATCH_TOKENS
from ..interfaces.document import Batch, Tokens
from ..interfaces.method import Method, Prediction

MOST_STATES = 400_000_000  # numbers that are kept of the states: bounds their memory to 0.8 GB
CHUNK_TOKENS = 4_096  # padded tokens of texts that are read together
KEPT_AS = torch.float16  # states are kept in half the memory
SCALED_BY = 2_000  # texts that say how features are scaled
LEAST_SCALE = 1e-3  # of a feature: one that never changes is not blown up


def most_tokens(method: Method) -> int:
    """Say of how many tokens states may be kept."""
    return MOST_STATES // sum(method.encoder.layer_dims)


class KeptStates:
    """Texts with the states and logits that a classifier gives them, once they were read."""

    def __init__(self, method: Method, texts: Sequence[Tokens], padding: int) -> None:
        self.method, self.texts, self.padding = method, texts, padding
        self.lengths = np.array([len(text) for text in texts], dtype=np.int64)
        self.starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths)
        self.top = 0  # width of the top layer, which comes first among the states
        self.states = self.pooled = self.logits = self.token_weights = torch.empty(0)

    @property
    def head(self) -> Standardized:
        """The head that is fitted."""
        raise NotImplementedError

    @property
    def device(self) -> torch.device:
        """Where the head is."""
        return self.head.mean.device

    def batch(self, chosen: np.ndarray) -> Batch:
        """Pad the chosen texts."""
        return self.with_rows(collate([self.texts[i] for i in chosen], self.padding), chosen)

    def with_rows(self, batch: Batch, chosen: np.ndarray) -> Batch:
        """Let a batch say which of these texts it holds."""
        return replace(batch, rows=torch.from_numpy(chosen))

    def mean_over_texts(self, loss: Callable[[Batch], Tensor]) -> float:
        """Average the loss of a batch over all texts."""
        total = 0.0
        for chosen in by_token_budget(self.lengths, BATCH_TOKENS):
            total += float(loss(self.batch(chosen).to(self.device))) * len(chosen)
        return total / max(1, len(self.texts))

    def _read_states(self, chosen: np.ndarray) -> None:
        batch = self.batch(chosen).to(self.device)
        _, prediction = self.method.read(batch)
        states, weights = prediction.states, prediction.token_weights
        assert states is not None
        self.top = states.shape[-1]
        if prediction.lower is not None:
            states = torch.cat([states, prediction.lower], -1)
        if not len(self.states):
            tokens, texts = int(self.lengths.sum()), len(self.texts)
            self.states = torch.empty(tokens, states.shape[-1], dtype=KEPT_AS)
            self.token_weights = torch.empty(tokens)
            self.pooled = torch.empty(texts, prediction.pooled.shape[-1], dtype=KEPT_AS)
            self.logits = torch.empty(texts, prediction.logits.shape[-1])
        mask, rows = batch.mask.cpu(), torch.from_numpy(chosen)
        place = (self.starts[rows].unsqueeze(1) + torch.arange(mask.shape[1]))[mask]
        self.states[place] = states.cpu()[mask].to(KEPT_AS)
        if weights is not None:
            self.token_weights[place] = weights.cpu()[mask].float()
        self.pooled[rows] = prediction.pooled.cpu().to(KEPT_AS)
        self.logits[rows] = prediction.logits.cpu().float()

    @torch.inference_mode()
    def scale_features(self) -> None:
        """Let the head see features of mean 0 and deviation 1, as some of the texts have them."""
        chosen = np.arange(min(SCALED_BY, len(self.texts)))
        batches = [self.batch(chosen[part]) for part in by_token_budget(self.lengths[chosen], BATCH_TOKENS)]
        tokens = sum(int(batch.mask.sum()) for batch in batches)
        mean = sum((self._features(b)[b.mask].double().sum(0) for b in batches), torch.zeros(())) / tokens
        square = sum(((self._features(b)[b.mask] - mean).double().square().sum(0) for b in batches), torch.zeros(()))
        self.head.mean.copy_(mean)
        self.head.scale.copy_((square / tokens).sqrt().clamp(min=LEAST_SCALE))

    def _features(self, batch: Batch) -> Tensor:
        """Put together what the head reads of a batch, from what is kept."""
        assert batch.rows is not None
        rows, mask = batch.rows.cpu(), batch.mask.cpu()
        place = (self.starts[rows].unsqueeze(1) + torch.arange(mask.shape[1])).clamp(max=len(self.states) - 1)
        where = self.device
        with torch.no_grad():
            prediction = Prediction(
                self.logits[rows].to(where),
                self.pooled[rows].to(where, torch.float32),
                self.token_weights[place].to(where),
                *(part.to(where, torch.float32) for part in self._split(self.states[place])),
            )
            return features_of(self.method.encoder.embed(batch.to(where)), prediction, self.head.part)

    def _split(self, states: Tensor) -> list[Tensor]:
        """Give the top layer, and the lower ones if there are any."""
        top, lower = states[..., : self.top], states[..., self.top :]
        return [top, lower] if lower.shape[-1] else [top]
