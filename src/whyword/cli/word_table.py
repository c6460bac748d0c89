"""The words that matter most as a table in the terminal, with what a reader should know about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..explaining.word_importance import GATE
from ..views.characters import showable
from .screen import screen

if TYPE_CHECKING:
    from ..explaining.frequency_link import FrequencyLink
    from ..interfaces.explanation import Explanation, WordImportance

RARE = 2  # a word seen so often or less is judged on no evidence to speak of
BAR = 20  # characters


def about_rare_words(shown: WordImportance, from_texts: bool) -> list[str]:
    """Say how many of the words shown were seen too rarely to be trusted."""
    gated = shown.source.startswith(GATE)
    rare = int((shown.frequencies <= RARE).sum())
    if not rare or (gated and from_texts):  # how often training saw the words of other texts is not shown
        return []
    grounds = "their vector alone" if gated else "one or two places"
    return [
        f"Seen only once or twice, so judged by {grounds}: {rare} of the {len(shown)} highest words; "
        "--min-count 5 leaves such words out."
    ]


def show(shown: WordImportance, words: int, link: FrequencyLink) -> None:
    """Print the words with their scores and frequencies, and what the link between the two is."""
    console = screen()
    block = "#" if console.options.ascii_only else "█"
    longest = max(abs(shown.scores).max(), 1e-9)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("word", no_wrap=True, overflow="ellipsis", max_width=40)
    table.add_column("score", justify="right")
    table.add_column("", no_wrap=True, width=BAR)
    table.add_column("frequency", justify="right")
    for row in shown.rows():
        bar = block * round(BAR * max(0.0, row["score"]) / longest)
        table.add_row(Text(showable(row["word"])), f"{row['score']:.3f}", Text(bar, "blue"), f"{row['frequency']:,}")
    console.print(f"The {len(shown):,} highest of {words:,} words by {shown.source}:", markup=False)
    console.print(table)
    console.print(Text(str(link)), soft_wrap=not console.is_terminal)


def show_picked(explanations: Sequence[Explanation]) -> None:
    """Print texts highlighted, under a line that says why they are shown."""
    console = screen()
    if explanations:
        console.print(
            f"\nThe {len(explanations):,} texts that show most of these words together (SP-LIME):\n", markup=False
        )
    for explanation in explanations:
        console.print(explanation)
        console.print()
