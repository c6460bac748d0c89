import json

import numpy as np
import pytest

from whyword.analysis.adversarial_model import Patience
from whyword.analysis.jsd_tvd import AdversarialModel, jsd_tvd_curve, tvd_at
from whyword.data.planted import planted
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.train import train_model

DATA = planted("train=30,dev=10,test=12")
QUICK = Patience(2, 2)
SMALL = {"name": "bag", "dim": 8}


@pytest.fixture(scope="module")
def model():
    config = make_config({"method": "attention", "encoder": SMALL, "training": {"epochs": 2}})
    return train_model(config, DATA)


def test_there_is_one_adversary_per_weight_compared_on_every_test_text(model):
    curve = jsd_tvd_curve(model, DATA, (0.0, 0.5), patience=QUICK)
    assert [point.weight for point in curve] == [0.0, 0.5]
    for point in curve:
        assert point.jsd.shape == point.tvd.shape == (12,)
        assert (point.jsd >= -1e-9).all()
        assert (point.jsd <= np.log(2) + 1e-9).all()
        assert point.epochs <= 2
        facts = point.to_dict()
        assert facts["tvd_low"] <= facts["tvd"] <= facts["tvd_high"]
    assert curve[1].jsd.mean() > curve[0].jsd.mean()


def test_adversaries_found_in_the_folder_are_not_trained_again(model, tmp_path, monkeypatch):
    first = jsd_tvd_curve(model, DATA, (0.0,), tmp_path / "curve", QUICK)
    said = []
    both = jsd_tvd_curve(model, DATA, (0.0, 0.1), tmp_path / "curve", QUICK, on_event=said.append)
    assert len(said) == 1
    assert "0.1" in said[0]
    assert both[0].jsd == pytest.approx(first[0].jsd, abs=1e-6)
    monkeypatch.setattr("whyword.analysis.jsd_tvd.train_adversarial_model", None)
    again = jsd_tvd_curve(model, DATA, (0.1, 0.0), tmp_path / "curve", QUICK)
    assert [point.to_dict() for point in again] == [
        json.loads(json.dumps(jsd_tvd_curve(model, DATA, (w,), tmp_path / "curve", QUICK)[0].to_dict()))
        for w in (0.1, 0.0)
    ]


def test_a_point_of_the_curve_does_not_depend_on_the_others(model):
    (alone,) = jsd_tvd_curve(model, DATA, (0.1,), patience=QUICK)
    together = jsd_tvd_curve(model, DATA, (0.0, 0.1), patience=QUICK)[1]
    assert alone.jsd == pytest.approx(together.jsd)
    assert alone.tvd == pytest.approx(together.tvd)


def test_a_folder_of_other_settings_is_refused(model, tmp_path):
    jsd_tvd_curve(model, DATA, (0.0,), tmp_path, QUICK)
    with pytest.raises(OptionError, match="another model or other settings"):
        jsd_tvd_curve(model, DATA, (0.0,), tmp_path, Patience(3, 3))


def test_data_that_the_model_was_not_trained_on_is_refused(model):
    with pytest.raises(OptionError, match="was not trained on"):
        jsd_tvd_curve(model, planted("train=12,dev=4,test=4,seed=3"), (0.0,), patience=QUICK)


def test_a_model_without_attention_is_refused():
    config = make_config({"method": "base", "encoder": SMALL, "training": {"epochs": 1}})
    with pytest.raises(OptionError, match="does not weigh states by attention"):
        jsd_tvd_curve(train_model(config, DATA), DATA, (0.0,))


def test_tvd_is_read_off_between_the_points_and_nowhere_else():
    points = [(0.2, 0.1), (0.6, 0.5), (0.4, 0.2)]
    curve = [AdversarialModel(0.0, np.array([x]), np.array([y]), 1.0, 1, 1.0) for x, y in points]
    read = tvd_at(curve, np.array([0.1, 0.2, 0.3, 0.5, 0.65]))
    assert read == pytest.approx([np.nan, 0.1, 0.15, 0.35, np.nan], nan_ok=True)
