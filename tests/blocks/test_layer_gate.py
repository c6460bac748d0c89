import re

import pytest
import torch

from whyword.blocks.layer_gate import LayerGate, chosen_layers
from whyword.interfaces.errors import OptionError


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
