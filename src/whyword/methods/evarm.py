"""Enhanced variational word masks (E-VarM): Ge et al., COLING 2022."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from ..blocks.gates import LayerGate, Units, chosen_layers, gate_health, mask_warnings
from ..blocks.heads import PooledClassifier
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Objective, Phase, Prediction, task_loss
from ..interfaces.settings import check_above_zero, check_between_zero_and_one, check_from, check_share_below_one
from ..maths.tensors.distances import supervised_contrast
from ..maths.tensors.gates import bernoulli_kl, sample_hard_gate, sample_relaxed
from ..maths.tensors.masked import some_of


class Evarm(PooledClassifier):
    """Gates that have read the whole text mask its words; then texts of one class are drawn together, gate fixed."""

    own_score = "gate"

    @dataclass(frozen=True)
    class Config:
        """Settings of mask and contrast; the paper gives no value of most."""

        variant: Literal["full", "mask", "ppl", "ete"] = "full"  # mask: stage 1 alone; ppl: then stage 2; ete: one sum
        gate_layers: Literal["all", "bottom", "middle", "top"] | tuple[int, ...] = "all"  # of the gate; 0: word vectors
        beta: float = 0.1  # weight β of the bottleneck; the paper searches 0.1, 0.5, 1, 10, 50
        prior: float = 0.5  # chance that a word is kept, before it is seen; below 0.5 favors sparse masks
        gates: Literal["hard", "soft"] = "hard"  # in training: open or shut, or anything between (their Eq. 4)
        inference: Literal["probability", "choice"] = (
            "probability"  # what a word is multiplied by: α, or argmax α (Eq. 3)
        )
        temperature: float = 1.0  # of the Gumbel-softmax
        contrast_temperature: float = 0.5  # τ of the contrastive loss; the paper searches 0.1 to 0.9
        widths: tuple[int, ...] | None = None  # hidden layers of the gate; None: that of the states, then 128 at most
        per: Literal["word", "piece"] = "word"  # whether the pieces of a word share a gate
        dropout: float = 0.2  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_from(self, 0, "beta")
            check_between_zero_and_one(self, "prior")
            check_above_zero(self, "temperature", "contrast_temperature", "widths")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
        self.config = config
        self.layers = chosen_layers(config.gate_layers, len(encoder.layer_dims))
        dims = (encoder.embedding_dim, *encoder.layer_dims)
        widths = config.widths or (encoder.state_dim, min(encoder.state_dim, 128))
        self.gate = LayerGate([dims[layer] for layer in self.layers], widths)
        self.whole_words = encoder.token_kind == "pieces" and config.per == "word"

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors, each multiplied by the probability that it is kept, or by the likelier choice."""
        units = Units(batch, self.whole_words)
        keep = units.spread(self._keep_logits(self._read(embedded, batch), units).sigmoid())
        gates = keep if self.config.inference == "probability" else (keep > 0.5).to(keep.dtype)
        return replace(super().classify(_masked(embedded, gates, batch), batch), token_weights=keep)

    def classify_sampled(self, embedded: Tensor, batch: Batch) -> tuple[Prediction, Tensor]:
        """Predict with gates drawn at random; also give the (batch, time) logits of keeping."""
        units = Units(batch, self.whole_words)
        logits = self._keep_logits(self._read(embedded, batch), units)
        gates = units.spread(self._draw(logits))
        return super().classify(_masked(embedded, gates, batch), batch), units.spread(logits)

    def _read(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """First pass: the word vectors and every layer of the unmasked text."""
        return embedded, *self.encoder.encode(embedded, batch)

    def _keep_logits(self, layers: Sequence[Tensor], units: Units) -> Tensor:
        return units.pool(self.gate([layers[layer] for layer in self.layers]))

    def _draw(self, logits: Tensor) -> Tensor:
        draw = sample_hard_gate if self.config.gates == "hard" else sample_relaxed
        return draw(logits, self.config.temperature)

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """First stage: cross-entropy of the masked text, and the bottleneck: KL from the gates to the prior."""
        assert batch.labels is not None
        prediction, keep_logits = self.classify_sampled(self.encoder.embed(batch), batch)
        task = task_loss(prediction.logits, batch)
        return {"task": task, "bottleneck": self._bottleneck(keep_logits, batch)}

    def _bottleneck(self, keep_logits: Tensor, batch: Batch) -> Tensor:
        divergence = bernoulli_kl(keep_logits, self.config.prior)
        return self.config.beta * (divergence * batch.is_word).sum() / batch.is_word.sum().clamp(min=1)

    def contrast_losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Second stage: contrast of three views of each text; the gate only says which words they keep.

        In the variant ppl, where no first stage alternates with it, cross-entropy lets the head follow the vectors.
        """
        embedded, units = self.encoder.embed(batch), Units(batch, self.whole_words)
        layers = self._read(embedded, batch)
        with torch.no_grad():
            gates = self._draw(self._keep_logits(layers, units))
        losses = self._view_losses(embedded, layers[-1], gates, units, batch)
        return losses if self.config.variant == "ppl" else {"contrast": losses["contrast"]}

    def joint_losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Both stages in one sum, whose gradients all reach the gate (variant ete)."""
        embedded, units = self.encoder.embed(batch), Units(batch, self.whole_words)
        layers = self._read(embedded, batch)
        keep_logits = self._keep_logits(layers, units)
        losses = self._view_losses(embedded, layers[-1], self._draw(keep_logits), units, batch)
        return losses | {"bottleneck": self._bottleneck(units.spread(keep_logits), batch)}

    def _view_losses(
        self, embedded: Tensor, states: Tensor, gates: Tensor, units: Units, batch: Batch
    ) -> dict[str, Tensor]:
        """Cross-entropy of z, and contrast of x, z and x'; the pass that the gate has read serves as that of x."""
        assert batch.labels is not None
        kept = _masked(embedded, units.spread(gates), batch)  # z
        fuller = _masked(embedded, units.spread(self.fuller(gates, units, batch)), batch)  # x'
        both = _twice(batch)
        masked = self.encoder.summarize(self.encoder.encode(torch.cat([kept, fuller]), both)[-1], both)
        vectors = torch.cat([self.encoder.summarize(states, batch), masked])
        contrast = supervised_contrast(vectors, torch.cat([batch.labels] * 3), self.config.contrast_temperature)
        return {"task": task_loss(self.head(masked[: len(batch)]), batch), "contrast": contrast}

    def fuller(self, gates: Tensor, units: Units, batch: Batch) -> Tensor:
        """Give the (batch, unit) gates of x': all open but those of some words whose gate is shut, drawn anew."""
        irrelevant = (gates <= 0.5) & (units.pool(batch.is_word.to(gates.dtype)) > 0)
        return (~some_of(irrelevant)).to(gates.dtype)

    def plan(self, epochs: int) -> Sequence[Phase]:
        """Take both stages in turn on each batch, or as the variant says."""
        encoder = list(self.encoder.parameters())
        mask = Objective(self.losses, list(self.parameters()))
        if self.config.variant == "ete":
            return [Phase("joint", epochs, [Objective(self.joint_losses, list(self.parameters()))])]
        if self.config.variant == "ppl":
            contrast = Objective(self.contrast_losses, [*encoder, *self.head.parameters()])
            return [Phase("mask", epochs, [mask], eligible=False), Phase("contrast", epochs, [contrast])]
        if self.config.variant == "mask" or not any(weight.requires_grad for weight in encoder):
            return [Phase("mask", epochs, [mask])]
        return [Phase("mask and contrast", epochs, [mask, Objective(self.contrast_losses, encoder)])]

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Spread of the keep probability over the words of the dev texts, and accuracy with sampled gates."""
        return gate_health(self, batches)

    def warnings(self, health: dict[str, float]) -> list[str]:
        """Say whether the mask has collapsed to its prior or lets everything through."""
        return mask_warnings(
            health,
            collapsed=f"Lower method.beta (now {self.config.beta:g}), or train longer.",
            saturated=f"Raise method.beta (now {self.config.beta:g}), or set method.prior below {self.config.prior:g}.",
        )


def _masked(embedded: Tensor, gates: Tensor, batch: Batch) -> Tensor:
    return embedded * torch.where(batch.is_word, gates, 1.0).unsqueeze(-1)


def _twice(batch: Batch) -> Batch:
    parts = (batch.tokens, batch.mask, batch.word_of_token, batch.segments)
    return Batch(*(torch.cat([part, part]) for part in parts))
