"""A run's settings from TOML, command-line words and Python values."""

import json

import numpy as np
import pytest
import torch

from whyword import catalog
from whyword.data.words import split
from whyword.interfaces.errors import OptionError
from whyword.models.assemble import assemble, build_encoder
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


TEXTS = [split("good good plot"), split("Good cast"), split("bad plot, rare")]


def parts(texts=TEXTS, classes=3, **values):
    return assemble(make_config(values), classes, texts)


def test_the_vocabulary_is_learned_from_the_training_texts():
    made = parts()
    assert made.tokenizer.vocabulary[:2] == ("good", "plot")
    assert made.method.encoder.embedding.table.weight.shape[0] == made.tokenizer.size
    assert made.method.head.linear.out_features == 3


def test_frequencies_count_each_word_and_the_unknown_ones_together():
    made = parts(vocabulary={"min_frequency": 2})
    by_name = dict(zip(made.tokenizer.token_strings(), made.frequencies.tolist(), strict=True))
    assert by_name == {"[PAD]": 0, "[UNK]": 4, "[SEP]": 0, "[MASK]": 0, "good": 3, "plot": 2}


def test_a_vocabulary_may_be_empty():
    made = parts(vocabulary={"min_frequency": 100})
    assert made.tokenizer.vocabulary == ()
    assert made.frequencies.tolist() == [0, sum(len(text) for text in TEXTS), 0, 0]


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("good 1 2 3\nplot 4 5 6\nelsewhere 7 8 9\n", encoding="utf-8")
    return str(path)


def test_pretrained_vectors_are_put_where_their_words_are(vectors):
    made = parts(embeddings=vectors, encoder={"dim": 50})
    table = made.method.encoder.embedding.table.weight
    ids = {name: number for number, name in enumerate(made.tokenizer.token_strings())}
    assert table[ids["good"]].tolist() == [1, 2, 3]
    assert table[ids["plot"]].tolist() == [4, 5, 6]
    assert table[ids["cast"]].abs().max() <= 0.1  # not among the vectors: drawn at random
    assert (table[ids["[PAD]"]] == 0).all()
    assert made.config.encoder_settings.dim == 3
    assert len(made.notes) == 1


def test_pretrained_vectors_do_not_change_the_other_weights(vectors):
    torch.manual_seed(3)
    with_vectors = parts(embeddings=vectors)
    torch.manual_seed(3)
    without = parts(encoder={"dim": 3})
    for (name, first), (_, second) in zip(
        with_vectors.method.named_parameters(), without.method.named_parameters(), strict=True
    ):
        assert torch.equal(first, second) != name.endswith("table.weight")


def test_the_encoder_is_built_with_the_width_of_the_vectors(vectors):
    made = parts(embeddings=vectors, encoder="cnn")
    assert made.method.encoder.embedding_dim == 3
    again = build_encoder(made.config, made.tokenizer, None)
    again.load_state_dict(made.method.encoder.state_dict())


def test_word_vectors_have_no_use_with_a_pretrained_encoder(vectors, tiny_bert):
    with pytest.raises(OptionError, match="brings its own word vectors"):
        parts(embeddings=vectors, encoder=str(tiny_bert))


def test_a_pretrained_encoder_brings_its_tokenizer(tiny_bert):
    made = parts(encoder=str(tiny_bert), method={"name": "attention", "dropout": 0.0})
    assert made.tokenizer.limit == made.method.encoder.limit == 40
    assert made.frequencies is None
    assert np.issubdtype(made.tokenizer(TEXTS)[0].ids.dtype, np.integer)


def test_the_same_seed_assembles_the_same_weights():
    made = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        made.append(parts().method.state_dict())
    assert all(torch.equal(made[0][name], made[1][name]) for name in made[0])
    assert not all(torch.equal(made[0][name], made[2][name]) for name in made[0])


def test_with_frozen_vectors_words_that_only_the_file_has_are_known_too(vectors):
    made = parts(embeddings=vectors, encoder={"frozen": True})
    ids = {name: number for number, name in enumerate(made.tokenizer.token_strings())}
    assert made.method.encoder.embedding.table.weight[ids["elsewhere"]].tolist() == [7, 8, 9]
    assert made.frequencies[ids["elsewhere"]] == 0
    assert made.notes == parts(embeddings=vectors).notes  # coverage speaks of the training texts alone


@pytest.mark.parametrize(
    ("frozen", "wanted", "known"), [(True, False, False), (False, True, True), (False, None, False)]
)
def test_whether_they_are_known_can_be_set(vectors, frozen, wanted, known):
    made = parts(embeddings=vectors, encoder={"frozen": frozen}, vocabulary={"from_vectors": wanted})
    assert ("elsewhere" in made.tokenizer.vocabulary) == known


def test_a_pretrained_encoder_takes_no_word_vectors(vectors):
    with pytest.raises(OptionError, match="has no use"):
        parts(embeddings=vectors, encoder="minilm")
