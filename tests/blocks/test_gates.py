import math
import re
from collections import defaultdict

import pytest
import torch

from reference.samples import random_batch
from reference.word_masks import batch_for
from whyword.blocks.gates import LayerGate, Units, WordGate, chosen_layers, keep_statistics, mask_warnings
from whyword.interfaces.document import Batch
from whyword.interfaces.errors import OptionError

PIECES = batch_for("pieces")


def test_the_gate_is_one_hidden_layer_of_tanh():
    gate = WordGate(3, 5).double()
    vectors = torch.randn(2, 4, 3, dtype=torch.float64)
    for row in range(2):
        for time in range(4):
            hidden = [
                torch.tanh(weight @ vectors[row, time] + bias)
                for weight, bias in zip(gate.hidden.weight, gate.hidden.bias, strict=True)
            ]
            expected = sum(w * h for w, h in zip(gate.output.weight[0], hidden, strict=True)) + gate.output.bias[0]
            torch.testing.assert_close(gate(vectors)[row, time], expected)


def test_the_gate_looks_at_one_vector_at_a_time():
    gate = WordGate(3, 5).double()
    vectors = torch.randn(2, 4, 3, dtype=torch.float64)
    changed = vectors.clone()
    changed[0, 1] += 1
    same = gate(vectors) == gate(changed)
    assert same.sum() == 7
    assert not same[0, 1]


def test_a_gate_without_a_bias_has_none():
    assert WordGate(3, 5, bias=False).output.bias is None
    assert WordGate(3, 5).output.bias is not None


def test_tokens_are_their_own_units_unless_whole_words_are_asked_for():
    units, values = Units(PIECES, whole_words=False), torch.randn(2, 8)
    assert units.pool(values) is values
    assert units.spread(values) is values
    assert units.sizes(values).tolist() == [[1.0] * 8] * 2


def test_pieces_of_a_word_share_its_mean_and_all_other_tokens_keep_their_own_value():
    values = torch.randn(2, 8, dtype=torch.float64)
    units = Units(PIECES, whole_words=True)
    shared = units.spread(units.pool(values))
    for row, words in enumerate(PIECES.word_of_token.tolist()):
        for time, word in enumerate(words):
            places = [time] if word < 0 else [place for place, other in enumerate(words) if other == word]
            torch.testing.assert_close(shared[row, time], values[row, places].mean())


def test_the_size_of_a_unit_is_its_number_of_tokens():
    units = Units(PIECES, whole_words=True)
    sizes = units.spread(units.sizes(torch.ones(2, 8)))
    assert sizes.tolist() == [[1, 3, 3, 3, 1, 2, 2, 1], [1, 1, 1, 2, 2, 1, 1, 1]]


def test_a_value_per_unit_is_the_same_for_all_tokens_of_the_unit_and_of_no_other():
    units = Units(PIECES, whole_words=True)
    numbers = torch.arange(2 * units.count, dtype=torch.float64).reshape(2, -1)
    for row, words in zip(units.spread(numbers).tolist(), PIECES.word_of_token.tolist(), strict=True):
        names = [f"special {time}" if word < 0 else f"word {word}" for time, word in enumerate(words)]
        assert len(set(row)) == len(set(names)) == len(set(zip(row, names, strict=True)))


def test_texts_of_no_words_are_pooled_too():
    special = torch.full((1, 2), -1)
    batch = Batch(torch.ones(1, 2).long(), torch.ones(1, 2).bool(), special, torch.zeros(1, 2).long())
    units = Units(batch, whole_words=True)
    assert units.spread(units.pool(torch.tensor([[2.0, 3.0]]))).tolist() == [[2.0, 3.0]]


def test_gradients_pass_through_pooling_and_spreading():
    units, values = Units(PIECES, whole_words=True), torch.randn(2, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: units.spread(units.pool(v).sigmoid()), (values,))


def test_it_is_tanh_layers_on_the_layers_side_by_side():
    gate = LayerGate([3, 5, 2], [6, 4]).double()
    layers = [torch.randn(2, 7, dim, dtype=torch.float64) for dim in (3, 5, 2)]
    (hidden,) = gate.hidden
    expected = gate.output(torch.tanh(hidden(torch.tanh(gate.first(torch.cat(layers, dim=-1)))))).squeeze(-1)
    torch.testing.assert_close(gate(layers), expected)
    assert (gate.first.in_features, hidden.in_features, hidden.out_features) == (10, 6, 4)


@pytest.mark.parametrize(
    ("layers", "count", "expected"),
    [
        ("all", 12, range(13)),
        ("bottom", 12, [1, 2, 3, 4]),
        ("middle", 12, [5, 6, 7, 8]),
        ("top", 12, [9, 10, 11, 12]),
        ("bottom", 6, [1, 2]),
        ("top", 3, [3]),
        ("all", 1, [0, 1]),
        ((0, 12), 12, [0, 12]),
        ((0,), 1, [0]),
    ],
    ids=lambda value: str(value).replace(" ", ""),
)
def test_bands_are_the_thirds_of_the_paper_and_numbers_are_themselves(layers, count, expected):
    assert chosen_layers(layers, count) == tuple(expected)


@pytest.mark.parametrize("count", [3, 4, 5, 7, 24])
def test_the_bands_of_any_encoder_share_out_its_layers_as_evenly_as_can_be(count):
    bands = [chosen_layers(band, count) for band in ("bottom", "middle", "top")]
    assert sum(bands, ()) == tuple(range(1, count + 1))
    assert max(map(len, bands)) - min(map(len, bands)) <= 1


@pytest.mark.parametrize(
    ("layers", "count", "complaint"),
    [
        ("middle", 1, "method.gate_layers is middle, but 1 layer(s) have no thirds"),
        ((0, 3), 2, "method.gate_layers is 0,3: give all"),
        ((1, 1), 2, "method.gate_layers is 1,1: give all"),
        ((), 2, "different numbers from 0, the word vectors, to 2."),
    ],
    ids=["no thirds", "no such layer", "twice", "none"],
)
def test_layers_that_are_not_there_are_refused(layers, count, complaint):
    with pytest.raises(OptionError, match=re.escape(complaint)):
        chosen_layers(layers, count)


ADVICE = {"collapsed": "Lower it.", "saturated": "Raise it."}
ALIVE = {"keep_min": 0.2, "keep_mean": 0.6, "keep_max": 0.99, "keep_sd": 0.2}


def told(batch):
    """Say of each token a number that depends on the token and its place."""
    return torch.sin(batch.tokens * 1.7 + torch.arange(batch.tokens.shape[1]) * 0.3) * 0.4 + 0.5


@pytest.mark.parametrize("batches", [[random_batch([3, 1, 5]), random_batch([4, 4])], [batch_for("pieces")]])
def test_statistics_are_over_distinct_tokens_each_with_its_mean(batches):
    by_token = defaultdict(list)
    for batch in batches:
        for row, words in enumerate(batch.word_of_token.tolist()):
            for time, word in enumerate(words):
                if word >= 0:
                    by_token[int(batch.tokens[row, time])].append(told(batch)[row, time].item())
    means = [sum(values) / len(values) for values in by_token.values()]
    mean = sum(means) / len(means)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in means) / len(means))
    expected = {"keep_min": min(means), "keep_mean": mean, "keep_max": max(means), "keep_sd": deviation}
    assert keep_statistics(batches, list(map(told, batches))) == pytest.approx(expected, abs=1e-9)


def test_a_mask_that_tells_words_apart_gives_no_warning():
    assert mask_warnings(ALIVE, **ADVICE) == []
    assert mask_warnings({}, **ADVICE) == []


def test_a_collapsed_mask_is_named_with_what_to_change():
    (warning,) = mask_warnings(ALIVE | {"keep_sd": 0.019, "keep_mean": 0.51}, **ADVICE)
    assert "collapsed" in warning
    assert "0.019" in warning
    assert "0.51" in warning
    assert warning.endswith("Lower it.")


def test_a_saturated_mask_is_named_with_what_to_change():
    (warning,) = mask_warnings(ALIVE | {"keep_sd": 0.03, "keep_mean": 0.971}, **ADVICE)
    assert "lets everything through" in warning
    assert "0.971" in warning
    assert warning.endswith("Raise it.")


def test_the_limits_are_those_of_the_pitfalls():
    assert mask_warnings(ALIVE | {"keep_sd": 0.021}, **ADVICE) == []
    assert mask_warnings(ALIVE | {"keep_mean": 0.969}, **ADVICE) == []


def test_a_mask_that_is_both_open_and_flat_is_one_warning():
    assert len(mask_warnings(ALIVE | {"keep_sd": 0.0, "keep_mean": 1.0}, **ADVICE)) == 1
