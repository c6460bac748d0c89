"""A run's settings from TOML, command-line words and Python values."""

import json

import pytest

from whyword import catalog
from whyword.interfaces.errors import OptionError
from whyword.models.config import RunConfig, Vocabulary, encoder_kind, make_config, overlay, read_toml
from whyword.training.optimizer import Training

TOML = """
seed = 4
embeddings = "glove.txt"
[method]
name = "attention"
kind = "dot"
[encoder]
name = "cnn"
widths = [2, 3]
[vocabulary]
min_frequency = 2
[training]
epochs = 7
schedule = "cosine"
learning_rate = 1e-2
"""


def test_nothing_given_means_all_defaults():
    config = make_config({})
    assert (config.method, config.encoder, config.seed) == (RunConfig.method, RunConfig.encoder, RunConfig.seed)
    assert (config.embeddings, config.vocabulary, config.training) == (None, Vocabulary(), Training())
    assert config.method_settings == catalog.load("methods", RunConfig.method).Config()
    assert config.encoder_settings == catalog.load("encoders", RunConfig.encoder).Config()


def test_a_toml_file_becomes_the_settings_it_names(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(TOML, encoding="utf-8")
    config = make_config(read_toml(path))
    assert (config.method, config.method_settings.kind) == ("attention", "dot")
    assert (config.encoder, config.encoder_settings.widths) == ("cnn", (2, 3))
    assert (config.vocabulary.min_frequency, config.embeddings, config.seed) == (2, "glove.txt", 4)
    assert (config.training.epochs, config.training.schedule, config.training.learning_rate) == (7, "cosine", 0.01)


@pytest.mark.parametrize("encoder", ["lstm", "cnn", "minilm", "some/model"])
@pytest.mark.parametrize("method", catalog.names("methods"))
def test_plain_values_make_the_same_settings_again(method, encoder):
    config = make_config(
        {"method": method, "encoder": encoder, "seed": 3, "training": {"clip": None, "patience": None}}
    )
    assert make_config(config.to_dict()) == config
    assert make_config(json.loads(json.dumps(config.to_dict()))) == config


def test_words_of_the_command_line_win_over_the_file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(TOML, encoding="utf-8")
    values = read_toml(path)
    merged = overlay(
        values, ["training.epochs=9", "encoder.widths=4", "vocabulary.lowercase=false", "method.scale=none"]
    )
    config = make_config(merged)
    assert (config.training.epochs, config.training.schedule) == (9, "cosine")
    assert (config.encoder_settings.widths, config.vocabulary.lowercase) == ((4,), False)
    assert values["training"]["epochs"] == 7  # the file's values are left alone


def test_a_value_may_hold_an_equals_sign_and_later_words_win():
    assert overlay({}, ["encoder.model=a=b"]) == {"encoder": {"model": "a=b"}}
    assert overlay({}, ["training.epochs=1", "training.epochs=2"]) == {"training": {"epochs": "2"}}


def test_words_reach_a_method_that_was_given_by_its_name_alone():
    merged = overlay({"method": "attention", "encoder": "cnn"}, ["method.kind=dot", "encoder.filters=7"])
    config = make_config(merged)
    assert (config.method_settings.kind, config.encoder, config.encoder_settings.filters) == ("dot", "cnn", 7)


@pytest.mark.parametrize("word", ["epochs=3", "training.epochs", "trainin.epochs=3", "seed=4", "=", ".=1"])
def test_a_word_of_another_form_is_refused_with_an_example(word):
    with pytest.raises(OptionError, match=r"write section\.name=value.*--set training\.epochs=5"):
        overlay({}, [word])


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"trainig": {}}, "No 'trainig' in the settings of a run.*Did you mean 'training'"),
        ({"method": "atention"}, "No 'atention' in methods.*Did you mean 'attention'"),
        ({"encoder": "lsmt"}, "No 'lsmt' in encoders.*Did you mean 'lstm'"),
        ({"method": {"name": "attention", "knd": "dot"}}, "settings of method attention.*Did you mean 'kind'"),
        ({"encoder": {"name": "cnn", "filter": 3}}, "settings of encoder cnn.*Did you mean 'filters'"),
        ({"vocabulary": {"lower": True}}, "settings of vocabulary.*Did you mean 'lowercase'"),
        ({"training": {"epoch": 3}}, "settings of training.*Did you mean 'epochs'"),
        ({"training": {"epochs": 0}}, "training.epochs is 0: give a number above 0"),
        ({"training": {"batch_size": -1}}, "training.batch_size is -1: give a number above 0"),
        ({"training": {"learning_rate": "nan"}}, "training.learning_rate is nan: give a number above 0"),
        ({"training": {"clip": 0}}, "training.clip is 0.0: give a number above 0"),
        ({"training": {"patience": 0}}, "training.patience is 0: give a number above 0"),
        ({"training": {"warmup": 1}}, "training.warmup is 1.0: give a share"),
        ({"training": {"optimizer": "adm"}}, "choices of training.optimizer.*Did you mean 'adam'"),
        ({"training": 5}, "training is 5: give a table of settings"),
        ({"vocabulary": "small"}, "vocabulary is 'small': give a table of settings"),
        ({"method": 5}, "method is 5: give a name, or a table"),
        ({"seed": -1}, "seed is -1: give a whole number from 0 up"),
        ({"seed": "x"}, "seed is 'x': give a whole number from 0 up"),
        ({"seed": True}, "seed is True: give a whole number from 0 up"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(values, sentence):
    with pytest.raises(OptionError, match=sentence) as caught:
        make_config(values)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {"embeddings": 5},
        {"method": {"name": 5}},
        {"encoder": {"name": ["lstm"]}},
        {"encoder": {"dropout": 1.5}},
        {"encoder": {"dim": 0}},
        {"encoder": {"name": "lstm", "hidden": -3}},
        {"encoder": {"name": "cnn", "widths": []}},
        {"encoder": {"name": "cnn", "widths": [0]}},
        {"method": {"name": "attention", "dropout": -0.1}},
        {"vocabulary": {"max_size": -1}},
        {"training": {"learning_rate": "inf"}},
    ],
)
def test_values_no_model_can_be_built_with_are_refused_before_training(values):
    with pytest.raises(OptionError):
        make_config(values)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("lstm", "lstm"), ("minilm", "transformer"), ("owner/model", "transformer"), ("bert-base-uncased", "transformer")],
)
def test_names_outside_the_catalog_are_hugging_face_models(name, kind):
    assert encoder_kind(name) == kind
    config = make_config({"encoder": name})
    assert config.encoder_kind == kind
    if kind == "transformer":
        assert config.encoder_settings.model == name


def test_a_folder_is_a_hugging_face_model_whatever_its_name(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert encoder_kind("mine") == "transformer"


def test_a_file_that_is_missing_or_broken_is_named(tmp_path):
    with pytest.raises(OptionError, match=r"There is no file .*run\.toml"):
        read_toml(tmp_path / "run.toml")
    (tmp_path / "run.toml").write_text("a = ", encoding="utf-8")
    with pytest.raises(OptionError, match=r"run\.toml is not valid TOML"):
        read_toml(tmp_path / "run.toml")
    (tmp_path / "run.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(OptionError, match=r"run\.toml is not valid TOML"):
        read_toml(tmp_path / "run.toml")
