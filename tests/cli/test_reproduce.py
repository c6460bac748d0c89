import pytest

from whyword.grids.runner import EvaluationJob

FEW = "planted:train=30,dev=10,test=10"
SMOKE = ("reproduce", "evarm", "--scale", "smoke", "--workers", 1)
ONE = (*SMOKE, "--seeds", 1, "--datasets", FEW)
EXAMPLES = (*ONE, "--part", "words of the gates")  # three models, and an evaluation to each


def state(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / "records").glob("[!.]*.json")}


def test_one_table_is_made_told_and_written(whyword, tmp_path):
    done = whyword(*EXAMPLES, "--table", 3)
    assert done.code == 0
    assert done.out.splitlines()[0] == "Ge et al. (COLING 2022): E-VarM, enhanced variational word masks"
    assert "Words of the gates. The words of the highest gates" in done.out
    assert "LSTM-VMASK" in done.out
    assert "Table 2" not in done.out
    assert "(9 of 9)" in done.err
    assert "look at reproduction/evarm/reproduction.md" in done.err
    folder = tmp_path / "reproduction" / "evarm"
    assert {path.name for path in folder.iterdir()} == {"records", "models", "reproduction.json", "reproduction.md"}
    assert "whyword reproduce evarm --scale smoke" in (folder / "reproduction.md").read_text()


def test_a_figure_is_drawn_and_json_is_one_strict_line(whyword, tmp_path):
    done = whyword(*ONE, "--figure", 2, "--json", "-q", "-o", "out")
    assert done.code == 0
    (values,) = done.json
    assert "NaN" not in done.out
    assert values["output"] == "out"
    assert [table["name"] for table in values["tables"]] == ["figure 2"]
    assert {number["column"] for number in values["tables"][0]["numbers"]} == set("123456789")
    assert len(list((tmp_path / "out").glob("figure-2-*.png"))) == 1


def test_the_same_command_runs_nothing_again_and_only_what_was_deleted(whyword, tmp_path):
    assert whyword(*EXAMPLES, "-o", "out").code == 0
    before = state(tmp_path / "out")
    assert len(before) == 6
    models = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "models").rglob("*")}
    written = (tmp_path / "out" / "reproduction.md").read_bytes()
    again = whyword(*EXAMPLES, "-o", "out")
    assert state(tmp_path / "out") == before
    assert "left" not in again.err
    (gone,) = (tmp_path / "out" / "records").glob("*VMASK-0-examples*")
    gone.unlink()
    resumed = whyword(*EXAMPLES, "-o", "out")
    assert "5 of 6 runs are recorded already." in resumed.err
    assert "(1 of 1)" in resumed.err
    after = state(tmp_path / "out")
    assert {name for name in after if after[name] != before[name]} == {gone.name}
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "models").rglob("*")} == models
    assert (tmp_path / "out" / "reproduction.md").read_bytes() == written


def test_your_own_file_is_a_data_set(whyword, data):
    done = whyword(*SMOKE, "--seeds", 1, "--datasets", data, "--part", "words of the gates")
    assert done.code == 0
    assert "\nreviews, gold " in done.out


@pytest.mark.parametrize(
    ("error", "code"),
    [(OSError("The disk is full."), 2), (ZeroDivisionError("of zero"), 1)],
    ids=["the user's", "a bug"],
)
def test_a_run_that_fails_is_told_at_the_end_and_tried_again(whyword, tmp_path, monkeypatch, error, code):
    run = EvaluationJob.run

    def failing(job):
        if job.evaluation.name == "examples" and job.trained.variant.name == "LSTM-VMASK":
            raise error
        return run(job)

    with monkeypatch.context() as broken:
        broken.setattr(EvaluationJob, "run", failing)
        done = whyword(*EXAMPLES, "-o", "out")
    assert done.code == code
    assert "1 of 6 runs failed, and are tried again when the command is." in done.err
    assert str(error) in done.err
    assert ("This is a bug" in done.err) == (code == 1)
    assert "- LSTM-E-VarM" in done.out
    assert "- LSTM-VMASK" not in done.out
    fixed = whyword(*EXAMPLES, "-o", "out")
    assert fixed.code == 0
    assert "5 of 6 runs are recorded already." in fixed.err
    assert "- LSTM-VMASK" in fixed.out


def test_ctrl_c_keeps_what_is_done(whyword, tmp_path, monkeypatch):
    run = EvaluationJob.run

    def interrupted(job):
        if job.evaluation.name == "examples":
            raise KeyboardInterrupt
        return run(job)

    monkeypatch.setattr(EvaluationJob, "run", interrupted)
    done = whyword(*EXAMPLES, "--table", 3, "-o", "out")
    assert done.code == 130
    assert "What was done is recorded in out/records; the same command resumes." in done.err
    before = state(tmp_path / "out")
    accuracy, explained = sorted(before)
    assert "-accuracy-" in accuracy
    assert "-explained-" in explained
    monkeypatch.setattr(EvaluationJob, "run", lambda _: pytest.fail("run"))
    shown = whyword(*EXAMPLES, "--table", 3, "-o", "out", "--finished")
    assert shown.code == 0
    assert "2 of 9 runs are recorded already." in shown.err
    assert "runs still missing: 7." in shown.out
    assert shown.out.count("Nothing is there yet.") == 1
    assert state(tmp_path / "out") == before
    assert "\nwhyword reproduce evarm --scale smoke" in (tmp_path / "out" / "reproduction.md").read_text()
    assert "--finished" not in (tmp_path / "out" / "reproduction.md").read_text()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["evram"], "No 'evram' in the papers: choose from evarm,"),
        (["evarm", "--scale", "smal"], "Did you mean 'small'?"),
        (["evarm", "--scale", "smoke", "--table", "9"], "No 'table 9' in the tables and figures of evarm"),
        (["evarm", "--scale", "smoke", "--encoders", "LST"], "Did you mean 'LSTM'?"),
        (["vat", "--scale", "full", "--datasets", FEW, "--table", "2"], "name their file with --embeddings"),
        (["vat", "--scale", "smoke", "--datasets", "reviews.csv", "--table", "5"], "nothing of table 5 to make"),
        (["evarm", "--datasets", "nowhere"], "There is no file or folder 'nowhere'"),
        (["evarm", "--scale", "smoke", "-o", "reviews.csv/out"], "as reviews.csv is a file"),
    ],
)
def test_mistakes_are_refused_in_a_sentence(refused, data, words, hint):
    assert hint in refused("reproduce", *words)
