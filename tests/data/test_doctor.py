"""What the data doctor finds, and what it leaves alone."""

import json
from pathlib import Path
from typing import Any

import pytest

import whyword
from whyword.data.dataset import load_dataset
from whyword.data.doctor import DataCheck, load_checked
from whyword.data.rows import Columns
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError

NOUNS = ("soup", "bread", "wine", "fish", "rice", "cake", "tea", "ham", "pie", "egg", "oil", "jam")


def rows(first: int, last: int) -> list[dict[str, Any]]:
    """Texts that have nothing in common."""
    return [
        {"text": f"{NOUNS[row % 12]} number{row} tastes{row} fine{row}", "label": "good" if row % 2 else "bad"}
        for row in range(first, last)
    ]


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def checked(folder: Path, train: list[Any], dev: list[Any] | None = None, test: list[Any] | None = None) -> DataCheck:
    write(folder / "train.jsonl", *train)
    write(folder / "dev.jsonl", *(rows(100, 110) if dev is None else dev))
    write(folder / "test.jsonl", *(rows(110, 120) if test is None else test))
    return whyword.check(folder)


def found(check: DataCheck) -> dict[str, tuple[str, int]]:
    return {finding.name: (finding.severity, finding.count) for finding in check.findings}


def test_a_clean_data_set_has_no_findings(tmp_path: Path) -> None:
    check = checked(tmp_path, rows(0, 40))
    assert (found(check), check.severity) == ({}, None)
    train, dev, test = check.splits
    assert [(each.label, each.rows, each.share) for each in train.classes] == [("bad", 20, 0.5), ("good", 20, 0.5)]
    assert (train.rows, dev.rows, test.rows) == (40, 10, 10)
    assert train.words is not None
    assert (train.words.low, train.words.median, train.words.longest) == (4, 4, 4)


BASE = rows(0, 40)
LONG = " ".join(f"long{number}" for number in range(30))

CASES: dict[str, tuple[list[Any], list[Any] | None, dict[str, tuple[str, int]]]] = {
    "labels that differ in case or spaces": (
        [*BASE, {"text": "one more here now", "label": "Good "}, {"text": "and other there then", "label": "BAD"}],
        None,
        {"label-spellings": ("harms", 2)},
    ),
    "missing labels": ([*BASE, {"text": "one more here now", "label": None}], None, {"missing-labels": ("stops", 1)}),
    "empty texts": ([*BASE, {"text": "  ", "label": "good"}], None, {"missing-texts": ("stops", 1)}),
    "copies": ([*BASE, BASE[0], BASE[0] | {"text": f"  {BASE[0]['text'].upper()}"}], None, {"duplicates": ("note", 2)}),
    "near copies": (
        [*BASE, {"text": LONG, "label": "good"}, {"text": f"{LONG} end", "label": "good"}],
        None,
        {"near-duplicates": ("note", 1)},
    ),
    "leaks": (BASE, [*rows(100, 110), BASE[3]], {"leaks": ("harms", 1)}),
    "near leaks": (
        [*BASE, {"text": LONG, "label": "good"}],
        [*rows(100, 110), {"text": f"so {LONG}", "label": "good"}],
        {"near-leaks": ("harms", 1)},
    ),
    "contradictory labels": (
        [*BASE, BASE[0] | {"label": "good"}],
        None,
        {"contradictions": ("harms", 2), "duplicates": ("note", 1)},
    ),
    "a class that dev lacks": (
        [*BASE, *({"text": f"odd{row} mix{row} thing{row}", "label": "so-so"} for row in range(10))],
        [*rows(100, 110)],
        {"missing-classes": ("harms", 1)},
    ),
    "a class that train lacks": (
        BASE,
        [*rows(100, 110), {"text": "who knows it now", "label": "new"}],
        {"unknown-classes": ("stops", 1)},
    ),
    "a script that train lacks": (
        BASE,
        [*rows(100, 110), {"text": "суп был вкусный", "label": "good"}],
        {"unknown-scripts": ("harms", 1)},
    ),
    "a Cyrillic letter in a Latin word": (
        [*BASE, {"text": "the sоup was fine there", "label": "good"}, {"text": "суп был вкусный", "label": "good"}],
        None,
        {"mixed-scripts": ("note", 1)},
    ),
    "a single word": ([*BASE, {"text": "superb", "label": "good"}], None, {"one-word-texts": ("note", 1)}),
    "labels of two kinds": (
        [*BASE, *({"text": f"odd{row} mix{row} thing{row}", "label": 1} for row in range(10))],
        None,
        {"label-kinds": ("stops", 3), "missing-classes": ("harms", 1)},
    ),
    "unequal classes": (
        [*({"text": f"odd{row} mix{row} thing{row}", "label": "good"} for row in range(400)), *rows(0, 22)],
        None,
        {"unequal-classes": ("harms", 11)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_harms_is_found_and_nothing_else(tmp_path: Path, name: str) -> None:
    train, dev, wanted = CASES[name]
    check = checked(tmp_path, train, dev)
    assert found(check) == wanted
    assert all(finding.advice for finding in check.findings)
    order = [("stops", "harms", "note").index(finding.severity) for finding in check.findings]
    assert order == sorted(order), "the worst first"


def test_one_class_is_found_in_a_single_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({**row, "label": "good"} for row in BASE))
    assert found(whyword.check(path)) == {"one-class": ("stops", 1)}


def test_a_number_on_a_scale_is_no_class(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({**row, "label": f"{n / 100}"} for n, row in enumerate(rows(0, 80))))
    assert found(whyword.check(path))["many-classes"] == ("harms", 80)


def test_a_separator_of_labels_that_occurs_nowhere_is_found(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {**BASE[0], "label": "good; new"}, *BASE[1:])
    assert "one-label" in found(whyword.check(path, Columns(label_separator="|")))
    assert "one-label" not in found(whyword.check(path, Columns(label_separator=";")))


def test_classes_that_are_several_labels_in_one_are_found(tmp_path: Path) -> None:
    def file(*labels: str) -> Path:
        return write(
            tmp_path / "a.jsonl", *({**row, "label": labels[n % len(labels)]} for n, row in enumerate(rows(0, 60)))
        )

    for separator in (";", "|", ", "):
        joined = file("staff", "price", "food", f"staff{separator}price", f"food{separator}price")
        (finding,) = (one for one in whyword.check(joined).findings if one.name == "joined-labels")
        assert f"--label-separator '{separator.strip()}'" in finding.advice
        assert finding.count == 2
    known = whyword.check(file("staff", "price", "staff;price"), Columns(label_separator=";"))
    assert "joined-labels" not in found(known)
    assert "joined-labels" not in found(whyword.check(file("Salem, Oregon", "Salem, Ohio", "Reno, Nevada")))


def test_a_data_set_in_memory_is_checked_too() -> None:
    documents = tuple(Document(split(row["text"]), row["label"]) for row in BASE)
    assert found(whyword.check(Dataset("mine", documents, documents[:4], ()))) == {"leaks": ("harms", 4)}
    assert whyword.check("planted:train=40,dev=10,test=10").splits[0].rows == 40


def test_all_forms_say_the_same(tmp_path: Path) -> None:
    check = checked(tmp_path, [*BASE, {"text": "<b>superb</b>", "label": "good"}, BASE[0]])
    record = json.loads(check.to_json())
    assert record["severity"] == "note"
    assert record["splits"][0]["rows"] == 42
    page = check.to_html()
    for finding in check.findings:
        assert finding.sentence in str(check)
        assert finding.sentence in page
    assert "<b>superb" not in page
    assert check.save(tmp_path / "out" / "page.html").read_text(encoding="utf-8") == page
    with pytest.raises(OptionError, match=r"neither \.html nor \.json"):
        check.save(tmp_path / "page.pdf")


def test_training_is_told_in_brief_and_only_what_is_still_true(tmp_path: Path) -> None:
    checked(tmp_path, [*BASE, {"text": "one more here now", "label": "Good "}], [*rows(100, 110), BASE[3]])
    plain = " ".join(load_checked(tmp_path, Columns(), None, keep_leaks=True, fix_labels=False).notes)
    assert "Read them as one with --fix-labels." in plain
    assert "1 text of dev is in train too." in plain
    dataset = load_checked(tmp_path, Columns(), None, keep_leaks=False, fix_labels=True)
    mended = " ".join(dataset.notes)
    assert "Cut from train, as they are in dev or test too: 1 text; --keep-leaks keeps them." in mended
    assert "Labels 'Good ' were read as 'good'." in mended
    assert "Warning" not in mended
    assert len(dataset.train) == 40


def test_copies_stay_on_one_side_where_splits_are_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[row for row in rows(0, 60) for _ in range(2)])
    dataset = load_dataset(path, keep_leaks=False)
    sides = [{item.words.texts[0] for item in side} for side in (dataset.train, dataset.dev, dataset.test)]
    assert sum(map(len, sides)) == len(set.union(*sides)) == 60, "no text on two sides"
    assert [len(side) for side in (dataset.train, dataset.dev, dataset.test)] == [96, 12, 12]
    assert {item.label for item in dataset.dev} == {item.label for item in dataset.test} == {"good", "bad"}


def test_a_class_never_loses_its_last_rows_to_leaks(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[{"text": text, "label": text} for text in ("good", "bad")] * 10)
    dataset = load_dataset(path, keep_leaks=False)
    assert {item.label for item in dataset.train} == {"good", "bad"}
    assert any("as a class has no others" in note for note in dataset.notes)
