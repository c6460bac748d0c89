"""Folders of parts, made by this process, by several, or by Ray; some of which are killed."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from whyword.cli import progress
from whyword.inference.fitted import FittedClassifier

EXPLAIN = ("--explainer", "lime", "--samples", "32", "--part-size", 8)
PARTS = [f"part-{number:05d}.jsonl" for number in range(6)]


@pytest.fixture
def folder(data) -> Path:
    """The forty texts as files of 25, none and 15 lines."""
    folder = data.parent / "in"
    folder.mkdir()
    with data.open(encoding="utf-8", newline="") as file:
        lines = [json.dumps({"text": row["text"]}) + "\n" for row in csv.DictReader(file)]
    for name, chosen in (("a", lines[:25]), ("b", []), ("c", lines[25:])):
        (folder / f"{name}.jsonl").write_text("".join(chosen), encoding="utf-8")
    return folder


def names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def content(folder: str) -> bytes:
    return b"".join((Path(folder) / name).read_bytes() for name in names(folder) if name != "whyword.json")


def rows(folder: str) -> list[dict]:
    return [json.loads(line) for line in content(folder).splitlines()]


def test_the_parts_together_are_what_a_single_file_holds(whyword, model, data, folder):
    done = whyword("explain", model, folder, "-o", "out", *EXPLAIN)
    assert (done.code, done.out, done.err) == (0, "", "Wrote 40 explanations to out.\n")
    assert names("out") == [*PARTS, "whyword.json"]
    assert [(Path("out") / name).read_bytes().count(b"\n") for name in PARTS] == [8, 8, 8, 1, 8, 7]
    whyword("explain", model, data, "-o", "whole.jsonl", *EXPLAIN[:-2])
    wanted = [json.loads(line) for line in Path("whole.jsonl").read_text(encoding="utf-8").splitlines()]
    for row, expected in zip(rows("out"), wanted, strict=True):
        assert row["scores"] == pytest.approx(expected["scores"], abs=1e-5)
        assert row.keys() == expected.keys() - {"seconds"}
        assert (row["words"], row["forward_passes"]) == (expected["words"], expected["forward_passes"])


def test_predictions_go_into_parts_too(whyword, model, data, folder):
    done = whyword("predict", model, folder, "-o", "new/out", "--part-size", 10, "--json")
    assert done.json == [{"output": "new/out", "texts": 40}]
    whyword("predict", model, data, "-o", "whole.jsonl")
    wanted = [json.loads(line) for line in Path("whole.jsonl").read_text(encoding="utf-8").splitlines()]
    found = rows("new/out")
    assert [(row["text"], row["label"]) for row in found] == [(row["text"], row["label"]) for row in wanted]
    assert [row["probability"] for row in found] == pytest.approx([row["probability"] for row in wanted], abs=1e-6)


def test_one_file_is_cut_into_parts_as_well(whyword, model, data):
    assert whyword("predict", model, data, "-o", "out", "--part-size", 16, "-q").err == ""
    assert names("out") == [*PARTS[:3], "whyword.json"]
    manifest = json.loads(Path("out/whyword.json").read_bytes())
    assert (manifest["complete"], manifest["parts"], manifest["texts"]) == (True, 3, 40)


def test_parts_use_the_cache(whyword, model, folder, monkeypatch):
    words = ("explain", model, folder, *EXPLAIN, "--cache", "kept", "-o")
    assert whyword(*words, "first").code == 0
    monkeypatch.setattr(FittedClassifier, "probabilities_of_many", None)
    assert whyword(*words, "second").code == 0
    assert content("first") == content("second")


def test_parts_may_be_parquet_in_and_out(whyword, model, folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert whyword("explain", model, folder, "-o", "out", *EXPLAIN, "--format", "parquet").code == 0
    assert whyword("explain", model, "out", "-o", "again", "--part-size", 100).code == 0
    tables = [parquet.read_table(Path("out") / name.replace("jsonl", "parquet")) for name in PARTS]
    assert len({table.schema for table in tables}) == 1
    assert [text for table in tables for text in table["text"].to_pylist()] == [row["text"] for row in rows("again")]


HOOK = """
import os, signal
from pathlib import Path
from whyword.explaining.parts import part_content

def kill(task, ending, classifier, part):
    if part.number == 3 and not Path(task.model, "..", "killed").exists():
        Path(task.model, "..", "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part_content(task, ending, classifier, part)
"""
START = (
    "import kill_hook; from whyword.cli import app; from whyword.explaining import parts; "
    "parts.part_content = kill_hook.kill; app.main()"
)


@pytest.fixture
def killed(tmp_path, model, monkeypatch) -> Callable[..., subprocess.CompletedProcess]:
    """Run the command line such that the process that comes to the fourth part is killed, once."""
    (tmp_path / "model").symlink_to(model)
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "kill_hook.py").write_text(HOOK, encoding="utf-8")
    (model.parent / "killed").unlink(missing_ok=True)
    paths = [str(tmp_path / "hook"), *filter(None, [os.environ.get("PYTHONPATH")])]
    niceness = {"RAY_worker_niceness": "0"}  # else other work of this machine comes first
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **niceness}

    def run(*words: object) -> subprocess.CompletedProcess:
        command = [sys.executable, "-c", START, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
        assert (model.parent / "killed").exists()
        return done

    return run


def test_a_killed_run_resumes_and_makes_only_the_missing_parts(whyword, model, folder, killed):
    words = ("explain", model, folder, *EXPLAIN, "-o")
    assert killed(*words, "out").returncode == -9
    assert names("out") == [".whyword.lock", *PARTS[:3], "whyword.json"]
    assert json.loads(Path("out/whyword.json").read_bytes())["complete"] is False
    Path("out", f".{PARTS[3]}.123.new").write_text('{"text": "torn', encoding="utf-8")
    before = [(Path("out") / name).stat() for name in PARTS[:3]]
    done = whyword(*words, "out")
    assert done.err == "3 of 6 parts are in out already.\nWrote 40 explanations to out.\n"
    after = [(Path("out") / name).stat() for name in PARTS[:3]]
    assert [(stat.st_ino, stat.st_mtime_ns) for stat in after] == [(stat.st_ino, stat.st_mtime_ns) for stat in before]
    assert names("out") == [*PARTS, "whyword.json"]
    whyword(*words, "whole")
    assert content("out") == content("whole")


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
def test_two_ray_workers_one_of_which_is_killed_give_the_bytes_of_one_process(whyword, model, folder, killed):
    words = ("explain", model, folder, *EXPLAIN, "-o")
    done = killed(*words, "shared", "--engine", "ray", "--workers", 2, "-q")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    whyword(*words, "alone")
    assert sorted(content("shared").splitlines()) == sorted(content("alone").splitlines())
    assert content("shared") == content("alone"), "even without sorting"


def test_two_processes_give_the_bytes_of_one(whyword, model, folder):
    words = ("explain", model, folder, *EXPLAIN, "-q", "-o")
    assert whyword(*words, "shared", "--workers", 2).code == 0
    whyword(*words, "alone")
    assert content("shared") == content("alone")
    assert Path("shared/whyword.json").read_bytes() == Path("alone/whyword.json").read_bytes()


def test_ctrl_c_keeps_the_parts_and_says_how_to_resume(whyword, model, folder, monkeypatch):
    def interrupted(self, event):
        if event.texts == 16:
            raise KeyboardInterrupt

    words = ("predict", model, folder, "-o", "out", "--part-size", 8)
    with monkeypatch.context() as patch:
        patch.setattr(progress.TextProgress, "__call__", interrupted)
        done = whyword(*words)
    kept = "What was done before, 2 of 6 parts, is in out; the same command resumes from there."
    assert (done.code, done.err) == (130, f"whyword: Interrupted. {kept}\n")
    assert whyword(*words).err == "2 of 6 parts are in out already.\nWrote 40 predictions to out.\n"
    assert whyword(*words).err == "6 of 6 parts are in out already.\nWrote 40 predictions to out.\n"


def test_bad_rows_are_listed_before_anything_is_written(whyword, refused, model, folder):
    with (folder / "c.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"txt": "bad"}\n')
    words = ("predict", model, folder, "-o", "out", "--part-size", 5)
    complaint = refused(*words)
    assert f"{folder / 'c.jsonl'}, line 16 has no column 'text' but 'txt'; did you mean 'txt'?" in complaint
    assert "--on-bad-row skip" in complaint
    assert not Path("out").exists()
    done = whyword(*words, "--on-bad-row", "skip")
    assert done.err.endswith("Wrote 40 predictions to out.\n")
    assert "1 of 16 rows of" in done.err
    assert json.loads(Path("out/whyword.json").read_text(encoding="utf-8"))["texts"] == 40


def test_a_run_that_fails_at_once_leaves_nothing(refused, base_model, model, folder):
    assert "occlusion" in refused("explain", base_model, folder, "--explainer", "own", "-o", "out")
    assert "Did you mean 'positive'?" in refused("explain", model, folder, "--target", "postive", "-o", "out")
    assert not Path("out").exists()


def test_a_run_with_other_settings_in_the_same_folder_is_refused(whyword, refused, model, folder):
    whyword("explain", model, folder, "-o", "out")
    before = content("out")
    assert "(explainer, settings)" in refused("explain", model, folder, "-o", "out", "--explainer", "random")
    assert "(part_size)" in refused("explain", model, folder, "-o", "out", "--part-size", 7)
    assert "(explainer, " in refused("predict", model, folder, "-o", "out")
    (folder / "d.jsonl").write_text('{"text": "more"}\n', encoding="utf-8")
    assert "(texts): name another folder, or delete this one." in refused("explain", model, folder, "-o", "out")
    assert content("out") == before


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["in"], "in is a folder: write to a folder too"),
        (["in", "-o", "out.jsonl"], "in is a folder: write to a folder too"),
        (["in", "-o", "in"], "The output in is the folder that is read"),
        (["in", "-o", "."], "The output . holds in, which is no part of a run"),
        (["in", "-o", "out", "--engine", "rai"], "Did you mean 'ray'?"),
        (["in", "-o", "out", "--format", "csv"], "choose from jsonl, parquet"),
        (["in", "-o", "out", "--workers", "0"], "'--workers'"),
        (["in", "-o", "out", "--part-size", "0"], "'--part-size'"),
        (["reviews.csv", "--engine", "ray"], "Workers and engines share out the parts of a folder"),
        (
            ["reviews.csv", "-o", "out.jsonl", "--workers", "2"],
            "Workers and engines share out the parts of a folder",
        ),
        (["a text", "-o", "out"], "The output out is a folder: read a file or a folder, or write to a file."),
        (["-", "-o", "out"], "The output out is a folder: read a file or a folder, or write to a file."),
        (["reviews.csv", "-o", "reviews.csv/out"], "reviews.csv"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "predict"])
def test_what_does_not_go_together_is_refused(refused, model, folder, command, words, complaint):
    assert complaint in refused(command, model, *words)
    assert not Path("out").exists()


def test_folders_without_texts_and_of_several_kinds_are_refused(refused, model, folder, data):
    Path("empty").mkdir()
    assert "empty holds no data files" in refused("predict", model, "empty", "-o", "out")
    Path("empty/e.jsonl").touch()
    assert "empty holds no texts" in refused("predict", model, "empty", "-o", "out")
    Path("empty/f.csv").touch()
    assert "such as e.jsonl and f.csv: keep one kind" in refused("predict", model, "empty", "-o", "out")
    assert not Path("out").exists()
