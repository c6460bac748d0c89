"""A model folder: written, read again, refused when something is wrong."""

import json
import re
import shutil
from dataclasses import dataclass, replace

import pytest
import torch

from reference.samples import equal_weights
from whyword import TextClassifier, load
from whyword.data.dataset import load_dataset
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.interfaces.document import Words
from whyword.interfaces.errors import ModelError, OptionError, WhywordError
from whyword.models.config import make_config
from whyword.models.fingerprint import (
    describe_explainer,
    fingerprint,
    model_fingerprint,
    named_fingerprint,
    text_fingerprint,
)
from whyword.models.folder import load_model, save_model
from whyword.models.train import train_model

FILES = {
    *("README.md", "config.json", "manifest.json", "metrics.json", "model.safetensors", "tokenizer.json"),
    "training.jsonl",
}
DATA = load_dataset("planted:train=24,dev=8,test=8")
PAIRS = load_dataset("planted:pairs,train=24,dev=8,test=8")
TEXTS = [split("A superb plot."), split(""), split("Dull, dreadful 🙂 unseen words")]
SMALL = {"method": "attention", "training": {"epochs": 1}, "encoder": {"dim": 8, "hidden": 6}}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    place = tmp_path_factory.mktemp("models") / "model"
    return train_model(make_config(SMALL), DATA, folder=place), place


@pytest.fixture
def folder(trained, tmp_path):
    """Give a folder as older versions wrote it, without the seal, so that what is behind the seal is seen."""
    return shutil.copytree(trained[1], tmp_path / "model", ignore=shutil.ignore_patterns("manifest.json"))


def assert_same(model, again, texts=TEXTS):
    assert equal_weights(dict(model.classifier.method.state_dict()), dict(again.classifier.method.state_dict()))
    assert torch.equal(model.classifier.probabilities(texts), again.classifier.probabilities(texts))
    assert again.classifier.classes == model.classifier.classes
    assert again.config == model.config
    assert again.history == model.history
    assert again.metrics == model.metrics
    assert not again.classifier.method.training


def test_the_folder_holds_the_files_it_promises_and_no_pickle(trained):
    assert {path.name for path in trained[1].iterdir()} == FILES


def test_a_model_read_again_is_bit_equal(trained):
    model, place = trained
    again = load_model(place)
    assert_same(model, again)
    assert again.classifier.frequencies.tolist() == model.classifier.frequencies.tolist()


def test_a_model_read_and_written_again_is_the_same_bytes(trained, tmp_path):
    save_model(load_model(trained[1]), tmp_path)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (trained[1] / name).read_bytes()


@pytest.mark.parametrize("encoder", ["bag", "affine", "cnn", "lstm"])
def test_every_encoder_comes_back_on_pairs(encoder, tmp_path):
    config = make_config({"encoder": {"name": encoder, "dim": 8}, "training": {"epochs": 1}})
    model = train_model(config, PAIRS, folder=tmp_path / "model")
    assert_same(model, load_model(tmp_path / "model"), [split("Is it good?", "It is superb.")])


def test_a_pretrained_encoder_comes_back_without_its_source(tiny_bert, tmp_path):
    source = shutil.copytree(tiny_bert, tmp_path / "source")
    model = train_model(make_config({"encoder": str(source), "training": {"epochs": 1}}), PAIRS, folder=tmp_path / "m")
    shutil.rmtree(source)
    assert_same(model, load_model(tmp_path / "m"), [split("Is it good?", "It isn't dreadful."), split("", "")])


def test_a_pretrained_encoder_of_a_plain_folder_name_comes_back_elsewhere(tiny_bert, tmp_path, monkeypatch):
    shutil.copytree(tiny_bert, tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    model = train_model(make_config({"encoder": "mine", "training": {"epochs": 1}}), DATA, folder=tmp_path / "m")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert_same(model, load_model(tmp_path / "m"))


def test_integer_labels_come_back_as_integers(tmp_path):
    numbers = {"positive": 5, "negative": -1}
    recoded = [
        tuple(type(d)(d.words, numbers[d.label]) for d in documents) for documents in (DATA.train, DATA.dev, DATA.test)
    ]
    train_model(make_config(SMALL), type(DATA)("numbers", *recoded), folder=tmp_path / "m")
    assert load_model(tmp_path / "m").classifier.classes == (-1, 5)


def refused(folder, sentence):
    with pytest.raises(ModelError) as caught:
        load_model(folder)
    assert re.search(sentence, str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("size", [0, 4, 100, -1])
def test_cut_weights_are_called_damaged(folder, size):
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:size])
    refused(folder, "model.safetensors is damaged")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    refused(folder, f"{name} is missing: the model folder is not complete")


def test_a_folder_without_config_is_no_model(folder):
    (folder / "config.json").unlink()
    refused(folder, "is not a whyword model: it has no config.json")


def test_a_folder_that_is_not_there_tells_how_to_make_one(tmp_path):
    refused(tmp_path / "nothing", "There is no model folder .*whyword train DATA -o")


def test_a_file_is_no_folder(folder):
    refused(folder / "config.json", "There is no model folder")


def test_a_newer_format_asks_for_an_upgrade(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "format": 99, "whyword": "9.9"}))
    refused(folder, r"written by whyword 9\.9 in a newer format \(99.*upgrade whyword")


@pytest.mark.parametrize(
    "values", [{"model_type": "bert"}, [], "text", 5, {"format": 1}, {"format": "png", "whyword": 1}]
)
def test_the_config_of_another_program_is_called_foreign(folder, values):
    (folder / "config.json").write_text(json.dumps(values))
    refused(folder, "written by another program")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "training.jsonl", "metrics.json"])
@pytest.mark.parametrize("content", [b'{"a": ', b"\xff\xfe\x00"], ids=["cut", "not text"])
def test_a_damaged_text_file_is_refused(folder, name, content):
    (folder / name).write_bytes(content)
    refused(folder, "damaged|cannot be read")


@pytest.mark.parametrize("name", ["method", "encoder", "labels", "architecture", "training", "vocabulary", "seed"])
def test_a_config_that_lacks_a_part_is_refused(folder, name):
    config = json.loads((folder / "config.json").read_text())
    del config[name]
    (folder / "config.json").write_text(json.dumps(config))
    refused(folder, f"damaged .*{name}")


@pytest.mark.parametrize(
    ("name", "value"), [("encoder", {"name": "lstm", "dim": 9}), ("labels", ["a"]), ("method", {"name": "base"})]
)
def test_weights_of_another_network_are_refused(folder, name, value):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, name: value}))
    refused(folder, "damaged")


def test_a_setting_this_version_does_not_know_is_named(folder):
    config = json.loads((folder / "config.json").read_text())
    config["method"]["temperature"] = 2
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(WhywordError, match="temperature"):
        load_model(folder)


def test_the_model_card_tells_the_facts(trained):
    card = (trained[1] / "README.md").read_text(encoding="utf-8")
    for fact in ("attention on lstm", "negative, positive", "test accuracy", "dim 8", "| seed | 0 |"):
        assert fact in card


@pytest.fixture(scope="module")
def estimator():
    documents = planted("easy,train=40,dev=0,test=0").train
    texts = [document.words.texts[0] for document in documents]
    classifier = TextClassifier("attention", "bag", epochs=1, contributions=False)
    return classifier.fit(texts, [document.label for document in documents])


def test_a_saved_and_loaded_model_is_the_same(estimator, tmp_path):
    estimator.save(tmp_path / "model")
    assert model_fingerprint(load(tmp_path / "model").model_) == model_fingerprint(estimator.model_)


def test_another_weight_class_word_or_setting_is_another_model(estimator, tmp_path):
    model = estimator.model_
    seen = {model_fingerprint(model)}

    def differs(other):
        before = len(seen)
        seen.add(model_fingerprint(other))
        return len(seen) == before + 1

    classifier = model.classifier
    assert differs(replace(model, classifier=replace(classifier, classes=("no", "yes"))))
    tokenizer = type(classifier.tokenizer)([*classifier.tokenizer.vocabulary, "new"])
    assert differs(replace(model, classifier=replace(classifier, tokenizer=tokenizer)))
    assert differs(replace(model, config=replace(model.config, method="base")))
    estimator.save(tmp_path / "model")
    other = load(tmp_path / "model").model_
    with torch.no_grad():
        next(other.classifier.method.parameters()).view(-1)[0] += 1e-6
    assert differs(other)


def test_the_story_of_the_training_does_not_matter(estimator):
    model = estimator.model_
    other = replace(model, metrics={}, history=[], classifier=replace(model.classifier, frequencies=None))
    assert model_fingerprint(other) == model_fingerprint(model)


def test_a_model_of_another_owner_is_told_by_its_name_and_classes():
    names = {named_fingerprint("v1", ("a", "b")), named_fingerprint("v2", ("a", "b")), named_fingerprint("v1", (0, 1))}
    assert len(names) == 3
    assert named_fingerprint("v1", ("a", "b")) in names


def test_an_explainer_is_told_by_its_kind_and_settings():
    described = [describe_explainer(explainer) for explainer in (Random(1), Random(2), Occlusion())]
    assert described[0]["settings"] == {"seed": 1}
    assert len(set(map(fingerprint, described))) == 3


class Bare(Random):
    """No dataclass of its own, but a child of one."""


def test_settings_that_cannot_be_written_are_refused():
    @dataclass(frozen=True)
    class Odd(Random):
        way: object = print

    with pytest.raises(OptionError, match="Odd cannot be compared between runs"):
        describe_explainer(Odd())
    assert describe_explainer(Bare())["explainer"].endswith("Bare")


def test_texts_are_told_by_their_letters_their_cut_and_their_seam():
    texts = [
        split("a b"),
        split("a", "b"),
        split("a b "),
        split("A b"),
        Words(("a b",), (((0, 3),),)),
        split("\N{PILE OF POO}"),
    ]
    assert len({text_fingerprint(text) for text in texts}) == len(texts)
    assert text_fingerprint(split("a b")) == text_fingerprint(texts[0])
