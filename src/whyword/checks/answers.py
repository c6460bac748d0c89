"""What a network answers must not depend on the batch a text happens to be in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..interfaces.document import Batch
from .promise import expect_close


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
