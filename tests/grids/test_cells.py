import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from whyword.grids.cell_folder import finished_cells, run_cells
from whyword.grids.cells import Cell, advantages, failed_record, right_answers, run_cell
from whyword.grids.source import find_source
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.train import train_model

TIMES = ("train_seconds", "step_seconds", "wall_seconds", "explain_seconds")


def make_cell(method="attention", data="planted:easy,train=40,dev=10,test=20", seed=0, **others):
    config = make_config({"method": method, "encoder": "bag", "training": {"epochs": 2}, "seed": seed})
    return Cell(find_source(data), config, **{"sample": 6, **others})


@pytest.fixture(scope="module")
def record():
    return run_cell(make_cell())


def without_times(record):
    return {name: value for name, value in record.items() if name not in TIMES}


def test_a_name_is_readable_and_changes_with_all_that_decides_the_numbers():
    cell = make_cell()
    assert cell.name.startswith("planted-train=40-dev=10-test=20-bag-attention-0-")
    others = [
        make_cell(seed=1),
        make_cell(method="base"),
        make_cell(sample=7),
        make_cell(explainer="occlusion"),
        make_cell(explainer="lime", explainer_settings={"samples": 50}),
        make_cell(vectors="abc"),
        replace(cell, source=replace(cell.source, rows=20)),
        replace(cell, source=replace(cell.source, contents="others")),
        replace(cell, config=make_config({**cell.config.to_dict(), "training": {"epochs": 3}})),
    ]
    assert len({other.name for other in [cell, *others]}) == 1 + len(others)
    assert replace(cell, source=replace(cell.source, place="elsewhere")).name == cell.name


def test_a_name_is_safe_for_a_file_whatever_the_data_set_is_called():
    cell = make_cell()
    odd = replace(cell, source=replace(cell.source, name="../ä b/" + "c" * 300))
    assert "/" not in odd.name
    assert len(odd.name) < 120


def test_a_cell_uses_one_thread_wherever_it_is_run_and_gives_the_same_record(record, monkeypatch):
    threads = []

    def watched(*arguments, **others):
        threads.append(torch.get_num_threads())
        return train_model(*arguments, **others)

    monkeypatch.setattr("whyword.grids.cells.train_model", watched)
    torch.set_num_threads(2)
    try:
        again = run_cell(make_cell())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert threads == [1]
    assert without_times(again) == without_times(record)


def test_a_record_holds_the_answers_of_the_model_that_train_would_make(record):
    cell = make_cell()
    model = train_model(cell.config, cell.source.load())
    assert record["accuracy"] == pytest.approx(model.metrics["test_accuracy"])
    right = right_answers(record)
    assert right.shape == (20,)
    assert right.mean() == pytest.approx(record["accuracy"])
    assert json.loads(json.dumps(record)) == record


def test_advantages_are_over_random_words_and_higher_is_better(record):
    for metric, score in record["scores"].items():
        sign = 1 if score["higher_is_better"] else -1
        known = advantages(record, metric)
        assert np.nanmean(known) == pytest.approx(sign * (score["value"] - score["random"]), abs=1e-5)
    assert record["explainer"] == "own"
    assert "rationale-auprc" in record["scores"]


def test_without_rationales_there_is_no_plausibility_and_without_a_sample_no_explanation(tmp_path):
    rows = "".join(f"{'good' if i % 2 else 'bad'} film {i},{i % 2}\n" for i in range(40))
    (tmp_path / "train.csv").write_text("text,label\n" + rows)
    found = run_cell(make_cell("base", str(tmp_path)))
    assert (found["split"], found["explainer"]) == ("dev", "occlusion")
    assert "rationale-auprc" not in found["scores"]
    assert "scores" not in run_cell(make_cell("base", str(tmp_path), sample=0))


def test_a_finished_cell_is_read_and_not_run_again(tmp_path, record):
    cells = [make_cell(), make_cell(seed=1)]
    assert [r["cell"] for r in run_cells(cells[:1], run_cell, tmp_path)] == [cells[0].name]
    assert [path.name for path in tmp_path.iterdir()] == [f"{cells[0].name}.json"]
    found = finished_cells(cells, tmp_path)
    assert list(found) == [cells[0].name]
    assert without_times(found[cells[0].name]) == without_times(record)
    assert finished_cells(cells, None) == {}


@pytest.mark.parametrize("text", ['{"format": 1, "ce', "[]", '{"format": 1, "cell": "other"}', "\x00"])
def test_a_damaged_cell_is_to_be_run_again_with_a_note(tmp_path, text):
    cell = make_cell()
    (tmp_path / f"{cell.name}.json").write_text(text)
    notes = []
    assert finished_cells([cell], tmp_path, notes.append) == {}
    assert len(notes) == 1
    assert cell.name in notes[0]


def test_a_failed_cell_is_recorded_and_the_others_go_on_and_it_is_tried_again(tmp_path):
    cells = [make_cell("base", explainer="own"), make_cell("attention", explainer="own")]
    failed, done = run_cells(cells, run_cell, tmp_path)
    assert "base" in failed["failed"]
    assert not failed["bug"]
    assert "accuracy" in done
    assert list(finished_cells(cells, tmp_path)) == [cells[1].name]


def test_what_the_user_cannot_mend_is_a_bug():
    assert failed_record(make_cell().identity, ZeroDivisionError("by zero"))["bug"]
    assert failed_record(make_cell().identity, ZeroDivisionError("by zero"))["failed"] == "ZeroDivisionError: by zero"
    assert not failed_record(make_cell().identity, OptionError("no"))["bug"]
