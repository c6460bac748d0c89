"""Sun & Lu's claims on models that are known."""

import numpy as np
import pytest
import torch

from whyword.analysis.polarity_report import attention_report
from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.train import train_model

DATA = load_dataset("planted:sun-lu-1,train=800,dev=600,test=100,seed=1")
TRAINING = {
    "optimizer": "adagrad",
    "learning_rate": 0.05,
    "batch_size": 50,
    "patience": None,
    "clip": None,
}


def train(encoder="bag", epochs=10, **method):
    settings = {"method": {"name": "polarity-attention", **method}, "encoder": {"name": encoder, "dim": 20}}
    return train_model(make_config({**settings, "training": {**TRAINING, "epochs": epochs}}), DATA)


def claims(report):
    return {claim.name: claim for claim in report.claims}


@pytest.fixture(scope="module")
def usual():
    return train()


def test_on_their_synthetic_texts_the_claims_hold_at_a_moderate_scale(usual):
    by_name = claims(attention_report(usual.classifier, DATA.train))
    assert by_name["polarity follows the class"].holds
    assert by_name["class words are attended to"].holds
    assert by_name["class words are attended to"].low > 0.5
    assert by_name["weights follow scores"].holds


def test_a_huge_scale_is_mean_pooling_and_leaves_attention_scores_tiny():
    model = train(scale=10_000.0)
    report = attention_report(model.classifier, DATA.train)
    assert model.metrics["test_accuracy"] > 0.8
    assert np.abs(report.words.attention).max() < 0.01
    np.testing.assert_allclose(report.words.share, 1.0, atol=0.02)


def test_groups_are_averaged(usual):
    report = attention_report(usual.classifier, DATA.train)
    for number, row in enumerate(report.group_table()):
        chosen = report.words.groups == number
        assert row["words"] == chosen.sum()
        assert row["attention"] == pytest.approx(report.words.attention[chosen].mean())
        assert row["polarity"] == pytest.approx(report.words.polarity[chosen].mean())


def test_the_overlap_is_v_times_w_with_its_cosine(usual):
    report = attention_report(usual.classifier, DATA.train)
    query, weight = usual.classifier.method.attention.query.detach(), usual.classifier.method.head.linear.weight[0]
    assert report.overlap == pytest.approx((float(query @ weight.detach()),))
    assert report.cosine == pytest.approx((float(torch.cosine_similarity(query, weight.detach(), dim=0)),))
    assert report.scale == pytest.approx(20**0.5)


def test_a_gap_is_judged_by_the_sign_of_v_times_w_only_where_there_is_one(usual):
    method = usual.classifier.method
    query = method.attention.query.detach().clone()
    for sign in (1, -1):
        method.attention.query.data = sign * method.head.linear.weight[0].detach().clone()  # attends to one class only
        gap = claims(attention_report(usual.classifier, DATA.train))["a gap between classes follows V·W"]
        assert gap.value * sign > 0.9
        assert gap.holds
    method.attention.query.data = torch.zeros_like(query)
    assert claims(attention_report(usual.classifier, DATA.train))["a gap between classes follows V·W"].holds is None
    method.attention.query.data = query


def test_words_of_the_same_class_have_larger_dot_products_than_words_of_two(usual):
    products = attention_report(usual.classifier, DATA.train).dot_products
    assert products[0, 0] > 0 > products[0, 1]
    assert products[1, 1] > 0


@pytest.mark.parametrize("encoder", ["bag", "affine"])
def test_terms_are_told_by_group_and_a_trace_by_epoch(encoder):
    model = train(encoder, trace=True)
    report = attention_report(model.classifier, DATA.train)
    layer = {"A_layer", "B_layer", "D_layer", "E_layer"} if encoder == "affine" else set()
    assert set(report.updates) == {*"ABCDEF", *layer}
    negative, positive, _ = report.updates["B"]
    assert negative < 0 < positive
    health = [record["health"] for record in model.history]
    assert len(health) == 10
    assert all({"overlap", "polarity_class_1", "attention_neutral", "A_class_0", "F_neutral"} <= set(h) for h in health)


@pytest.mark.parametrize(("encoder", "kind"), [("lstm", "dot"), ("bag", "additive")])
def test_other_models_have_claims_but_no_terms(encoder, kind):
    report = attention_report(train(encoder, 2, kind=kind).classifier, DATA.train)
    assert report.updates is None
    assert report.overlap is not None
    assert len(report.claims) == 4


def test_plain_values_are_ready_for_json(usual):
    record = attention_report(usual.classifier, DATA.train).to_dict()
    assert set(record["updates"]["A"]) == {"negative", "positive", "neutral"}
    assert set(record["dot_products"]) == {"negative", "positive", "neutral"}
    assert {row["group"] for row in record["groups"]} == {"negative", "positive", "neutral"}
