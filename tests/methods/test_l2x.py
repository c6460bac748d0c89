"""The selector of k words, against sorting by hand."""

import pytest
import torch

from reference.word_masks import KINDS, batch_for, gate_outputs, small_encoder, vectors_read
from whyword.interfaces.document import Batch
from whyword.methods.l2x import L2x


def build(kind="bag", **settings):
    return L2x(small_encoder(kind), 2, L2x.Config(width=5, dropout=0.0, **settings))


def best_units(model, batch, row, whole_words):
    """Places of the k words (or pieces) with the highest score, the earlier of equals first."""
    outputs = gate_outputs(model, batch, whole_words)[row]
    words = batch.word_of_token[row].tolist()
    units = {}
    for place, word in enumerate(words):
        if word >= 0:
            units.setdefault(word if whole_words else place, []).append(place)
    order = sorted(units, key=lambda unit: (-outputs[units[unit][0]], unit))
    return {place for unit in order[: model.config.k] for place in units[unit]}


@pytest.mark.parametrize("per", ["word", "piece"])
@pytest.mark.parametrize("k", [1, 2, 4, 50])
@pytest.mark.parametrize("kind", KINDS)
def test_the_classifier_sees_exactly_the_k_best_words_or_all_of_a_shorter_text(kind, k, per):
    model, batch = build(kind, k=k, per=per).double().eval(), batch_for(kind)
    embedded = model.encoder.embed(batch)
    read = vectors_read(model, lambda: model(batch))
    for row, words in enumerate(batch.word_of_token.tolist()):
        best = best_units(model, batch, row, whole_words=kind == "pieces" and per == "word")
        for place, word in enumerate(words):
            expected = embedded[row, place] if word < 0 or place in best else torch.zeros(8).double()
            assert torch.equal(read[row, place], expected)


def test_equal_words_go_to_the_earlier_place():
    model = build(k=2).eval()
    tokens = torch.tensor([[5, 5, 5, 5]])
    batch = Batch(tokens, tokens > 0, torch.arange(4)[None], torch.zeros_like(tokens))
    read = vectors_read(model, lambda: model(batch))
    assert (read != 0).any(-1).tolist() == [[True, True, False, False]]


@pytest.mark.parametrize("per", ["word", "piece"])
@pytest.mark.parametrize("kind", KINDS)
def test_its_own_scores_are_a_softmax_over_the_words_of_a_text(kind, per):
    model, batch = build(kind, per=per).double().eval(), batch_for(kind)
    whole_words = kind == "pieces" and per == "word"
    weights = model(batch).token_weights
    assert model.own_score == "share"
    assert (weights[~batch.is_word] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(len(batch), dtype=torch.float64))
    for row, outputs in enumerate(gate_outputs(model, batch, whole_words)):
        scores = {}
        for place, word in enumerate(batch.word_of_token[row].tolist()):
            if word >= 0:
                scores.setdefault(word if whole_words else place, []).append(place)
        shares = torch.tensor([outputs[places[0]] for places in scores.values()], dtype=torch.float64).softmax(0)
        for share, places in zip(shares, scores.values(), strict=True):
            torch.testing.assert_close(weights[row, places].sum(), share)


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("kind", KINDS)
def test_training_reads_words_scaled_by_a_relaxed_choice_of_k(kind, k):
    model, batch = build(kind, k=k), batch_for(kind)
    embedded = model.encoder.embed(batch)
    read = vectors_read(model, lambda: model.losses(batch, 0.0))
    assert torch.equal(read[~batch.is_word], embedded[~batch.is_word])
    kept = (read * embedded).sum(-1) / embedded.pow(2).sum(-1).clamp(min=1e-12)
    torch.testing.assert_close(read[batch.is_word], (kept.unsqueeze(-1) * embedded)[batch.is_word])
    for row, words in enumerate(batch.word_of_token.tolist()):
        of_word = {word: kept[row, place].item() for place, word in enumerate(words) if word >= 0}
        for place, word in enumerate(words):
            assert word < 0 or kept[row, place].item() == pytest.approx(of_word[word], abs=1e-5)
        assert 1 - 1e-4 <= sum(of_word.values()) <= min(k, len(of_word)) + 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_is_finite_and_its_gradient_reaches_every_weight_of_the_selector(kind):
    model, batch = build(kind, k=2), batch_for(kind)
    (loss,) = model.losses(batch, 0.0).values()
    loss.backward()
    assert loss.isfinite()
    for parameter in model.gate.parameters():
        assert parameter.grad.isfinite().all()
        assert parameter.grad.abs().sum() > 0


def test_at_low_temperature_training_predicts_what_the_chosen_words_alone_predict():
    model, batch = build("lstm", k=1, temperature=1e-4).double(), batch_for("lstm")
    with torch.no_grad():
        model.gate.output.weight.mul_(1e4)  # so that the draw is sure to fall on the best word
        trained, tested = (
            vectors_read(model, call) for call in (lambda: model.losses(batch, 0.0), lambda: model(batch))
        )
    torch.testing.assert_close(trained, tested)


def test_a_text_of_no_words_has_no_scores_a_finite_loss_and_finite_gradients():
    tokens = torch.tensor([[1, 2], [4, 2]])
    word = torch.tensor([[-1, -1], [0, -1]])
    batch = Batch(tokens, tokens > 0, word, torch.zeros_like(tokens), torch.tensor([0, 1]))
    for per in ("word", "piece"):
        model = build("pieces", per=per)
        assert model(batch).token_weights.tolist() == [[0.0, 0.0], [1.0, 0.0]]
        assert model(batch).logits.isfinite().all()
        loss = model.losses(batch, 0.0)["task"]
        loss.backward()
        assert loss.isfinite()
        assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


def test_the_vocabulary_is_ranked_as_the_selector_ranks_words():
    model = build().double()
    table = model.encoder.embedding.table.weight
    torch.testing.assert_close(model.vocabulary_scores(table), model.gate(table).sigmoid())
