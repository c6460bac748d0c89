"""scikit-learn pipelines in files, and as objects."""

import joblib
import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from reference import foreign_models
from whyword import explain
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.errors import ModelError

TEXT = foreign_models.TEXTS[0]


def shout(texts):
    return [text.upper() for text in texts]


@pytest.fixture(scope="module")
def pipeline():
    return foreign_models.scikit_learn()


@pytest.fixture(scope="module")
def skops():
    return pytest.importorskip("skops.io")


def test_a_skops_file_answers_as_the_pipeline(tmp_path, pipeline, skops):
    skops.dump(pipeline, tmp_path / "reviews.skops")
    opened = open_model(tmp_path / "reviews.skops")
    assert (opened.kind, opened.name, opened.classifier.classes) == (
        "scikit-learn",
        "reviews",
        ("negative", "positive"),
    )
    expected = torch.from_numpy(pipeline.predict_proba([TEXT]))
    torch.testing.assert_close(opened.classifier.probabilities([split(TEXT)]), expected)
    np.testing.assert_allclose(
        explain(str(tmp_path / "reviews.skops"), [TEXT], "occlusion")[0].scores,
        explain(pipeline, [TEXT], "occlusion")[0].scores,
    )


def test_the_identity_is_that_of_the_file(tmp_path, pipeline, skops):
    skops.dump(pipeline, tmp_path / "a.skops")
    before = open_model(tmp_path / "a.skops").identity
    (tmp_path / "b.skops").write_bytes((tmp_path / "a.skops").read_bytes())
    assert open_model(tmp_path / "b.skops").identity == before
    skops.dump(
        make_pipeline(*(part for _, part in pipeline.steps)).set_params(logisticregression__C=2), tmp_path / "a.skops"
    )
    assert open_model(tmp_path / "a.skops").identity != before


def test_what_skops_does_not_trust_is_named(tmp_path, pipeline, skops):
    strange = make_pipeline(FunctionTransformer(shout), *(part for _, part in pipeline.steps))
    skops.dump(strange, tmp_path / "strange.skops")
    with pytest.raises(ModelError, match=r"does not trust \(.*shout.*--allow-pickle"):
        open_model(tmp_path / "strange.skops")
    assert open_model(tmp_path / "strange.skops", Access(allow_pickle=True)).kind == "scikit-learn"


def test_a_pickle_is_read_only_where_it_is_allowed(tmp_path, pipeline):
    joblib.dump(pipeline, tmp_path / "reviews.joblib")
    with pytest.raises(ModelError, match=r"is a pickle.*\.skops.*--allow-pickle"):
        open_model(tmp_path / "reviews.joblib")
    opened = open_model(tmp_path / "reviews.joblib", Access(allow_pickle=True))
    expected = torch.from_numpy(pipeline.predict_proba([TEXT]))
    torch.testing.assert_close(opened.classifier.probabilities([split(TEXT)]), expected)


def test_margins_are_no_probabilities():
    margins = make_pipeline(CountVectorizer(), LinearSVC()).fit(foreign_models.TEXTS, foreign_models.LABELS)
    with pytest.raises(ModelError, match=r"LinearSVC gives margins.*CalibratedClassifierCV"):
        explain(margins, [TEXT])


@pytest.mark.parametrize("name", ["none.skops", "none.joblib"])
def test_a_file_that_is_not_there_is_said_so(tmp_path, name):
    with pytest.raises(ModelError, match="There is no model file"):
        open_model(tmp_path / name, Access(allow_pickle=True))


@pytest.mark.parametrize("name", ["damaged.skops", "damaged.joblib"])
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, name, skops):
    (tmp_path / name).write_bytes(b"\x80nothing")
    with pytest.raises(ModelError, match="cannot be read"):
        open_model(tmp_path / name, Access(allow_pickle=True))
