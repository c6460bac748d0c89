import gzip
import json
import shutil
import signal
from pathlib import Path

import pytest

from reference.contributions import QUICK
from whyword import load
from whyword.cli.progress import TrainingProgress
from whyword.models.auto import BUDGET
from whyword.models.config import AUTO, RunConfig

CHOICE = ("--no-contributions", "--method", "attention", "--encoder", "bag")
SMALL = (*CHOICE, "--epochs", "2", "--threads", "1", "--device", "cpu")


def convert(path: Path, ending: str) -> Path:
    """Write a CSV file of ours as another kind."""
    rows = [line.rsplit(",", 1) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    records = [{"text": text.strip('"'), "label": label} for text, label in rows]
    to = path.with_name(f"converted{ending}")
    if ending == ".jsonl.gz":
        to.write_bytes(gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode()))
    elif ending == ".jsonl":
        to.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    elif ending == ".tsv":
        to.write_text("text\tlabel\n" + "".join("\t".join(r.values()) + "\n" for r in records), encoding="utf-8")
    elif ending == ".parquet":
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(records), to)
    elif ending == "":  # a folder of splits
        to.mkdir()
        (to / "train.csv").write_bytes(path.read_bytes())
        (to / "dev.csv").write_bytes(path.read_bytes())
    return to


def test_a_csv_becomes_a_model_folder_and_the_next_step_is_named(whyword, data):
    done = whyword("train", data, "-o", "model", *SMALL)
    assert done.code == 0
    assert "dev accuracy" in done.out
    assert 'whyword explain model "a text of yours"' in done.out
    assert "were held out" in done.err
    assert "epoch  2" in done.err
    assert load("model").predict(["It was superb."])[0] in ("negative", "positive")
    assert {path.name for path in Path("model").iterdir()} == {
        *(
            "README.md",
            "config.json",
            "manifest.json",
            "metrics.json",
            "model.safetensors",
            "tokenizer.json",
            "training.jsonl",
        )
    }


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".jsonl.gz", ".parquet"])
def test_the_same_rows_give_the_same_model_whatever_the_format(whyword, data, ending):
    whyword("train", data, "-o", "one", *SMALL)
    assert whyword("train", convert(data, ending), "-o", "two", *SMALL).code == 0
    assert Path("one/model.safetensors").read_bytes() == Path("two/model.safetensors").read_bytes()


def test_a_folder_of_splits_a_name_and_planted_are_data_sets(whyword, data):
    folder = convert(data, "")
    assert whyword("train", folder, "-o", "a", *SMALL, "--json").json[0]["dev_texts"] == 40
    assert whyword("train", "converted", "-o", "b", *SMALL, "--data-dir", folder.parent, "--json").code == 0
    made = whyword("train", "planted:train=30,dev=10,test=10", "-o", "c", *SMALL, "--json").json[0]
    assert (made["train_texts"], made["dev_texts"], made["test_texts"]) == (30, 10, 10)


def test_json_is_all_there_is_on_standard_output(whyword, data):
    done = whyword("train", data, "-o", "model", *SMALL, "--json")
    (metrics,) = done.json
    assert metrics["model"] == "model"
    assert 0 <= metrics["dev_accuracy"] <= 1
    assert "epoch  1" in done.err


def test_quiet_is_silent(whyword, data):
    done = whyword("train", data, "-o", "model", *SMALL, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_options_win_over_set_and_set_wins_over_the_file(whyword, data):
    Path("run.toml").write_text(
        'method = "attention"\nseed = 5\ncontributions = false\n[encoder]\nname = "bag"\n'
        "[training]\nepochs = 9\nbatch_size = 7\nclip = 2.0\n",
        encoding="utf-8",
    )
    words = ("--set", "training.batch_size=8", "--epochs", "1", "--seed", "3")
    assert whyword("train", data, "-o", "model", "--config", "run.toml", *words, "--threads", "1").code == 0
    config = json.loads(Path("model/config.json").read_text(encoding="utf-8"))
    training = config["training"]
    assert (training["epochs"], training["batch_size"], training["clip"], config["seed"]) == (1, 8, 2.0, 3)
    assert (config["method"]["name"], config["encoder"]["name"]) == ("attention", "bag")


def test_columns_of_other_names_are_options(whyword):
    Path("t.csv").write_text("body,kind\n" + "good,1\nbad,0\n" * 10, encoding="utf-8")
    assert whyword("train", "t.csv", "-o", "model", *SMALL, "--text", "body", "--label", "kind").code == 0
    assert load("model").classes_.tolist() == ["0", "1"]


def test_help_names_the_defaults(whyword):
    text = " ".join(whyword("train", "--help").out.split())
    assert f"Left out: {RunConfig.method}." in text
    assert f"Left out: {AUTO}." in text
    assert f"Left out: {BUDGET:g}." in text


class Interrupting(TrainingProgress):
    """Presses Ctrl-C at the first step of the second epoch."""

    def __call__(self, event):
        super().__call__(event)
        if not isinstance(event, str) and event.epoch == 1 and event.step == 1:
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_keeps_the_run_and_says_how_to_go_on(whyword, data, monkeypatch):
    words = ("train", data, "-o", "model", *CHOICE, "--epochs", "4", "--set", "training.batch_size=8", "--overwrite")
    whyword(*words)
    undisturbed = Path("model/model.safetensors").read_bytes()
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", Interrupting)
    done = whyword(*words)
    assert (done.code, done.out) == (130, "")
    assert Path("model/model.safetensors").read_bytes() == undisturbed  # the older model stands
    command = done.err.rpartition("resume it with  ")[2].strip()
    assert command == f"whyword {' '.join(map(str, words))} --resume"
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", TrainingProgress)
    Path("model/model.safetensors").unlink()
    done = whyword(*words, "--resume")
    assert "Resumed after 1 epochs" in done.err
    assert Path("model/model.safetensors").read_bytes() == undisturbed


def test_ctrl_c_before_the_first_checkpoint_says_that_nothing_is_saved(whyword, data, monkeypatch):
    class AtOnce(TrainingProgress):
        def __call__(self, event):
            raise KeyboardInterrupt

    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", AtOnce)
    done = whyword("train", data, "-o", "model", *SMALL)
    assert done.code == 130
    assert done.err == "whyword: Interrupted. The first epoch was not done, so nothing is saved.\n"


def test_a_setting_can_be_chosen_on_dev(whyword, data):
    done = whyword("train", data, "-o", "model", *SMALL, "--choose", "training.learning_rate=0.000001,0.05", "--json")
    assert done.code == 0
    choice = done.json[0]["choice"]
    assert choice["setting"] == "training.learning_rate"
    assert done.json[0]["dev_accuracy"] == max(choice["dev_accuracy"].values())
    assert "training.learning_rate=0.05 reached" in done.err
    chosen = json.loads(Path("model/config.json").read_text())["training"]["learning_rate"]
    assert choice["dev_accuracy"][f"{chosen:g}" if chosen > 0.01 else "0.000001"] == done.json[0]["dev_accuracy"]


def test_a_choice_that_was_stopped_goes_on(whyword, refused, data, monkeypatch):
    choose = ("--choose", "method.dropout=0.1,0.2")
    words = ("train", data, "-o", "model", *SMALL, "--set", "training.batch_size=8", *choose)
    assert "no unfinished choice at model.choosing" in refused(*words, "--resume")
    assert whyword(*words).code == 0
    undisturbed = Path("model/model.safetensors").read_bytes()
    shutil.rmtree("model")

    class InTheSecond(TrainingProgress):
        def __call__(self, event):
            super().__call__(event)
            if not isinstance(event, str) and Path("model.choosing/0").exists():
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", InTheSecond)
    done = whyword(*words)
    assert done.code == 130
    assert not Path("model").exists()
    command = done.err.rpartition("The run is saved in model.choosing; resume it with  ")[2].strip()
    assert command == f"whyword {' '.join(map(str, words))} --resume"
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", TrainingProgress)
    assert "at model.choosing had other values: give the same" in refused(*words[:-1], "method.dropout=0.1", "--resume")
    assert "had other settings: give the same" in refused(*words, "--seed", 1, "--resume")
    done = whyword(*words, "--resume", "--json")
    assert done.code == 0
    assert "epoch 1/" not in done.err.partition("method.dropout=0.1 reached")[0]
    assert set(done.json[0]["choice"]["dev_accuracy"]) == {"0.1", "0.2"}
    assert Path("model/model.safetensors").read_bytes() == undisturbed
    assert not Path("model.choosing").exists()


def test_a_choice_names_a_section(refused, data):
    assert "--choose dropout=0.1,0.2: write section.name=value" in refused(
        *("train", data, "-o", "model", "--choose", "dropout=0.1,0.2")
    )


BAD_FILES = {
    "empty.csv": (b"", "no rows"),
    "header.csv": (b"text,label\n", "no rows"),
    "one_class.csv": (b"text,label\ngood,1\nfine,1\n", "at least two classes"),
    "no_label.csv": (b"text,label\ngood,1\nbad,\n", "row 3 has no label"),
    "bytes.csv": ("text,label\né,1\nü,0\n".encode() + b"caf\xe9,1\n", "row 4: the byte 0xe9 is not UTF-8"),
    "no_words.csv": (b'text,label\n"  ",1\nbad,0\n', "row 2: the column 'text' holds no words"),
    "nan.jsonl": (b'{"text": "a", "label": NaN}\n{"text": "b", "label": "x"}\n', "line 1 has no label"),
    "half.jsonl": (b'{"text": "a", "lab', "line 1 is no JSON"),
    "wide.csv": (b"text,label\nwell, good,1\n", "row 2 has 3 fields"),
    "notes.txt": (b"good\n", "a kind that cannot be read"),
    "columns.csv": (b"a,b,c\ngood,fine,1\nbad,poor,0\n", "name it with --text and --label, among 'a', 'b', 'c'"),
    "false.parquet": (b"PAR0", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_by_name_and_place(refused, name):
    content, complaint = BAD_FILES[name]
    Path(name).write_bytes(content)
    message = refused("train", name, "-o", "model", *SMALL)
    assert name in message
    assert complaint in message
    assert not Path("model").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--method", "atention"], "No 'atention' in methods"),
        (["--method", "atention"], "Did you mean 'attention'?"),
        (["--encoder", "lstmm"], "Did you mean 'lstm'?"),
        (["--set", "training.epoch=3"], "Did you mean 'epochs'?"),
        (["--set", "method.dropouts=0.1"], "Did you mean 'dropout'?"),
        (["--set", "training.batch_size=many"], "training.batch_size is 'many': give a whole number."),
        (["--set", "training.warmup=2"], "training.warmup is 2.0"),
        (["--set", "training.optimizer=adm"], "Did you mean 'adam'?"),
        (["--set", "epochs=3"], "write section.name=value"),
        (["--set", "training.epochs"], "write section.name=value"),
        (["--config", "nope.toml"], "There is no file nope.toml"),
        (["--embeddings", "nope.txt"], "nope.txt"),
        (["--device", "gpu"], "No 'gpu' in the choices of --device"),
        (["--text", "body"], "no column 'body'"),
        (["--label", "kind"], "no column 'kind'"),
        (["--rationale", "why"], "no column 'why'"),
        (["--resume"], "no unfinished run"),
        (["--budget", "5"], "--budget is for --encoder auto"),
        (["--encoder", "auto", "--choose", "method.dropout=0,1"], "--encoder auto goes with no --choose"),
        (["--encoder", "auto", "--set", "encoder.hidden=5"], "no settings of an encoder"),
        (["--encoder", "auto", "--budget", "0"], "The budget is 0"),
        (["--log", "mlfow"], "Did you mean 'mlflow'?"),
    ],
)
def test_a_bad_option_is_refused_by_name(refused, data, words, complaint):
    given = dict(zip(SMALL[1::2], SMALL[2::2], strict=True))
    given.pop(words[0], None)
    rest = [word for pair in given.items() for word in pair]
    assert complaint in refused("train", data, "-o", "model", *rest, *words)


def test_a_missing_file_is_refused(refused):
    assert "nope.csv" in refused("train", "nope.csv", "-o", "model", *SMALL)


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        (b"seed = = 3", "bad.toml is not valid TOML"),
        (b"seed = '\xe9'", "bad.toml is not valid TOML"),
        (b"[training]\nepoch = 3", "Did you mean 'epochs'?"),
        (b"[trainin]\nepochs = 3", "Did you mean 'training'?"),
        (b"seed = -1", "seed is -1"),
    ],
)
def test_bad_toml_is_refused(refused, data, toml, complaint):
    Path("bad.toml").write_bytes(toml)
    assert complaint in refused("train", data, "-o", "model", "--config", "bad.toml")


@pytest.mark.parametrize(
    ("vectors", "complaint"),
    [(b"not a vector\n", "line 1"), (b"the 1 2\nof 1\n", "line 2"), (b"", "no vectors"), (b"zzz 1 2\n", "none of the")],
)
def test_bad_embeddings_are_refused(refused, data, vectors, complaint):
    Path("bad.vec").write_bytes(vectors)
    message = refused("train", data, "-o", "model", *SMALL, "--embeddings", "bad.vec")
    assert "bad.vec" in message
    assert complaint in message


@pytest.mark.parametrize("output", ["file", "file/model"])
def test_an_output_where_a_file_is_leaves_the_file_alone(refused, data, output):
    Path("file").write_text("mine", encoding="utf-8")
    assert "file" in refused("train", data, "-o", output, *SMALL)
    assert Path("file").read_text(encoding="utf-8") == "mine"


def test_an_output_folder_that_is_no_model_is_left_alone(refused, data):
    Path("photos").mkdir()
    Path("photos/cat.png").touch()
    assert "photos exists and is not a whyword model" in refused("train", data, "-o", "photos", *SMALL)
    assert Path("photos/cat.png").exists()


def test_a_run_is_not_resumed_with_other_settings(whyword, refused, data, monkeypatch):
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", Interrupting)
    words = ("train", data, "-o", "model", *CHOICE, "--quiet", "--set", "training.batch_size=8")
    assert whyword(*words, "--epochs", "4").code == 130
    assert "had other settings (training)" in refused(*words, "--epochs", "5", "--resume")


def test_a_device_that_is_not_there_is_refused(refused, data, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert "no cuda device" in refused("train", data, "-o", "model", "--device", "cuda")


QUICKLY = [word for name, value in QUICK.items() for word in ("--set", f"contributions.{name}={value}")]


def config_of(model):
    return json.loads((Path(model) / "config.json").read_text(encoding="utf-8"))


def test_contributions_are_learned_unless_they_are_left_out(whyword, data):
    plain = ("--encoder", "bag", "--epochs", "1", "--threads", "1", "--device", "cpu")
    done = whyword("train", data, "-o", "with", *plain, *QUICKLY, "--json")
    assert done.code == 0, done.err
    assert done.json[0]["contributions"]["explained"] <= 1
    assert config_of("with")["contributions"]["pairs"] == QUICK["pairs"]
    assert config_of("with")["method"]["name"] == "base"
    (explained,) = whyword("explain", "with", "It was superb.", "--json").json
    assert explained["explainer"] == "own"
    assert (
        "contributions" not in whyword("train", data, "-o", "without", *plain, "--no-contributions", "--json").json[0]
    )
    assert config_of("without")["contributions"] is None
    answers = [whyword("predict", model, "It was superb.", "--json").json[0] for model in ("with", "without")]
    assert answers[0] == answers[1]  # contributions leave the classifier as it is


def test_a_file_of_settings_may_leave_contributions_out_and_the_option_wins(whyword, data):
    Path("run.toml").write_text('contributions = false\nencoder = "bag"\n[training]\nepochs = 1\n', encoding="utf-8")
    words = ("train", data, "--config", "run.toml", "--threads", "1", "--quiet")
    assert whyword(*words, "-o", "without").code == 0
    assert config_of("without")["contributions"] is None
    Path("run.toml").write_text(
        'encoder = "bag"\n[training]\nepochs = 1\n'
        "[contributions]\npairs = 2\nsteps = 20\nepochs = 1\nleast_texts = 50\n",
        encoding="utf-8",
    )
    assert whyword(*words, "-o", "with", "--contributions").code == 0
    assert config_of("with")["contributions"]["steps"] == 20
    assert whyword(*words, "-o", "without", "--no-contributions", "--overwrite").code == 0
    assert config_of("without")["contributions"] is None


def test_an_interrupted_fit_of_contributions_is_resumed_to_the_same_model(whyword, data, monkeypatch):
    choice = ("--encoder", "bag", "--epochs", "1", "--threads", "1", "--overwrite")
    words = ("train", data, "-o", "model", *choice, *QUICKLY)
    assert whyword(*words, "--quiet").code == 0
    undisturbed = Path("model/model.safetensors").read_bytes()

    class InTheFit(TrainingProgress):
        """Presses Ctrl-C at the first step of the fit."""

        def __call__(self, event):
            super().__call__(event)
            if not isinstance(event, str) and event.phase == "contributions" and (event.epoch, event.step) == (0, 1):
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", InTheFit)
    assert whyword(*words).code == 130
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", TrainingProgress)
    Path("model/model.safetensors").unlink()
    assert whyword(*words, "--resume").code == 0
    assert Path("model/model.safetensors").read_bytes() == undisturbed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("--set", "contributions.pears=3"), "pairs"), (("--set", "contributions.pairs=0"), "pairs")],
)
def test_settings_of_contributions_that_cannot_be_are_refused(refused, data, words, complaint):
    assert complaint in refused("train", data, "-o", "model", *words)


def test_without_options_the_encoder_is_chosen_and_the_reason_is_said(whyword, data, monkeypatch):
    monkeypatch.setattr("whyword.models.auto.pretrained_at_hand", lambda: False)
    done = whyword("train", data, "-o", "model", "--epochs", "1", *QUICKLY, "--budget", "60", "--json")
    assert done.code == 0, done.err
    assert "Encoder auto: with " in done.err
    assert "Dev accuracy: tfidf " in done.err
    assert done.json[0]["auto"]["chosen"] == config_of("model")["encoder"]["name"]
    assert "auto" in Path("model/README.md").read_text(encoding="utf-8")


def test_settings_of_contributions_that_are_left_out_are_refused(refused, data):
    words = ("--no-contributions", "--set", "contributions.pairs=4")
    assert "leaves out what contributions" in refused("train", data, "-o", "model", *words)


def test_a_choice_of_encoder_that_was_stopped_resumes(whyword, data, monkeypatch):
    monkeypatch.setattr("whyword.models.auto.pretrained_at_hand", lambda: False)

    class InTheLstm(TrainingProgress):
        def __call__(self, event):
            super().__call__(event)
            if event == "Training lstm.":
                raise KeyboardInterrupt

    words = ("train", data, "-o", "model", "--epochs", "1", "--no-contributions", "--budget", "60")
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", InTheLstm)
    done = whyword(*words)
    assert done.code == 130
    assert "The run is saved in model.choosing; resume it with  whyword train" in done.err
    monkeypatch.setattr("whyword.cli.progress.TrainingProgress", TrainingProgress)
    assert whyword(*words, "--resume").code == 0
    assert not Path("model.choosing").exists()
