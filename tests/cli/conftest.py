"""Small trained models, data files, and the command line called as the console script calls it."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from whyword import TextClassifier
from whyword.cli.app import main
from whyword.data.planted import planted


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def whyword(capsys, monkeypatch, tmp_path) -> Callable[..., Done]:
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("WHYWORD_DATA", raising=False)
    monkeypatch.delenv("WHYWORD_CACHE", raising=False)

    def run(*words: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["whyword", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return Done(left.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def refused(whyword) -> Callable[..., str]:
    """Run a command that must be refused: code 2, nothing on standard output, one line of complaint."""

    def run(*words: object, stdin: bytes = b"") -> str:
        done = whyword(*words, stdin=stdin)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("whyword: ")
        assert done.err.count("\n") == 1, done.err
        assert "Traceback" not in done.err
        return done.err

    return run


def texts_and_labels(count: int, options: str = "easy") -> tuple[list[Any], list[str]]:
    documents = planted(f"{options},train={count},dev=0,test=0").train
    texts = [d.words.texts if len(d.words.texts) > 1 else d.words.texts[0] for d in documents]
    return texts, [d.label for d in documents]


def _folder(tmp_path_factory, method: str, options: str = "easy") -> Path:
    folder = tmp_path_factory.mktemp("models") / method
    classifier = TextClassifier(method, "bag", epochs=3, learning_rate=0.05, contributions=False)
    classifier.fit(*texts_and_labels(60, options)).save(folder)
    return folder


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    return _folder(tmp_path_factory, "attention")


@pytest.fixture(scope="session")
def base_model(tmp_path_factory) -> Path:
    return _folder(tmp_path_factory, "base")


@pytest.fixture(scope="session")
def gated_model(tmp_path_factory) -> Path:
    return _folder(tmp_path_factory, "vmask")


@pytest.fixture(scope="session")
def marked_model(tmp_path_factory) -> Path:
    """A model that has learned what people would mark."""
    documents = planted("easy,train=60,dev=0,test=0").train
    folder = tmp_path_factory.mktemp("models") / "marked"
    classifier = TextClassifier("base", "bag", epochs=3, contributions=False, rationales={"epochs": 1})
    texts, labels, marks = zip(*((d.words.texts[0], d.label, d.rationale[0]) for d in documents), strict=True)
    classifier.fit(texts, labels, rationales=marks).save(folder)
    return folder


@pytest.fixture(scope="session")
def pair_model(tmp_path_factory) -> Path:
    return _folder(tmp_path_factory, "attention", "pairs")


@pytest.fixture
def data(tmp_path) -> Path:
    """A CSV file of forty labelled texts."""
    path = tmp_path / "reviews.csv"
    rows = zip(*texts_and_labels(40), strict=True)
    path.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in rows), encoding="utf-8")
    return path
