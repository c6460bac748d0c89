"""Data sets from files, folders, names and the hub; and all that can be wrong with them."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from whyword.data.dataset import Dataset, labels, load_dataset, stream_documents
from whyword.data.readers import hub
from whyword.data.rows import Columns
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError

ROWS = [{"text": f"text {row}", "label": "good" if row % 2 else "bad"} for row in range(40)]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    if kind == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        return path
    if kind == "jsonl":
        content = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        separator = {"csv": ",", "tsv": "\t"}[kind]
        content = "".join(separator.join(map(str, row)) + "\n" for row in [list(rows[0]), *(r.values() for r in rows)])
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return path


def texts(documents: tuple[Document, ...]) -> list[str]:
    return [document.words.texts[0] for document in documents]


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHYWORD_DATA", raising=False)


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
def test_every_kind_of_file_gives_the_same_data_set(tmp_path: Path, kind: str) -> None:
    loaded = load_dataset(write(tmp_path / f"reviews.{kind}", ROWS))
    expected = load_dataset(write(tmp_path / "other" / "reviews.jsonl", ROWS))
    assert (loaded.train, loaded.dev, loaded.test) == (expected.train, expected.dev, expected.test)
    assert loaded.name == "reviews"
    assert sorted(texts(loaded.train + loaded.dev + loaded.test)) == sorted(row["text"] for row in ROWS)
    assert loaded.notes == (
        f"No dev and test splits in reviews.{kind}: 10 % of the rows each (4 and 4 of 40, seed 13) were held out.",
    )


def test_a_folder_of_splits_is_loaded_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "set" / "train.csv", ROWS[:20])
    write(tmp_path / "set" / "validation.jsonl", ROWS[20:30])
    write(tmp_path / "set" / "test.tsv.gz", ROWS[30:])
    write(tmp_path / "set" / "test_2015.csv", ROWS[:1])
    for loaded in (load_dataset(tmp_path / "set"), load_dataset("set", data_dir=tmp_path)):
        assert [*texts(loaded.train), *texts(loaded.dev), *texts(loaded.test)] == [row["text"] for row in ROWS]
        assert (loaded.name, len(loaded.train), len(loaded.dev), loaded.notes) == ("set", 20, 10, ())


def test_a_folder_without_dev_gives_up_a_tenth_of_train_and_nothing_for_a_test(tmp_path: Path) -> None:
    write(tmp_path / "set" / "train.csv", ROWS)
    loaded = load_dataset(tmp_path / "set")
    assert (len(loaded.train), len(loaded.dev), loaded.test) == (36, 4, ())
    assert loaded.notes == (f"No dev split in {tmp_path / 'set'}: 10 % of the rows (4 of 40, seed 13) were held out.",)


def test_the_environment_names_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "set.csv", ROWS)
    monkeypatch.setenv("WHYWORD_DATA", str(tmp_path))
    assert load_dataset("set").name == "set"


def test_integer_labels_stay_integers_except_in_csv_where_all_is_text(tmp_path: Path) -> None:
    rows = [{"text": "a", "label": row % 3} for row in range(12)]
    assert labels(load_dataset(write(tmp_path / "a.jsonl", rows)).train) == (0, 1, 2)
    assert labels(load_dataset(write(tmp_path / "a.csv", rows)).train) == ("0", "1", "2")


def test_named_columns_that_are_missing_are_refused_with_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ROWS)
    with pytest.raises(DataError, match=r"a\.jsonl has no column 'txt' but 'text', 'label'; did you mean 'text'\?"):
        load_dataset(path, Columns(text="txt"))


def test_columns_can_be_named(tmp_path: Path) -> None:
    rows = [{"review": "so good", "stars": row % 2, "why": [[3, 7]]} for row in range(9)]
    loaded = load_dataset(write(tmp_path / "a.jsonl", rows), Columns(text="review", label="stars", rationale="why"))
    assert loaded.train[0].rationale == (((3, 7),),)


def test_a_rationale_column_may_be_missing_in_some_rows_but_not_in_all(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{**ROWS[0], "why": [[0, 4]]}, *ROWS[1:]])
    assert sum(item.rationale is not None for item in load_dataset(path, Columns(rationale="why")).train) <= 1
    with pytest.raises(DataError, match="has no column 'whi'"):
        load_dataset(path, Columns(rationale="whi"))


def test_planted_options_are_passed_on() -> None:
    loaded = load_dataset("planted:train=12,dev=4,test=4")
    assert isinstance(loaded, Dataset)
    assert (len(loaded.train), len(loaded.dev), len(loaded.test)) == (12, 4, 4)


# What the hub gives is played by a dict of rows.


@pytest.fixture
def on_hub(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, list[dict[str, Any]]]], None]:
    def play(splits: dict[str, list[dict[str, Any]]]) -> None:
        monkeypatch.setattr(
            hub,
            "read",
            lambda source: {
                name: ((f"{source}, split {name}, row {number}", row) for number, row in enumerate(rows, 1))
                for name, rows in splits.items()
            },
        )

    return play


def test_splits_of_the_hub_are_loaded(on_hub: Callable[..., None]) -> None:
    on_hub({"train": ROWS[:20], "validation": ROWS[20:30], "test": ROWS[30:], "unsupervised": [{"text": "x"}]})
    loaded = load_dataset("hub:owner/name")
    assert (loaded.name, len(loaded.train), len(loaded.dev), len(loaded.test)) == ("owner/name", 20, 10, 10)
    assert loaded.notes == ()


def test_a_test_split_of_the_hub_without_labels_is_left_out_with_a_note(on_hub: Callable[..., None]) -> None:
    on_hub({"train": ROWS, "test": [{"text": "a", "label": None}]})
    loaded = load_dataset("hub:owner/name")
    assert (len(loaded.dev), len(loaded.test)) == (4, 0)
    assert loaded.notes[0] == "The split test of hub:owner/name has no labels and was left out."


def test_a_hub_set_needs_train_rows(on_hub: Callable[..., None]) -> None:
    on_hub({"test": ROWS})
    with pytest.raises(DataError, match="hub:owner/name has no split named train"):
        load_dataset("hub:owner/name")
    on_hub({"train": []})
    with pytest.raises(DataError, match="hub:owner/name, split train has no rows"):
        load_dataset("hub:owner/name")


# What can be wrong.


def refused(path: Path, content: str | bytes, columns: Columns | None = None) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as caught:
        load_dataset(path, columns or Columns())
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    return message


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no file or folder '.*gone\.csv'"):
        load_dataset(tmp_path / "gone.csv")


def test_an_unknown_name_is_refused_with_the_nearest(tmp_path: Path) -> None:
    write(tmp_path / "reviews.csv", ROWS)
    with pytest.raises(DataError, match=r"did you mean 'reviews'\?"):
        load_dataset("review", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "text,label\n"),
        ("a.jsonl", ""),
        ("a.jsonl", "\n\n"),
        ("a.csv.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_a_file_without_rows_is_refused(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert "has no rows" in refused(tmp_path / name, content)


@pytest.mark.parametrize("name", ["train.csv", "dev.csv", "test.csv"])
def test_a_split_without_rows_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path / "train.csv", ROWS)
    (tmp_path / name).write_text("text,label\n")
    with pytest.raises(DataError, match=rf"{name} has no rows"):
        load_dataset(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("one,two,three\na,b,x\n", "--text and --label, among 'one', 'two', 'three'"),
        ("text\na\n", "has a single column, 'text'"),
        ("text,label\na,x\nb,x\n", "needs at least two classes; all 2 rows are 'x'"),
        ("text,label\na,x\nb,\n", "row 3 has no label"),
        ("text,label\na,x\nb\n", "row 3 has no column 'label'"),
        ("text,label\na,x\n  ,y\n", "row 3: the column 'text' holds no words"),
        ("text,label\na,x\nb,c,y\n", "row 3 has 3 fields"),
        ("text,label,rationale\na,x,why\n", "must be a list of [start, end]"),
        ("text,label\nçà,x\né,y\n".encode() + b"caf\xe9,y\n", "row 4: the byte 0xe9 is not UTF-8"),
        ("text,label\na,x\nb,y\n", "too few rows (2)"),
    ],
)
def test_a_bad_csv_file_is_refused_with_the_reason(tmp_path: Path, content: str | bytes, said: str) -> None:
    assert said in refused(tmp_path / "a.csv", content)


def test_json_truth_values_are_the_labels_true_and_false(tmp_path: Path) -> None:
    rows = [{"text": f"text {number}", "spam": number % 2 == 0} for number in range(20)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    train = load_dataset(path, Columns(text="text", label="spam")).train
    assert {document.label for document in train} == {"false", "true"}


def test_another_separator_is_offered_only_where_there_is_one(tmp_path: Path) -> None:
    single = "has a single column, 'text': add one with the label of each text"
    assert f"{single}, or say with --delimiter what stands" in refused(tmp_path / "a.csv", "text\na\nb\n")
    assert refused(tmp_path / "a.jsonl", '{"text": "a"}\n{"text": "b"}\n').endswith(f"{single}.")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"text": "b", "label": NaN}', "line 2 has no label: the column 'label' holds nan"),
        ('{"text": "b", "label": null}', "line 2 has no label: the column 'label' holds None"),
        ('{"text": "b", "label": 1.5}', "line 2: the label must be a string or an integer, but 1.5 came, a float"),
        ('{"text": "b", "label": {}}', "line 2: the label must be a string or an integer, but {} came, a dict"),
        ('{"text": null, "label": "x"}', "line 2: the column 'text' must hold text, but None came"),
        ('{"text": "b", "label": 1}', "a.jsonl are strings, such as 'x', and some integers, such as 1"),
        ('{"text": "b"}', "line 2 has no column 'label' but 'text'"),
        ('{"text": "b", "text_pair": "c", "label": "y"}', "some have none"),
        ("{", "line 2 is no JSON"),
    ],
)
def test_a_bad_jsonl_file_is_refused_with_the_reason(tmp_path: Path, line: str, said: str) -> None:
    assert said in refused(tmp_path / "a.jsonl", f'{{"text": "a", "label": "x"}}\n{line}\n')


def test_a_nan_label_in_parquet_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", [{"text": "a", "label": 1.0}, {"text": "b", "label": float("nan")}])
    with pytest.raises(DataError, match=r"row 2 has no label: the column 'label' holds nan"):
        load_dataset(path)


def test_a_truncated_gzip_file_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(write(tmp_path / "b.csv", ROWS).read_bytes())
    assert "cut short" in refused(tmp_path / "a.csv.gz", packed[:-9])


@pytest.mark.parametrize("split_name", ["dev", "test"])
def test_a_class_that_train_lacks_is_refused(tmp_path: Path, split_name: str) -> None:
    write(tmp_path / "train.jsonl", ROWS)
    write(tmp_path / "dev.jsonl", ROWS[:4])
    write(tmp_path / f"{split_name}.jsonl", [*ROWS[:4], *[{"text": "a", "label": "so-so"}] * 3])
    with pytest.raises(
        DataError, match=f"The {split_name} split of .* has 3 rows of the class 'so-so', which its train"
    ):
        load_dataset(tmp_path)


def test_integers_in_dev_among_strings_in_train_are_refused_as_mixed(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", ROWS)
    write(tmp_path / "dev.jsonl", [{"text": "a", "label": 1}])
    with pytest.raises(DataError, match="are strings, such as 'bad', and some integers, such as 1"):
        load_dataset(tmp_path)


# Streaming.


def test_documents_are_streamed_with_or_without_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\ngood,x\n  ,\n")
    assert [(item.words.strings, item.label) for item in stream_documents(path)] == [(("good",), "x"), ((), None)]
    with pytest.raises(DataError, match="row 3"):
        list(stream_documents(path, labelled=True))


def test_a_stream_answers_before_the_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n' * 100_000 + "{")
    assert next(stream_documents(path)).words.strings == ("a",)


def test_standard_input_holds_json_objects_or_plain_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = '{"review": "a b", "label": 1}\nIt\'s {fine}\r\n\nlast'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    read = list(stream_documents("-", Columns(text="review")))
    assert [item.words.texts for item in read] == [("a b",), ("It's {fine}",), ("",), ("last",)]
    assert [item.label for item in read] == [1, None, None, None]


def test_a_bad_line_of_standard_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'ok\n{"text": \n')))
    with pytest.raises(DataError, match="standard input, line 2 is no JSON"):
        list(stream_documents("-"))


def test_a_stream_of_a_missing_or_foreign_file_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        stream_documents(tmp_path / "gone.csv")
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(DataError, match="of a kind that cannot be read"):
        stream_documents(tmp_path / "a.txt")


def test_labels_are_sorted_once_each() -> None:
    assert labels([Document(split("a"), label) for label in (10, 9, 10, None)]) == (9, 10)
    assert labels([Document(split("a"), label) for label in ("b", "a", "b")]) == ("a", "b")
    assert labels([]) == ()
