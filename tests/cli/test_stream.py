"""`whyword train --stream`: rows on disk give the model that rows in memory give."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import datasets
import pyarrow
import pyarrow.parquet
import pytest

import whyword as package
from whyword.data import dataset as data
from whyword.models import samples

ROWS = 400
FAST = ("--no-baseline", "--no-contributions", "--epochs", "1", "--device", "cpu", "-q")
BAG = ("--encoder", "bag", "--set", "encoder.dim=8", *FAST)


def rows(count: int = ROWS) -> Iterator[dict[str, Any]]:
    chance = Random(0)
    for number in range(count):
        good = number % 3 > 0
        word = chance.choice(["superb", "moving"] if good else ["dull", "dreadful"])
        yield {"text": f"the plot, {word} as ever, ends n{number}", "label": "good" if good else "bad"}


def write_csv(path: Path, listed: list[dict[str, Any]] | None = None) -> Path:
    lines = (f'"{row["text"]}",{row["label"]}\n' for row in (listed or rows()))
    path.write_text("text,label\n" + "".join(lines), encoding="utf-8")
    return path


def weights(folder: str | Path) -> bytes:
    return (Path(folder) / "model.safetensors").read_bytes() + (Path(folder) / "tokenizer.json").read_bytes()


def metrics(folder: str) -> Any:
    return json.loads((Path(folder) / "metrics.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "words",
    [
        ("--encoder", "lstm", "--method", "vmask", "--set", "encoder.dim=8", "--set", "encoder.hidden=8", *FAST),
        (*BAG, "--forbid", "words.txt", "--forbid-soft", "soft.txt"),
        ("--encoder", "tfidf", *FAST[:-2], "cpu", "-q"),
        (*BAG, "--method", "agn", "--weight", "label_weight", "--class-weight", "balanced"),
    ],
    ids=["vmask", "forbid", "tfidf", "agn"],
)
def test_the_model_is_that_of_rows_in_memory_to_the_bit(whyword, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "words.txt").write_text("superb\nplot\n", encoding="utf-8")
    (tmp_path / "soft.txt").write_text("moving\n", encoding="utf-8")
    listed = list(rows())
    if "--weight" in words:
        lines = (json.dumps({**row, "label_weight": 1 + n % 4}) for n, row in enumerate(listed))
        source = tmp_path / "rows.jsonl.gz"
        source.write_bytes(gzip.compress("\n".join(lines).encode()))
    else:
        source = write_csv(tmp_path / "rows.csv", listed)
    for how in ("--stream", "--no-stream"):
        done = whyword("train", source, "-o", f"m{how}", how, *words)
        assert done.code == 0, done.err
    assert weights("m--stream") == weights("m--no-stream")
    timed = ("seconds", "cpu_seconds")
    one, other = (
        {k: v for k, v in metrics(f"m{how}").items() if k not in timed} for how in ("--stream", "--no-stream")
    )
    assert one == other
    assert not list(tmp_path.glob("*.rows"))


def test_contributions_and_figures_are_those_of_rows_in_memory(whyword, tmp_path: Path) -> None:
    write_csv(tmp_path / "rows.csv")
    few = ("--set", "contributions.steps=2", "--set", "contributions.texts=60", "--set", "contributions.least_texts=60")
    for how in ("--stream", "--no-stream"):
        words = ("--encoder", "bag", "--set", "encoder.dim=8", "--epochs", "1", "--device", "cpu", "-q", *few)
        assert whyword("train", "rows.csv", "-o", f"m{how}", how, *words).code == 0
    assert weights("m--stream") == weights("m--no-stream")
    assert metrics("m--stream")["figures"] == metrics("m--no-stream")["figures"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> str:
    made = datasets.Dataset.from_list(list(rows()))
    streamed = datasets.IterableDatasetDict({"train": made.to_iterable_dataset()})
    monkeypatch.setattr(datasets, "load_dataset", lambda name, config, streaming: streamed)
    return "hub:owner/name"


def test_hub_and_folders_of_parquet_give_the_model_of_one_file(whyword, tmp_path: Path, hub: str) -> None:
    write_csv(tmp_path / "rows.csv")
    listed = list(rows())
    for name in ("train-{:05}-of-00003.parquet", "part-{:04}.parquet"):
        folder = tmp_path / name[:5]
        folder.mkdir()
        for number in range(3):
            table = pyarrow.Table.from_pylist(listed[number * 150 : (number + 1) * 150])
            pyarrow.parquet.write_table(table, folder / name.format(number), row_group_size=40)
    sources = {"rows.csv": "file", "part-": "folder", hub: "hub", "train": "named"}
    for source, place in sources.items():
        done = whyword("train", source, "-o", place, "--stream", *BAG)
        assert done.code == 0, done.err
    assert weights("file") == weights("folder")
    assert weights("hub") == weights("named")  # whose test split is not cut out of train
    assert whyword("train", "part-", "-o", "in-memory", "--no-stream", *BAG).code == 0
    assert weights("in-memory") == weights("file")


def test_large_files_are_streamed_and_small_ones_are_not(whyword, tmp_path: Path, monkeypatch) -> None:
    source = write_csv(tmp_path / "rows.csv")
    assert not data.is_large(source)
    monkeypatch.setattr(data, "LARGE", source.stat().st_size)
    assert data.is_large(source)
    monkeypatch.setattr("whyword.data.doctor.LOOKED_AT", 50)
    words = [word for word in BAG if word != "-q"]
    done = whyword("train", "rows.csv", "-o", "m", *words)
    assert "looked for in 50 rows of a split" in done.err
    assert "looked for" not in whyword("train", "rows.csv", "-o", "m2", "--no-stream", *words).err
    marked = (json.dumps({**row, "rationale": [[0, 3]]}) for row in rows(20))
    (tmp_path / "marked.jsonl").write_text("\n".join(marked), encoding="utf-8")
    monkeypatch.setattr(data, "LARGE", 1)
    assert not data.is_large(tmp_path / "marked.jsonl")
    assert not data.is_large("planted")


def test_check_counts_all_rows_and_looks_at_some(whyword, tmp_path: Path, monkeypatch) -> None:
    write_csv(tmp_path / "rows.csv", [*rows(), *({"text": "", "label": "bad"} for _ in range(30))])
    monkeypatch.setattr(data, "LARGE", 1)
    monkeypatch.setattr("whyword.data.doctor.LOOKED_AT", 50)
    found = package.check("rows.csv")
    (facts,) = found.splits
    assert (facts.rows, facts.bad_rows) == (400, 30)
    assert {each.label: each.rows for each in facts.classes} == {"good": 266, "bad": 134}
    assert found.findings[0].name == "missing-texts"
    assert found.findings[0].count == 30
    assert "looked for in 50 rows" in found.forms[-1]


def test_check_counts_the_labels_of_all_rows(whyword, tmp_path: Path, monkeypatch) -> None:
    few = [{"text": f"odd {number}", "label": "Good; bad"} for number in range(3)]
    write_csv(tmp_path / "rows.csv", [*({**row, "label": "good"} for row in rows()), *few])
    in_memory = package.check("rows.csv")
    monkeypatch.setattr(data, "LARGE", 1)
    monkeypatch.setattr("whyword.data.doctor.LOOKED_AT", 5)
    found = package.check("rows.csv")
    names = [finding.name for finding in found.findings]
    assert "one-class" not in names, "though the five texts that are looked at have the same"
    of_labels = {"rare-classes", "unequal-classes"}
    assert of_labels <= set(names)
    assert [each for each in found.findings if each.name in of_labels] == [
        each for each in in_memory.findings if each.name in of_labels
    ]


def test_bad_rows_are_listed(whyword, refused, tmp_path: Path) -> None:
    listed = [*rows(100), *({"text": "", "label": "bad"} for _ in range(30))]
    write_csv(tmp_path / "rows.csv", listed)
    for how in ("--stream", "--no-stream"):
        done = whyword("train", "rows.csv", "-o", "m", how, *BAG)
        assert done.code == 2
        assert done.err.startswith("whyword: 30 of 130 rows of rows.csv cannot be used")
        assert "row 102: the column 'text' holds no words" in done.err
        assert done.err.endswith("  and 10 more\n")
        assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
    assert whyword("train", "rows.csv", "-o", "m", "--stream", "--on-bad-row", "skip", *BAG).code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("planted",), "The embedded corpus is made in memory"),
        (("rows.csv", "--rationales", "rows.csv"), "--rationales takes all rows in memory"),
        (("rows.csv", "--label-separator", ";"), "may have several labels, which takes all rows in memory"),
    ],
)
def test_what_takes_all_rows_in_memory_says_so(refused, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    write_csv(tmp_path / "rows.csv")
    assert says in refused("train", *words, "-o", "m", "--stream", *BAG)


def test_tfidf_auto_and_the_baseline_learn_from_a_sample(whyword, tmp_path: Path, monkeypatch) -> None:
    write_csv(tmp_path / "rows.csv")
    monkeypatch.setattr(samples, "SAMPLE", 100)
    plain = ("--epochs", "1", "--device", "cpu", "--no-contributions")
    for words in (("--encoder", "tfidf", *plain), ("--encoder", "bag", *plain)):
        done = whyword("train", "rows.csv", "-o", "m", "--overwrite", "--stream", *words)
        assert done.code == 0, done.err
        assert "they learn from 100 of 320 training texts" in done.err


def test_a_class_that_no_drawn_row_has_is_learned_too(whyword, tmp_path: Path, monkeypatch) -> None:
    rare = [{"text": f"odd {number}", "label": "rare"} for number in range(2)]
    for name, listed in (("train", [*rows(), *rare]), ("dev", rows(40)), ("test", [*rows(40), rare[0]])):
        write_csv(tmp_path / f"{name}.csv", listed)
    monkeypatch.setattr(samples, "SAMPLE", 4)
    tfidf = ("--encoder", "tfidf", "--no-contributions", "--keep-leaks", "-q")
    done = whyword("train", ".", "-o", "m", "--stream", *tfidf)
    assert done.code == 0, done.err
    counts = {row["label"]: row["texts"] for row in metrics("m")["figures"]["classes"]}
    assert counts["rare"] == 1


def test_copies_of_a_text_stand_on_one_side(whyword, tmp_path: Path) -> None:
    listed = [{**row, "text": f"copy {number % 40}", "label": "ab"[number % 2]} for number, row in enumerate(rows())]
    write_csv(tmp_path / "rows.csv", listed)
    done = whyword("train", "rows.csv", "-o", "m", "--stream", *(word for word in BAG if word != "-q"))
    found = metrics("m")
    cut = 400 - 40 - found["train_texts"] - found["dev_texts"]
    assert found["train_texts"] % 10 + cut > 0
    assert "Cut from train, as they are in dev or test too" in done.err
    assert "are in train too" not in done.err


def test_python_trains_from_a_file_too(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "rows.csv")
    settings = {
        "encoder": {"name": "bag", "dim": 8},
        "training": {"epochs": 1},
        "contributions": False,
        "seed": 0,
    }
    for stream in (True, False):
        found = package.train(source, tmp_path / f"m{stream}", settings, stream=stream, baseline=False, device="cpu")
        assert found["train_texts"] == 320
    assert weights(tmp_path / "mTrue") == weights(tmp_path / "mFalse")
    with pytest.raises(package.errors.OptionError, match="overwrite=True"):
        package.train(source, tmp_path / "mTrue", settings)


def test_a_run_whose_rows_changed_is_not_resumed_on_the_old_ones(whyword, tmp_path: Path, monkeypatch) -> None:
    from whyword.models import train

    write_csv(tmp_path / "rows.csv")
    begun: Callable[..., Any] = train.TrainingRun.snapshot

    def stopped(run: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(train.TrainingRun, "snapshot", stopped)
    assert whyword("train", "rows.csv", "-o", "m", "--stream", *BAG).code == 130
    assert (tmp_path / "m.rows").exists()
    monkeypatch.setattr(train.TrainingRun, "snapshot", begun)
    write_csv(tmp_path / "rows.csv", list(rows(300)))
    done = whyword("train", "rows.csv", "-o", "m", "--stream", "--resume", *BAG)
    assert (done.code, "had other settings (texts)" in done.err) == (2, True)
