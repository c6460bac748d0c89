"""Train a model to answer like another while it attends elsewhere: Wiegreffe & Pinter, EMNLP 2019, section 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from ..data.batching import by_token_budget, training_batches
from ..interfaces.method import Method, Prediction
from ..maths.tensors.divergences import kullback_leibler, total_variation
from ..training.corpus import Corpus
from ..training.loop import copy_weights
from ..training.optimizer import Training


@dataclass(frozen=True)
class Patience:
    """How long an imitation is trained; as in the authors' code the training loss decides, not dev."""

    epochs: int = 80  # at most
    epochs_since_best: int = 10  # epochs without a lower training loss before it stops


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a model says of the texts of a corpus, and how it attends to them."""

    probabilities: Tensor  # (text, class)
    weights: Sequence[Tensor]  # (token,) per text

    def of(self, chosen: np.ndarray, device: torch.device) -> tuple[Tensor, Tensor]:
        """Give (batch, class) probabilities and (batch, time) weights of some texts."""
        padded = pad_sequence([self.weights[i] for i in chosen], batch_first=True)
        return self.probabilities[torch.from_numpy(chosen)].to(device), padded.to(device)


@torch.inference_mode()
def outputs_of(method: Method, corpus: Corpus, device: torch.device) -> Outputs:
    """Ask a model with attention about every text of a corpus."""
    method.eval()
    probabilities: dict[int, Tensor] = {}
    weights: dict[int, Tensor] = {}
    for chosen in by_token_budget(corpus.lengths, 16_384):
        prediction = method(corpus.batch(chosen).to(device))
        assert prediction.token_weights is not None
        for row, i in enumerate(chosen.tolist()):
            probabilities[i] = prediction.logits[row].softmax(-1).cpu()
            weights[i] = prediction.token_weights[row, : corpus.lengths[i]].cpu()
    every = range(len(corpus))
    return Outputs(torch.stack([probabilities[i] for i in every]), [weights[i].clone() for i in every])


def train_adversarial_model(
    method: Method, shown: Outputs, corpus: Corpus, weight: float, settings: Training, patience: Patience, seed: int
) -> list[float]:
    """Minimize TVD of the answers − weight · KL of the attention, and what else the method minimizes but its task.

    So an imitation is held to the same rules as the original. Gradients are not clipped: where another term is large,
    that would leave little of the imitation. The weights of the lowest training loss are in place afterwards; gives the
    loss of each epoch.
    """
    device = next(method.parameters()).device
    trained = [parameter for parameter in method.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=settings.learning_rate or method.encoder.learning_rate, fused=True)
    history: list[float] = []
    best: dict[str, Tensor] = {}
    while len(history) < patience.epochs and _going_on(history, patience.epochs_since_best):
        method.train()
        total = 0.0
        for chosen in training_batches(
            corpus.lengths, settings.batch_size, settings.batch_tokens, [seed, len(history)]
        ):
            batch = corpus.batch(chosen).to(device)
            prediction, terms = method.predict_with_terms(batch)
            loss = adversarial_loss(prediction, *shown.of(chosen, device), weight)
            loss = torch.stack([loss, *terms.values()]).sum()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(chosen)
        history.append(total / len(corpus))
        if history[-1] <= min(history):
            best = copy_weights(method)
    method.load_state_dict(best)
    method.eval()
    return history


def adversarial_loss(prediction: Prediction, probabilities: Tensor, weights: Tensor, weight: float) -> Tensor:
    """TVD(answers, those shown) − weight · KL(attention ‖ that shown), averaged over the texts of a batch."""
    assert prediction.token_weights is not None
    apart = total_variation(prediction.logits.softmax(-1), probabilities)
    elsewhere = kullback_leibler(prediction.token_weights, weights)
    return (apart - weight * elsewhere).mean()


def _going_on(history: list[float], epochs_since_best: int) -> bool:
    return not history or len(history) - 1 - int(np.argmin(history)) < epochs_since_best
