"""Output files: complete, or not there at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure
from rich.console import Console

from ..interfaces.errors import OptionError
from ..storage.atomic import replacing
from ..storage.part_file import Chunk, PartFile
from ..storage.records import Record, check_format, record_writer

if TYPE_CHECKING:
    from ..data.rows import Columns


def check_output(output: Path, endings: Sequence[str], inputs: Sequence[str]) -> None:
    """Refuse a file of another kind, a folder, and the file that is being read."""
    if not output.name.endswith(tuple(endings)):
        raise OptionError(f"-o {output}: the file must end in {', '.join(endings[:-1])} or {endings[-1]}.")
    if output.is_dir():
        raise OptionError(f"-o {output} is a folder: name a file.")
    if len(inputs) == 1 and _same(inputs[0], output):
        raise OptionError(f"-o {output} is the file that is read: name another one.")
    check_format(output.name)


def take_up(output: Path, question: Mapping[str, Any], inputs: list[str], columns: Columns, quiet: bool) -> PartFile:
    """Find the rows that an earlier run of the same command left, and say so."""
    from .texts import fingerprint

    texts = [fingerprint(inputs), columns.text, columns.text_pair]
    part = PartFile(output, {"texts": texts, **question}, again=inputs != ["-"])
    if part.notice and not quiet:
        print(part.notice, file=sys.stderr)
    return part


def write_records(records: Iterable[Record], output: Path) -> int:
    """Write records that are at hand, in the format that the file's name asks for; give their number."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(output) as beside:
        return _fill(records, beside, output.name)


def put_records(chunks: Iterable[Chunk], part: PartFile) -> int:
    """Write a record per text as they are computed; give the number of all."""
    count = part.extend(chunks)
    name = part.output.name
    part.put(None if name.endswith(".jsonl") else lambda path: _fill(part, path, name))
    return count


def put_strings(head: str, chunks: Iterable[Chunk], tail: str, part: PartFile) -> int:
    """Write a string per text between a head and a tail; give the number of all."""

    def fill(path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            file.write(head)
            file.writelines(part)
            file.write(tail)

    count = part.extend(chunks)
    part.put(fill)
    return count


def tell_written(texts: int, what: str, output: Path, as_json: bool, quiet: bool) -> None:
    """Say what a file holds now: as JSON on standard output, else on standard error."""
    if as_json:
        print(json.dumps({"output": str(output), "texts": texts}))
    elif not quiet:
        print(f"Wrote {texts:,} {what if texts != 1 else what.removesuffix('s')} to {output}.", file=sys.stderr)


def _fill(records: Iterable[Record], path: Path, name: str) -> int:
    count = 0
    with record_writer(path, name) as write:
        for record in records:
            write(record)
            count += 1
    return count


def _same(given: str, output: Path) -> bool:
    try:
        return Path(given).samefile(output)
    except (OSError, ValueError):
        return False  # there is no such file, or what was given is a text and no path at all


class Screen(Console):
    """A console that leaves it to us what happens when the reader of a pipe has gone."""

    def on_broken_pipe(self) -> None:
        """Raise again what rich would turn into exit code 1."""
        raise BrokenPipeError


def screen() -> Screen:
    """Open standard output; colors only where they are wanted."""
    return Screen(highlight=False)


_DATES = {".svg": "Date", ".pdf": "CreationDate"}
DPI = 150


def save_figure(figure: Figure, output: Path) -> None:
    """Write a figure in the format that the file's name asks for."""
    output.parent.mkdir(parents=True, exist_ok=True)
    metadata = {_DATES[output.suffix]: None} if output.suffix in _DATES else {}
    with replacing(output) as beside, matplotlib.rc_context({"svg.hashsalt": "whyword", "pdf.fonttype": 42}):
        figure.savefig(beside, format=output.suffix[1:], dpi=DPI, metadata=metadata)
