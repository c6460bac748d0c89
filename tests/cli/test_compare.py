import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from reference.contributions import QUICK
from whyword.grids.runner import EvaluationJob, run_jobs

TINY = "planted:easy,train=40,dev=10,test=20"
METHODS = ("compare", TINY, "--methods", "base,attention", "--epochs", "1", "--sample", "6")
GRID = (*METHODS, "--encoders", "bag,affine", "--no-contributions")
ONE = ("--workers", "1")
TIMES = ("train_seconds", "step_seconds", "wall_seconds")


def leaderboard(folder):
    with (folder / "leaderboard.csv").open(newline="") as file:
        return [{name: value for name, value in row.items() if name not in TIMES} for row in csv.DictReader(file)]


def state(folder):
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in (folder / "records").glob("[!.]*.json")}


def test_a_grid_gives_a_table_files_and_a_page(whyword, tmp_path):
    done = whyword(*GRID, "--seeds", 2, *ONE, "-o", "out")
    assert done.code == 0
    assert done.out.splitlines()[0].split()[:5] == ["data", "encoder", "method", "seeds", "accuracy"]
    assert len(state(tmp_path / "out")) == 8
    assert "(8 of 8)" in done.err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "records",
        "comparison.html",
        "comparison.json",
        "leaderboard.csv",
        "leaderboard.md",
        "leaderboard.tex",
    }
    assert "whyword compare planted:easy" in (tmp_path / "out" / "comparison.html").read_text()


def test_every_model_carries_contributions_and_weights_are_measured_beside_them(whyword, tmp_path):
    quickly = [word for name, value in QUICK.items() for word in ("--set", f"contributions.{name}={value}")]
    done = whyword(*METHODS, "--encoders", "bag", *quickly, "--seeds", 1, *ONE, "-o", "out")
    assert done.code == 0, done.err
    assert "Explanations are contributions" in done.out
    assert "of its weights" in done.out.splitlines()[0]


def test_the_same_command_runs_nothing_again_and_more_seeds_run_only_what_is_new(whyword, tmp_path):
    whyword(*GRID, *ONE, "--seeds", 1)
    before = state(tmp_path / "comparison")
    table = leaderboard(tmp_path / "comparison")
    again = whyword(*GRID, *ONE, "--seeds", 1, "--json")
    assert state(tmp_path / "comparison") == before
    assert leaderboard(tmp_path / "comparison") == table
    (values,) = again.json
    assert values["runs"] == len(values["rows"]) == 4
    more = whyword(*GRID, *ONE, "--seeds", 2)
    assert "4 of 8 runs are recorded already" in more.err
    assert before.items() <= state(tmp_path / "comparison").items()


def test_killed_in_the_middle_and_started_again_no_run_is_lost_or_done_twice(whyword, tmp_path):
    words = [*GRID, "--seeds", "4", *ONE]
    process = subprocess.Popen(
        [sys.executable, "-m", "whyword", *words, "-o", tmp_path / "killed"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 120
    while len(state(tmp_path / "killed")) < 3:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = state(tmp_path / "killed")
    assert 3 <= len(before) < 16
    resumed = whyword(*words, "-o", "killed")
    assert resumed.code == 0
    assert f"{len(before)} of 16 runs are recorded already" in resumed.err
    assert before.items() <= state(tmp_path / "killed").items()
    assert len(state(tmp_path / "killed")) == 16
    assert whyword(*words, "-o", "whole").code == 0
    assert leaderboard(tmp_path / "killed") == leaderboard(tmp_path / "whole")


def test_two_processes_give_the_same_numbers_as_one(whyword, tmp_path):
    for workers in (1, 2):
        assert whyword(*GRID, "--workers", workers, "--seeds", 1, "-o", f"out{workers}").code == 0
    assert leaderboard(tmp_path / "out1") == leaderboard(tmp_path / "out2")


@pytest.mark.filterwarnings("default")  # Ray's own
def test_ray_gives_the_same_numbers_as_this_machine(whyword, tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_worker_niceness", "0")  # else other work of this machine comes first
    pytest.importorskip("ray", reason="the extra ray is not installed")
    assert whyword(*GRID, *ONE, "--seeds", 2, "-o", "local").code == 0
    done = whyword(*GRID, "--engine", "ray", "--workers", 2, "--seeds", 2, "-o", "ray", "--json")
    assert done.code == 0
    assert len(done.json) == 1  # nothing of Ray's on standard output
    assert len(state(tmp_path / "ray")) == 8
    assert leaderboard(tmp_path / "ray") == leaderboard(tmp_path / "local")


def test_a_failed_run_is_told_at_the_end_and_tried_again(whyword, tmp_path):
    words = (*METHODS, "--encoders", "bag", "--no-contributions", "--seeds", 1, *ONE)
    for _ in range(2):
        done = whyword(*words, "--explainer", "own", "-q")
        assert done.code == 2
        assert done.err.startswith("whyword: 1 of 2 runs failed")
        assert "base" in done.err
        assert "Failed: planted" in done.out
    (values,) = (json.loads(path.read_text()) for path in (tmp_path / "comparison" / "records").glob("*-base-*"))
    assert "failed" in values
    assert [row["method"] for row in leaderboard(tmp_path / "comparison")] == ["attention"]


def test_a_bug_in_a_run_leaves_with_1_after_the_others_are_done(whyword, tmp_path, monkeypatch):
    def broken(job):
        if job.trained.config.method == "base":
            raise ZeroDivisionError
        return run(job)

    run = EvaluationJob.run
    monkeypatch.setattr(EvaluationJob, "run", broken)
    done = whyword(*GRID, *ONE, "--seeds", 1)
    assert done.code == 1
    assert "ZeroDivisionError" in done.err
    assert "This is a bug" in done.err
    assert len(leaderboard(tmp_path / "comparison")) == 2


def test_a_damaged_record_is_run_again_with_a_note(whyword, tmp_path):
    whyword(*GRID, *ONE, "--seeds", 1)
    table = leaderboard(tmp_path / "comparison")
    path = next(iter((tmp_path / "comparison" / "records").glob("*.json")))
    path.write_bytes(path.read_bytes()[:100])
    done = whyword(*GRID, *ONE, "--seeds", 1)
    assert f"{path.name} is damaged" in done.err
    assert leaderboard(tmp_path / "comparison") == table


def test_ctrl_c_keeps_what_is_done(whyword, tmp_path, monkeypatch):
    def interrupted(*arguments):
        for number, record in enumerate(run_jobs(*arguments)):
            if number == 2:
                os.kill(os.getpid(), signal.SIGINT)
            yield record

    monkeypatch.setattr("whyword.grids.runner.run_jobs", interrupted)
    done = whyword(*GRID, *ONE, "--seeds", 1)
    assert done.code == 130
    assert "What was done is recorded in comparison/records; the same command resumes." in done.err
    assert len(state(tmp_path / "comparison")) == 3


def test_a_cap_of_the_training_texts_is_in_all_output(whyword, tmp_path):
    done = whyword(*GRID, *ONE, "--seeds", 1, "--rows", 30)
    texts = [
        done.out,
        *((tmp_path / "comparison" / name).read_text() for name in ("leaderboard.md", "leaderboard.tex")),
    ]
    assert all("capped at 30" in text for text in texts)
    assert {row["rows"] for row in leaderboard(tmp_path / "comparison")} == {"30"}
    assert "capped at 30" in (tmp_path / "comparison" / "comparison.html").read_text()


def test_mistakes_are_refused_in_a_sentence(refused, tmp_path):
    assert "Did you mean 'vmask'" in refused("compare", TINY, "--methods", "vmsk")
    assert "Did you mean 'ray'" in refused("compare", TINY, "--engine", "rya", "--encoders", "bag")
    assert "methods that are compared" in refused("compare", TINY, "--baseline", "vat")
    (tmp_path / "file").write_text("")
    assert "is a file" in refused("compare", TINY, "-o", "file/out")
