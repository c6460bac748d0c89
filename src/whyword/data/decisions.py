"""What people decided about texts: which words are the reason for which label, a line of JSON each, the latest wins."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ..interfaces.document import Document, Label, Marked, Words
from ..interfaces.errors import DataError
from .rows import Columns, document

LONGEST_AUTHOR = 80  # characters
State = Literal["decided", "skipped", "open"]  # open: a decision was taken back


@dataclass(frozen=True)
class Decision:
    """What one person decided about one text: the document has the label, or labels, and the passages marked."""

    document: Document  # rationale: None where nothing was said about reasons, empty where no word is one
    author: str
    time: str  # ISO 8601, UTC
    not_rationale: Marked | None = None  # passages marked as no reason
    row: int | None = None  # of the file that was annotated, from 1 on
    state: State = "decided"
    undo: bool = False  # takes back the author's last step: this is what was decided about that text before
    saw_reasons: bool = False  # the model's own scores had been shown before

    @property
    def id(self) -> str:
        """Name the text."""
        return text_id(self.document.words)

    def to_record(self) -> dict[str, Any]:
        """Give the line of the file as plain values."""
        texts = self.document.words.texts
        record: dict[str, Any] = dict(zip(("text", "text_pair"), texts, strict=False))
        if self.state == "decided":
            several = self.document.labels
            record["label"] = self.document.label if several is None else list(several)
            record |= _spans("rationale", self.document.rationale, len(texts))
            record |= _spans("not_rationale", self.not_rationale, len(texts))
        record |= {"author": self.author, "time": self.time, "id": self.id, "row": self.row}
        flags = {"skipped": self.state == "skipped", "undo": self.undo, "saw_reasons": self.saw_reasons}
        return record | {name: True for name, is_set in flags.items() if is_set}


def _spans(name: str, marked: Marked | None, texts: int) -> dict[str, Any]:
    parts = [None] * texts if marked is None else [[list(span) for span in spans] for spans in marked]
    return dict(zip((name, f"{name}_pair"), parts, strict=False))


def read_decision(record: dict[str, Any], where: str) -> Decision:
    """Check a line of a file and read it."""
    author, row = record.get("author"), record.get("row")
    if not isinstance(author, str) or not author.strip():
        raise DataError(f"{where} has no author: give a file that  whyword serve --annotate  wrote.")
    several = isinstance(record.get("label"), list)
    columns = Columns(text="text", label="label", rationale="rationale", several=several)
    decided = document(record, columns, where, labelled=False)
    return Decision(
        document=replace(decided, not_rationale=None),
        author=author,
        time=str(record.get("time", "")),
        not_rationale=decided.not_rationale,
        row=row if isinstance(row, int) else None,
        state="skipped" if record.get("skipped") is True else "decided" if "rationale" in record else "open",
        undo=record.get("undo") is True,
        saw_reasons=record.get("saw_reasons") is True,
    )


def read_decisions(records: Iterable[dict[str, Any]], path: Path) -> Iterator[Decision]:
    """Read the lines of a file."""
    for number, record in enumerate(records, 1):
        yield read_decision(record, f"{path}, annotation {number}")


def text_id(words: Words) -> str:
    """Name a text, or a pair of texts, by what it says."""
    return hashlib.blake2b(json.dumps(words.texts).encode(), digest_size=8).hexdigest()


class Decisions:
    """All decisions so far, by text and author."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.by_text: dict[str, dict[str, Decision]] = {}
        self._steps: defaultdict[str, list[tuple[str, Decision | None]]] = defaultdict(list)  # by author: text, before
        for decision in decisions:
            self.add(decision)

    def add(self, decision: Decision) -> None:
        """Take a decision into account; it replaces an earlier one of the author about that text."""
        of_text = self.by_text.setdefault(decision.id, {})
        before = of_text.get(decision.author)
        steps = self._steps[decision.author]
        if not decision.undo:
            steps.append((decision.id, before))
        elif steps:
            steps.pop()
        if decision.state == "open":
            of_text.pop(decision.author, None)
        else:
            of_text[decision.author] = decision

    def find(self, text: str, author: str) -> Decision | None:
        """Give what an author decided about a text."""
        return self.by_text.get(text, {}).get(author)

    def of_text(self, text: str) -> list[Decision]:
        """List the decisions about a text, without those who skipped it."""
        return [decision for decision in self.by_text.get(text, {}).values() if decision.state == "decided"]

    def before(self, author: str, text: str) -> str | None:
        """Name the text that an author decided, or skipped, before a text; of a new one, the last."""
        seen = list(dict.fromkeys(step for step, _ in self._steps.get(author, ()) if author in self.by_text[step]))
        place = seen.index(text) if text in seen else len(seen)
        return seen[place - 1] if place else None

    def undoing(self, author: str, time: str) -> Decision | None:
        """Give the line that takes back an author's last step; None if there is none."""
        if not self._steps.get(author):
            return None
        text, before = self._steps[author][-1]
        if before is not None:
            return replace(before, time=time, undo=True)
        last = self.by_text[text][author]
        return Decision(Document(last.document.words), author, time, row=last.row, state="open", undo=True)

    def counts(self) -> dict[str, int]:
        """Count the texts that each author decided, in the order in which they began."""
        counts: dict[str, int] = dict.fromkeys(self._steps, 0)
        for of_text in self.by_text.values():
            for author, decision in of_text.items():
                counts[author] += decision.state == "decided"
        return counts


def same_decision(one: Decision | None, other: Decision) -> bool:
    """Whether a decision says what another says, whenever it was made."""
    return one is not None and replace(one, time=other.time, undo=other.undo, saw_reasons=other.saw_reasons) == other


def label_set(decision: Decision) -> frozenset[Label]:
    """Give all labels that a decision gives."""
    return frozenset(decision.document.all_labels)
