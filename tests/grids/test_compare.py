import json

import numpy as np
import pytest

from whyword.grids.compare import Grid, Quality, compare
from whyword.grids.leaderboard import advantages, right_answers
from whyword.grids.runner import EvaluationJob
from whyword.grids.variant import TrainedVariant, Variant, find_source
from whyword.interfaces.errors import DataError, OptionError
from whyword.models.train import train_model

TINY = "planted:easy,train=40,dev=10,test=20"


def test_the_grid_is_every_combination_in_the_order_given():
    jobs = Grid((TINY, "planted:hard,train=40"), ("base", "vmask"), ("bag", "affine"), (0, 1)).jobs()
    assert len(jobs) == len({job.name for job in jobs}) == 16
    configs = [job.trained.config for job in jobs]
    assert [(c.seed, c.encoder, c.method) for c in configs[:3]] == [
        (0, "bag", "base"),
        (0, "bag", "vmask"),
        (0, "affine", "base"),
    ]
    quick = {"epochs": 1, "sample": 0, "contributions": False}
    assert [record.seed for record in compare(TINY, "base", "bag", [3, 5], **quick).records] == [3, 5]


def test_settings_are_for_all_or_for_one_method_or_encoder():
    words = ("training.patience=2", "vmask.beta=0.5", "cnn.filters=7")
    jobs = Grid((TINY,), ("base", "vmask"), ("bag", "cnn"), (0,), settings=words, epochs=3).jobs()
    by_name = {(config.encoder, config.method): config for config in (job.trained.config for job in jobs)}
    assert {(c.training.patience, c.training.epochs) for c in by_name.values()} == {(2, 3)}
    assert by_name["bag", "vmask"].method_settings.beta == 0.5
    assert by_name["cnn", "base"].encoder_settings.filters == 7


def test_vectors_are_for_encoders_without_their_own_and_known_by_their_bytes(tmp_path, tiny_bert):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("good 1 2\nbad 3 4\n")
    grid = Grid((TINY,), ("base",), ("bag", str(tiny_bert)), (0,), embeddings=vectors)
    own, pretrained = grid.jobs()
    assert own.trained.config.embeddings == str(vectors)
    assert pretrained.trained.config.embeddings is None
    vectors.write_text("good 1 2\nbad 3 5\n")
    changed, same = grid.jobs()
    assert changed.name != own.name
    assert same.name == pretrained.name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": ["beta=1"]}, "write section.name=value"),
        ({"settings": ["vat.beta=1"]}, "a method or an encoder that is compared"),
        ({"settings": ["method.nope=1"]}, "nope"),
        ({"methods": "vmsk"}, "Did you mean 'vmask'"),
        ({"explainer": "lyme"}, "Did you mean 'lime'"),
        ({"measure": "sufficient"}, "Did you mean 'sufficiency'"),
        ({"rows": 1}, "two training texts"),
        ({"sample": -1}, "0 to explain none"),
        ({"seeds": 0}, "nothing to compare"),
        ({"embeddings": "nowhere.txt"}, "no file nowhere.txt"),
        ({"datasets": ["nowhere"]}, "nowhere"),
    ],
    ids=str,
)
def test_mistakes_are_refused_before_anything_is_run(changes, message, monkeypatch):
    monkeypatch.delenv("WHYWORD_DATA", raising=False)
    usual = {"datasets": TINY, "methods": "base", "encoders": "bag", "seeds": 1}
    with pytest.raises((OptionError, DataError), match=message):
        compare(**{**usual, **changes})


def test_two_data_sets_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "reviews.csv").write_text("text,label\ngood,1\nbad,0\n")
    with pytest.raises(OptionError, match="Two data sets are called 'reviews'"):
        compare([tmp_path / "a" / "reviews.csv", tmp_path / "b" / "reviews.csv"], "base", "bag", 1)


def test_the_baseline_is_the_one_asked_for_else_base_else_the_first():
    def chosen(baseline, *methods):
        return Grid((TINY,), methods, ("bag",), (0,), baseline=baseline).choose_baseline()

    assert chosen(None, "vmask", "base") == "base"
    assert chosen(None, "vmask", "vat") == "vmask"
    assert chosen("vat", "vmask", "vat") == "vat"
    with pytest.raises(OptionError, match="methods that are compared"):
        chosen("base", "vmask")


def test_compare_from_python_gives_the_leaderboard_and_does_nothing_twice(tmp_path):
    def run(folder):
        return compare(TINY, ["attention", "base"], "bag", 2, epochs=1, sample=5, contributions=False, folder=folder)

    first = run(tmp_path / "out")
    assert first.baseline == "base"
    assert [row.method for row in first.rows] == ["attention", "base"]
    assert len(list((tmp_path / "out" / "records").iterdir())) == 4
    assert run(tmp_path / "out").values() == first.values()  # seconds too, so nothing was run
    times = ("train_seconds", "step_seconds", "wall_seconds")
    for row, again in zip(first.values(), run(None).values(), strict=True):
        assert {n: v for n, v in row.items() if n not in times} == {n: v for n, v in again.items() if n not in times}


def quality(method="attention", data=TINY, **settings):
    variant = Variant(f"bag-{method}", {"method": method, "encoder": "bag", "training": {"epochs": 2}})
    return EvaluationJob(TrainedVariant(variant, find_source(data), 0), Quality(**{"sample": 6, **settings}))


@pytest.fixture(scope="module")
def record():
    return quality().run()


def test_the_name_changes_with_all_that_decides_the_explanations():
    others = [{"sample": 7}, {"explainer": "occlusion"}, {"explainer": "lime", "explainer_settings": {"samples": 50}}]
    assert len({quality().name, *(quality(**settings).name for settings in others)}) == 4


def test_a_record_holds_the_answers_of_the_model_that_train_would_make(record):
    trained = quality().trained
    model = train_model(trained.config, trained.dataset())
    assert record.result["accuracy"] == pytest.approx(model.metrics["test_accuracy"])
    right = right_answers(record.result)
    assert right.shape == (20,)
    assert right.mean() == pytest.approx(record.result["accuracy"])
    assert json.loads(json.dumps(record.result)) == record.result


def test_advantages_are_over_random_words_and_higher_is_better(record):
    for metric, score in record.result["scores"].items():
        sign = 1 if score["higher_is_better"] else -1
        known = advantages(record.result, metric)
        assert np.nanmean(known) == pytest.approx(sign * (score["value"] - score["random"]), abs=1e-5)
    assert record.result["explainer"] == "own"
    assert "rationale-auprc" in record.result["scores"]


def test_without_rationales_there_is_no_plausibility_and_without_a_sample_no_explanation(tmp_path):
    rows = "".join(f"{'good' if i % 2 else 'bad'} film {i},{i % 2}\n" for i in range(40))
    (tmp_path / "train.csv").write_text("text,label\n" + rows)
    result = quality("base", str(tmp_path)).run().result
    assert (result["split"], result["explainer"]) == ("dev", "occlusion")
    assert "rationale-auprc" not in result["scores"]
    assert "scores" not in quality("base", str(tmp_path), sample=0).run().result


def test_classes_may_have_an_order(tmp_path):
    data = "planted:ordinal,train=40,dev=10,test=10"
    options = {"seeds": 1, "epochs": 1, "contributions": False, "sample": 2, "folder": tmp_path}
    comparison = compare(data, "base", "bag", task="ordinal", **options)
    assert comparison.figures == ["absolute_error", "kappa"]
    (row,) = comparison.values()
    assert 0 <= row["absolute_error"] <= 4
    assert -1 <= row["kappa"] <= 1
    assert "mean absolute error" in str(comparison)
    assert "Weighted kappa" in (tmp_path / "comparison.html").read_text(encoding="utf-8")
    with pytest.raises(OptionError, match="task is 'sorted'"):
        compare(data, "base", "bag", task="sorted", **options)
