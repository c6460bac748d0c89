import json
import lzma
import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
import torch

from reference.variants import TEXTS, tiny_trained
from whyword.grids.runner import (
    EvaluationJob,
    RunRecord,
    earlier_records,
    fail_group,
    finished_records,
    pack_records,
    read_records,
    run_group,
    run_jobs,
    save_record,
)
from whyword.grids.variant import Evaluation
from whyword.interfaces.errors import OptionError
from whyword.models import train as module
from whyword.papers.evaluations.words import Examples
from whyword.papers.reproduction.accuracy import Accuracy
from whyword.parallel import WorkerError


@dataclass(frozen=True)
class Counts(Evaluation):
    """A quick evaluation that notes the threads it may use."""

    name: ClassVar[str] = "counts"
    threads: ClassVar[list[int]] = []
    texts: int = 5

    def evaluate(self, model, dataset, trained):
        self.threads.append(torch.get_num_threads())
        return {"test": len(dataset.test), "seed": trained.seed}


@dataclass(frozen=True)
class Odd(Evaluation):
    """An evaluation that always fails."""

    name: ClassVar[str] = "odd"

    def evaluate(self, model, dataset, trained):
        raise ZeroDivisionError("of zero")


def counting(folder=None, seed=0, evaluation=None):
    return EvaluationJob(tiny_trained(folder, seed=seed), evaluation or Counts())


def without_times(record):
    return replace(record, wall_seconds=0.0)


def test_every_evaluation_has_its_own_record(tmp_path):
    trained = tiny_trained(tmp_path)
    jobs = [EvaluationJob(trained, evaluation) for evaluation in (Accuracy(), Examples(), Examples(texts=2))]
    jobs.append(EvaluationJob(replace(trained, seed=1), Accuracy()))
    assert len({job.name for job in jobs}) == 4
    assert "-accuracy-" in jobs[0].name
    assert EvaluationJob(trained, Accuracy()).name == jobs[0].name


def test_a_raised_revision_of_an_evaluation_gives_another_name_and_a_default_written_out_does_not(monkeypatch):
    before = counting().name
    assert counting(evaluation=Counts(texts=5)).name == before
    assert counting(evaluation=Counts(texts=6)).name != before
    monkeypatch.setattr(Counts, "revision", 2)
    assert counting().name != before


def test_a_record_says_what_was_measured_of_what_on_one_thread(tmp_path):
    torch.set_num_threads(2)
    Counts.threads.clear()
    try:
        record = counting(tmp_path).run()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert Counts.threads == [1]
    assert record.result == {"test": 12, "seed": 0}
    assert (record.train_texts, record.steps) == (40, 5)
    assert (record.dataset, record.variant, record.seed) == (TEXTS, "vmask", 0)
    assert (record.encoder, record.method) == ("bag", "vmask")
    assert record.name == counting().name
    assert record.settings["evaluation"] == {"name": "counts", "texts": 5}
    assert record.settings["method"]["prior"] == 0.5  # a default


def test_a_record_survives_json_and_one_that_failed_has_no_result():
    record, failed = counting().run(), counting().fail(OptionError("no"))
    assert RunRecord.from_dict(json.loads(json.dumps(record.to_dict()))) == record
    assert RunRecord.from_dict(json.loads(json.dumps(failed.to_dict()))) == failed
    assert "failed" not in record.to_dict()
    assert "result" not in failed.to_dict()


def test_a_finished_run_is_read_and_not_run_again(tmp_path):
    jobs = [counting(), counting(seed=1)]
    (record,) = run_jobs(jobs[:1], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{jobs[0].name}.json"]
    assert finished_records(jobs, tmp_path) == {jobs[0].name: record}
    assert without_times(jobs[0].run()) == without_times(record)
    assert finished_records(jobs, None) == {}


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 2, "na',
        "[]",
        '{"format": 2, "name": "other"}',
        '{"format": 2, "name": "other", "result": {}}',
        '{"format": 2, "failed": "x", "unknown": 1}',
        "\x00",
    ],
)
def test_a_damaged_record_is_to_be_run_again_with_a_note(tmp_path, text):
    job = counting()
    (tmp_path / f"{job.name}.json").write_text(text)
    notes = []
    assert finished_records([job], tmp_path, notes.append) == {}
    assert len(notes) == 1
    assert job.name in notes[0]


def test_a_record_under_the_name_of_another_is_damaged(tmp_path):
    (record,) = run_jobs([counting()], tmp_path)
    other = counting(seed=1)
    (tmp_path / f"{record.name}.json").rename(tmp_path / f"{other.name}.json")
    assert finished_records([other], tmp_path) == {}


@pytest.mark.parametrize("kept", [True, False], ids=["models are kept", "models are not kept"])
def test_a_run_that_fails_is_recorded_and_the_others_go_on_and_it_is_tried_again(tmp_path, kept):
    models = tmp_path / "models" if kept else None
    jobs = [counting(models, evaluation=Odd()), counting(models, seed=1)]
    odd, sound = run_jobs(jobs, tmp_path / "records")
    assert (odd.failed, odd.bug, odd.name) == ("ZeroDivisionError: of zero", True, jobs[0].name)
    assert any("evaluate" in line for line in odd.trace)
    assert sound.result["test"] == 12
    assert {path.stem for path in (tmp_path / "records").iterdir()} == {odd.name, sound.name}
    assert list(finished_records(jobs, tmp_path / "records")) == [sound.name]


def test_what_the_user_cannot_fix_is_a_bug():
    assert counting().fail(ZeroDivisionError("by zero")).bug
    assert not counting().fail(OptionError("no")).bug
    assert not counting().fail(OSError("The disk is full.")).bug
    assert counting().fail(OptionError("no")).failed == "no"


def test_an_evaluation_that_fails_leaves_the_others_of_its_model_alone(tmp_path):
    jobs = [counting(tmp_path, evaluation=Odd()), counting(tmp_path)]
    odd, sound = run_jobs(jobs, tmp_path / "records")
    assert odd.failed == "ZeroDivisionError: of zero"
    assert sound.steps == 0  # its model was there
    assert sound.failed is None


def test_a_group_that_was_broken_off_keeps_its_records(tmp_path, monkeypatch):
    done, broken = counting(tmp_path), counting(tmp_path, evaluation=Examples())
    records = tmp_path / "records"
    (record,) = run_group([done], records)
    again, failed = fail_group([done, broken], WorkerError("It died twice."), records)
    assert again == record
    assert (failed.evaluation, failed.failed) == ("examples", "It died twice.")
    run = []
    monkeypatch.setattr(EvaluationJob, "run", lambda job: run.append(job) or replace(record, name=job.name))
    assert run_group([done, broken], records) == [record, replace(record, name=broken.name)]
    assert run == [broken]


def test_training_that_fails_is_not_tried_again_for_every_evaluation(tmp_path, monkeypatch):
    tries = []

    def diverging(*_, **__):
        tries.append(1)
        raise OptionError("The loss became nan.")

    monkeypatch.setattr(module, "train_model", diverging)
    records = list(run_jobs([counting(tmp_path), counting(tmp_path, evaluation=Examples())], tmp_path / "records"))
    assert [(record.evaluation, record.failed, record.bug) for record in records] == [
        ("counts", "The loss became nan.", False),
        ("examples", "The loss became nan.", False),
    ]
    assert tries == [1]


def test_a_job_can_be_sent_to_another_process(tmp_path):
    job = EvaluationJob(tiny_trained(tmp_path), Examples())
    sent = pickle.loads(pickle.dumps(job))
    assert sent == job
    assert sent.name == job.name


def test_packed_records_are_read_like_loose_ones_and_packing_again_gives_the_same_bytes(tmp_path):
    folder = tmp_path / "records"
    jobs = [counting(), counting(seed=1)]
    records = {record.name: record for record in run_jobs(jobs, folder)}
    archive = pack_records(folder)
    assert archive == tmp_path / "records.jsonl.xz"
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]
    assert finished_records(jobs, folder) == records
    assert read_records(folder) == [records[name] for name in sorted(records)]
    packed = archive.read_bytes()
    assert pack_records(folder).read_bytes() == packed
    assert [json.loads(line)["name"] for line in lzma.decompress(packed).splitlines()] == sorted(records)


def test_a_loose_record_wins_over_a_packed_one_and_joins_it_when_packed_again(tmp_path):
    folder = tmp_path / "records"
    (record,) = run_jobs([counting()], folder)
    pack_records(folder)
    newer = replace(record, result={"test": 99})
    save_record(newer, folder)
    save_record(counting(seed=1).fail(OptionError("no")), folder)
    assert finished_records([counting(), counting(seed=1)], folder) == {record.name: newer}
    pack_records(folder)
    assert not folder.exists()
    assert read_records(folder) == [newer]


def test_a_damaged_loose_record_is_run_again_though_a_packed_one_is_there(tmp_path):
    folder = tmp_path / "records"
    (record,) = run_jobs([counting()], folder)
    pack_records(folder)
    folder.mkdir()
    (folder / f"{record.name}.json").write_text("{")
    assert finished_records([counting()], folder) == {}


def test_a_record_of_an_earlier_form_is_shown_until_the_run_is_there_again(tmp_path):
    job = EvaluationJob(tiny_trained(None), Accuracy())
    (before,) = job.earlier
    assert before != job.name
    save_record(replace(job.fail(OSError()), name=before, failed=None, result={"test_accuracy": 0.5}), tmp_path)
    assert finished_records([job], tmp_path) == {}
    (shown,) = earlier_records([job], tmp_path).values()
    assert shown.result == {"test_accuracy": 0.5}
    other = EvaluationJob(tiny_trained(None, seed=1), Accuracy())
    assert earlier_records([other, EvaluationJob(other.trained, Examples())], tmp_path) == {}
