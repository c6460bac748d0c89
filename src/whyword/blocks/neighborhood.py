"""What a small head reads of each token: its vector, its state, the text's vector, and the tokens around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from ..interfaces.document import Batch
from ..interfaces.method import Method, Prediction

DILATIONS = (1, 2, 4)  # of the convolutions: together they see 14 tokens to either side
WINDOW = 5  # tokens of a convolution
Part = Literal["largest", "share"]  # how a token's part in the text vector is known: it was pooled, or it was weighed


class Standardized(nn.Module):
    """Gives features of mean 0 and deviation 1, as the texts that a head was fitted to have them."""

    def __init__(self, features: int, part: Part | None) -> None:
        super().__init__()
        self.part = part
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))
        self.mean: Tensor
        self.scale: Tensor

    def standardize(self, features: Tensor) -> Tensor:
        """Take the mean off, and divide by the deviation."""
        return (features - self.mean) / self.scale


class NeighborhoodReader(Standardized):
    """Squeezes the features of each token, and reads the tokens around it by convolutions."""

    def __init__(self, features: int, width: int, part: Part | None) -> None:
        super().__init__(features, part)
        self.squeeze = nn.Linear(features, width)
        self.around = convolutions(width)

    def read(self, features: Tensor, batch: Batch) -> Tensor:
        """Give what is read of each token and what of those around it, side by side: (batch, time, 2 width)."""
        return read_around(self.squeeze, self.around, self.standardize(features), batch)


def convolutions(width: int) -> nn.ModuleList:
    """Make the layers that read the tokens around each one."""
    return nn.ModuleList(
        nn.Conv1d(width, width, WINDOW, padding=WINDOW // 2 * dilation, dilation=dilation) for dilation in DILATIONS
    )


def read_around(squeeze: nn.Module, around: nn.ModuleList, features: Tensor, batch: Batch) -> Tensor:
    """Squeeze standardized features, and put what is read of each token beside what is read of those around it."""
    mask = batch.mask.unsqueeze(-1)
    read = relu(squeeze(features)) * mask
    wider = read.transpose(1, 2)
    for convolution in around:
        wider = (wider + relu(convolution(wider))) * mask.transpose(1, 2)
    return torch.cat([read, wider.transpose(1, 2)], -1)


def features_of(embedded: Tensor, prediction: Prediction, part: Part | None) -> Tensor:
    """Put together what the head reads of each token: (batch, time, dim)."""
    assert prediction.states is not None
    states, pooled = prediction.states, prediction.pooled.unsqueeze(1)
    features = [embedded, states, pooled.expand(-1, states.shape[1], -1)]
    if prediction.lower is not None:
        features.append(prediction.lower)
    if part == "largest":
        features.append(states.where(states == pooled, 0.0))
    elif part == "share":
        assert prediction.token_weights is not None
        features.append(states * prediction.token_weights.unsqueeze(-1))
    return torch.cat(features, -1)


def part_of(method: Method, prediction: Prediction) -> Part | None:
    """Say how a token's part in the text vector is known; None if it is not."""
    assert prediction.states is not None
    if method.own_score == "share" and prediction.token_weights is not None:
        return "share"
    if prediction.token_logits is not None:  # linear: before it is solved all its states are 0, and look pooled
        return None
    return "largest" if torch.equal(prediction.pooled, prediction.states.amax(1)) else None


@torch.no_grad()
def read_two_tokens(method: Method) -> tuple[Tensor, Prediction]:
    """Read two tokens that belong to no word, to see how wide vectors are and how they are pooled."""
    unknown = method.unknown_token
    nothing = text_of_no_word([unknown, 0 if unknown else 1], method.logit_scale.device)
    training = method.training
    embedded, prediction = method.eval().read(nothing)
    method.train(training)
    return embedded, prediction


def text_of_no_word(tokens: Sequence[int], device: torch.device) -> Batch:
    """Give a text of tokens that belong to no word."""
    ids = torch.tensor([list(tokens)], device=device)
    special = torch.full_like(ids, -1)
    return Batch(ids, special.bool(), special, torch.zeros_like(ids))
