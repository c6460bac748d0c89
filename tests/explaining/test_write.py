"""Writing explanations and predictions from Python: any model, any texts, to a file or a folder of parts."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from whyword import TextClassifier, explain, load, write_explanations, write_predictions
from whyword.data.planted import planted
from whyword.data.rows import Columns
from whyword.explainers.lime import Lime
from whyword.explaining import stream
from whyword.explaining.parts import Progress
from whyword.interfaces.errors import DataError, OptionError


@pytest.fixture(scope="module")
def documents():
    return planted("easy,train=40,dev=0,test=0").train


@pytest.fixture(scope="module")
def texts(documents) -> list[str]:
    return [document.words.texts[0] for document in documents]


@pytest.fixture(scope="module")
def fitted(texts, documents) -> TextClassifier:
    labels = [document.label for document in documents]
    return TextClassifier("attention", "bag", epochs=3, learning_rate=0.05, contributions=False).fit(texts, labels)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, fitted) -> Path:
    folder = tmp_path_factory.mktemp("models") / "attention"
    fitted.save(folder)
    return folder


@pytest.fixture
def file(tmp_path, texts) -> Path:
    path = tmp_path / "reviews.jsonl"
    path.write_text("".join(json.dumps({"review": text}) + "\n" for text in texts), encoding="utf-8")
    return path


COLUMNS = Columns(text="review")


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def without_seconds(path: Path) -> bytes:
    return re.sub(rb'"seconds": [^,]+', b"", path.read_bytes())


def test_the_example_of_the_docs_runs(folder, texts, tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "files.md"
    (code,) = (
        c for c in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL) if "write_" in c
    )
    monkeypatch.chdir(tmp_path)
    Path("model").symlink_to(folder)
    Path("reviews.csv").write_text("text\n" + "".join(f'"{text}"\n' for text in texts), encoding="utf-8")
    exec(code, {"clf": load(folder), "texts": texts[:3]})
    assert [len(rows(Path(name))) for name in ("reasons.jsonl", "lime.jsonl")] == [40, 3]
    assert Path("reasons.html").read_text(encoding="utf-8").count('<div class="whyword"') == 3
    assert sorted(path.name for path in Path("labels").iterdir()) == ["part-00000.jsonl", "whyword.json"]


class Stopping:
    """Interrupts a run once that number of texts is written; keeps what it was told."""

    def __init__(self, after: int | None = None) -> None:
        self.after = after
        self.events: list[Progress | str] = []

    def __call__(self, event: Progress | str) -> None:
        self.events.append(event)
        if isinstance(event, Progress) and event.texts == self.after:
            raise KeyboardInterrupt


def test_a_folder_a_trained_model_and_a_classifier_write_the_same_rows(folder, fitted, file, texts, tmp_path):
    wanted = [explanation.to_dict() | {"seconds": 0} for explanation in fitted.explain(texts)]
    for model in (folder, str(folder), fitted, fitted.model_, load(folder)):
        assert write_explanations(model, texts, tmp_path / "out.jsonl") == 40
        assert [row | {"seconds": 0} for row in rows(tmp_path / "out.jsonl")] == wanted
    assert write_explanations(folder, file, tmp_path / "file.jsonl", columns={"text": "review"}) == 40
    assert [row | {"seconds": 0} for row in rows(tmp_path / "file.jsonl")] == wanted


def test_explainer_target_and_top_are_those_of_explain(fitted, texts, tmp_path):
    write_explanations(fitted, texts[:3], tmp_path / "out.jsonl", explainer="occlusion", target="negative", top=2)
    wanted = [e.to_dict(2) for e in fitted.explain(texts[:3], explainer="occlusion", target="negative")]
    assert [row | {"seconds": 0} for row in rows(tmp_path / "out.jsonl")] == [row | {"seconds": 0} for row in wanted]
    write_explanations(fitted, texts[:2], tmp_path / "lime.jsonl", explainer=Lime(samples=20))
    assert [row["forward_passes"] for row in rows(tmp_path / "lime.jsonl")] == [20, 20]


def test_progress_counts_the_texts_and_an_interrupted_run_resumes(fitted, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "CHUNK_PASSES", 16)
    output = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt) as caught:
        write_explanations(fitted, texts, output, on_progress=Stopping(24))
    assert caught.value.__notes__ == [
        f"What was done before, 24 texts, is in {output}.part; the same command resumes from there."
    ]
    watch = Stopping()
    assert write_explanations(fitted, texts, output, on_progress=watch) == 40
    assert watch.events == [f"Resuming after the 24 texts in {output}.part.", Progress(24, 40), Progress(40, 40)]
    write_explanations(fitted, texts, tmp_path / "whole.jsonl")
    assert without_seconds(output) == without_seconds(tmp_path / "whole.jsonl")


def test_an_iterator_starts_anew_and_has_no_known_length(fitted, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "PREDICTED_CHUNK", 16)
    with pytest.raises(KeyboardInterrupt):
        write_predictions(fitted, iter(texts), tmp_path / "out.csv", on_progress=Stopping(16))
    watch = Stopping()
    assert write_predictions(fitted, iter(texts), tmp_path / "out.csv", on_progress=watch) == 40
    assert "Starting anew" in watch.events[0]
    assert "(texts that can be read only once)" in watch.events[0]
    assert watch.events[1:] == [Progress(count, None) for count in (0, 16, 32, 40)]


def test_rows_of_an_older_format_are_not_mixed_with_new_ones(fitted, texts, tmp_path):
    output = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        write_explanations(fitted, texts, output, on_progress=Stopping(8))
    log = Path(f"{output}.part.log")
    head, _, rest = log.read_text(encoding="utf-8").partition("\n")
    settings = json.loads(head)
    del settings["row_format"]  # as runs of older versions have none
    log.write_text(json.dumps(settings) + "\n" + rest, encoding="utf-8")
    watch = Stopping()
    assert write_explanations(fitted, texts, output, on_progress=watch) == 40
    assert watch.events[0] == f"Starting anew, as {output}.part was written with other settings (row_format)."


def test_a_target_that_does_not_exist_leaves_an_earlier_run_alone(fitted, texts, tmp_path):
    output = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        write_explanations(fitted, texts, output, on_progress=Stopping(8))
    before = Path(f"{output}.part").read_bytes()
    with pytest.raises(OptionError, match="Did you mean 'positive'"):
        write_explanations(fitted, texts, output, target="postive")
    assert Path(f"{output}.part").read_bytes() == before


def lengths(strings):
    """A model that is not ours: long texts are probably of the second class."""
    second = np.array([min(len(string), 200) / 200 for string in strings])
    return np.stack([1 - second, second], axis=1)


def test_any_model_can_be_written_to_a_file(texts, tmp_path):
    assert write_explanations(lengths, texts[:3], tmp_path / "out.jsonl", classes=["short", "long"]) == 3
    wanted = explain(lengths, texts[:3], classes=["short", "long"])
    assert [row["scores"] for row in rows(tmp_path / "out.jsonl")] == [e.scores.tolist() for e in wanted]
    assert write_predictions(lengths, iter(texts[:3]), tmp_path / "labels.jsonl") == 3
    assert {row["label"] for row in rows(tmp_path / "labels.jsonl")} <= {0, 1}


def test_any_model_resumes_only_under_its_fingerprint(texts, tmp_path):
    output = tmp_path / "out.jsonl"
    for name, sentence in ((None, "(a model without a fingerprint)"), ("v1", "Resuming after the 8 texts")):
        with pytest.raises(KeyboardInterrupt):
            write_explanations(lengths, texts, output, fingerprint=name, on_progress=Stopping(8))
        watch = Stopping()
        write_explanations(lengths, texts, output, fingerprint=name, on_progress=watch)
        assert sentence in watch.events[0]
    with pytest.raises(OptionError, match="A cache cannot see when a model that is not whyword's changes"):
        write_explanations(lengths, texts, output, cache=tmp_path / "cache")


def test_a_folder_of_parts_is_the_same_whoever_writes_it(folder, fitted, file, tmp_path):
    threads = torch.get_num_threads()
    for name, model, workers in (("alone", fitted, 1), ("saved", folder, 2), ("unsaved", fitted, 2)):
        watch = Stopping()
        settings = {"columns": COLUMNS, "part_size": 16, "workers": workers, "on_progress": watch}
        assert write_predictions(model, file, tmp_path / name, **settings) == 40
        assert watch.events[-1] == Progress(40, 40)
        parts = sorted((tmp_path / name).iterdir())
        assert [part.name for part in parts[:-1]] == ["part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl"]
        assert [p.read_bytes() for p in parts] == [p.read_bytes() for p in sorted((tmp_path / "alone").iterdir())]
    assert torch.get_num_threads() == threads


def test_a_model_that_is_not_ours_writes_parts_alone_and_under_a_name(file, tmp_path):
    with pytest.raises(OptionError, match="A folder of parts cannot see when"):
        write_predictions(lengths, file, tmp_path / "out", columns=COLUMNS)
    assert write_predictions(lengths, file, tmp_path / "out", columns=COLUMNS, fingerprint="v1", part_size=16) == 40
    with pytest.raises(OptionError, match="cannot be opened by several workers"):
        write_predictions(lengths, file, tmp_path / "two", columns=COLUMNS, fingerprint="v1", part_size=16, workers=2)
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"texts": "missing.csv"}, "There is no file or folder 'missing.csv'"),
        ({"texts": []}, "The input holds no texts"),
        ({"output": "out.csv"}, r"must end in \.jsonl, \.jsonl\.gz, \.parquet, \.html or \.svg"),
        ({"output": "out"}, "out is a folder: read a file or a folder, or write to a file"),
        ({"output": "out.svg"}, "holds one picture, but several texts came"),
        ({"workers": 0}, "workers is 0: give 1 or more"),
        ({"part_size": 0}, "part_size is 0: give 1 or more"),
        ({"top": 0}, "top is 0: give 1 or more"),
        ({"workers": 2}, "Workers and engines share out the parts of a folder"),
        ({"engine": "rai"}, "Did you mean 'ray'"),
        ({"format": "csv"}, "choose from jsonl, parquet"),
        ({"model": 3}, "int is no model"),
    ],
)
def test_what_does_not_go_together_is_refused(fitted, tmp_path, monkeypatch, change, complaint):
    monkeypatch.chdir(tmp_path)
    arguments = {"model": fitted, "texts": ["a text", "another"], "output": "out.jsonl"} | change
    with pytest.raises((DataError, OptionError), match=complaint):
        write_explanations(**arguments)
    assert not list(tmp_path.iterdir())
