"""Which text a person gets next: the most useful that still needs somebody and that nobody else has open."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...data.decisions import Decisions, text_id
from ...interfaces.document import Document


@dataclass(frozen=True, eq=False)
class Item:
    """A text to be decided."""

    document: Document  # with the label of the file, if it has one
    row: int | None = None  # of the file, from 1 on; None: not met in it so far
    useful: float = 0.0

    @property
    def rank(self) -> tuple[float, int]:
        """Put the most useful first, and the first of the file among equals."""
        return -self.useful, self.row or 0


class AnnotationQueue:
    """Texts that are still open, and who has which of them before them."""

    def __init__(
        self, decisions: Decisions, overlap: int, lease: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take what was decided so far, how many people each text needs, and the seconds for which one may have it."""
        self.decisions, self.overlap, self.lease, self.clock = decisions, overlap, lease, clock
        self.items: dict[str, Item] = {}
        self.open: dict[str, Item] = {}  # those that need more people
        self._leases: dict[str, tuple[str, float]] = {}  # by author: the text, and until when
        for text, of_text in decisions.by_text.items():  # they can be looked at again, wherever they come from
            for decision in of_text.values():
                self.items[text] = Item(Document(decision.document.words))

    def add(self, items: Iterable[Item]) -> None:
        """Take up texts of the file; a text that stands there twice is one."""
        for item in items:
            text = text_id(item.document.words)
            known = self.items.get(text)
            if known is None or known.row is None:
                self.items[text] = item
            if text not in self.open:
                self.open[text] = item
                self.settle(text)

    def settle(self, text: str) -> None:
        """See whether a text still needs people, once something was decided about it."""
        if len(self.decisions.of_text(text)) >= self.overlap:
            self.open.pop(text, None)
        elif text in self.items and self.items[text].row is not None:
            self.open.setdefault(text, self.items[text])

    def take(self, author: str) -> str | None:
        """Give an author a text, the one they have if it is not decided; None if there is none for them."""
        now = self.clock()
        self._leases = {who: lease for who, lease in self._leases.items() if lease[1] > now}
        held, _ = self._leases.get(author, (None, 0.0))
        free = self.available(author)
        if held not in free:
            held = min(free, key=lambda text: self.open[text].rank, default=None)
        self._leases.pop(author, None)
        if held is not None:
            self._leases[author] = held, now + self.lease
        return held

    def release(self, author: str, text: str) -> None:
        """Take a text back from an author who is done with it."""
        if self._leases.get(author, (None, 0.0))[0] == text:
            del self._leases[author]

    def available(self, author: str) -> list[str]:
        """List the texts that an author could get now."""
        taken = Counter(held for who, (held, _) in self._leases.items() if who != author)
        return [
            text
            for text in self.open
            if self.decisions.find(text, author) is None
            and len(self.decisions.of_text(text)) + taken[text] < self.overlap
        ]

    def awaited(self, author: str) -> bool:
        """Whether there are texts that an author would get if others did not have them open."""
        return any(self.decisions.find(text, author) is None for text in self.open)
