"""The same table as Markdown, LaTeX and plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, isnan

from ..maths.stats.intervals import Estimate
from ..views.characters import showable

NONE, MINUS = "–", "−"
TWO_SEEDS = "Two seeds: the interval is wide, 12.7 standard errors to each side; of three seeds it is 4.3."
MARKDOWN = "\\|*`["
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "±": r"$\pm$",
    "−": "$-$",
    "Δ": r"$\Delta$",
    "–": "--",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}


@dataclass(frozen=True)
class Entry:
    """What stands in one place of a table."""

    text: str
    strong: bool = False
    right: bool = False  # numbers stand on the right


Table = Sequence[Sequence[Entry]]  # the first row is the head


def markdown(table: Table) -> str:
    """Write a table for Markdown; bold what is strong."""

    def shown(entry: Entry) -> str:
        text = showable(entry.text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
        return f"**{text}**" if entry.strong else text

    rule = [Entry("--:" if entry.right else "---") for entry in table[0]]
    return "".join(f"| {' | '.join(map(shown, row))} |\n" for row in (table[0], rule, *table[1:]))


def latex(table: Table) -> str:
    """Write a table for LaTeX's booktabs; bold what is strong."""

    def shown(entry: Entry) -> str:
        text = escape_latex(showable(entry.text))
        return rf"\textbf{{{text}}}" if entry.strong else text

    head, *rows = (f"{' & '.join(map(shown, row))} \\\\" for row in table)
    columns = "".join("r" if entry.right else "l" for entry in table[0])
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def plain(table: Table) -> str:
    """Write a table for a terminal; a star behind what is strong."""
    columns = []
    for column in zip(*table, strict=True):
        star = " " if any(entry.strong for entry in column) else ""  # keeps the column aligned
        texts = [showable(entry.text) + ("*" if entry.strong else star) for entry in column]
        width = max(map(len, texts))
        columns.append([text.rjust(width) if column[0].right else text.ljust(width) for text in texts])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def with_interval(estimate: Estimate, digits: int = 3, scale: float = 1.0) -> str:
    """Write a mean with half of its interval, 0.81 ± 0.02, or with both ends where one is cut off, 0.99 (0.95 to 1)."""
    value, low, high = (scale * number for number in (estimate.value, estimate.low, estimate.high))
    if isnan(value):
        return NONE
    written = f"{value:z.{digits}f}"
    if isclose(high - value, value - low, rel_tol=1e-6, abs_tol=0.01 * 10**-digits):
        written += f" ± {high - value:.{digits}f}"
    elif not isnan(high):
        written += f" ({low:z.{digits}f} to {high:z.{digits}f})"
    return written.replace("-", MINUS)


def escape_markdown(text: str) -> str:
    """Write a text on one line so that Markdown shows it as it is, in a table too: no HTML, code, link or emphasis."""
    line = " ".join(showable(text).split()).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in MARKDOWN else letter for letter in line)


def escape_latex(text: str) -> str:
    """Write a text so that LaTeX prints it as it is."""
    return "".join(LATEX.get(letter, letter) for letter in text)
