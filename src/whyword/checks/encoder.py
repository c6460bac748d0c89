"""The contract of every encoder."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from ..interfaces.document import Batch, Tokenizer
from ..interfaces.method import Encoder
from ..methods.base import Base
from .contract import Answers, expect, expect_no_trace_of_padding, expect_one_by_one, expect_repeatable, seeded
from .method import check_method
from .samples import MakeEncoder, sample_batch, sample_words


def check_encoder(make: MakeEncoder, tokenizer: Tokenizer | None = None) -> None:
    """Check the whole contract of an encoder, and those of the plain classifier on top of it.

    The tokenizer is word-level unless one is given; encoders that read pieces are checked with samples.sample_pieces.
    """
    tokenizer = tokenizer or sample_words()
    for clause in ENCODER_CONTRACT:
        clause(make, tokenizer)
    check_method(lambda tokens, classes: Base(make(tokens), classes, Base.Config(dropout=0.0)), tokenizer)


def layers_are_as_wide_as_declared(make: MakeEncoder, tokenizer: Tokenizer) -> None:
    """Embed gives embedding_dim, each layer of encode its entry of layer_dims, summarize the width of the last."""
    encoder, batch = _build(make, tokenizer), sample_batch(tokenizer)
    embedded, layers, summary = _read(encoder, batch)
    expect(
        embedded.shape == (*batch.tokens.shape, encoder.embedding_dim),
        f"embed gives the shape {tuple(embedded.shape)}, not {(*batch.tokens.shape, encoder.embedding_dim)}.",
    )
    widths = tuple(layer.shape[-1] for layer in layers)
    expect(widths == tuple(encoder.layer_dims), f"encode gives layers of widths {widths}, not {encoder.layer_dims}.")
    for layer in layers:
        expect(
            layer.shape[:2] == batch.tokens.shape,
            f"encode gives a layer of shape {tuple(layer.shape)} for {tuple(batch.tokens.shape)} tokens.",
        )
    expect(
        summary.shape == (len(batch), encoder.state_dim),
        f"summarize gives the shape {tuple(summary.shape)}, not {(len(batch), encoder.state_dim)}.",
    )


def batch_equals_one_by_one(make: MakeEncoder, tokenizer: Tokenizer) -> None:
    """Read a text the same alone and in a batch."""
    expect_one_by_one(partial(_ask, _build(make, tokenizer)), sample_batch(tokenizer))


def padding_changes_nothing(make: MakeEncoder, tokenizer: Tokenizer) -> None:
    """Neither the amount of padding nor the tokens under it change a state of a real token."""
    ask = partial(_ask, _build(make, tokenizer))
    expect_no_trace_of_padding(ask, sample_batch(tokenizer), tokenizer.size, tokenizer.padding)


def reading_is_repeatable(make: MakeEncoder, tokenizer: Tokenizer) -> None:
    """Outside training nothing is drawn at random."""
    expect_repeatable(partial(_ask, _build(make, tokenizer)), sample_batch(tokenizer))


ENCODER_CONTRACT = (
    layers_are_as_wide_as_declared,
    batch_equals_one_by_one,
    padding_changes_nothing,
    reading_is_repeatable,
)


def _build(make: MakeEncoder, tokenizer: Tokenizer) -> Encoder:
    with seeded():
        return make(tokenizer).double().eval()


@torch.no_grad()
def _read(encoder: Encoder, batch: Batch) -> tuple[Tensor, tuple[Tensor, ...], Tensor]:
    embedded = encoder.embed(batch)
    layers = encoder.encode(embedded, batch)
    return embedded, layers, encoder.summarize(layers[-1], batch)


def _ask(encoder: Encoder, batch: Batch) -> Answers:
    embedded, layers, summary = _read(encoder, batch)
    states = {f"layer {number}": layer for number, layer in enumerate(layers, 1)}
    return Answers({"the word vectors": embedded, **states}, {"the summary": summary})
