"""Explanations of several texts: a list that shows itself in a notebook."""

from __future__ import annotations

from typing import Any, SupportsIndex, overload

from .explanation import Explanation

SHOWN = 20  # texts in a notebook


class Explanations(list[Explanation]):
    """A list of explanations; a slice of it is one too."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> Explanation: ...

    @overload
    def __getitem__(self, place: slice) -> Explanations: ...

    def __getitem__(self, place: Any) -> Any:
        """Give one, or some of them."""
        found = super().__getitem__(place)
        return Explanations(found) if isinstance(place, slice) else found

    def _repr_html_(self) -> str:
        """Show the first of them below each other, and say how many are left out."""
        shown = "\n".join(explanation.to_html() for explanation in self[:SHOWN])
        left = len(self) - SHOWN
        return (
            shown if left <= 0 else f"{shown}\n<p>… and {left:,} more: show a slice, such as [{SHOWN}:{2 * SHOWN}].</p>"
        )
