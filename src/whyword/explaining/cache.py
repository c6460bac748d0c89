"""A cache of explanations on disk: the same model, explainer and text are not computed again.

Neither texts nor labels are stored: only a hash of what an explanation was computed from, and its numbers. The names of
an explanation's fields are part of the hash, so that entries of an older form are never read.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..inference.windows import explain_in_windows
from ..interfaces.classifier import Classifier, class_values
from ..interfaces.document import Document
from ..interfaces.errors import DataError
from ..interfaces.explanation import Explainer, Explanation, Interaction
from ..models.fingerprint import describe_explainer, fingerprint, text_fingerprint

FILE = "explanations.sqlite"
WAIT = 60.0  # seconds for other processes to finish writing
TOGETHER = 500  # keys of one query; older versions of SQLite take 999
_KNOWN_TO_THE_READER = ("document", "classes", "values")


@dataclass(frozen=True)
class ExplanationCache:
    """The explanations of one model that a folder keeps."""

    folder: Path
    model: str  # its fingerprint

    def __post_init__(self) -> None:
        """Refuse a folder that cannot be used before anything is computed."""
        with _opened(self.folder):
            pass

    def explain(
        self, explainer: Explainer, classifier: Classifier, documents: Sequence[Document], target: int | None = None
    ) -> list[Explanation]:
        """Look up each document, explain the others together, and keep what is new."""
        names = [field.name for field in fields(Explanation)]
        start = fingerprint([self.model, describe_explainer(explainer), target, names])
        keys = [hashlib.sha256(start.encode() + text_fingerprint(document.words)).digest() for document in documents]
        with _opened(self.folder) as table:
            entries = dict(_read(table, keys))
        new = {key: i for i, key in enumerate(keys) if key not in entries}  # a text that came twice is explained once
        if new:
            explanations = explain_in_windows(explainer, classifier, [documents[i] for i in new.values()], target)
            new_entries = {key: _values(explanation) for key, explanation in zip(new, explanations, strict=True)}
            entries |= new_entries
            with _opened(self.folder) as table:
                _write(table, new_entries)
        return [
            Explanation(
                document=document,
                classes=classifier.classes,
                values=class_values(classifier),
                **_restored(entries[key]),
            )
            for document, key in zip(documents, keys, strict=True)
        ]


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the table of explanations; several processes may read and write it at once."""
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file, timeout=WAIT, isolation_level="IMMEDIATE")) as table:
            table.execute("PRAGMA journal_mode = WAL")
            table.execute("PRAGMA synchronous = NORMAL")
            table.execute("CREATE TABLE IF NOT EXISTS explanations (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID")
            yield table
    except (sqlite3.Error, OSError, json.JSONDecodeError) as error:
        raise DataError(
            f"The cache {file} cannot be used ({error}): delete the file, or name another folder with --cache."
        ) from error


def _read(table: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for start in range(0, len(keys), TOGETHER):
        some = keys[start : start + TOGETHER]
        marks = ",".join("?" * len(some))
        for key, answer in table.execute(f"SELECT key, answer FROM explanations WHERE key IN ({marks})", some):
            yield key, json.loads(answer)


def _write(table: sqlite3.Connection, entries: Mapping[bytes, Mapping[str, Any]]) -> None:
    rows = ((key, json.dumps(values)) for key, values in entries.items())
    with table:
        table.executemany("INSERT OR IGNORE INTO explanations VALUES (?, ?)", rows)


def _values(explanation: Explanation) -> dict[str, Any]:
    """Write an explanation as plain values, arrays with their dtype: every number comes back as it was."""
    values = {field.name: getattr(explanation, field.name) for field in fields(explanation)}
    return {name: _plain(value) for name, value in values.items() if name not in _KNOWN_TO_THE_READER}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, tuple) and all(isinstance(part, Interaction) for part in value):
        return {"interactions": [[pair.first, pair.second, pair.score] for pair in value]}
    if isinstance(value, tuple):
        return {"numbers": list(value)}
    return value.item() if isinstance(value, np.generic) else value


def _restored(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _as_it_was(value) for name, value in values.items()}


def _as_it_was(value: Any) -> Any:
    if isinstance(value, list):
        return np.array(value[1], value[0])
    if isinstance(value, dict):
        return tuple(Interaction(*pair) for pair in value.get("interactions", ())) or tuple(value.get("numbers", ()))
    return value
