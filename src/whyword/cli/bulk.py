"""Folders in, folders out: texts cut into parts that processes or machines share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..interfaces.errors import DataError, OptionError, unknown_name

if TYPE_CHECKING:
    from ..data.sources import Part
    from ..explaining.bulk import Task
    from ..interfaces.classifier import Classifier
    from ..storage.part_folder import PartFolder

PART_SIZE = 1_024  # texts: a few chunks of predictions, and not too much to lose of slow explanations
FORMATS = ("jsonl", "parquet")

PartSize = Annotated[
    int, typer.Option("--part-size", min=1, metavar="N", help="Texts of each part, if -o is a folder.")
]
Format = Annotated[str, typer.Option("--format", metavar="jsonl|parquet", help="Kind of the parts, if -o is a folder.")]


@dataclass(frozen=True)
class Sharing:
    """How the work on a folder is cut and who does it."""

    engine: str
    workers: int
    address: str | None
    part_size: int
    format: str


def folder_wanted(inputs: Sequence[str], output: Path | None, sharing: Sharing) -> bool:
    """Tell a folder of parts from a single output, and refuse what does not go together."""
    from ..parallel import ENGINES

    if sharing.engine not in ENGINES:
        raise unknown_name(sharing.engine, "engines", ENGINES)
    if sharing.format not in FORMATS:
        raise unknown_name(sharing.format, "the choices of --format", FORMATS)
    reads_folder = len(inputs) == 1 and os.path.isdir(inputs[0])
    if output is None or not (output.is_dir() or not output.suffix):
        example = "write to a folder, such as -o parts"
        if reads_folder:
            raise OptionError(f"{inputs[0]} is a folder: {example}, name one of its files, or give a text.")
        if sharing.engine != "local" or sharing.workers > 1:
            raise OptionError(f"--engine and --workers share out the parts of a folder: {example}.")
        return False
    if not reads_folder and not (len(inputs) == 1 and os.path.isfile(inputs[0])):
        raise OptionError(f"-o {output} is a folder: read a file or a folder, or write to a file.")
    if reads_folder and output.exists() and output.samefile(inputs[0]):
        raise OptionError(f"-o {output} is the folder that is read: name another one.")
    return True


def write_folder(
    task: Task,
    classifier: Classifier,
    question: Mapping[str, Any],
    source: str,
    output: Path,
    sharing: Sharing,
    quiet: bool,
) -> int:
    """Make the parts that are not there yet; give the number of texts of all."""
    from ..data.sources import cut, part_files
    from ..storage.part_folder import PartFolder
    from ..storage.records import check_format
    from .texts import fingerprint

    path = Path(source)
    files = [file.absolute() for file in (part_files(path) if path.is_dir() else [path])]  # for workers elsewhere
    ending = f".{sharing.format}"
    check_format(ending)
    contents = [[fingerprint([str(file)]) for file in files], task.columns.text, task.columns.text_pair]
    cutting = {"texts": contents, "part_size": sharing.part_size, "format": sharing.format}
    folder = PartFolder(output, {**question, **cutting}, ending)
    parts = list(cut(files, sharing.part_size))
    if not parts:
        raise DataError(f"{source} holds no texts: give at least one.")
    missing = [part for part in parts if part.number not in folder]
    if len(missing) < len(parts) and not quiet:
        print(f"{len(parts) - len(missing):,} of {len(parts):,} parts are in {output} already.", file=sys.stderr)
    if missing:
        here = sharing.engine == "local" and min(sharing.workers, len(missing)) == 1
        _make(partial(part_content, task, ending, classifier if here else None), parts, missing, folder, sharing, quiet)
    texts = sum(part.rows for part in parts)
    folder.finish(len(parts), texts)
    return texts


def _make(
    work: Callable[[Part], bytes],
    parts: Sequence[Part],
    missing: Sequence[Part],
    folder: PartFolder,
    sharing: Sharing,
    quiet: bool,
) -> None:
    """Hand out parts and write each as it comes back; after an error, those that came back stay."""
    from ..parallel import WorkerError, parallel_map
    from .progress import track

    texts = sum(part.rows for part in parts)
    before = texts - sum(part.rows for part in missing)
    done = len(parts) - len(missing)
    name = str(folder.folder)
    folder.begin()
    results = parallel_map(work, missing, sharing.engine, min(sharing.workers, len(missing)), sharing.address)
    try:
        with closing(cast("Generator[tuple[Part, bytes | Exception], None, None]", results)) as answers:
            for part, content in track(answers, name, lambda: texts, quiet, lambda pair: pair[0].rows, before):
                if isinstance(content, WorkerError):
                    content.add_note(f"It was part {part.number} (of {part.file}).")
                if isinstance(content, Exception):
                    raise content
                folder.put(part.number, content)
                done += 1
    except BaseException as error:
        if done:
            goes_on = isinstance(error, KeyboardInterrupt | WorkerError)
            way_on = "; the same command goes on from there." if goes_on else "."
            error.add_note(f"What was done before, {done:,} of {len(parts):,} parts, is in {name}{way_on}")
        else:
            folder.forget()
        raise


def part_content(task: Task, ending: str, classifier: Classifier | None, part: Part) -> bytes:
    """Answer a part and give the bytes of its file; only the process that was started writes to the folder."""
    from ..explaining.bulk import answer
    from ..storage.records import record_writer

    with TemporaryDirectory() as scratch:
        file = Path(scratch, f"part{ending}")
        count = 0
        with record_writer(file, file.name) as write:
            for record in answer(task, part, classifier):
                write(record)
                count += 1
        if count != part.rows:
            raise DataError(f"{part.file} is no longer as it was when the run began: give the same command again.")
        return file.read_bytes()
