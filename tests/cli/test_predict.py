import csv
import gzip
import json
from pathlib import Path

import pytest

from whyword import load
from whyword.cli import progress
from whyword.explaining import stream
from whyword.interfaces.errors import MissingExtraError

TEXTS = ["I found the breakfast terrific.", "The plot was dreadful."]


def test_texts_get_a_line_each(whyword, model):
    done = whyword("predict", model, *TEXTS)
    labels = load(model).predict(TEXTS)
    probabilities = load(model).predict_proba(TEXTS).max(1)
    lines = [f"{label}\t{p:.3f}\t{text}" for label, p, text in zip(labels, probabilities, TEXTS, strict=True)]
    assert (done.code, done.out.splitlines(), done.err) == (0, lines, "")


def test_a_text_stays_on_its_line_and_steers_no_terminal(whyword, model):
    done = whyword("predict", model, "good\nor\tbad\x1b[31m")
    assert done.out.count("\n") == 1
    assert done.out.endswith("\tgood or bad\N{REPLACEMENT CHARACTER}[31m\n")


def test_texts_without_a_known_word_are_counted(whyword, model):
    assert "knows no word of this text" in whyword("predict", model, "qwzx").err
    assert "knows no word of 1 of these 2 texts" in whyword("predict", model, "qwzx", TEXTS[0]).err
    assert whyword("predict", model, "qwzx", "--quiet").err == ""


def test_json_has_all_probabilities(whyword, model):
    first, second = whyword("predict", model, *TEXTS, "--json").json
    assert first["text"] == TEXTS[0]
    assert set(first["probabilities"]) == {"negative", "positive"}
    assert first["probability"] == max(first["probabilities"].values()) == first["probabilities"][first["label"]]
    assert sum(second["probabilities"].values()) == pytest.approx(1)


def test_lines_of_standard_input_are_texts_or_json(whyword, model):
    stdin = f"{TEXTS[0]}\n{json.dumps({'text': TEXTS[1]})}\n".encode()
    assert whyword("predict", model, "-", stdin=stdin).out == whyword("predict", model, *TEXTS).out


def test_a_file_is_read_row_by_row(whyword, model, data):
    assert whyword("predict", model, data).out.count("\n") == 40


def test_a_long_text_is_no_file_name(whyword, model):
    assert whyword("predict", model, "good " * 2000).code == 0


def test_a_text_of_no_words_is_predicted_too(whyword, model):
    assert whyword("predict", model, "", "good").out.count("\n") == 2


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_an_output_file_holds_what_json_shows(whyword, model, data, ending):
    shown = whyword("predict", model, data, "--json").json
    path = Path(f"new/out{ending}")
    done = whyword("predict", model, data, "-o", path)
    assert (done.code, done.out, done.err) == (0, "", f"Wrote 40 predictions to {path}.\n")
    assert [other.name for other in path.parent.iterdir()] == [path.name]
    if ending == ".parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
        assert [{**row, "probabilities": dict(row["probabilities"])} for row in rows] == shown
    elif ending == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == ["text", "label", "probability", "probabilities.negative", "probabilities.positive"]
        assert [float(row["probabilities.negative"]) for row in rows] == [
            row["probabilities"]["negative"] for row in shown
        ]
    else:
        text = gzip.decompress(path.read_bytes()) if ending.endswith("gz") else path.read_bytes()
        assert [json.loads(line) for line in text.splitlines()] == shown


def test_json_beside_an_output_file_says_what_was_written(whyword, model, data):
    done = whyword("predict", model, data, "-o", "out.jsonl", "--json")
    assert done.json == [{"output": "out.jsonl", "texts": 40}]
    done = whyword("predict", model, data, "-o", "out.jsonl", "--quiet")
    assert (done.out, done.err) == ("", "")


def stops(self, event):
    """Stop a run when its first chunk is written."""
    if self.before is None:
        self.before = event.texts
    else:
        raise KeyboardInterrupt


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_an_interrupted_run_resumes_and_ends_in_the_same_bytes(whyword, model, data, monkeypatch, ending):
    monkeypatch.setattr(stream, "PREDICTED_CHUNK", 16)
    with monkeypatch.context() as patch:
        patch.setattr(progress.TextProgress, "__call__", stops)
        assert whyword("predict", model, data, "-o", f"out{ending}").code == 130
    done = whyword("predict", model, data, "-o", f"out{ending}")
    assert done.err == f"Resuming after the 16 texts in out{ending}.part.\nWrote 40 predictions to out{ending}.\n"
    whyword("predict", model, data, "-o", f"whole{ending}")
    assert Path(f"out{ending}").read_bytes() == Path(f"whole{ending}").read_bytes()


def test_a_run_on_standard_input_cannot_resume(whyword, model, monkeypatch):
    monkeypatch.setattr(stream, "PREDICTED_CHUNK", 1)
    stdin = "\n".join(TEXTS).encode()
    with monkeypatch.context() as patch:
        patch.setattr(progress.TextProgress, "__call__", stops)
        assert whyword("predict", model, "-", "-o", "out.jsonl", stdin=stdin).code == 130
    done = whyword("predict", model, "-", "-o", "out.jsonl", stdin=stdin)
    assert done.err.startswith(
        "Starting anew, as out.jsonl.part was written with other settings (texts that can be read only once).\n"
    )
    assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_pairs_are_read_from_two_columns(whyword, pair_model):
    Path("pairs.csv").write_text("text,other\nIs it good?,It is superb.\n", encoding="utf-8")
    (row,) = whyword("predict", pair_model, "pairs.csv", "--text-pair", "other", "--json").json
    assert (row["text"], row["text_pair"]) == ("Is it good?", "It is superb.")


def damaged(model: Path, without: str = "", **changes: object) -> Path:
    """Copy a model folder with other entries in its config.json."""
    folder = Path("damaged")
    folder.mkdir()
    for file in model.iterdir():
        if file.name != "manifest.json":  # as folders of older versions are
            (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text(encoding="utf-8")) | changes
    kept = {name: value for name, value in config.items() if name != without}
    (folder / "config.json").write_text(json.dumps(kept), encoding="utf-8")
    return folder


def test_a_missing_model_is_refused(refused):
    assert "There is no model folder nope" in refused("predict", "nope", "good")


def test_a_folder_that_is_no_model_is_refused(refused, tmp_path):
    assert "is not a whyword model" in refused("predict", tmp_path, "good")


def test_a_file_instead_of_a_model_is_refused(refused, data):
    assert str(data) in refused("predict", data, "good")


def test_a_model_of_a_newer_format_is_refused(refused, model):
    assert "newer format" in refused("predict", damaged(model, format=99), "good")


@pytest.mark.parametrize("entry", ["labels", "method", "architecture"])
def test_a_model_without_an_entry_is_refused(refused, model, entry):
    assert f"damaged (it has no {entry})" in refused("predict", damaged(model, without=entry), "good")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_truncated_model_is_refused(refused, model, name, share):
    file = damaged(model) / name
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    assert "damaged" in refused("predict", "damaged", "good")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_an_incomplete_model_is_refused(refused, model, name):
    (damaged(model) / name).unlink()
    assert name in refused("predict", "damaged", "good")


def test_inputs_that_cannot_be_read_are_refused(refused, model):
    Path("empty.csv").touch()
    Path("folder").mkdir()
    Path("latin.csv").write_bytes(b"text\ncaf\xe9\n")
    assert "There is no file nope.csv" in refused("predict", model, "nope.csv")
    assert "empty.csv holds no texts" in refused("predict", model, "empty.csv")
    assert "Standard input holds no texts" in refused("predict", model, "-")
    assert "folder is a folder" in refused("predict", model, "folder")
    Path("plain.csv").write_text("text,label\ngood,1\n")
    assert "--encoding utf-16: the file" in refused("predict", model, "plain.csv", "--encoding", "utf-16")
    assert "no column 'stars'" in refused("audit", model, "plain.csv", "--label", "stars")
    assert "names its classes itself" in refused("predict", model, "good", "--classes", "a,b")
    assert "latin.csv, row 2" in refused("predict", model, "latin.csv", "--encoding", "utf-8")
    assert "standard input, line 1" in refused("predict", model, "-", stdin=b"caf\xe9\n")
    assert "Text 2 on the command line is not UTF-8" in refused("predict", model, "a", "caf\udce9")


def test_outputs_that_cannot_be_written_are_refused(refused, model, data):
    Path("folder.jsonl").mkdir()
    Path("file").touch()
    assert "must end in .jsonl, .jsonl.gz, .csv or .parquet" in refused("predict", model, "good", "-o", "out.txt")
    assert "is a folder" in refused("predict", model, "good", "-o", "folder.jsonl")
    assert "file/out.jsonl cannot be written" in refused("predict", model, "good", "-o", "file/out.jsonl")
    before = data.read_bytes()
    assert "the file that is read" in refused("predict", model, data, "-o", data.parent / "." / data.name)
    assert data.read_bytes() == before


def test_parquet_without_its_extra_is_refused(refused, model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert str(MissingExtraError("Writing Parquet files", "parquet")) in refused(
        "predict", model, "good", "-o", "out.parquet"
    )
    assert not list(Path().glob("out*"))
