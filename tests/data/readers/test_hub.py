"""The Hugging Face hub, played by data sets made on the spot."""

import sys
from collections.abc import Iterator
from typing import Any

import datasets
import pytest

from whyword.data.readers.hub import read
from whyword.interfaces.errors import DataError, MissingExtraError

FEATURES = datasets.Features(
    {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["negative", "positive"])}
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    rows = datasets.Dataset.from_dict({"text": ["a", "b", "c"], "label": [1, 0, -1]}, features=FEATURES)
    splits = datasets.IterableDatasetDict({"train": rows.to_iterable_dataset(), "test": rows.to_iterable_dataset()})

    def load(name: str, config: str | None, streaming: bool) -> Any:
        calls.append((name, config, streaming))
        return splits

    monkeypatch.setattr(datasets, "load_dataset", load)
    return calls


def test_class_numbers_come_back_as_names_and_minus_one_as_nothing(asked: list[Any]) -> None:
    splits = read("hub:owner/name")
    assert list(splits) == ["train", "test"]
    assert list(splits["train"]) == [
        ("hub:owner/name, split train, row 1", {"text": "a", "label": "positive"}),
        ("hub:owner/name, split train, row 2", {"text": "b", "label": "negative"}),
        ("hub:owner/name, split train, row 3", {"text": "c", "label": None}),
    ]


def test_name_and_config_are_passed_on_and_rows_are_streamed(asked: list[Any]) -> None:
    read("hub:owner/name")
    read("hub:owner/name/config")
    assert asked == [("owner/name", None, True), ("owner/name", "config", True)]


def test_integers_that_are_no_classes_stay_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = datasets.Dataset.from_dict({"text": ["a"], "label": [4]}).to_iterable_dataset()
    monkeypatch.setattr(datasets, "load_dataset", lambda name, config, streaming: {"train": rows})
    assert [record for _, record in read("hub:a/b")["train"]] == [{"text": "a", "label": 4}]


@pytest.mark.parametrize("source", ["hub:", "hub:name", "hub:a/b/c/d", "hub:a//c", "hub:/b"])
def test_another_form_of_address_is_refused(source: str) -> None:
    with pytest.raises(DataError, match="write hub:owner/name or hub:owner/name/config"):
        read(source)


def test_what_the_hub_complains_of_is_passed_on_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, config: str | None, streaming: bool) -> Any:
        raise ConnectionError("no network\nand more")

    monkeypatch.setattr(datasets, "load_dataset", load)
    with pytest.raises(DataError, match=r"hub:a/b cannot be read from the Hugging Face hub: no network$"):
        read("hub:a/b")


def test_a_stream_that_breaks_is_an_error_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        features = None

        def __iter__(self) -> Iterator[dict[str, Any]]:
            yield {"text": "a"}
            raise TimeoutError

    monkeypatch.setattr(datasets, "load_dataset", lambda name, config, streaming: {"train": Broken()})
    rows = read("hub:a/b")["train"]
    assert next(rows)[1] == {"text": "a"}
    with pytest.raises(DataError, match=r"hub:a/b, split train cannot be read .* TimeoutError"):
        next(rows)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r"whyword\[hub\]"):
        read("hub:a/b")
