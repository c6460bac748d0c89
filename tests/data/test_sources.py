"""Where data sets lie."""

from pathlib import Path

import pytest

from whyword.data.sources import dataset_names, locate, name_of, read_records, split_files
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
    assert split_files(folder / "sst2") == {"train": folder / "sst2" / "train.csv", "dev": folder / "sst2" / name}


@pytest.mark.parametrize("name", ["train.jsonl", "train.csv.gz"])
def test_two_files_for_one_split_are_refused(folder: Path, name: str) -> None:
    (folder / "sst2" / name).write_text("")
    with pytest.raises(DataError, match=rf"two files for its train split, train\.csv and {name}"):
        split_files(folder / "sst2")


def test_two_names_for_the_dev_split_are_refused(folder: Path) -> None:
    for name in ("dev.csv", "val.csv"):
        (folder / "sst2" / name).write_text("")
    with pytest.raises(DataError, match="two files for its dev split"):
        split_files(folder / "sst2")


def test_a_folder_without_a_train_file_is_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="has no train file"):
        split_files(folder / "words")


def test_a_data_set_is_named_after_its_file_or_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_of(folder / "trec.jsonl.gz") == "trec"
    monkeypatch.chdir(folder / "sst2")
    assert name_of(Path(".")) == "sst2"


@pytest.mark.parametrize(("name", "hint"), [("README.md", ""), ("a.json", "name it .jsonl"), ("a.txt.gz", "")])
def test_a_file_of_another_kind_is_refused(folder: Path, name: str, hint: str) -> None:
    (folder / name).write_text("")
    with pytest.raises(DataError, match=rf"{name} is of a kind that cannot be read: use \.csv, .*{hint}"):
        read_records(folder / name)


def test_a_missing_file_is_named(folder: Path) -> None:
    with pytest.raises(DataError, match=r"There is no file .*gone\.csv"):
        read_records(folder / "gone.csv")
