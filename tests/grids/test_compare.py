import pytest

from whyword.grids.compare import choose_baseline, compare, grid
from whyword.interfaces.errors import DataError, OptionError

TINY = "planted:easy,train=40,dev=10,test=20"


def test_the_grid_is_every_combination_in_the_order_given():
    cells = grid([TINY, "planted:hard,train=40"], ["base", "vmask"], ["bag", "affine"], 2)
    assert len(cells) == len({cell.name for cell in cells}) == 16
    assert [(c.config.seed, c.config.encoder, c.config.method) for c in cells[:3]] == [
        (0, "bag", "base"),
        (0, "bag", "vmask"),
        (0, "affine", "base"),
    ]
    assert [cell.config.seed for cell in grid(TINY, "base", "bag", [3, 5])] == [3, 5]


def test_settings_are_for_all_or_for_one_method_or_encoder():
    words = ["training.patience=2", "vmask.beta=0.5", "cnn.filters=7"]
    cells = grid(TINY, ["base", "vmask"], ["bag", "cnn"], 1, settings=words, epochs=3)
    by_name = {(cell.config.encoder, cell.config.method): cell.config for cell in cells}
    assert {(c.training.patience, c.training.epochs) for c in by_name.values()} == {(2, 3)}
    assert by_name["bag", "vmask"].method_settings.beta == 0.5
    assert by_name["cnn", "base"].encoder_settings.filters == 7


def test_vectors_are_for_encoders_without_their_own_and_known_by_their_bytes(tmp_path, tiny_bert):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("good 1 2\nbad 3 4\n")
    own, pretrained = grid(TINY, "base", ["bag", str(tiny_bert)], 1, embeddings=vectors)
    assert own.config.embeddings == str(vectors)
    assert pretrained.config.embeddings is None
    vectors.write_text("good 1 2\nbad 3 5\n")
    changed, same = grid(TINY, "base", ["bag", str(tiny_bert)], 1, embeddings=vectors)
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
        grid(**{**usual, **changes})


def test_two_data_sets_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "reviews.csv").write_text("text,label\ngood,1\nbad,0\n")
    with pytest.raises(OptionError, match="Two data sets are called 'reviews'"):
        grid([tmp_path / "a" / "reviews.csv", tmp_path / "b" / "reviews.csv"], "base", "bag", 1)


def test_the_baseline_is_the_one_asked_for_else_base_else_the_first():
    assert choose_baseline(None, ["vmask", "base"]) == "base"
    assert choose_baseline(None, ["vmask", "vat"]) == "vmask"
    assert choose_baseline("vat", ["vmask", "vat"]) == "vat"
    with pytest.raises(OptionError, match="methods that are compared"):
        choose_baseline("base", ["vmask"])


def test_compare_from_python_gives_the_leaderboard_and_does_nothing_twice(tmp_path):
    def run(folder):
        return compare(TINY, ["attention", "base"], "bag", 2, epochs=1, sample=5, folder=folder)

    first = run(tmp_path / "out")
    assert first.baseline == "base"
    assert [row.method for row in first.rows] == ["attention", "base"]
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 4
    assert run(tmp_path / "out").values() == first.values()  # seconds too, so nothing was run
    times = ("train_seconds", "step_seconds", "wall_seconds")
    for row, again in zip(first.values(), run(None).values(), strict=True):
        assert {n: v for n, v in row.items() if n not in times} == {n: v for n, v in again.items() if n not in times}
