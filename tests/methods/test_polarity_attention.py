"""The models of Sun & Lu."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, logsigmoid

from reference.derivatives import change_along
from reference.samples import VOCABULARY, random_batch
from whyword.encoders.affine import Affine
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm
from whyword.interfaces.errors import OptionError
from whyword.maths.tensors.polarity import token_groups
from whyword.methods.polarity_attention import PolarityAttention

ENCODERS = {
    "bag": lambda: Bag(Bag.Config(dim=4, dropout=0.0), VOCABULARY, 0),
    "affine": lambda: Affine(Affine.Config(dim=4, hidden=4, dropout=0.0), VOCABULARY, 0),
    "lstm": lambda: Lstm(Lstm.Config(dim=4, hidden=2, bidirectional=True, dropout=0.0), VOCABULARY, 0),
}


def build(encoder="bag", classes=2, **settings):
    torch.manual_seed(0)
    config = PolarityAttention.Config(**{"dropout": 0.0, **settings})
    return PolarityAttention(ENCODERS[encoder](), classes, config).double()


def test_two_classes_are_learned_by_the_logistic_loss_of_one_score():
    model, lengths = build(), [3, 1, 5]
    batch = random_batch(lengths)
    vectors, v, w = model.encoder.embedding.table.weight, model.attention.query, model.head.linear.weight[0]
    losses = []
    for row, length in enumerate(lengths):
        words = vectors[batch.tokens[row, :length]]
        alpha = (words @ v / 4**0.5).softmax(0)
        y = 2 * batch.labels[row] - 1
        losses.append(-logsigmoid(y * ((alpha @ words) @ w)))
    torch.testing.assert_close(model.losses(batch, 0.0)["task"], torch.stack(losses).mean())


def test_scores_of_ad_pass_a_tanh_and_its_values_are_the_word_vectors():
    model, batch = build(kind="additive", scale=2.0), random_batch([4])
    words = model.encoder.embed(batch)[0]
    hidden, v = model.attention.hidden.weight, model.attention.query.weight[0]
    alpha = (torch.tanh(words @ hidden.T) @ v / 2.0).softmax(0)
    torch.testing.assert_close(model(batch).pooled[0], alpha @ words)


def test_the_query_starts_from_a_normal_distribution_and_w_as_linear_layers_do_or_wide():
    torch.manual_seed(0)
    encoder = Bag(Bag.Config(dim=4000), 5, 0)
    for kind in ("dot", "additive"):
        if kind == "additive":
            encoder = Bag(Bag.Config(dim=400), 5, 0)
        model = PolarityAttention(encoder, 2, PolarityAttention.Config(kind=kind))
        query = model.attention.query if kind == "dot" else model.attention.query.weight
        assert float(query.detach().std()) == pytest.approx(1.0, abs=0.15)
    assert float(model.head.linear.weight.detach().abs().max()) <= 400**-0.5
    wide = PolarityAttention(encoder, 2, PolarityAttention.Config(start="wide")).head.linear.weight.detach()
    assert 0.5 < float(wide.abs().max()) <= 1.0


def test_the_usual_scale_is_the_root_of_the_state_width():
    assert build().attention.scale == 2.0
    assert build(scale=0.001).attention.scale == 0.001


@pytest.mark.parametrize("scale", [0.001, 10_000.0])
def test_extreme_scales_give_finite_gradients_from_one_word_to_the_mean(scale):
    model, batch = build(scale=scale), random_batch([5, 3])
    sum(model.losses(batch, 0.0).values()).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    weights = model(batch).token_weights.detach()
    if scale > 1:
        torch.testing.assert_close(weights[0, :5], torch.full((5,), 0.2).double(), atol=1e-4, rtol=0)
    else:
        chosen = batch.tokens[0, weights[0].argmax()]
        assert float(weights[0][batch.tokens[0] == chosen].sum()) > 0.99


@pytest.mark.parametrize("encoder", ["bag", "affine"])
def test_the_penalty_is_on_v_times_w_through_the_affine_layer(encoder):
    model, batch = build(encoder, penalty=0.01), random_batch([3, 2])
    v, w = model.attention.query, model.head.linear.weight[0]
    if encoder == "affine":
        v, w = model.encoder.layer.weight.T @ v, model.encoder.layer.weight.T @ w
    torch.testing.assert_close(model.losses(batch, 0.0)["penalty"], 0.01 * (v @ w).abs())
    assert "penalty" not in build(encoder).losses(batch, 0.0)


def test_descending_the_penalty_brings_v_times_w_to_nothing():
    model, batch = build(penalty=1.0), random_batch([3, 2])
    start = abs(float(model.overlap().detach()))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        model.losses(batch, 0.0)["penalty"].backward()
        optimizer.step()
    assert abs(float(model.overlap().detach())) < min(0.1 * start, 0.05)


@pytest.mark.parametrize(
    ("encoder", "kind", "names"),
    [
        ("bag", "dot", None),
        ("bag", "additive", ["attention.hidden.weight"]),
        ("affine", "dot", ["encoder.layer.weight", "encoder.layer.bias"]),
        (
            "lstm",
            "dot",
            [f"encoder.recurrent.0.{p}" for p in dict(torch.nn.LSTM(1, 1, bidirectional=True).named_parameters())],
        ),
    ],
    ids=["DP", "AD", "DP-A", "DP-L"],
)
def test_weight_decay_is_on_affine_lstm_and_additive_layers_only(encoder, kind, names):
    model, batch = build(encoder, kind=kind, l2=0.1), random_batch([3, 2])
    losses = model.losses(batch, 0.0)
    if names is None:
        assert "l2" not in losses
    else:
        weights = dict(model.named_parameters())
        expected = sum(weights[name].square().sum() for name in names) * 0.05
        torch.testing.assert_close(losses["l2"], expected)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("encoder", ["bag", "affine"])
def test_its_updates_are_what_autograd_says_of_one_step(encoder, classes):
    model = build(encoder, classes, l2=0.0).eval()
    batches = [random_batch([3, 1, 5], classes), random_batch([2, 6], classes)]
    logits, labels = torch.cat([model(b).logits for b in batches]), torch.cat([b.labels for b in batches])
    names = [name for name, _ in model.named_parameters()]
    gradients = torch.autograd.grad(cross_entropy(logits, labels), list(model.parameters()))
    start = {name: parameter.detach() for name, parameter in model.named_parameters()}
    step = {name: -gradient for name, gradient in zip(names, gradients, strict=True)}

    def scores(weights):
        states = weights["encoder.embedding.table.weight"]
        if encoder == "affine":
            states = states @ weights["encoder.layer.weight"].T + weights["encoder.layer.bias"]
        return states @ weights["head.linear.weight"].T, states @ weights["attention.query"] / model.attention.scale

    polarity, attention = change_along(scores, start, step)
    terms = model.updates(batches)
    for letters, expected in (("ABC", polarity), ("DEF", attention)):
        found = sum(term for name, term in terms.items() if name[0] in letters)
        torch.testing.assert_close(found, expected, atol=1e-10, rtol=0)


@torch.no_grad()
def test_a_trace_tells_means_by_word_group():
    model = build(trace=True).eval()
    tokens = torch.tensor([[4, 4, 4, 4, 4, 4, 4, 6], [5, 5, 5, 5, 5, 5, 5, 6]])
    batch = random_batch([8, 8])
    batch = type(batch)(tokens, batch.mask, batch.word_of_token, batch.segments, torch.tensor([0, 1]))
    health = model.health([batch])
    counts = np.array([[7, 0], [0, 7], [1, 1]])
    assert token_groups(counts).tolist() == [0, 1, 2]
    vectors, terms = model.encoder.embedding.table.weight, model.updates([batch])
    for word, group in ((4, "class_0"), (5, "class_1"), (6, "neutral")):
        assert health[f"polarity_{group}"] == pytest.approx(float(vectors[word] @ model.head.linear.weight[0]))
        assert health[f"attention_{group}"] == pytest.approx(float(vectors[word] @ model.attention.query) / 2)
        for letter, term in terms.items():
            assert health[f"{letter}_{group}"] == pytest.approx(float(term[word]))
    assert list(build().eval().health([batch])) == ["overlap"]


@torch.no_grad()
def test_of_many_classes_a_trace_tells_the_score_of_a_words_own_class():
    model = build(classes=3, trace=True).eval()
    batch = random_batch([7])
    batch = type(batch)(torch.full((1, 7), 4), batch.mask, batch.word_of_token, batch.segments, torch.tensor([2]))
    expected = float(model.encoder.embedding.table.weight[4] @ model.head.linear.weight[2])
    assert model.health([batch])["polarity_class_2"] == pytest.approx(expected)


@pytest.mark.parametrize("settings", [{"encoder": "lstm"}, {"kind": "additive"}], ids=["lstm", "additive"])
def test_a_trace_is_refused_where_the_terms_do_not_describe_the_model(settings):
    with pytest.raises(OptionError, match=r"that needs method\.kind=dot and the encoder bag or affine"):
        build(**settings, trace=True)


def test_negative_weights_of_losses_are_refused():
    with pytest.raises(OptionError, match=r"polarity-attention\.(penalty|l2) is -.*: give a number from 0 up"):
        build(penalty=-1.0)
