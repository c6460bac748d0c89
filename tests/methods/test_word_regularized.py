"""Word-level objectives on attention, against loops over single tokens."""

import math

import pytest
import torch
from torch.nn.functional import cosine_similarity

from reference.samples import VOCABULARY, attention_on_lstm, random_batch, sample, training_run
from reference.word_masks import KINDS, batch_for, small_encoder
from whyword.encoders.lstm import Lstm
from whyword.interfaces.errors import OptionError
from whyword.methods.attention import Attention
from whyword.methods.word_regularized import WordRegularized


def build(kind="lstm", **settings):
    return WordRegularized(small_encoder(kind), 2, WordRegularized.Config(dropout=0.0, **settings)).double()


def states_and_vectors(model, batch):
    embedded = model.encoder.embed(batch)
    return model.encoder.encode(embedded, batch)[-1], embedded


def word_places(batch):
    return [tuple(place) for place in batch.is_word.nonzero().tolist()]


def test_without_any_term_it_is_the_method_attention():
    encoder = small_encoder("lstm")
    model = WordRegularized(encoder, 2, WordRegularized.Config(tying=0.0, width=4)).eval()
    plain = Attention(encoder, 2, Attention.Config(width=4)).eval()
    plain.load_state_dict(model.state_dict())
    batch = batch_for("lstm")
    assert torch.equal(model(batch).logits, plain(batch).logits)
    assert torch.equal(model(batch).token_weights, plain(batch).token_weights)
    assert list(model.losses(batch, 0.0)) == ["task"]


@pytest.mark.parametrize("kind", KINDS)
def test_concat_attends_over_and_classifies_from_states_and_word_vectors(kind):
    model, batch = build(kind, concat=True, tying=0.0).eval(), batch_for(kind)
    prediction = model(batch)
    states, embedded = states_and_vectors(model, batch)
    for row, length in enumerate(batch.mask.sum(-1).tolist()):
        values = [torch.cat([states[row, t], embedded[row, t]]) for t in range(length)]
        scores = torch.stack([model.attention.query(torch.tanh(model.attention.hidden(v)))[0] for v in values])
        weights = scores.softmax(0)
        vector = sum(weight * value for weight, value in zip(weights, values, strict=True))
        torch.testing.assert_close(prediction.token_weights[row, :length], weights)
        torch.testing.assert_close(prediction.logits[row], model.head.linear(vector))


@pytest.mark.parametrize("distance", ["norm", "squared"])
@pytest.mark.parametrize("kind", KINDS)
def test_tying_is_the_mean_distance_of_states_from_word_vectors_over_words(kind, distance):
    model, batch = build(kind, tying=0.3, distance=distance), batch_for(kind)
    states, embedded = states_and_vectors(model, batch)
    assert isinstance(model.to_word, torch.nn.Identity) == (states.shape == embedded.shape)
    total = 0.0
    for row, time in word_places(batch):
        apart = model.to_word(states[row, time]) - embedded[row, time]
        square = sum(x.item() ** 2 for x in apart)
        total += square if distance == "squared" else math.sqrt(square)
    expected = 0.3 * total / len(word_places(batch))
    assert model.losses(batch, 0.0)["tying"].item() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_surprise_is_that_of_each_hidden_word_read_out_of_a_masked_text(kind):
    model, batch = build(kind, tying=0.0, mlm=1.0), batch_for(kind)
    torch.nn.init.normal_(model.mask_vector)
    torch.nn.init.normal_(model.word_bias)
    hidden = batch.is_word & (torch.arange(batch.tokens.shape[1]) % 2 == 1)
    embedded = model.encoder.embed(batch)
    masked = embedded.clone()
    table, total = model.encoder.embed(every_word(kind))[:, 0] if kind != "pieces" else None, 0.0
    if table is None:
        table = model.encoder.model.get_input_embeddings().weight
    for row, time in hidden.nonzero().tolist():
        masked[row, time] = model.mask_vector
    states = model.encoder.encode(masked, batch)[-1]
    for row, time in hidden.nonzero().tolist():
        vector = model.to_word(states[row, time])
        logits = torch.stack([vector @ table[word] + model.word_bias[word] for word in range(VOCABULARY)])
        total -= logits.log_softmax(0)[batch.tokens[row, time]].item()
    expected = total / int(hidden.sum())
    assert model.surprise(embedded, hidden, batch).item() == pytest.approx(expected)


def every_word(kind):
    """Each word of the vocabulary as a text of its own."""
    tokens = torch.arange(VOCABULARY).unsqueeze(1)
    return type(random_batch([1]))(tokens, tokens >= 0, tokens * 0, tokens * 0)


def test_masked_words_are_drawn_among_words_as_often_as_asked_and_the_classifier_reads_clean_text():
    model, batch = build("pieces", tying=0.0, mlm=2.0, masked_share=0.4).eval(), batch_for("pieces")
    seen = []
    model.surprise = lambda embedded, hidden, batch: (seen.append(hidden), torch.ones(()))[1]
    for _ in range(150):
        losses = model.losses(batch, 0.0)
    shares = torch.stack(seen).double().mean(0)
    assert (shares[~batch.is_word] == 0).all()
    assert (shares[batch.is_word] - 0.4).abs().max() < 0.2  # 5 standard deviations: a false alarm in 200,000 or so
    assert losses["mlm"].item() == 2.0
    logits = model(batch).logits
    torch.testing.assert_close(losses["task"], torch.nn.functional.cross_entropy(logits, batch.labels))


def test_a_text_in_which_nothing_is_hidden_has_no_surprise_and_a_gradient_of_zero():
    model, batch = build(tying=0.0, mlm=1.0), batch_for("lstm")
    loss = model.surprise(model.encoder.embed(batch), torch.zeros_like(batch.mask), batch)
    loss.backward()
    assert loss.item() == 0.0


def test_of_a_large_vocabulary_the_words_to_be_found_and_some_others_are_compared():
    model, batch = build(tying=0.0, mlm=1.0, candidates=3), batch_for("lstm")
    embedded, hidden = model.encoder.embed(batch), batch.is_word
    whole = WordRegularized.Config(candidates=None)
    sampled = [model.surprise(embedded, hidden, batch).item() for _ in range(50)]
    model.config = whole
    full = model.surprise(embedded, hidden, batch).item()
    assert all(0 < value < full for value in sampled)  # fewer rivals are less of a surprise
    model.config = WordRegularized.Config(candidates=VOCABULARY)
    assert model.surprise(embedded, hidden, batch).item() == full


def test_conicity_is_that_of_the_states():
    model, batch = build(tying=0.0, conicity=0.5), batch_for("lstm")
    states, _ = states_and_vectors(model, batch)
    of_texts = []
    for row, length in enumerate(batch.mask.sum(-1).tolist()):
        own = states[row, :length]
        of_texts.append(cosine_similarity(own, own.mean(0, keepdim=True)).mean().item())
    assert model.losses(batch, 0.0)["conicity"].item() == pytest.approx(0.5 * sum(of_texts) / len(of_texts))


def test_all_terms_can_be_on_together_and_every_weight_learns_from_them():
    model, batch = build("cnn", concat=True, tying=1.0, mlm=1.0, conicity=1.0, masked_share=0.5), batch_for("cnn")
    losses = model.losses(batch, 0.0)
    assert list(losses) == ["task", "tying", "mlm", "conicity"]
    torch.stack(tuple(losses.values())).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_states_are_tied_where_vectors_are_frozen_and_conicity_is_recorded():
    data = sample()
    encoder = Lstm(Lstm.Config(dim=6, hidden=6, dropout=0.0, frozen=True), data.tokenizer.size, 0)
    model = WordRegularized(encoder, 2, WordRegularized.Config(mlm=1.0))
    before = encoder.embedding.table.weight.clone()
    run = training_run(model, data)
    list(run.steps())
    assert torch.equal(encoder.embedding.table.weight, before)
    first, last = run.history[0], run.history[-1]
    assert last["losses"]["tying"] < first["losses"]["tying"]
    assert set(last["losses"]) == {"task", "tying", "mlm"}
    assert 0 < last["health"]["conicity"] <= 1


def test_tying_brings_states_nearer_to_their_words_than_plain_attention_does():
    data, distances = sample(), []
    for tying in (0.0, 3.0):
        torch.manual_seed(1)
        encoder = Lstm(Lstm.Config(dim=6, hidden=6, dropout=0.0), data.tokenizer.size, 0)
        model = WordRegularized(encoder, 2, WordRegularized.Config(tying=tying))
        list(training_run(model, data).steps())
        batch = data.dev.batch(range(len(data.dev)))
        states, embedded = states_and_vectors(model, batch)
        distances.append((states - embedded)[batch.is_word].norm(dim=-1).mean().item())
    assert distances[1] < 0.8 * distances[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [("tying", -1.0), ("mlm", math.nan), ("conicity", math.inf), ("masked_share", 0.0), ("candidates", 0)],
)
def test_settings_that_cannot_be_trained_are_refused(name, value):
    with pytest.raises(OptionError, match=rf"word-regularized\.{name} is {value}"):
        WordRegularized.Config(**{name: value})


def test_its_attention_is_half_as_wide_as_what_it_attends_to_unless_named():
    assert build().attention.hidden.weight.shape == (3, 6)
    assert build(concat=True).attention.hidden.weight.shape == (7, 14)
    assert build(width=2).attention.hidden.weight.shape == (2, 6)


def test_warnings_name_settings_that_exist():
    (warning,) = build().warnings({"conicity": 0.99})
    for name in ("tying", "mlm", "conicity", "concat"):
        assert f"method.{name}" in warning
        assert hasattr(WordRegularized.Config(), name)
    assert attention_on_lstm(VOCABULARY).own_score == WordRegularized.own_score == "share"
