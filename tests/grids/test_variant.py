from collections import Counter
from dataclasses import field, make_dataclass, replace

import pytest
import torch

from reference.variants import tiny_trained, tiny_variant
from whyword.data.dataset import labels, load_dataset
from whyword.encoders.bag import Bag as BagOfEmbeddings
from whyword.grids.runner import EvaluationJob
from whyword.grids.variant import TrainedVariant, Variant, file_fingerprint, find_source, first_words, with_ratio
from whyword.interfaces.errors import DataError, OptionError
from whyword.methods.vmask import Vmask
from whyword.models import train as module
from whyword.models.train import train_model
from whyword.papers.reproduction.accuracy import Accuracy


def test_the_name_changes_with_whatever_decides_the_model_and_with_nothing_else(tmp_path):
    trained = tiny_trained(tmp_path, replace(tiny_variant(), vectors=True), embeddings="glove.txt", vectors="bytes")
    other_settings = {**trained.variant.settings, "training": {"epochs": 2}}
    others = [
        replace(trained, seed=1),
        replace(trained, source=find_source("planted:train=41,dev=10,test=12")),
        replace(trained, source=replace(trained.source, rows=20)),
        replace(trained, vectors="other bytes"),
        trained.other(replace(trained.variant, settings=other_settings)),
        trained.other(replace(trained.variant, vectors=False)),
        trained.other(replace(trained.variant, choose=("method.beta", (0.1, 1.0)))),
        trained.other(replace(trained.variant, longest=5)),
        trained.other(replace(trained.variant, ratio="1:5")),
        trained.other(replace(trained.variant, name="another")),
    ]
    assert len({trained.name, *(other.name for other in others)}) == 1 + len(others)
    same = replace(trained, models=tmp_path / "elsewhere", embeddings="copy.txt", data_dir="data")
    assert same.name == trained.name


def test_a_default_that_is_written_out_and_a_setting_that_is_new_leave_the_name_alone(tmp_path, monkeypatch):
    trained = tiny_trained(tmp_path)
    default = type(trained.config.method_settings)().beta
    settings = {**trained.variant.settings, "method": {"name": "vmask", "beta": default}}
    assert trained.other(replace(trained.variant, settings=settings)).name == trained.name
    config = make_dataclass("Config", [("novel", int, field(default=3))], bases=(Vmask.Config,), frozen=True)
    monkeypatch.setattr(Vmask, "Config", config)
    assert replace(trained).name == trained.name
    assert replace(trained).settings["method"]["novel"] == 3


@pytest.mark.parametrize("part", [Vmask, BagOfEmbeddings], ids=["method", "encoder"])
def test_a_raised_revision_gives_another_name(tmp_path, monkeypatch, part):
    before = tiny_trained(tmp_path).name
    monkeypatch.setattr(part, "revision", 2)
    assert tiny_trained(tmp_path).name != before


def test_vectors_are_only_for_the_runs_that_start_from_some(tmp_path):
    trained = tiny_trained(tmp_path, embeddings="glove.txt", vectors="bytes")
    assert trained.config.embeddings is None
    assert trained.other(replace(trained.variant, vectors=True)).config.embeddings == "glove.txt"


def test_a_run_sees_its_data_short_and_in_its_ratio(tmp_path):
    trained = tiny_trained(tmp_path, replace(tiny_variant(), longest=2, ratio="1:5"))
    dataset = trained.dataset()
    assert {len(document.words.strings) for document in dataset.train} == {2}
    assert [d.label for d in dataset.train].count("positive") * 4 < len(dataset.train)


def test_a_model_is_trained_once_as_train_model_does_and_loaded_ever_after(tmp_path, monkeypatch):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    texts = [document.words for document in dataset.test]
    expected = train_model(trained.config, dataset).classifier.probabilities(texts)
    assert torch.equal(trained.model(dataset).classifier.probabilities(texts), expected)
    monkeypatch.setattr(module, "train_model", None)
    assert torch.equal(trained.model(dataset).classifier.probabilities(texts), expected)


def test_a_killed_training_is_taken_up_again(tmp_path, monkeypatch):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    resumed = []
    monkeypatch.setattr(module, "train_model", lambda *values, **options: resumed.append(values[4]))
    trained.model(dataset)
    begun = tmp_path / f"{trained.name}.training"
    begun.mkdir()
    (begun / "run.json").write_text("{}")
    trained.model(dataset)
    assert resumed == [False, True]


def test_a_setting_is_chosen_on_dev(tmp_path):
    trained = tiny_trained(tmp_path, replace(tiny_variant(), choose=("method.beta", (0.1, 50.0))))
    model = trained.model(trained.dataset())
    assert model.metrics["choice"]["setting"] == "method.beta"
    assert set(model.metrics["choice"]["dev_accuracy"]) == {"0.1", "50.0"}
    assert (tmp_path / trained.name / "config.json").exists()


def test_a_killed_choice_is_taken_up_again(tmp_path, monkeypatch):
    trained = tiny_trained(tmp_path, replace(tiny_variant(), choose=("method.beta", (0.1, 50.0))))
    train, betas = module.train_model, []

    def dying(config, *values, **options):
        if len(betas) == 1:
            betas.append(None)
            raise KeyboardInterrupt
        betas.append(config.method_settings.beta)
        return train(config, *values, **options)

    monkeypatch.setattr(module, "train_model", dying)
    with pytest.raises(KeyboardInterrupt):
        trained.model(trained.dataset())
    trained.model(trained.dataset())
    assert betas == [0.1, None, 50.0]
    assert [path.name for path in tmp_path.iterdir()] == [trained.name]


@pytest.mark.parametrize("name", ["a/b c", "x" * 300], ids=["odd", "long"])
def test_names_are_good_for_files(tmp_path, name):
    trained = tiny_trained(tmp_path, tiny_variant(name=name))
    assert len(trained.name) < 150
    assert "/" not in trained.name
    assert " " not in EvaluationJob(trained, Accuracy()).name


ROWS = "text,label\n" + "".join(f"text number {i},{'rare' if i == 7 else 'usual'}\n" for i in range(50))


def test_contents_follow_the_bytes_and_not_the_place(tmp_path):
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "reviews.csv").write_text(ROWS)
    here, there = (find_source(tmp_path / folder / "reviews.csv") for folder in ("here", "there"))
    assert here.contents == there.contents
    (tmp_path / "there" / "reviews.csv").write_text(ROWS + "one more,usual\n")
    assert find_source(tmp_path / "there" / "reviews.csv").contents != here.contents


def test_a_folder_stands_for_all_its_splits(tmp_path):
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.csv").write_text(ROWS)
    before = find_source(tmp_path)
    (tmp_path / "test.csv").write_text(ROWS + "one more,usual\n")
    assert find_source(tmp_path).contents != before.contents
    assert find_source(tmp_path.name, data_dir=tmp_path.parent) == find_source(tmp_path)


def test_planted_goes_by_its_shortest_name():
    assert find_source("planted:easy,train=40").name == "planted:train=40"
    assert find_source("planted").place == "planted"


def test_the_hub_goes_by_its_name():
    assert find_source("hub:owner/reviews").name == "owner/reviews"


def test_capped_rows_keep_every_class_and_leave_the_other_splits_alone(tmp_path):
    (tmp_path / "reviews.csv").write_text(ROWS + "again,rare\n" * 5)

    def load(rows=None):
        return TrainedVariant(Variant("base", {}), find_source(tmp_path / "reviews.csv", rows=rows), 0).dataset()

    whole, capped = load(), load(10)
    assert len(capped.train) == 10
    assert labels(capped.train) == labels(whole.train)
    assert (capped.dev, capped.test) == (whole.dev, whole.test)
    assert load(1000) == whole


def test_a_missing_file_is_named():
    with pytest.raises(DataError, match=r"no file vectors\.txt"):
        file_fingerprint("vectors.txt")


DATA = load_dataset("planted:train=100,dev=10,test=10")


def test_texts_are_cut_to_their_first_words():
    short = first_words(DATA, 3)
    for split in ("train", "dev", "test"):
        for before, after in zip(getattr(DATA, split), getattr(short, split), strict=True):
            assert after.words.strings == before.words.strings[:3]
            assert after.label == before.label
    assert first_words(DATA, 10_000) == DATA


def test_each_text_of_a_pair_is_cut():
    pairs = load_dataset("planted:pairs,train=4,dev=2,test=2")
    assert [len(spans) for spans in first_words(pairs, 2).train[0].words.spans] == [2, 2]


@pytest.mark.parametrize("ratio", ["1:5", "2:5", "1:1", "5:2", "5:1"])
def test_the_second_class_stands_to_the_first_as_the_ratio_says_and_every_ratio_keeps_as_many(ratio):
    kept = with_ratio(DATA, ratio, seed=0)
    counts = Counter(document.label for document in kept.train)
    second, first = map(int, ratio.split(":"))
    assert counts["positive"] / counts["negative"] == pytest.approx(second / first, rel=0.1)
    smaller = min(Counter(document.label for document in DATA.train).values())
    assert len(kept.train) == pytest.approx(smaller * 6 / 5, abs=1)
    assert (kept.dev, kept.test) == (DATA.dev, DATA.test)


def test_the_texts_that_are_kept_stay_in_order_and_depend_on_the_seed_alone():
    kept = with_ratio(DATA, "1:5", seed=1)
    places = [DATA.train.index(document) for document in kept.train]
    assert places == sorted(places)
    assert with_ratio(DATA, "1:5", seed=1) == kept
    assert with_ratio(DATA, "1:5", seed=2) != kept


def test_a_ratio_is_refused_for_three_classes():
    with pytest.raises(OptionError, match="has 3 classes: a ratio is for two"):
        with_ratio(load_dataset("planted:classes=3,train=20,dev=5,test=5"), "1:1", seed=0)
