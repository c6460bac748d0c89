"""PAPERS.md leads to code and tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "whyword", ROOT / "tests"
PAGE = (ROOT / "PAPERS.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)(?=[`:])", PAGE)))
NAMED_TESTS = sorted(set(re.findall(r"`(test_[a-z0-9_]+)`", PAGE)))
PLACES = sorted(
    set(re.findall(r"`([A-Za-z_.0-9]+)` in `([a-z_/0-9]+\.py)`", PAGE))
    | {(name, path) for path, name in re.findall(r"`([a-z_/0-9]+\.py)::([A-Za-z_.0-9]+)`", PAGE)}
)


def test_there_is_something_to_check():
    assert min(len(PATHS), len(NAMED_TESTS), len(PLACES)) > 20


@pytest.mark.parametrize("path", PATHS)
def test_every_file_it_names_exists(path):
    assert (SOURCE / path).exists() or (TESTS / path).exists()


@pytest.mark.parametrize(("name", "path"), PLACES)
def test_every_name_is_in_the_file_it_is_said_to_be_in(name, path):
    assert re.search(rf"\b{name.split('.')[-1]}\b", (SOURCE / path).read_text(encoding="utf-8"))


def test_every_test_it_names_exists():
    written = "\n".join(file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py"))
    assert not [name for name in NAMED_TESTS if f"def {name}(" not in written]


def test_tests_listed_after_a_file_are_in_that_file():
    wrong = []
    for row in PAGE.splitlines():
        file = None
        for path, name in re.findall(r"`([a-z_/0-9]+/test_[a-z_0-9]+\.py)`|`(test_[a-z0-9_]+)`", row):
            if path:
                file = TESTS / path
            elif file is not None and f"def {name}(" not in file.read_text(encoding="utf-8"):
                wrong.append((file.name, name))
    assert not wrong
