"""Texts cut into parts that processes or machines share; each part is answered by itself.

The numbers of a part do not depend on who answers the others, so one process and sixty-four write the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import torch
from threadpoolctl import threadpool_limits

from ..data.bad_rows import SKIP
from ..data.rows import Columns
from ..data.sources import Part, check_rows, cut_parts, find_columns, part_files, read_part
from ..interfaces.adapter import Access
from ..interfaces.classifier import Classifier
from ..interfaces.errors import DataError, ModelError, OptionError, WriteError
from ..interfaces.explanation import Explainer
from ..models.folder import TrainedModel, put_model
from ..parallel import WorkerError, parallel_map
from ..storage.part_file import unfinished_note
from ..storage.part_folder import PartFolder
from ..storage.records import check_format, fill
from .any_model import OpenedModel, open_model
from .cache import ExplanationCache
from .inputs import TextSource, file_fingerprint
from .stream import explain_documents, predict_chunks
from .targets import Target

FORMATS = ("jsonl", "parquet")
PART_SIZE = 1_024  # texts: a few chunks of predictions, and not too much to lose of slow explanations


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    texts: int  # written so far, those of an earlier run included
    total: int | None  # None if it is not known beforehand


Report = Callable[[Progress | str], object]  # the strings are sentences for people


@dataclass(frozen=True)
class Sharing:
    """How texts are cut into parts, and who answers them."""

    engine: str = "local"
    workers: int = 1
    address: str | None = None
    part_size: int = PART_SIZE
    format: str = "jsonl"


@dataclass(frozen=True)
class Task:
    """What to compute for every part, in values that travel to other processes and machines."""

    model: str | None  # where it can be opened wherever a part is answered; None if nowhere
    access: Access  # how it is opened
    fingerprint: str  # of the model
    columns: Columns
    explainer: Explainer | None = None  # None: predictions
    target: Target | None = None
    top: int | None = None
    cache: Path | None = None
    threads: int = 1  # not all cores: the last digits depend on it


def write_parts(
    task: Task,
    opened: OpenedModel,
    settings: Mapping[str, Any],
    source: TextSource,
    output: Path,
    sharing: Sharing,
    report: Report | None,
) -> int:
    """Write the parts that an earlier run has not written; give the number of texts of all."""
    assert source.path is not None
    files = part_files(source.path) if source.path.is_dir() else [source.path]
    files = [file.absolute() for file in files]  # for workers elsewhere
    ending = f".{sharing.format}"
    check_format(ending)
    found = find_columns(files[0], task.columns)
    texts = [[file_fingerprint(file) for file in files], found.text, found.text_pair]
    folder = PartFolder(
        output, {**settings, "texts": texts, "part_size": sharing.part_size, "format": sharing.format}, ending
    )
    left_out = 0
    for file in files:
        notes, bad = check_rows(file, task.columns)
        left_out += bad
        if report is not None:
            for note in notes:
                report(note)
    parts = list(cut_parts(files, sharing.part_size, task.columns))
    if not parts:
        raise DataError(f"{source.path} holds no texts: give at least one.")
    missing = [part for part in parts if part.number not in folder]
    if len(missing) < len(parts) and report is not None:
        report(f"{len(parts) - len(missing):,} of {len(parts):,} parts are in {output} already.")
    if missing:
        if sharing.engine == "local" and min(sharing.workers, len(missing)) == 1:
            work = partial(part_content, task, ending, opened.classifier)
            _write_missing(work, parts, missing, folder, sharing, report)
        else:
            with _shared_model(task, opened.trained, sharing) as model:
                work = partial(part_content, replace(task, model=model), ending, None)
                _write_missing(work, parts, missing, folder, sharing, report)
    count = sum(part.rows for part in parts) - left_out
    folder.finish(len(parts), count)
    return count


@contextmanager
def _shared_model(task: Task, trained: TrainedModel | None, sharing: Sharing) -> Iterator[str]:
    """Say where the workers find the model; one of ours that was never saved is saved for them."""
    if task.model is not None:
        yield task.model
        return
    if trained is None:
        raise OptionError(
            "A model that is an object of this process cannot be opened by several workers: give its folder or its "
            "name, or write to a file."
        )
    if sharing.engine != "local":
        raise OptionError("Other machines cannot load a model that is in no folder: save it and give its folder.")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch, "model")
        put_model(trained, folder)
        yield str(folder)


def _write_missing(
    work: Callable[[Part], bytes],
    parts: Sequence[Part],
    missing: Sequence[Part],
    folder: PartFolder,
    sharing: Sharing,
    report: Report | None,
) -> None:
    """Hand out parts and write each as it comes back; after an error, those that came back stay."""
    total = sum(part.rows for part in parts)
    texts = total - sum(part.rows for part in missing)
    folder.begin()
    results = parallel_map(work, missing, sharing.engine, min(sharing.workers, len(missing)), sharing.address)
    try:
        if report is not None:
            report(Progress(texts, total))
        with closing(cast("Generator[tuple[Part, bytes | Exception], None, None]", results)) as contents:
            for part, content in contents:
                if isinstance(content, WorkerError):
                    content.add_note(f"It was part {part.number} (of {part.file}).")
                if isinstance(content, Exception):
                    raise content
                folder.put(part.number, content)
                texts += part.rows
                if report is not None:
                    report(Progress(texts, total))
    except BaseException as error:
        # counted in the folder: a part is in its place although the disk refused what came after, such as its sync
        written = sum(part.number in folder for part in parts)
        if written:
            resumes = isinstance(error, KeyboardInterrupt | WorkerError | WriteError)
            error.add_note(unfinished_note(f"{written:,} of {len(parts):,} parts", folder.folder, resumes))
        else:
            folder.forget()
        raise


def part_content(task: Task, ending: str, classifier: Classifier | None, part: Part) -> bytes:
    """Give the bytes of a part's file; only the process that was started writes to the folder."""
    with TemporaryDirectory() as scratch:
        file = Path(scratch, f"part{ending}")
        written = fill(part_rows(task, part, classifier), file, file.name)
        if written != part.rows and task.columns.on_bad_row != SKIP:
            raise DataError(f"{part.file} is no longer as it was when the run began: give the same command again.")
        return file.read_bytes()


def part_rows(task: Task, part: Part, classifier: Classifier | None = None) -> Iterator[dict[str, Any]]:
    """Give a row per text of a part, in order; without a classifier, the model is loaded once per process.

    How long a text took is left out, so that the same texts give the same bytes.
    """
    if classifier is None:
        assert task.model is not None
        classifier = _load_once(task.model, task.access, task.fingerprint)
    documents = read_part(part, task.columns)
    with _threads(task.threads):
        if task.explainer is None:
            yield from chain.from_iterable(predict_chunks(classifier, documents))
            return
        cache = None if task.cache is None else ExplanationCache(task.cache, task.fingerprint)
        for explanation in explain_documents(classifier, documents, task.explainer, task.target, cache):
            row = explanation.to_dict(task.top)
            del row["seconds"]
            yield row


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with threadpool_limits(count, "blas"):  # the solvers of LIME and Shapley values are numpy's
            yield
    finally:
        torch.set_num_threads(before)


@lru_cache(maxsize=1)
def _load_once(place: str, access: Access, fingerprint: str) -> Classifier:
    opened = open_model(place, access)
    if opened.identity not in (None, fingerprint):
        raise ModelError(f"{place} is not the model that the run began with: put that one there, on every machine.")
    return opened.classifier
