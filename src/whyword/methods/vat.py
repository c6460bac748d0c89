"""Attention shaped by an information bottleneck (VAT): Zhou, Wu, Chen, Huang & He."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from ..blocks.attention import AdditiveAttention, Attentive, attend
from ..blocks.gaussian_bottleneck import GaussianBottleneck
from ..blocks.heads import Head
from ..interfaces.document import Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder, Objective, Phase, Prediction, count_right, task_loss
from ..interfaces.settings import check_above_zero, check_from, check_share_below_one
from ..maths.tensors.gates import kl_to_standard_normal, sample_gaussian

COLLAPSED = 0.1  # nats per text below which the bottleneck tells nothing
JOINT = "joint"  # the first phase
UNMOVED = 1e-3  # relative change of the attention's weights below which compressing has not changed them


class Vat(Attentive):
    """Train attention jointly, then in turns under a bottleneck (compress) and with it fixed (learn)."""

    attention: AdditiveAttention

    @dataclass(frozen=True)
    class Config:
        """Settings of VAT; most are choices that the paper leaves open."""

        beta: float = 0.1  # weight β of the bottleneck; the paper searches 0.01, 0.1, 1, 10
        iterations: int = 2  # of compress and learn after the joint phase; 0 is the method attention
        order: Literal["compress_first", "learn_first"] = "compress_first"  # within an iteration
        compress_epochs: int | None = None  # at most in a compress phase; None: training.epochs
        learn_epochs: int | None = None  # at most in a learn phase; None: training.epochs
        learn_learning_rate: float | None = None  # of the learn phases; None: training.learning_rate
        start_counts: bool = False  # whether the weights that a learn phase starts from may be its best
        head: Literal["learner", "compressor"] = "learner"  # which one predicts
        keep_joint: bool = False  # let the joint phase, plain attention, be the final model if it is best on dev
        kl: Literal["sum", "mean"] = "sum"  # of the bottleneck over dimensions; sum is the exact KL
        size: int | None = None  # dimensions of the bottleneck; None: the width of the states
        deviation: Literal["softplus", "exp"] = "softplus"  # what makes the standard deviation positive
        heads: int = 1  # of the attention; their mean weighs the states and is the explanation
        width: int | None = None  # hidden width of the attention; None: the width of the states
        dropout: float = 0.2  # on the text vector
        weight_decay: float = 0.0  # on whatever a phase trains

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_from(self, 0, "beta", "iterations", "weight_decay")
            check_from(self, 1, "compress_epochs", "learn_epochs", "size", "heads")
            check_above_zero(self, "learn_learning_rate")
            check_share_below_one(self, "dropout")
            if self.head == "compressor" and self.iterations == 0:
                raise OptionError(
                    "method.head is compressor, but with method.iterations=0 it is never trained: set 1 or more."
                )

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = encoder
        dim = encoder.state_dim
        self.attention = AdditiveAttention(dim, config.width or dim, 1.0, config.heads)
        self.head = Head(dim, classes, config.dropout)  # the learner's
        with torch.random.fork_rng(devices=[]):  # so that the joint phase draws what the method attention draws
            size = config.size or dim
            self.bottleneck = GaussianBottleneck(dim, dim, size, config.deviation)
            self.compressor_head = Head(size, classes, 0.0)
        before = torch.zeros_like(parameters_to_vector(self.attention.parameters()))
        self.register_buffer("attention_before", before.detach())  # compressing; zeros before the first time
        self.attention_before: Tensor

    def classify_from(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict with the chosen head from the weighted sum of the states."""
        pooled = attend(weights, states)
        logits = self.head(pooled) if self.config.head == "learner" else self._compressed(pooled)
        return Prediction(logits, pooled, weights, states)

    def head_weights(self, batch: Batch) -> Tensor:
        """Give the weights of every head, (batch, head, time); their mean over heads is the explanation."""
        states = self.encoder.encode(self.encoder.embed(batch), batch)[-1]
        return self.attention.by_head(states, batch.mask)

    def _text_vector(self, batch: Batch) -> Tensor:
        return attend(*self.attention_and_states(self.encoder.embed(batch), batch))

    def _compressed(self, pooled: Tensor) -> Tensor:
        """Logits of the compressor's head on the mean of z."""
        logits: Tensor = self.compressor_head(self.bottleneck(pooled)[0])
        return logits

    def _learner_logits(self, batch: Batch) -> Tensor:
        logits: Tensor = self.head(self._text_vector(batch))
        return logits

    def _compressor_logits(self, batch: Batch) -> Tensor:
        return self._compressed(self._text_vector(batch))

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy of the learner, in the joint and the learn phases."""
        assert batch.labels is not None
        return {"task": task_loss(self._learner_logits(batch), batch)}

    def compressor_losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy from a sample of z, and the bottleneck: KL from z to the standard normal.

        The frozen encoder keeps its dropout, as in every other phase.
        """
        assert batch.labels is not None
        if progress == 0.0:  # the phase begins
            self.attention_before.copy_(self._attention_vector())
        mean, deviation = self.bottleneck(self._text_vector(batch))
        logits = self.compressor_head(sample_gaussian(mean, deviation))
        divergence = kl_to_standard_normal(mean, deviation)
        divergence = divergence.sum(-1) if self.config.kl == "sum" else divergence.mean(-1)
        return {"task": task_loss(logits, batch), "bottleneck": self.config.beta * divergence.mean()}

    def _attention_vector(self) -> Tensor:
        return parameters_to_vector(self.attention.parameters()).detach()

    def plan(self, epochs: int) -> Sequence[Phase]:
        """Joint phase, then iterations; the best of their phases that train the head which predicts is kept."""
        config = self.config
        encoder, attention, head = (list(part.parameters()) for part in (self.encoder, self.attention, self.head))
        compressor = [*self.bottleneck.parameters(), *self.compressor_head.parameters()]

        def learning(
            name: str, most: int, parameters: list[torch.nn.Parameter], eligible: bool, rate: float | None = None
        ) -> Phase:
            objective = Objective(self.losses, parameters, config.weight_decay, rate)
            start_counts = config.start_counts and name != JOINT
            return Phase(name, most, [objective], eligible, logits=self._learner_logits, start_counts=start_counts)

        learner = config.head == "learner"
        phases = [learning(JOINT, epochs, encoder + attention + head, config.keep_joint or not config.iterations)]
        for number in range(1, config.iterations + 1):
            objective = Objective(self.compressor_losses, attention + compressor, config.weight_decay)
            most = config.compress_epochs or epochs
            compress = Phase(f"compress {number}", most, [objective], not learner, logits=self._compressor_logits)
            rate = config.learn_learning_rate
            learn = learning(f"learn {number}", config.learn_epochs or epochs, encoder + head, learner, rate)
            phases += [compress, learn] if config.order == "compress_first" else [learn, compress]
        return phases

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Accuracy of both heads, nats per text that pass the bottleneck, movement of the attention's weights."""
        learner, compressor, nats = 0, 0, 0.0
        for batch in batches:
            assert batch.labels is not None
            pooled = self._text_vector(batch)
            mean, deviation = self.bottleneck(pooled)
            learner += count_right(self.head(pooled), batch.labels)
            compressor += count_right(self.compressor_head(mean), batch.labels)
            nats += float(kl_to_standard_normal(mean, deviation).sum())
        texts = sum(map(len, batches))
        health = {"learner_accuracy": learner / texts}
        if not self.attention_before.any():  # nothing was compressed yet
            return health
        moved = (self._attention_vector() - self.attention_before).norm() / self.attention_before.norm()
        return health | {"compressor_accuracy": compressor / texts, "kl": nats / texts, "attention_moved": float(moved)}

    def warnings(self, health: dict[str, float]) -> list[str]:
        """Say whether the bottleneck has collapsed, or has left the attention as the joint phase made it."""
        beta = self.config.beta
        if health.get("kl", COLLAPSED) < COLLAPSED:
            return [
                f"the bottleneck has collapsed: only {health['kl']:.3f} nats per text pass it, so it has taught the "
                f"attention nothing. Lower method.beta (now {beta:g})."
            ]
        if health.get("attention_moved", UNMOVED) < UNMOVED:
            return [
                f"compressing has not moved the attention (its weights changed by {health['attention_moved']:.2%}), so "
                "it is still that of plain attention. Raise training.learning_rate or method.compress_epochs."
            ]
        return []
