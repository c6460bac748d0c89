"""On real questions: the whole way from files to a model that is good and whose mask is alive."""

import os
from dataclasses import replace

import pytest

from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.train import train_model

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def trec():
    if not os.environ.get("WHYWORD_DATA"):
        pytest.skip("WHYWORD_DATA does not name a folder with the data set trec")
    return load_dataset("trec")


@pytest.fixture(scope="module")
def embeddings():
    path = os.environ.get("WHYWORD_EMBEDDINGS")
    if not path:
        pytest.skip("WHYWORD_EMBEDDINGS does not name a file of word vectors")
    return path


@pytest.mark.parametrize(("method", "floor"), [("base", 0.878), ("vmask", 0.86)])
def test_a_cnn_on_frozen_vectors_is_as_good_as_the_authors_scripts(trec, embeddings, method, floor):
    config = make_config(
        {
            "method": method,
            "encoder": {"name": "cnn", "frozen": True},
            "embeddings": embeddings,
            "training": {"epochs": 15},
        }
    )
    metrics = train_model(config, trec).metrics
    assert metrics["test_accuracy"] >= floor
    if method == "vmask":
        assert metrics["health"]["keep_sd"] > 0.02


def test_a_mask_on_a_pretrained_transformer_is_alive_after_two_epochs(trec, minilm_path):
    short = replace(trec, train=trec.train[:1000], dev=trec.dev[:200])
    training = {"epochs": 2, "batch_size": 16}
    config = make_config({"method": "vmask", "encoder": {"name": minilm_path}, "training": training})
    metrics = train_model(config, short).metrics
    assert metrics["test_accuracy"] >= 0.85
    assert metrics["health"]["keep_sd"] > 0.02
