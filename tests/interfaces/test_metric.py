import json

import numpy as np
import pytest

from whyword.interfaces.metric import Score
from whyword.metrics.rationale_auprc import RationaleAuprc


def score(per_text, curve=None, band=None):
    points = () if curve is None else tuple(range(1, len(curve[0]) + 1))
    curve = None if curve is None else np.array(curve)
    return Score("drop", "lime", np.array(per_text), (0.1, 0.4), True, "how far it falls", points, curve, band)


def test_the_value_is_the_mean_where_it_is_defined():
    found = score([0.1, np.nan, 0.3])
    assert found.value == pytest.approx(0.2)
    assert found.texts == 2
    assert np.isnan(score([np.nan]).value)
    assert np.isnan(score([]).value)


def test_the_curve_is_averaged_point_by_point():
    found = score([0.3, 0.5], [[0.1, 0.3], [np.nan, 0.5]], np.array([[0.0, 0.2], [0.3, 0.5]]))
    np.testing.assert_allclose(found.mean_curve, [0.1, 0.4])
    assert score([0.1]).mean_curve is None


def test_it_becomes_plain_values():
    found = score([0.3, 0.5], [[0.1, 0.3], [0.1, 0.5]], np.array([[0.0, 0.2], [0.3, np.nan]])).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["curve"][1] == {"at": 2.0, "value": 0.4, "low": 0.3, "high": None}
    assert score([np.nan]).to_dict()["value"] is None
    assert score([0.1]).to_dict()["curve"] is None


def test_it_says_its_value_and_interval_in_a_line():
    assert str(score([0.2])) == "drop of lime: 0.200 [0.100, 0.400] on 1 texts"


def test_a_metric_is_named_after_its_file():
    assert RationaleAuprc().name == "rationale-auprc"
