"""Files as people have them: each is read right as it is, or refused with a sentence whose cure works."""

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whyword.cli.app import main
from whyword.data.dataset import load_dataset, read_splits
from whyword.data.rows import Columns
from whyword.interfaces.errors import DataError

TEXTS = [f"Dish {row} was {'lovely, warm' if row % 2 else 'cold; bland'} and naïve “soup”" for row in range(24)]
LABELS = ["good" if row % 2 else "bad" for row in range(24)]
ROWS = list(zip(TEXTS, LABELS, strict=True))


def table(
    header: tuple[str, ...] | None = ("text", "label"),
    separator: str = ",",
    rows: list[Any] = ROWS,
    quote: bool = True,
    end: str = "\n",
) -> str:
    def field(value: Any) -> str:
        return '"{}"'.format(str(value).replace('"', '""')) if quote else str(value)

    lines = [separator.join(header)] if header else []
    return end.join([*lines, *(separator.join(map(field, row)) for row in rows)]) + end


def excel(rows: list[Any], header: tuple[str, ...] | None = ("text", "label"), before: int = 0) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for _ in range(before):
        book.create_sheet()
    sheet = book.worksheets[-1]
    for row in ([header] if header else []) + [list(row) for row in rows]:
        sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def zipped(content: str, name: str = "inner.csv") -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(name, content)
    return sink.getvalue()


def objects(rows: list[Any] = ROWS, **names: str) -> list[dict[str, Any]]:
    text, label = names.get("text", "text"), names.get("label", "label")
    return [{text: row[0], label: row[1]} for row in rows]


def lines(rows: list[dict[str, Any]], **how: Any) -> str:
    return "".join(json.dumps(row, **how) + "\n" for row in rows)


PLAIN = [(text.replace(",", "").replace(";", ""), label) for text, label in ROWS]
LATIN = [(text.replace("“", "«").replace("”", "»"), label) for text, label in ROWS]
BROKEN = [(text.replace(" was ", "\nwas\r\n"), label) for text, label in ROWS]
INNER = [(text.replace("“soup”", '"soup", they say'), label) for text, label in ROWS]
NUMBERS = [(text, str(row % 3)) for row, (text, _) in enumerate(ROWS)]
WIDE = [(row, "2024-01-02", label, text, 5) for row, (text, label) in enumerate(ROWS)]

# name: the file, and the rows that are to come out of it
RIGHT: dict[str, tuple[Callable[[], str | bytes], list[Any]]] = {
    "comma.csv": (table, ROWS),
    "semicolon.csv": (lambda: table(separator=";"), ROWS),
    "tab.csv": (lambda: table(separator="\t"), ROWS),
    "pipe.csv": (lambda: table(separator="|"), ROWS),
    "semicolon.tsv": (lambda: table(separator=";"), ROWS),
    "unquoted.tsv": (lambda: table(separator="\t", quote=False), ROWS),
    "utf8-with-mark.csv": (lambda: table().encode("utf-8-sig"), ROWS),
    "utf16.csv": (lambda: table().encode("utf-16"), ROWS),
    "utf16-without-mark.csv": (lambda: table().encode("utf-16-be"), ROWS),
    "utf16-tab.csv": (lambda: table(separator="\t", end="\r\n").encode("utf-16"), ROWS),
    "cp1252.csv": (lambda: table().encode("cp1252"), ROWS),
    "latin1-semicolon.csv": (lambda: table(rows=LATIN, separator=";").encode("latin-1"), LATIN),
    "windows-ends.csv": (lambda: table(end="\r\n"), ROWS),
    "macintosh-ends.csv": (lambda: table(end="\r"), ROWS),
    "line-breaks-in-fields.csv": (lambda: table(rows=BROKEN), BROKEN),
    "doubled-quotes.csv": (lambda: table(rows=INNER), INNER),
    "escaped-quotes.csv": (lambda: table(rows=INNER).replace('""', '\\"'), INNER),
    "quotes-that-mean-nothing.tsv": (
        lambda: table(separator="\t", quote=False, rows=[(f'"Well" {text}', label) for text, label in ROWS]),
        [(f'"Well" {text}', label) for text, label in ROWS],
    ),
    "no-header.csv": (lambda: table(header=None), ROWS),
    "no-header-labels-first.tsv": (lambda: table(None, "\t", [row[::-1] for row in ROWS]), ROWS),
    "other-names.csv": (lambda: table(("Review", "Sentiment")), ROWS),
    "names-in-capitals.csv": (lambda: table(("TEXT", "Label ")), ROWS),
    "unknown-names.csv": (lambda: table(("a", "b")), ROWS),
    "many-columns.csv": (lambda: table(("id", "date", "class", "review_text", "votes"), rows=WIDE), ROWS),
    "pandas-index.csv": (
        lambda: table(("", "text", "label"), rows=[(row, *pair) for row, pair in enumerate(ROWS)]),
        ROWS,
    ),
    "empty-columns-at-the-end.csv": (
        lambda: table(("v1", "v2", "", ""), rows=[(label, text, "", "") for text, label in ROWS]).encode("cp1252"),
        ROWS,
    ),
    "numeric-labels.csv": (lambda: table(rows=NUMBERS), NUMBERS),
    "labels-as-floats.jsonl": (
        lambda: lines(objects([(text, float(label)) for text, label in NUMBERS])),
        [(text, int(label)) for text, label in NUMBERS],
    ),
    "nul-bytes.csv": (
        lambda: table(rows=[(f"{text}\0", label) for text, label in ROWS]),
        [(f"{text}\0", label) for text, label in ROWS],
    ),
    "huge-field.csv": (
        lambda: table(rows=[*ROWS, ("word " * 300_000, "good")]),
        [*ROWS, ("word " * 300_000, "good")],
    ),
    "blank-lines.csv": (lambda: "\n\n" + table().replace("\n", "\n\n"), ROWS),
    "separator-announced.csv": (lambda: "sep=;\r\n" + table(separator=";").replace("\n", "\r\n"), ROWS),
    "packed.csv.gz": (lambda: gzip.compress(table(separator=";").encode("cp1252")), ROWS),
    "packed.csv.bz2": (lambda: bz2.compress(table().encode()), ROWS),
    "packed.jsonl.xz": (lambda: lzma.compress(lines(objects()).encode()), ROWS),
    "packed.zip": (lambda: zipped(table()), ROWS),
    "packed-but-not-called-so.csv": (lambda: gzip.compress(table().encode()), ROWS),
    "called-packed-but-plain.csv.gz": (table, ROWS),
    "lines-with-mark.jsonl": (lambda: lines(objects()).encode("utf-8-sig"), ROWS),
    "lines.ndjson": (lambda: lines(objects(text="body", label="category"), ensure_ascii=False), ROWS),
    "latin-lines.jsonl": (lambda: lines(objects(), ensure_ascii=False).encode("cp1252"), ROWS),
    "list.json": (lambda: json.dumps(objects()), ROWS),
    "lines.json": (lambda: lines(objects()), ROWS),
    "book.xlsx": (lambda: excel(ROWS), ROWS),
    "book-without-header.xlsx": (lambda: excel(ROWS, None), ROWS),
    "book-with-numbers.xlsx": (lambda: excel([(text, int(label)) for text, label in NUMBERS], before=1), NUMBERS),
}

DIRTY = [(text, f"{label.title()} " if row in (3, 8) else label) for row, (text, label) in enumerate(ROWS)]
CLEAN = [(text, label) for text, label in ROWS]
HOLES = [(text, "" if row in (2, 5) else label) for row, (text, label) in enumerate(ROWS)]
MISSING = [row for number, row in enumerate(ROWS) if number not in (2, 5)]
RAGGED = table(quote=False, rows=PLAIN) + "one, two, three\nfour, five, six\n"
SKIP = Columns(on_bad_row="skip")
UTF8 = lines(objects(), ensure_ascii=False).encode()
TWO_TEXTS = [(text, f"{text} again", label) for text, label in ROWS]

# name: the file, what the sentence says, the cure, and the rows then
MENDED: dict[str, tuple[Callable[[], str | bytes], list[str], Columns, list[Any]]] = {
    "missing-labels.csv": (
        lambda: table(rows=HOLES),
        ["2 of 24 rows", "row 4 has no label", "row 7 has no label", "--on-bad-row skip"],
        SKIP,
        MISSING,
    ),
    "one-missing-label.csv": (
        lambda: table(rows=[*ROWS, ("a text", "")]),
        ["row 26 has no label", "--on-bad-row skip"],
        SKIP,
        ROWS,
    ),
    "ragged.csv": (
        lambda: RAGGED,
        ["row 26 has 3 fields but the header has 2", "row 27", "--on-bad-row skip"],
        SKIP,
        PLAIN,
    ),
    "short-rows.csv": (
        lambda: table(rows=[*ROWS, ("a",), ("b",)]),
        ["row 26", "row 27", "no column 'label'"],
        SKIP,
        ROWS,
    ),
    "empty-texts.csv": (
        lambda: table(rows=[*ROWS, ("  ", "good"), ("", "bad")]),
        ["row 26", "holds no words"],
        SKIP,
        ROWS,
    ),
    "bad-json.jsonl": (
        lambda: lines(objects()) + "{oops\n[1]\n",
        ["line 25 is no JSON", "line 26 holds a JSON list"],
        SKIP,
        ROWS,
    ),
    "a-few-bad-bytes.jsonl": (
        lambda: UTF8 + b'{"text": "\xff\xfe", "label": "good"}\n{"text": "a \xe9", "label": "bad"}\n',
        ["line 25: the byte 0xff is not UTF-8", "line 26: the byte 0xe9", "--encoding cp1252"],
        SKIP,
        ROWS,
    ),
    "two-texts.csv": (
        lambda: table(("question", "comment", "label"), rows=TWO_TEXTS),
        ["holds the texts is not clear", "--text", "'question'", "'comment'"],
        Columns(text="question"),
        ROWS,
    ),
    "two-labels.csv": (
        lambda: table(("text", "rating", "sentiment"), rows=[(text, label, label) for text, label in ROWS]),
        ["holds the labels is not clear", "--label", "'rating'", "'sentiment'"],
        Columns(label="rating"),
        ROWS,
    ),
    "two-columns-of-one-name.csv": (
        lambda: table(("text", "text", "label"), rows=TWO_TEXTS),
        ["two columns named 'text'", "--no-header"],
        Columns(text="1", label="3", header=False),
        [("text", "label"), *ROWS],
    ),
    "other-separator.csv": (
        lambda: table(separator="~", quote=False, rows=PLAIN),
        ["single column", "--delimiter"],
        Columns(delimiter="~"),
        PLAIN,
    ),
    "misnamed.csv": (lambda: excel(ROWS), ["is an Excel file", ".xlsx"], Columns(), ROWS),
    "one-column.csv": (
        lambda: table(("text",), rows=[(text,) for text in TEXTS]),
        ["single column, 'text'"],
        Columns(),
        ROWS,
    ),
    "open-quote.csv": (
        lambda: table() + '"never closed,good\n',
        ["row 26", "never closes"],
        Columns(),
        ROWS,
    ),
    "one-class.csv": (
        lambda: table(rows=[(text, "good") for text in TEXTS]),
        ["at least two classes"],
        Columns(),
        ROWS,
    ),
    "title-above.csv": (
        lambda: "# exported in May\n\n" + table(),
        ["begins with '# exported in May'", "delete what is above"],
        Columns(),
        ROWS,
    ),
    "by-columns.json": (
        lambda: json.dumps({"text": TEXTS, "label": [label for _, label in ROWS]}),
        ["is one JSON object, of 'text', 'label'", "one object a line"],
        Columns(),
        ROWS,
    ),
    "empty.csv": (lambda: "", ["has no rows"], Columns(), ROWS),
    "header-only.csv": (lambda: "text,label\n", ["has no rows"], Columns(), ROWS),
}
BY_HAND = (
    "one-column",
    "open-quote",
    "one-class",
    "empty",
    "header-only",
    "title-above",
    "by-columns",
)  # where the file must be mended


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def loaded(path: Path, columns: Columns | None = None) -> list[tuple[str, Any]]:
    columns = columns or Columns()
    split = read_splits(path, columns).splits["train"]
    load_dataset(path, columns)  # which refuses what cannot be trained on
    return [(item.words.texts[0], item.label) for item in split.documents]


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[Any, str]]:
    """Type `whyword train` and give its exit code and what it complains about."""

    def run(path: Path, *options: str) -> tuple[Any, str]:
        words = ["train", str(path), "-o", str(path.parent / "model"), "--encoder", "tfidf", *options]
        monkeypatch.setattr(sys, "argv", ["whyword", *words, "--quiet"])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, capsys.readouterr().err

    return run


def options(columns: Columns) -> list[str]:
    """Say on the command line what the columns say in Python."""
    named = {"--text": columns.text, "--label": columns.label, "--delimiter": columns.delimiter}
    words = [word for name, value in named.items() if value is not None for word in (name, value)]
    return [*words, *(["--no-header"] if columns.header is False else []), "--on-bad-row", columns.on_bad_row]


@pytest.mark.parametrize("name", RIGHT)
def test_one_command_trains_on_a_messy_file(tmp_path: Path, train: Callable[..., Any], name: str) -> None:
    make, _ = RIGHT[name]
    assert train(put(tmp_path / name, make())) == (0, "")
    assert (tmp_path / "model" / "model.safetensors").exists()


@pytest.mark.parametrize("name", MENDED)
def test_training_on_a_bad_file_is_refused_and_the_cure_trains(
    tmp_path: Path, train: Callable[..., Any], name: str
) -> None:
    make, said, cure, _ = MENDED[name]
    path = put(tmp_path / name, make())
    code, complaint = train(path)
    assert code == 2
    assert complaint.startswith("whyword: ")
    assert [words for words in (name, *said) if words not in complaint] == []
    if name == "misnamed.csv":
        path = path.rename(path.with_suffix(".xlsx"))
    if path.stem in BY_HAND:
        put(path, lines(objects()) if path.suffix == ".json" else table())
    assert train(path, *options(cure)) == (0, "")


def test_one_command_trains_on_labels_of_several_spellings_and_on_leaks(
    tmp_path: Path, train: Callable[..., Any]
) -> None:
    assert train(put(tmp_path / "dirty.csv", table(rows=DIRTY)), "--fix-labels") == (0, "")
    folder = tmp_path / "leaks"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        put(folder / f"{split}.csv", table(rows=ROWS if split == "train" else ROWS[:4]))
    assert train(folder, "--overwrite") == (0, "")
    assert train(folder, "--keep-leaks", "--overwrite")[0] == 0


@pytest.mark.parametrize("name", RIGHT)
def test_a_messy_file_is_read_right_with_no_option(tmp_path: Path, name: str) -> None:
    make, rows = RIGHT[name]
    assert loaded(put(tmp_path / name, make())) == rows


@pytest.mark.parametrize("name", MENDED)
def test_what_cannot_be_read_is_answered_by_a_sentence_whose_cure_works(tmp_path: Path, name: str) -> None:
    make, said, cure, rows = MENDED[name]
    path = put(tmp_path / name, make())
    with pytest.raises(DataError) as caught:
        loaded(path)
    assert [words for words in (name, *said) if words not in str(caught.value)] == []
    if name == "misnamed.csv":
        path = path.rename(path.with_suffix(".xlsx"))
    if path.stem in BY_HAND:
        put(path, lines(objects()) if path.suffix == ".json" else table())
    assert loaded(path, cure) == rows


def test_labels_of_several_spellings_become_one(tmp_path: Path) -> None:
    path = put(tmp_path / "dirty.csv", table(rows=DIRTY))
    dataset = load_dataset(path, fix_labels=True)
    assert {item.label for item in (*dataset.train, *dataset.dev, *dataset.test)} == {"good", "bad"}
    assert "Labels 'Good ' were read as 'good'." in dataset.notes


def test_leaks_are_cut_from_train(tmp_path: Path) -> None:
    put(tmp_path / "train.csv", table())
    put(tmp_path / "test.csv", table(rows=[(f" {TEXTS[3].upper()}", "good"), ("something else", "bad")]))
    put(tmp_path / "dev.csv", table(rows=[("one", "good"), ("two", "bad")]))
    dataset = load_dataset(tmp_path, keep_leaks=False)
    assert [item.words.texts[0] for item in dataset.train] == [text for text in TEXTS if text != TEXTS[3]]
    assert len(dataset.test) == 2
    assert len(load_dataset(tmp_path).train) == 24


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("latin1-semicolon.csv", "semicolon-separated, cp1252, columns text (text) and label (label)."),
        ("other-names.csv", "comma-separated, UTF-8, columns Review (text) and Sentiment (label)."),
        ("no-header.csv", "comma-separated, UTF-8, no header, columns 1 (text) and 2 (label)."),
        ("utf16-tab.csv", "tab-separated, UTF-16, columns text (text) and label (label)."),
    ],
)
def test_what_was_recognized_is_said_in_one_line(tmp_path: Path, name: str, sentence: str) -> None:
    make, _ = RIGHT[name]
    assert load_dataset(put(tmp_path / name, make())).notes[0] == f"{name}: {sentence}"
