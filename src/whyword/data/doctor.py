"""The data doctor: what a data set holds and what in it would harm training, on one screen, one page, or as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..interfaces.document import Label
from ..interfaces.errors import OptionError
from .dataset import Split, Splits, complete, is_large, is_planted, load_dataset, read_splits, with_fixed_labels
from .findings import HARMS, NOTE, STOPS, Finding, count_classes, find
from .labels import are_multi_label
from .rows import USUAL, Columns
from .splits import SEED, Dataset, Documents
from .store import StoredDocuments, some_of

BRIEF = 4  # findings at the start of a training
SHOWN_CLASSES = 12
LOOKED_AT = 20_000  # rows of each split that is on disk
VERDICTS = {
    STOPS: "training would stop, see the findings",
    HARMS: "can be trained on, but mind the findings",
    NOTE: "nothing that harms training",
}


@dataclass(frozen=True)
class ClassFacts:
    """How many rows of a split are of a class."""

    label: Label
    rows: int
    share: float


@dataclass(frozen=True)
class Lengths:
    """Words per text: of one in twenty texts fewer, of half of them, of one in twenty more, and of the longest."""

    low: float
    median: float
    high: float
    longest: int


@dataclass(frozen=True)
class SplitFacts:
    """What a split holds."""

    name: str
    rows: int  # that can be used
    bad_rows: int
    classes: tuple[ClassFacts, ...]  # the most frequent first
    words: Lengths | None  # None without rows


@dataclass(frozen=True)
class DataCheck:
    """What a data set holds, and what was found in it, the worst first."""

    name: str
    forms: tuple[str, ...]  # how each file is written
    single: bool  # whether it is one file, of which splits will be cut
    splits: tuple[SplitFacts, ...]
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> str | None:
        """How bad the worst finding is: stops, harms or note; None if there is none."""
        return self.findings[0].severity if self.findings else None

    @property
    def verdict(self) -> str:
        """Say in a few words what the findings come to."""
        return VERDICTS[self.severity or NOTE]

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {**asdict(self), "severity": self.severity}

    def to_json(self) -> str:
        """Write all of it as one line of strict JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_html(self) -> str:
        """Write a whole page that needs nothing from outside."""
        from ..report.charts.scores import bar
        from ..report.template import fill

        most = max((each.share for split in self.splits for each in split.classes), default=1.0)
        bars = {each: bar(each.share, most) for split in self.splits for each in split.classes}
        marks = {STOPS: "bad", HARMS: "care", NOTE: "none"}
        return fill("whyword.data", "doctor.html", {"check": self, "bars": bars, "marks": marks, "most": SHOWN_CLASSES})

    def save(self, path: str | Path) -> Path:
        """Write a page (.html) or JSON (.json)."""
        path = Path(path)
        if path.suffix not in (".html", ".json"):
            raise OptionError(f"{path} ends in neither .html nor .json: name the report one or the other.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.to_html() if path.suffix == ".html" else self.to_json() + "\n", encoding="utf-8")
        return path

    def brief(self) -> list[str]:
        """Say the main facts and the worst findings in a few lines."""
        lines = [_facts(self.splits)]
        worst = [finding for finding in self.findings if finding.severity != NOTE]
        lines += [f"Warning: {finding}" for finding in worst[:BRIEF]]
        if len(worst) > BRIEF:
            lines.append(f"whyword check shows {len(worst) - BRIEF} more findings.")
        return lines

    def __str__(self) -> str:
        """Write what a person wants to know, plainly."""
        parts = [self.name, *self.forms, _facts(self.splits), *(str(finding) for finding in self.findings)]
        return "\n".join(parts)


def check(
    data: str | Path | Dataset,
    columns: Columns = USUAL,
    data_dir: str | Path | None = None,
) -> DataCheck:
    """Look for what would harm training, in whatever load_dataset takes or in a Dataset."""
    if isinstance(data, Dataset):
        return examine(_as_splits(data))
    if is_planted(data):
        return examine(_as_splits(load_dataset(data)))
    if is_large(data, columns, data_dir):
        with TemporaryDirectory() as folder:
            return examine(read_splits(data, columns, data_dir, Path(folder)))
    return examine(read_splits(data, columns, data_dir))


def examine(read: Splits, near: bool = True) -> DataCheck:
    """Look at what was read; for near duplicates only if so wanted, as they take longest.

    Of the texts on disk, some are looked at.
    """
    forms = tuple(split.form for split in read.splits.values() if split.form)
    facts = tuple(_split_facts(name, split) for name, split in read.splits.items())
    findings = find(read.splits, near, _some_rows) if "train" in read.splits else ()
    return DataCheck(read.name, (*forms, *_looked_at(read)), read.single, facts, findings)


def load_checked(
    source: str | Path,
    columns: Columns,
    data_dir: str | Path | None,
    keep_leaks: bool,
    fix_labels: bool,
    store: Path | None = None,
) -> Dataset:
    """Load a data set to train on, with a brief check among its notes; into a folder for rows if one is named."""
    if is_planted(source):
        return load_dataset(source)
    read = read_splits(source, columns, data_dir, store)
    read = with_fixed_labels(read) if fix_labels else read
    dataset = complete(read, columns, keep_leaks)
    done = {"missing-labels", "missing-texts", "fields", "encoding", "json", "other-rows"}  # told as rows left out
    done |= set() if keep_leaks else {"leaks"}
    found = examine(read, near=False)
    found = replace(found, findings=tuple(finding for finding in found.findings if finding.name not in done))
    return replace(dataset, notes=(*dataset.notes, *found.brief(), *_looked_at(read)))


def _some_rows(split: Split) -> Split:
    """Draw the rows whose texts are looked at from those on disk."""
    if not isinstance(split.documents, StoredDocuments):
        return split
    rows = tuple(split.documents.draw(LOOKED_AT, SEED))
    return replace(split, documents=rows, places=(split.source,) * len(rows))


def _looked_at(read: Splits) -> list[str]:
    stored = [split.documents for split in read.splits.values() if isinstance(split.documents, StoredDocuments)]
    if max(map(len, stored), default=0) <= LOOKED_AT:
        return []
    return [f"Lengths and harms were looked for in {LOOKED_AT:,} rows of a split, drawn with the seed {SEED}."]


def _as_splits(dataset: Dataset) -> Splits:
    named = {"train": dataset.train, "dev": dataset.dev, "test": dataset.test}
    splits = {name: _as_split(name, rows) for name, rows in named.items() if rows}
    return Splits(dataset.name, dataset.name, splits)


def _as_split(name: str, rows: Documents) -> Split:
    return Split(name, rows, tuple(f"{name}, row {number}" for number in range(1, len(rows) + 1)), (), Columns())


def _split_facts(name: str, split: Split) -> SplitFacts:
    counts = count_classes(split.documents)
    total = max(1, len(split.documents) if are_multi_label(split.documents) else sum(counts.values()))
    classes = tuple(ClassFacts(label, rows, rows / total) for label, rows in counts.items())
    words = _lengths(some_of(split.documents, LOOKED_AT, SEED))
    return SplitFacts(name, len(split.documents), len(split.bad), classes, words)


def _lengths(documents: Documents) -> Lengths | None:
    if not len(documents):
        return None
    words = np.array([len(item.words) for item in documents])
    low, median, high = np.percentile(words, [5, 50, 95]).tolist()
    return Lengths(low, median, high, int(words.max()))


def _facts(splits: tuple[SplitFacts, ...]) -> str:
    """Say in one line how many rows, which classes, and how long the texts are."""
    rows = " + ".join(f"{split.rows:,} {split.name}" for split in splits) if len(splits) > 1 else f"{splits[0].rows:,}"
    first = splits[0]
    shares = ", ".join(f"{each.label} {each.share:.0%}" for each in first.classes[:4])
    more = ", …" if len(first.classes) > 4 else ""
    sentence = f"{rows} rows, {len(first.classes)} {'class' if len(first.classes) == 1 else 'classes'} ({shares}{more})"
    if first.words is None:
        return f"{sentence}."
    return (
        f"{sentence}; half of the texts have up to {first.words.median:.0f} words, 95 % up to {first.words.high:.0f}."
    )
