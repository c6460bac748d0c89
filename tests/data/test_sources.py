"""Where data sets lie."""

import bz2
import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.dataset import stream_documents
from whyword.data.readers import parquet
from whyword.data.rows import Columns
from whyword.data.sources import (
    Part,
    count_rows,
    cut_parts,
    dataset_names,
    locate,
    name_of,
    part_files,
    read_part,
    read_records,
    split_parts,
)
from whyword.interfaces.errors import DataError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("WHYWORD_DATA", raising=False)
    for name in ("sst2/train.csv", "sst2/notes.txt", "trec.jsonl.gz", "words/list.txt", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def test_a_path_is_found_before_a_name(folder: Path) -> None:
    assert locate(folder / "trec.jsonl.gz", folder / "sst2") == folder / "trec.jsonl.gz"


def test_a_name_is_found_in_the_data_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate("sst2", folder) == folder / "sst2"
    assert locate("trec", str(folder)) == folder / "trec.jsonl.gz"
    monkeypatch.setenv("WHYWORD_DATA", str(folder))
    assert locate("sst2", None) == folder / "sst2"


def test_names_are_those_of_files_and_folders_that_can_be_read(folder: Path) -> None:
    assert dataset_names(folder) == ["sst2", "trec"]
    assert dataset_names() == []


def test_an_unknown_name_is_answered_with_the_place_the_names_and_the_nearest(folder: Path) -> None:
    with pytest.raises(DataError, match=r"no file or folder 'sst', nor that name in .*, which has sst2, trec; did you"):
        locate("sst", folder)
    with pytest.raises(DataError, match=r"which has no data sets\."):
        locate("sst2", folder / "words")


def test_without_a_data_folder_the_way_to_give_one_is_told(folder: Path) -> None:
    with pytest.raises(DataError, match=r"no file or folder 'missing\.csv'.* --data-dir or set WHYWORD_DATA"):
        locate("missing.csv", None)
    with pytest.raises(DataError, match=r"The data folder .*nowhere does not exist"):
        locate("sst2", folder / "nowhere")


@pytest.mark.parametrize("name", ["dev.tsv", "valid.jsonl", "validation.parquet", "val.csv.gz", "Dev.CSV"])
def test_the_dev_split_has_several_names(folder: Path, name: str) -> None:
    (folder / "sst2" / name).write_text("")
    assert split_parts(folder / "sst2") == {"train": [folder / "sst2" / "train.csv"], "dev": [folder / "sst2" / name]}


@pytest.mark.parametrize("name", ["train.jsonl", "train.csv.gz"])
def test_two_files_for_one_split_are_refused(folder: Path, name: str) -> None:
    (folder / "sst2" / name).write_text("")
    with pytest.raises(DataError, match=rf"two files for its train split, train\.csv and {name}"):
        split_parts(folder / "sst2")


def test_two_names_for_the_dev_split_are_refused(folder: Path) -> None:
    for name in ("dev.csv", "val.csv"):
        (folder / "sst2" / name).write_text("")
    with pytest.raises(DataError, match="two files for its dev split"):
        split_parts(folder / "sst2")


def test_a_folder_without_a_train_file_is_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="has no train file"):
        split_parts(folder / "words")


@pytest.mark.parametrize("names", [["v1_train.csv", "v1_test.csv"], ["a-1.csv", "b-2.csv"]])
def test_numbered_files_of_other_names_are_no_parts_of_one_data_set(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(DataError, match="has no train file"):
        split_parts(tmp_path)


def test_files_that_differ_in_numbers_alone_are_one_data_set(tmp_path: Path) -> None:
    files = [tmp_path / f"part-0000{number}-c1.csv" for number in (1, 2)]
    for file in files:
        file.write_text("")
    assert split_parts(tmp_path) == {"": files}


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["train-00000-of-00002.csv", "train.csv"], "two sets of files for its train split"),
        (["train-00000-of-00002.csv"], "1 of the 2 files"),
    ],
)
def test_parts_of_a_split_are_all_there_and_alone(tmp_path: Path, names: list[str], says: str) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(DataError, match=says):
        split_parts(tmp_path)


def test_a_data_set_is_named_after_its_file_or_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_of(folder / "trec.jsonl.gz") == "trec"
    monkeypatch.chdir(folder / "sst2")
    assert name_of(Path(".")) == "sst2"


@pytest.mark.parametrize(("name", "hint"), [("README.md", ""), ("a.xls", "save it as .xlsx or .csv"), ("a.txt.gz", "")])
def test_a_file_of_another_kind_is_refused(folder: Path, name: str, hint: str) -> None:
    (folder / name).write_text("")
    with pytest.raises(DataError, match=rf"{name} is of a kind that cannot be read: use \.csv, .*{hint}"):
        read_records(folder / name)


def test_a_missing_file_is_named(folder: Path) -> None:
    with pytest.raises(DataError, match=r"There is no file .*gone\.csv"):
        read_records(folder / "gone.csv")


CSV = '\ufeff\ntext,label\n\none,x\n"two\nlines, ""quoted""\r\n",y\n\nthrée,x\nfour,y\nfive\n'
LINES = '\ufeff\n{"text": "one"}\n\n{"text": "twö"}\r\n \u00a0\t\n{"text": "three"}\n{"text": "four"}\n{"text": "five"}'


def parquet_bytes(row_group: int) -> Callable[[], bytes]:
    def make() -> bytes:
        pyarrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        sink = io.BytesIO()
        table = pyarrow.table({"text": [f"text {number}" for number in range(7)]})
        writer.write_table(table, sink, row_group_size=row_group)
        return sink.getvalue()

    return make


WIDE = '\ufefftext;label\r\n"ein\r\nLied";x\r\nzwei ‘ਊ’;y\r\ndrei;x\r\nvier;y\r\nfünf;x\r\n'


def excel_bytes() -> bytes:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (("text", "label"), ("one", 1), (), ("two", 2), ("three", 1), ("four",), ("five", 2)):
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def zipped(content: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("inside.csv", content)
    return sink.getvalue()


FILES = {
    "wide.csv": lambda: WIDE.encode("utf-16-le"),
    "latin.csv": lambda: WIDE.removeprefix("\ufeff").replace(" ‘ਊ’", "").encode("cp1252"),
    "macintosh.csv": lambda: WIDE.replace("\r\n", "\r").encode(),
    "no-header.tsv": lambda: "".join(f"this is the text of row {n}\t{n % 2}\n" for n in range(7)).encode(),
    "a.csv.bz2": lambda: bz2.compress(CSV.encode()),
    "a.zip": lambda: zipped(CSV.encode()),
    "a.xlsx": excel_bytes,
    "a.xlsx.gz": lambda: gzip.compress(excel_bytes()),
    "list.json": lambda: b'[{"text": "a"}, {"text": "b"}, {"text": "c"}]',
    "a.jsonl": LINES.encode,
    "a.jsonl.gz": lambda: gzip.compress(LINES.encode()),
    "a.csv": CSV.encode,
    "a.csv.gz": lambda: gzip.compress(CSV.encode()),
    "a.tsv": lambda: CSV.replace(",label", "\tlabel").replace(",x", "\tx").replace(",y", "\ty").encode(),
    "one-group.parquet": parquet_bytes(100),
    "groups.parquet": parquet_bytes(2),
    "groups.parquet.gz": lambda: gzip.compress(parquet_bytes(3)()),
}


def texts_of(parts: list[Part]) -> list[tuple[str, ...]]:
    return [document.words.texts for part in parts for document in read_part(part, Columns())]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("name", FILES)
def test_the_parts_together_are_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 2)
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    parts = list(cut_parts([path], size))
    wanted = [document.words.texts for document in stream_documents(path)]
    assert texts_of(parts) == wanted
    assert sum(part.rows for part in parts) == len(wanted)
    assert [part.rows for part in parts[:-1]] == [size] * (len(parts) - 1)
    places = [where for where, _ in read_records(path)]
    assert [next(read_records(path, part.start))[0] for part in parts] == places[::size], "as numbered in the whole"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=12), st.integers(1, 4))
def test_any_fields_survive_the_cutting(tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "a.csv"
    quoted = "".join('"{}"\n'.format(text.replace('"', '""')) for text in texts)
    path.write_text("text\n" + quoted, encoding="utf-8", newline="")
    assert texts_of(list(cut_parts([path], size))) == [(text,) for text in texts]


def test_parts_are_numbered_over_all_files_and_end_with_their_file(tmp_path: Path) -> None:
    for name, rows in (("a", 3), ("b", 0), ("c", 2)):
        (tmp_path / f"{name}.jsonl").write_text('{"text": "t"}\n' * rows, encoding="utf-8")
    parts = [(part.number, part.file.stem, part.rows) for part in cut_parts(part_files(tmp_path), 2)]
    assert parts == [(0, "a", 2), (1, "a", 1), (2, "c", 2)]


def test_a_bad_row_is_named_by_its_place_in_the_file_and_spoils_no_other_part(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"text": "a"}\n\n{"text": "b"}\n{"text": "\xff"}\n{"txt": "c"}\n{"text": "d"}\n' + "é é".encode()
    )
    first, second, third, fourth, fifth, _ = cut_parts([path], 1)
    assert texts_of([first, second, fifth]) == [("a",), ("b",), ("d",)]
    with pytest.raises(DataError, match=r"a\.jsonl, line 4: the byte 0xff is not UTF-8"):
        texts_of([third])
    with pytest.raises(DataError, match=r"a\.jsonl, line 5 has no column 'text'"):
        texts_of([fourth])


def test_a_folder_gives_its_data_files_by_name(tmp_path: Path) -> None:
    for name in ("b.jsonl.gz", "a.jsonl", "_SUCCESS", "whyword.json", ".a.jsonl.crc", "._a.jsonl"):
        (tmp_path / name).touch()
    (tmp_path / "c.jsonl").mkdir()
    assert [path.name for path in part_files(tmp_path)] == ["a.jsonl", "b.jsonl.gz"]


def test_several_kinds_and_no_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no data files: use \.csv, .*zip\)\.$"):
        part_files(tmp_path)
    for name in ("a.jsonl", "b.jsonl", "c.csv"):
        (tmp_path / name).touch()
    with pytest.raises(DataError, match=r"several kinds, such as a\.jsonl and c\.csv: keep one kind\.$"):
        part_files(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "count"),
    [
        ("t.csv", b"text\none\ntwo\n", 2),
        ("t.jsonl", b'{"text": "one"}\n{"text": "two"}\n', 2),
        ("t.jsonl.gz", gzip.compress(b"{}\n", mtime=0), None),
    ],
)
def test_rows_are_counted_where_that_is_quick(tmp_path, name, content, count):
    (tmp_path / name).write_bytes(content)
    assert count_rows(tmp_path / name) == count


def test_rows_of_parquet_are_counted_without_reading_them(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"text": ["a", "b", "c"]}), tmp_path / "t.parquet")
    assert count_rows(tmp_path / "t.parquet") == 3
