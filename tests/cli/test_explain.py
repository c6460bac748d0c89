import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from whyword import load
from whyword.cli import progress
from whyword.explaining import stream as explaining
from whyword.inference.fitted import FittedClassifier

TEXT = "I found the breakfast terrific, though the room was dreadful."


def test_the_words_are_shown_with_the_class(whyword, model):
    done = whyword("explain", model, TEXT, "--explainer", "occlusion")
    assert (done.code, done.err) == (0, "")
    label = load(model).predict([TEXT])[0]
    assert done.out.startswith(f"{label} ")
    assert TEXT in done.out
    assert "speaks for negative" in done.out
    assert "speaks for positive" in done.out


def test_a_long_text_says_first_how_long_it_will_take(whyword, model, tmp_path):
    text, long = "The breakfast was terrific, the room was dreadful. " * 30, tmp_path / "long.jsonl"
    long.write_text(json.dumps({"text": text}) + "\n", encoding="utf-8")
    settings = ("--explainer", "occlusion", "--set", "groups=100", "--set", "limit_in_groups=60")
    told = "scored in groups first: at most 60 forward passes, about "
    done = whyword("explain", model, text, *settings)
    assert done.code == 0
    assert "words were scored in groups only" in " ".join(done.out.split())
    assert told in done.err
    written = whyword("explain", model, long, *settings, "-o", tmp_path / "out.jsonl")
    assert told in written.err
    (row,) = map(json.loads, (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines())
    assert sum(row["grouped"]) > 0
    assert told not in whyword("explain", model, text, *settings, "--quiet").err


@pytest.mark.parametrize("width", [24, 40, 200])
def test_an_explanation_fits_the_terminal(whyword, model, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, whyword("explain", model, TEXT).out.splitlines())) <= width


def test_json_is_what_the_python_interface_gives(whyword, model):
    (shown,) = whyword("explain", model, TEXT, "--json").json
    wanted = load(model).explain([TEXT])[0].to_dict()
    assert {**shown, "seconds": 0} == {**wanted, "seconds": 0}


def test_own_scores_are_used_if_there_are_any_else_occlusion(whyword, model, base_model):
    assert whyword("explain", model, TEXT, "--json").json[0]["explainer"] == "own"
    assert whyword("explain", base_model, TEXT, "--json").json[0]["explainer"] == "occlusion"


def test_target_names_the_class_the_scores_speak_for(whyword, model):
    one, other = (
        whyword("explain", model, TEXT, "--json", "--explainer", "occlusion", "--target", target).json[0]
        for target in ("negative", "positive")
    )
    assert (one["label"], other["label"]) == ("negative", "positive")
    assert one["scores"] == pytest.approx([-score for score in other["scores"]], abs=1e-6)


def test_target_all_shows_each_class_and_writes_the_scores_of_all(whyword, refused, base_model):
    words = ("explain", base_model, TEXT, "--explainer", "gradient", "--target", "all")
    shown = whyword(*words).out
    assert shown.count(TEXT) == 2
    assert [line.split()[0] for line in shown.splitlines() if " · gradient" in line] == ["negative", "positive"]
    (row,) = whyword(*words, "--json").json
    for name in ("negative", "positive"):
        (one,) = whyword("explain", base_model, TEXT, "--explainer", "gradient", "--target", name, "--json").json
        assert row["all_scores"][name] == pytest.approx(one["scores"], abs=1e-9)
    assert whyword(*words, "-o", "all.html").code == 0
    assert Path("all.html").read_text(encoding="utf-8").count('<div class="whyword"') == 2
    assert "every class was asked for: name one as target" in refused(*words, "-o", "all.svg")


def test_the_predicted_class_can_be_named_as_such(whyword, base_model):
    plain, named = (
        whyword("explain", base_model, TEXT, "--json", *more).json for more in ([], ["--target", "predicted"])
    )
    assert without_seconds(plain) == without_seconds(named)


@pytest.mark.parametrize("explainer", ["occlusion", "gradient"])
def test_against_takes_the_scores_of_the_other_class_off(whyword, base_model, explainer):
    words = ("explain", base_model, TEXT, "--json", "--explainer", explainer, "--target", "negative")
    (plain,), (contrast,) = whyword(*words).json, whyword(*words, "--against", "positive").json
    assert contrast["against"] == "positive"
    assert contrast["scores"] == pytest.approx([2 * score for score in plain["scores"]], abs=1e-6)
    shown = whyword(*words[:3], *words[4:], "--against", "positive").out
    assert re.match(r"negative [\d.]+% against positive [\d.]+% · ", shown)
    whyword(*words, "--against", "positive", "-o", "out.jsonl")
    row = json.loads(Path("out.jsonl").read_text(encoding="utf-8"))
    assert without_seconds([row]) == without_seconds([contrast])


@pytest.mark.parametrize(
    "more", [["--target", "negative"], ["--target", "all"], ["--target", "negative", "--against", "positive"]]
)
@pytest.mark.parametrize("output", [[], ["-o", "out.jsonl"]])
def test_weights_are_not_explained_for_a_class(refused, model, more, output):
    said = refused("explain", model, TEXT, *more, *output)
    assert "'own' gives weights, which are the same for every class: leave out target and against, or choose" in said
    assert not list(Path().glob("out*"))


def test_a_contrast_needs_two_classes(refused, base_model):
    assert "name that class as target too" in refused("explain", base_model, TEXT, "--against", "positive")
    words = ("--target", "negative", "--against", "negative")
    assert "cannot be explained against itself" in refused("explain", base_model, TEXT, *words)
    assert "Did you mean 'positive'" in refused(
        "explain", base_model, TEXT, "--target", "negative", "--against", "positiv"
    )


def test_seed_reaches_the_explainer(whyword, model):
    def scores(seed: int) -> list[float]:
        return whyword("explain", model, TEXT, "--explainer", "random", "--seed", seed, "--json").json[0]["scores"]

    assert scores(1) == scores(1) != scores(2)


def test_top_keeps_the_words_that_speak_most(whyword, model):
    everything = whyword("explain", model, TEXT, "--json").json[0]
    top = whyword("explain", model, TEXT, "--json", "--top", "2").json[0]
    assert len(top["words"]) == 2
    assert sorted(top["scores"]) == sorted(everything["scores"])[-2:]
    bars = [line for line in whyword("explain", model, TEXT, "--top", "2").out.splitlines() if "█" in line]
    assert sorted(line.split()[0] for line in bars) == sorted(top["words"])


@pytest.mark.parametrize("texts", [[""], ["  "], ["", TEXT], ["good"], ["..."]])
@pytest.mark.parametrize("explainer", ["own", "occlusion", "random"])
def test_empty_and_short_texts_are_explained(whyword, model, texts, explainer):
    rows = whyword("explain", model, *texts, "--explainer", explainer, "--json").json
    assert [row["text"] for row in rows] == texts
    assert all(len(row["words"]) == len(row["scores"]) for row in rows)
    assert whyword("explain", model, *texts, "--explainer", explainer).code == 0


def without_seconds(rows: list[dict]) -> list[dict]:
    return [{**row, "seconds": 0} for row in rows]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
@pytest.mark.parametrize("explainer", ["own", "occlusion"])
def test_an_output_file_holds_what_json_shows(whyword, model, data, ending, explainer):
    words = ("explain", model, data, "--explainer", explainer)
    shown = whyword(*words, "--json").json
    path = Path(f"out{ending}")
    done = whyword(*words, "-o", path)
    assert (done.code, done.out, done.err) == (0, "", f"Wrote 40 explanations to {path}.\n")
    if ending == ".parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
        maps = ("probabilities", "all_scores")
        rows = [{**row, **{name: dict(row[name]) for name in maps if name in row}} for row in rows]
    else:
        text = gzip.decompress(path.read_bytes()) if ending.endswith("gz") else path.read_bytes()
        rows = [json.loads(line) for line in text.splitlines()]
    assert without_seconds(rows) == without_seconds(shown)


def test_what_was_written_can_be_read_again(whyword, model, data):
    pytest.importorskip("pyarrow")
    whyword("explain", model, data, "-o", "out.parquet")
    whyword("explain", model, data, "-o", "out.jsonl")
    first, second = (whyword("explain", model, path, "--json").json for path in ("out.parquet", "out.jsonl"))
    assert without_seconds(first) == without_seconds(second)


def test_pairs_are_written_with_both_texts(whyword, pair_model):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    Path("pairs.csv").write_text("text,text_pair\nIs it good?,It is superb.\n", encoding="utf-8")
    whyword("explain", pair_model, "pairs.csv", "-o", "out.parquet")
    (row,) = pyarrow.read_table("out.parquet").to_pylist()
    assert row["text_pair"] == "It is superb."
    assert row["segments"] == [0] * 4 + [1] * 4


def test_a_page_has_every_text(whyword, model, data):
    assert whyword("explain", model, data, "-o", "out.html", "--quiet").code == 0
    page = Path("out.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count('<div class="whyword"') == 40
    assert page.endswith("</html>\n")


def test_a_picture_has_one_text(whyword, refused, model):
    assert whyword("explain", model, TEXT, "-o", "out.svg").err == "Wrote 1 explanation to out.svg.\n"
    assert ElementTree.parse("out.svg").getroot().tag.endswith("svg")
    assert "one picture, but several texts came" in refused("explain", model, TEXT, TEXT, "-o", "two.svg")
    assert not list(Path().glob("two.svg*"))


KILLED = """
import os, signal, sys
from whyword.cli import app, progress
from whyword.explaining import stream as explaining

name = sys.argv.pop()

def killed(self, event):
    if event.texts == 11:
        os.kill(os.getpid(), signal.Signals[name])

explaining.CHUNK_PASSES = 3

progress.TextProgress.__call__ = killed
app.main()
"""


def killed(signal: str, *words: object) -> subprocess.CompletedProcess:
    """Run the command line in a process that gets a signal after two chunks."""
    command = [sys.executable, "-c", KILLED, *map(str, words), signal]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def interrupted(self, event):
    """Show sentences, and stop the run when its first chunk is written."""
    if isinstance(event, str):
        print(event, file=sys.stderr)
    elif self.before is None:
        self.before = event.texts
    else:
        raise KeyboardInterrupt


def without_times(path: Path) -> bytes:
    return re.sub(rb'"seconds": [^,]+', b"", path.read_bytes())


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of three texts after the first eight."""
    monkeypatch.setattr(explaining, "CHUNK_PASSES", 3)


def test_a_killed_run_resumes_and_ends_in_the_same_bytes(whyword, model, data, small_chunks):
    words = ("explain", model, data, "--explainer", "random", "--seed", 3, "--top", 4, "-o")
    assert killed("SIGKILL", *words, "out.jsonl").returncode == -9
    assert not Path("out.jsonl").exists()
    with Path("out.jsonl.part").open("a", encoding="utf-8") as part:
        part.write('{"text": "torn')
    done = whyword(*words, "out.jsonl")
    assert (done.code, done.out) == (0, "")
    assert done.err == "Resuming after the 11 texts in out.jsonl.part.\nWrote 40 explanations to out.jsonl.\n"
    whyword(*words, "whole.jsonl")
    assert without_times(Path("out.jsonl")) == without_times(Path("whole.jsonl"))
    assert sorted(path.name for path in Path().glob("out*")) == ["out.jsonl"]


def test_ctrl_c_says_how_to_resume(whyword, model, data):
    done = killed("SIGINT", "explain", model, data, "-o", "out.jsonl")
    kept = "What was done before, 11 texts, is in out.jsonl.part; the same command resumes from there."
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"whyword: Interrupted. {kept}\n")


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ".html"])
def test_an_interrupted_file_of_any_kind_resumes(whyword, model, data, monkeypatch, small_chunks, ending):
    Path(f"out{ending}").write_text("older", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(progress.TextProgress, "__call__", interrupted)
        done = whyword("explain", model, data, "-o", f"out{ending}")
    assert (done.code, done.out) == (130, "")
    assert "What was done before, 8 texts, is in" in done.err
    assert Path(f"out{ending}").read_text(encoding="utf-8") == "older"
    asked = []
    monkeypatch.setattr(explaining, "explain_in_windows", spy(explaining.explain_in_windows, asked))
    done = whyword("explain", model, data, "-o", f"out{ending}")
    assert done.err.startswith(f"Resuming after the 8 texts in out{ending}.part.\n")
    assert asked == [3] * 10 + [2], "the chunks are those of a run that was not interrupted"
    whyword("explain", model, data, "-o", f"whole{ending}")
    assert content(Path(f"out{ending}")) == content(Path(f"whole{ending}"))


def spy(explain, asked):
    def explain_and_count(explainer, classifier, documents, target):
        asked.append(len(documents))
        return explain(explainer, classifier, documents, target)

    return explain_and_count


def content(path: Path) -> object:
    if path.suffix == ".parquet":
        return without_seconds(pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist())
    if path.suffix == ".gz":
        return without_seconds([json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()])
    return without_times(path)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--top", "2"], "top"),
        (["--explainer", "occlusion"], "explainer, settings"),
        (["--explainer", "occlusion", "--target", "positive"], "explainer, settings, target"),
        (["--explainer", "random", "--seed", "1"], "explainer, settings"),
    ],
)
def test_another_command_starts_anew(whyword, model, data, monkeypatch, words, names):
    with monkeypatch.context() as patch:
        patch.setattr(progress.TextProgress, "__call__", interrupted)
        assert whyword("explain", model, data, "-o", "out.jsonl").code == 130
    done = whyword("explain", model, data, "-o", "out.jsonl", *words)
    assert done.err.startswith(f"Starting anew, as out.jsonl.part was written with other settings ({names}).\n")
    assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 40


def test_other_texts_and_another_model_start_anew(whyword, model, base_model, data, monkeypatch, small_chunks):
    def start(*words):
        with monkeypatch.context() as patch:
            patch.setattr(progress.TextProgress, "__call__", interrupted)
            return whyword("explain", *words, "--explainer", "random", "-o", "out.jsonl").err.splitlines()[0]

    start(model, data)
    assert start(model, data) == "Resuming after the 8 texts in out.jsonl.part."
    assert "(model)" in start(base_model, data)
    data.write_text(data.read_text(encoding="utf-8") + '"one more",positive\n', encoding="utf-8")
    assert "(texts)" in start(base_model, data)
    assert "(texts)" in start(base_model, data, "--text", "label")


def test_quiet_resumes_without_a_word(whyword, model, data, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(progress.TextProgress, "__call__", interrupted)
        whyword("explain", model, data, "-o", "out.jsonl")
    assert whyword("explain", model, data, "-o", "out.jsonl", "--quiet").err == ""


def test_a_cached_run_asks_the_model_nothing(whyword, model, data, monkeypatch):
    words = ("explain", model, data, "--explainer", "occlusion", "--cache", "kept")
    first = whyword(*words, "--json").json
    monkeypatch.setattr(FittedClassifier, "probabilities_of_many", None)
    assert whyword(*words, "--json").json == first
    assert whyword(*words, "-o", "out.jsonl").code == 0
    assert [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()] == first
    monkeypatch.setenv("WHYWORD_CACHE", "kept")
    assert whyword(*words[:-2], "--json").json == first


def test_a_cache_that_cannot_be_used_is_refused(refused, model):
    Path("file").touch()
    assert "The cache file/explanations.sqlite cannot be used" in refused("explain", model, TEXT, "--cache", "file")
    Path("kept").mkdir()
    Path("kept/explanations.sqlite").write_text("no data base" * 100, encoding="utf-8")
    assert "delete the file, or name another folder" in refused("explain", model, TEXT, "--cache", "kept")


def test_settings_reach_the_explainer(whyword, model):
    words = ("explain", model, TEXT, "--json", "--explainer", "integrated-gradients")
    few, many = (whyword(*words, "--set", f"steps={steps}").json[0] for steps in (3, 30))
    assert (few["forward_passes"], many["forward_passes"]) == (5, 32)
    assert few["convergence_error"] != many["convergence_error"]


def test_a_bad_row_is_said_before_anything_is_written(whyword, model):
    Path("t.jsonl").write_text('{"text": "good"}\n' * 20 + '{"txt": "bad"}\n', encoding="utf-8")
    done = whyword("explain", model, "t.jsonl", "-o", "out.jsonl")
    assert done.code == 2
    assert "t.jsonl, line 21" in done.err
    assert not list(Path().glob("out*"))
    assert whyword("explain", model, "t.jsonl", "-o", "out.jsonl", "--on-bad-row", "skip").code == 0
    assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 20


def test_own_scores_of_a_model_that_has_none_are_refused(refused, base_model):
    message = refused("explain", base_model, TEXT, "--explainer", "own", "-o", "out.jsonl")
    assert "occlusion" in message
    assert not list(Path().glob("out*"))


def test_samples_and_budget_have_options_of_their_own(whyword, model):
    words = ("explain", model, TEXT, "--json", "--explainer", "lime")
    (row,) = whyword(*words, "--samples", "40", "--set", "removal=unknown").json
    assert row["forward_passes"] == 40
    assert row["scores"] != whyword(*words, "--samples", "40").json[0]["scores"]
    assert whyword(*words, "--samples", "auto").json[0]["converged"] is not None
    assert whyword(*words, "--samples", "5000", "--budget", "1e-6").json[0]["forward_passes"] < 5000


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--explainer", "oclusion"], "Did you mean 'occlusion'?"),
        (["--target", "postive"], "Did you mean 'positive'?"),
        (["--top", "0"], "'--top'"),
        (["-o", "out.txt"], "must end in .jsonl, .jsonl.gz, .parquet, .html or .svg"),
        (["--seed", "-1"], "'--seed'"),
        (["--set", "steps"], "--set steps: write name=value"),
        (["--set", "steps=5"], "The explainer own has no settings: leave steps out."),
        (["--samples", "5"], "The explainer own has no settings: leave samples out."),
        (["--explainer", "integrated-gradients", "--budget", "2"], "No 'budget' in the settings of explainer integr"),
        (["--explainer", "lime", "--samples", "many"], "lime.samples is 'many': give a whole number or auto."),
        (["--explainer", "lime", "--budget", "-1"], "lime.budget is -1.0: give a number above 0."),
        (["--explainer", "lime", "--set", "confidence=2"], "confidence is 2.0: give a number between 0 and 1."),
        (["--explainer", "lime", "--set", "removal=maks"], "Did you mean 'mask'?"),
        (["--explainer", "integrated-gradients", "--set", "stps=5"], "Did you mean 'steps'?"),
        (["--explainer", "integrated-gradients", "--set", "steps=many"], "steps is 'many': give a whole number."),
        (["--explainer", "integrated-gradients", "--set", "steps=0"], "steps is 0: give a number above 0."),
        (["--device", "cpuu"], "No 'cpuu' in the choices of --device"),
    ],
)
def test_a_bad_option_is_refused_by_name(refused, model, words, complaint):
    assert complaint in refused("explain", model, TEXT, *words)


def test_scores_do_not_depend_on_the_other_texts(whyword, model, data):
    together = whyword("explain", model, data, "--json").json
    for row in together[::13]:
        (alone,) = whyword("explain", model, row["text"], "--json").json
        np.testing.assert_allclose(alone["scores"], row["scores"], atol=1e-6)


def test_check_tolerance_and_interactions_are_those_of_python(whyword, model):
    words = ("explain", model, TEXT, "--explainer", "shapley", "--json")
    for option, settings in (
        (("--check",), {"check": True}),
        (("--tolerance", "0.02"), {"tolerance": 0.02}),
        (("--interactions",), {"interactions": True}),
    ):
        (shown,) = whyword(*words, *option).json
        wanted = load(model).explain([TEXT], "shapley", **settings)[0].to_dict()
        assert {**shown, "seconds": 0} == {**wanted, "seconds": 0}


def test_what_cannot_be_checked_is_refused_in_a_sentence(refused, model):
    assert "do not add up" in refused("explain", model, TEXT, "--explainer", "occlusion", "--check")
    assert "tolerance is 0.0" in refused("explain", model, TEXT, "--explainer", "shapley", "--tolerance", "0")
    words = ("--check", "--target", "negative", "--against", "positive")
    assert "contrast" in refused("explain", model, TEXT, "--explainer", "shapley", *words)
