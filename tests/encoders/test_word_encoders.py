"""Bag, affine, CNN and LSTM against the same network run on each text alone."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import conv1d, pad

from reference.samples import VOCABULARY, random_batch
from whyword.encoders.affine import Affine
from whyword.encoders.bag import Bag
from whyword.encoders.cnn import Cnn
from whyword.encoders.lstm import Lstm

LENGTHS = st.lists(st.integers(1, 7), min_size=1, max_size=4)


def build(encoder, **settings):
    return encoder(encoder.Config(dim=5, **settings), VOCABULARY, 0).double().eval()


def read(encoder, batch):
    embedded = encoder.embed(batch)
    states = encoder.encode(embedded, batch)
    return embedded, states, encoder.summarize(states[-1], batch)


def test_a_bag_is_the_mean_of_its_word_vectors():
    encoder, lengths = build(Bag), [3, 1, 5]
    batch = random_batch(lengths)
    embedded, states, summary = read(encoder, batch)
    assert torch.equal(states[-1], embedded)
    for row, length in enumerate(lengths):
        vectors = [encoder.embedding.table.weight[i] for i in batch.tokens[row, :length]]
        torch.testing.assert_close(summary[row], sum(vectors) / length)


def test_affine_is_the_mean_of_the_mapped_word_vectors():
    encoder, lengths = build(Affine, hidden=3), [3, 1, 5]
    batch = random_batch(lengths)
    embedded, states, summary = read(encoder, batch)
    for row, length in enumerate(lengths):
        mapped = embedded[row, :length] @ encoder.layer.weight.T + encoder.layer.bias
        torch.testing.assert_close(states[-1][row, :length], mapped)
        torch.testing.assert_close(summary[row], mapped.mean(0))


@settings(max_examples=40)
@given(LENGTHS, st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_a_cnn_convolves_each_text_alone_with_zeros_beyond_its_ends(lengths, widths):
    encoder = build(Cnn, filters=2, widths=tuple(widths))
    batch = random_batch(lengths)
    embedded, states, summary = read(encoder, batch)
    for row, length in enumerate(lengths):
        alone = embedded[row, :length].T[None]
        maps = []
        for part, width in zip(encoder.convolutions, widths, strict=True):
            around = pad(alone, ((width - 1) // 2, width // 2))
            maps.append(conv1d(around, part.weight, part.bias)[0].T)
        by_hand = torch.cat(maps, dim=-1).relu()
        torch.testing.assert_close(states[-1][row, :length], by_hand)
        torch.testing.assert_close(summary[row], by_hand.max(0).values)


@settings(max_examples=40)
@given(LENGTHS, st.integers(1, 2), st.booleans())
def test_an_lstm_reads_each_text_alone(lengths, layers, bidirectional):
    encoder = build(Lstm, hidden=3, layers=layers, bidirectional=bidirectional)
    batch = random_batch(lengths)
    embedded, states, summary = read(encoder, batch)
    assert len(states) == layers
    for row, length in enumerate(lengths):
        alone = embedded[row : row + 1, :length]
        for layer, recurrent in zip(states, encoder.recurrent, strict=True):
            alone = recurrent(alone)[0]
            torch.testing.assert_close(layer[row, :length], alone[0])
        torch.testing.assert_close(summary[row], alone[0].max(0).values)


def test_one_lstm_state_follows_the_usual_equations():
    encoder = build(Lstm, hidden=3)
    batch = random_batch([4])
    embedded, states, _ = read(encoder, batch)
    part = encoder.recurrent[0]
    hidden, cell = torch.zeros(3).double(), torch.zeros(3).double()
    for t in range(4):
        gates = part.weight_ih_l0 @ embedded[0, t] + part.bias_ih_l0 + part.weight_hh_l0 @ hidden + part.bias_hh_l0
        i, f, g, o = gates.chunk(4)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        hidden = o.sigmoid() * cell.tanh()
        torch.testing.assert_close(states[-1][0, t], hidden)


def test_recurrent_weights_start_orthogonal():
    for weight in build(Lstm, hidden=5).recurrent.parameters():
        if weight.dim() > 1:
            torch.testing.assert_close(weight.T @ weight, torch.eye(5).double(), atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("encoder", "options", "dims"),
    [
        (Bag, {}, (5,)),
        (Affine, {"hidden": 7}, (7,)),
        (Cnn, {"filters": 3, "widths": (2, 4)}, (6,)),
        (Lstm, {"hidden": 4, "layers": 2}, (4, 4)),
        (Lstm, {"hidden": 4, "bidirectional": True}, (8,)),
    ],
)
def test_layer_dims_are_the_widths_of_what_encode_returns(encoder, options, dims):
    built = build(encoder, **options)
    batch = random_batch([2, 3])
    embedded, states, summary = read(built, batch)
    assert built.embedding_dim == embedded.shape[-1] == 5
    assert built.layer_dims == dims == tuple(layer.shape[-1] for layer in states)
    assert built.state_dim == summary.shape[-1] == dims[-1]


@pytest.mark.parametrize("encoder", [Bag, Affine, Cnn, Lstm])
def test_frozen_keeps_the_word_vectors_and_nothing_else(encoder):
    built = build(encoder, frozen=True)
    still = {name for name, parameter in built.named_parameters() if not parameter.requires_grad}
    assert still == {"embedding.table.weight"}


@pytest.mark.parametrize(
    ("encoder", "options"), [(Bag, {}), (Affine, {}), (Cnn, {}), (Lstm, {}), (Lstm, {"bidirectional": True})]
)
def test_what_a_method_puts_on_padding_is_not_seen(encoder, options):
    built, batch = build(encoder, **options), random_batch([3, 1, 5])
    embedded = torch.randn(3, 5, 5, dtype=torch.float64)
    other = torch.where(batch.mask.unsqueeze(-1), embedded, 100.0)
    first, second = (built.encode(vectors, batch)[-1] for vectors in (embedded, other))
    torch.testing.assert_close(first[batch.mask], second[batch.mask])
    torch.testing.assert_close(built.summarize(first, batch), built.summarize(second, batch))
