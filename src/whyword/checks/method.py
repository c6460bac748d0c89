"""The contract of every method."""

from __future__ import annotations

from functools import partial
from math import isfinite

import torch

from ..interfaces.document import Batch, Tokenizer
from ..interfaces.method import Method
from .contract import (
    EXACT,
    Answers,
    expect,
    expect_close,
    expect_no_trace_of_padding,
    expect_one_by_one,
    expect_repeatable,
    expect_untouched,
    seeded,
)
from .learning import LEARNING_CONTRACT
from .samples import CLASSES, MakeMethod, sample_batch, sample_corpus, sample_words


def check_method(make: MakeMethod, tokenizer: Tokenizer | None = None) -> None:
    """Check the whole contract of a method.

    Make small ones, without dropout and with a light bottleneck if it has one, for eight texts are to be memorized.
    The tokenizer is word-level unless one is given; encoders that read pieces are checked with samples.sample_pieces.
    """
    tokenizer = tokenizer or sample_words()
    for clause in METHOD_CONTRACT:
        clause(make, tokenizer)


def batch_equals_one_by_one(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Judge a text the same alone and in a batch."""
    expect_one_by_one(partial(_ask, _build(make, tokenizer)), sample_batch(tokenizer))


def padding_changes_nothing(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Neither the amount of padding nor the tokens under it change a prediction or a real token's weight."""
    ask = partial(_ask, _build(make, tokenizer))
    expect_no_trace_of_padding(ask, sample_batch(tokenizer), tokenizer.size, tokenizer.padding)


def predictions_are_repeatable(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Outside training nothing is drawn at random."""
    expect_repeatable(partial(_ask, _build(make, tokenizer)), sample_batch(tokenizer))


def predicting_leaves_the_method_untouched(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Forward stores nothing, in evaluation as in training."""
    method, batch = _build(make, tokenizer), sample_batch(tokenizer)
    method.encoder.encode(method.encoder.embed(batch), batch)  # some libraries set themselves up when first called
    with expect_untouched(method, "Predicting in evaluation"):
        method(batch)
    with seeded(), expect_untouched(method.train(), "Predicting in training"):
        method(batch)


@torch.no_grad()
def predictions_have_their_shapes(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """There is one finite logit per class and one text vector for each text."""
    prediction, batch = _build(make, tokenizer)(sample_batch(tokenizer)), sample_batch(tokenizer)
    shape = (len(batch), len(CLASSES))
    expect(
        prediction.logits.shape == shape, f"The logits have the shape {tuple(prediction.logits.shape)}, not {shape}."
    )
    expect(bool(prediction.logits.isfinite().all()), "Some logits are NaN or infinite.")
    expect(
        prediction.pooled.dim() == 2 and len(prediction.pooled) == len(batch),
        f"The text vectors have the shape {tuple(prediction.pooled.shape)}, not (batch, dim).",
    )


@torch.no_grad()
def own_scores_are_what_they_are_called(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Give shares that add up to one over a text that has words, or gates from 0 to 1, or nothing at all."""
    method, batch = _build(make, tokenizer), sample_batch(tokenizer)
    weights = method(batch).token_weights
    if method.own_score is None:
        expect(weights is None, "The method gives token weights but does not name them in own_score.")
        return
    expect(weights is not None, f"The method's own_score is {method.own_score!r}, but it gives no token weights.")
    expect(weights.shape == batch.tokens.shape, f"The token weights have the shape {tuple(weights.shape)}.")
    real = weights[batch.mask]
    expect(bool(((real >= 0) & (real <= 1 + EXACT)).all()), "Some token weights do not lie from 0 to 1.")
    if method.own_score == "share":
        total = (weights * batch.mask).sum(-1)[batch.is_word.any(-1)]
        expect_close(total, torch.ones_like(total), "The sum of a text's token weights, and one")


def gradients_reach_the_words(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Let each text's logits depend, differentiably, on its word vectors and on no other text's."""
    method, batch = _build(make, tokenizer), sample_batch(tokenizer)
    embedded = method.encoder.embed(batch).detach().requires_grad_()
    logits = method.classify(embedded, batch).logits
    gradient = torch.autograd.grad((logits[0] * torch.arange(1, logits.shape[1] + 1)).sum(), embedded)[0]
    expect(bool(gradient.isfinite().all()), "The gradient of the logits by the word vectors is NaN or infinite.")
    expect(bool(gradient[0].any()), "No gradient of a text's logits reaches its word vectors.")
    expect(not bool(gradient[1:].any()), "The logits of a text depend on the word vectors of another one.")


@torch.inference_mode()
def health_is_told_in_numbers_and_sentences(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Measure finite numbers without touching the method, and warn in sentences, also when nothing was measured."""
    method = _build(make, tokenizer)
    batches = sample_corpus(tokenizer).batches(16)
    method(batches[0])  # some libraries set themselves up when first called
    with seeded(), expect_untouched(method, "Measuring health"):
        health = method.health(batches)
    for name, value in health.items():
        expect(isinstance(value, float) and isfinite(value), f"The health {name!r} is {value!r}, not a finite float.")
    for warning in (*method.warnings(health), *method.warnings({})):
        expect(warning.endswith("."), f"A warning is no sentence: {warning!r}.")


METHOD_CONTRACT = (
    batch_equals_one_by_one,
    padding_changes_nothing,
    predictions_are_repeatable,
    predicting_leaves_the_method_untouched,
    predictions_have_their_shapes,
    own_scores_are_what_they_are_called,
    gradients_reach_the_words,
    health_is_told_in_numbers_and_sentences,
    *LEARNING_CONTRACT,
)


def _build(make: MakeMethod, tokenizer: Tokenizer) -> Method:
    with seeded():
        return make(tokenizer, len(CLASSES)).double().eval()


def _ask(method: Method, batch: Batch) -> Answers:
    prediction = method(batch)
    weights = {} if prediction.token_weights is None else {"the token weights": prediction.token_weights}
    return Answers(weights, {"the text vector": prediction.pooled, "the logits": prediction.logits})
