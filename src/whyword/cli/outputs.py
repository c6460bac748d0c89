"""Output files: written piece by piece beside their place, and put there when they are complete."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..interfaces.errors import OptionError
from .records import Record, record_writer


@dataclass
class Part:
    """A file on its way, and how many texts are in it."""

    path: Path
    texts: int = 0


def check_output(output: Path, endings: Sequence[str], inputs: Sequence[str]) -> None:
    """Refuse a file of another kind, a folder, and the file that is being read."""
    if not output.name.endswith(tuple(endings)):
        raise OptionError(f"-o {output}: the file must end in {', '.join(endings[:-1])} or {endings[-1]}.")
    if output.is_dir():
        raise OptionError(f"-o {output} is a folder: name a file.")
    if len(inputs) == 1 and _same(inputs[0], output):
        raise OptionError(f"-o {output} is the file that is read: name another one.")


def write_records(records: Iterable[Record], output: Path) -> int:
    """Write a record per text, in the format that the file's name asks for; give their number."""
    with _part_of(output) as part, record_writer(part.path, output.name) as write:
        for record in records:
            write(record)
            part.texts += 1
    return part.texts


def write_strings(head: str, strings: Iterable[str], tail: str, output: Path) -> int:
    """Write a string per text between a head and a tail; give their number."""
    with _part_of(output) as part, part.path.open("w", encoding="utf-8") as file:
        file.write(head)
        for string in strings:
            file.write(string)
            part.texts += 1
        file.write(tail)
    return part.texts


def tell_written(texts: int, what: str, output: Path, as_json: bool, quiet: bool) -> None:
    """Say what a file holds now: as JSON on standard output, else on standard error."""
    if as_json:
        print(json.dumps({"output": str(output), "texts": texts}))
    elif not quiet:
        print(f"Wrote {texts:,} {what if texts != 1 else what.removesuffix('s')} to {output}.", file=sys.stderr)


@contextmanager
def _part_of(output: Path) -> Iterator[Part]:
    """Rename FILE.part to FILE at the end; after an error, FILE.part holds the texts that were done."""
    output.parent.mkdir(parents=True, exist_ok=True)
    part = Part(output.with_name(f"{output.name}.part"))
    try:
        yield part
    except BaseException as error:
        if part.texts:
            error.add_note(f"What was done before, {part.texts:,} texts, is in {part.path}.")
        else:
            part.path.unlink(missing_ok=True)
        raise
    part.path.replace(output)


def _same(given: str, output: Path) -> bool:
    try:
        return Path(given).samefile(output)
    except (OSError, ValueError):
        return False  # there is no such file, or what was given is a text and no path at all
