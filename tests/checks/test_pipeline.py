"""The contracts that need the whole pipeline: training by configuration, and model folders."""

from dataclasses import fields
from functools import cache

import numpy as np
import pytest
import tokenizers
import torch

from whyword import catalog
from whyword.checks.contract import expect_random_streams_alone, expect_same_weights, seeded
from whyword.checks.samples import AWKWARD, maker_of_encoder, pairs, tokenizer_for
from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.folder import load_model, save_model
from whyword.models.train import train_model

NARROW = {"dim": 8, "hidden": 8, "filters": 4}
every_method_and_encoder = pytest.mark.parametrize(("method", "encoder"), pairs())


@cache
def corpus():
    return load_dataset("planted:train=40,dev=10,test=10")


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory):
    """A folder as Hugging Face writes it: a small BERT with random weights, and its tokenizer."""
    from transformers import PreTrainedTokenizerFast

    folder, tokenizer = tmp_path_factory.mktemp("pretrained"), tokenizer_for("transformer")
    with seeded():
        maker_of_encoder("transformer")(tokenizer).model.save_pretrained(folder)
    backend = tokenizers.Tokenizer.from_str(tokenizer.to_json())
    PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", model_max_length=tokenizer.limit
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def train(pretrained):
    @cache
    def trained(method, encoder, seed, run_safely=0):
        encoder_class = catalog.load("encoders", encoder)
        settings = {field.name: NARROW[field.name] for field in fields(encoder_class.Config) if field.name in NARROW}
        if encoder_class.token_kind == "pieces":
            settings["model"] = str(pretrained)
        training = {"epochs": 1, "batch_size": 20}
        values = {"method": method, "encoder": {"name": encoder, **settings}, "training": training, "seed": seed}
        with expect_random_streams_alone("Training"):
            return train_model(make_config(values), corpus())

    return trained


@every_method_and_encoder
def test_the_same_seed_trains_the_same_model_and_another_seed_another(train, method, encoder):
    first, second, other = (
        dict(train(method, encoder, *which).classifier.method.state_dict()) for which in ((0, 0), (0, 1), (1, 0))
    )
    expect_same_weights(second, first, "The weights of two trainings with the same seed")
    solved = catalog.load("encoders", encoder).methods is not None  # nothing of it is drawn at random
    assert solved or any(not torch.equal(other[name], tensor) for name, tensor in first.items())


@every_method_and_encoder
def test_a_model_loaded_from_its_folder_agrees_with_the_saved_one_bit_for_bit(train, tmp_path, method, encoder):
    model = train(method, encoder, 0)
    save_model(model, tmp_path)
    saved, loaded = model.classifier, load_model(tmp_path).classifier
    texts = [document.words for document in (*corpus().test, *AWKWARD)]
    assert loaded.classes == saved.classes
    assert torch.equal(loaded.probabilities(texts), saved.probabilities(texts))
    if saved.frequencies is not None:
        np.testing.assert_array_equal(loaded.frequencies, saved.frequencies)
    if saved.method.own_score is not None:
        for one, other in zip(loaded.own_scores(texts)[0], saved.own_scores(texts)[0], strict=True):
            assert torch.equal(one, other)
