"""Write the explanations or the predictions of many texts, to a file or a folder of parts; interrupted runs resume."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..catalog import make_explainer
from ..data.rows import Columns
from ..interfaces.classifier import class_values
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.explanation import MOST_COLUMNS, Explainer, Explanation
from ..interfaces.places import as_place, exists, is_place, is_remote
from ..models.fingerprint import describe_explainer
from ..parallel import ENGINES
from ..storage.lock import owned
from ..storage.part_file import Chunk, PartFile
from ..storage.records import check_output, fill
from ..views import page
from .any_model import OpenedModel, access_for, open_model, trained_model, with_tokenizer
from .cache import ExplanationCache
from .inputs import TextSource
from .parts import FORMATS, PART_SIZE, Progress, Report, Sharing, Task, write_parts
from .stream import explain_chunks, only_top, predict_chunks
from .targets import Target, check_before_reading, read_target

EXPLANATIONS = (".jsonl", ".jsonl.gz", ".parquet", ".html", ".svg")  # kinds of output files
PREDICTIONS = (".jsonl", ".jsonl.gz", ".csv", ".parquet")
ROW_FORMAT = 4  # raised when the rows of explanations change, so that no file mixes old ones with new ones


def write_explanations(
    model: Any,
    texts: Any,
    output: str | Path,
    *,
    explainer: str | Explainer | None = None,
    target: Label | None = None,
    against: Label | None = None,
    top: int | None = None,
    columns: Columns | Mapping[str, str] | None = None,
    cache: str | Path | None = None,
    classes: Sequence[Label] | None = None,
    fingerprint: str | None = None,
    tokenizer: Any = None,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
    part_size: int = PART_SIZE,
    format: str = "jsonl",
    device: str = "auto",
    threads: int = 1,
    on_progress: Report | None = None,
) -> int:
    """Explain texts and write a row for each; give their number. A run that was interrupted resumes if it is repeated.

    model: a model folder, a TextClassifier, or any model that `explain` takes, with its tokenizer if it is a network of
    Hugging Face. One that whyword cannot see change, such as a function, is known by a fingerprint: a name that changes
    whenever the model does; without one, an interrupted run starts anew.
    target: the class to explain, "predicted" (as if left out), "score" (the expected score of classes that have an
    order), or "all": then rows have all_scores whatever the explainer, and a page shows each text for every class. With
    against, its scores are taken off the target's.
    texts: the path of a file or folder, with columns such as {"text": "review"} if they have other names; or strings.
    output: a .jsonl, .jsonl.gz, .parquet, .html or .svg file; or a folder. Then the texts of the file or folder are cut
    into parts of part_size texts, each written in the given format; the workers share them, each with those threads.
    on_progress: called with a Progress after each chunk of texts, and with a sentence if there was an earlier run.
    """
    sharing = Sharing(engine, workers, address, part_size, format)
    source, output = TextSource(texts, columns), as_place(output)
    into_folder = check_destination(source.path, output, EXPLANATIONS, sharing)
    opened = _open(model, source, device, classes, fingerprint, tokenizer)
    classifier = opened.classifier
    chosen = explainer if isinstance(explainer, Explainer) else make_explainer(explainer, classifier)
    if top is not None and top < 1:
        raise OptionError(f"top is {top}: give 1 or more, or None for all words.")
    asked = read_target(classifier.classes, target, against, class_values(classifier))
    check_before_reading(asked, chosen, classifier)  # and before an earlier run is touched
    if asked.every and output.suffix == ".svg":
        raise OptionError(f"The output {output} holds one picture, but every class was asked for: name one as target.")
    settings = {
        "model": opened.identity,
        **describe_explainer(chosen),
        "target": target if asked.named else None,
        "against": against,
        "top": top,
        "row_format": ROW_FORMAT,
    }
    if into_folder:
        name, folder = opened.named("A folder of parts"), None if cache is None else Path(cache).absolute()
        task = Task(opened.place, opened.access, name, source.columns, chosen, asked, top, folder, threads)
        with owned(output, inside=True):
            return write_parts(task, opened, settings, source, output, sharing, on_progress)
    known = None if cache is None else ExplanationCache(Path(cache), opened.named("A cache"))
    documents = _told(source, on_progress)
    documents = _only_one(documents, output) if output.suffix == ".svg" else documents
    with owned(output):
        part = _part_file(output, settings, source, on_progress)
        rest = islice(documents, part.texts, None)
        chunks = explain_chunks(classifier, rest, chosen, asked, known, part.texts, part.passes)
        write = _row_writer(output, asked, top)
        rows = ((list(map(write, chunk)), sum(explanation.forward_passes for explanation in chunk)) for chunk in chunks)
        return _finish(part, rows, source, on_progress)


def write_predictions(
    model: Any,
    texts: Any,
    output: str | Path,
    *,
    columns: Columns | Mapping[str, str] | None = None,
    classes: Sequence[Label] | None = None,
    fingerprint: str | None = None,
    tokenizer: Any = None,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
    part_size: int = PART_SIZE,
    format: str = "jsonl",
    device: str = "auto",
    threads: int = 1,
    on_progress: Report | None = None,
) -> int:
    """Write label and probabilities of each text; give their number. Everything else is as for write_explanations.

    The output is a .jsonl, .jsonl.gz, .csv or .parquet file, or a folder.
    """
    sharing = Sharing(engine, workers, address, part_size, format)
    source, output = TextSource(texts, columns), as_place(output)
    into_folder = check_destination(source.path, output, PREDICTIONS, sharing)
    opened = _open(model, source, device, classes, fingerprint, tokenizer)
    settings = {"model": opened.identity}
    if into_folder:
        name = opened.named("A folder of parts")
        task = Task(opened.place, opened.access, name, source.columns, threads=threads)
        with owned(output, inside=True):
            return write_parts(task, opened, settings, source, output, sharing, on_progress)
    documents = _told(source, on_progress)
    with owned(output):
        part = _part_file(output, settings, source, on_progress)
        chunks = predict_chunks(opened.classifier, islice(documents, part.texts, None))
        return _finish(part, ((chunk, 0) for chunk in chunks), source, on_progress)


def check_destination(source: Path | None, output: Path | None, endings: Sequence[str], sharing: Sharing) -> bool:
    """Tell a folder of parts from a single output, and refuse what does not go together."""
    if sharing.engine not in ENGINES:
        raise unknown_name(sharing.engine, "engines", ENGINES)
    if sharing.format not in FORMATS:
        raise unknown_name(sharing.format, "the formats of parts", FORMATS)
    for name in ("workers", "part_size"):
        if getattr(sharing, name) < 1:
            raise OptionError(f"{name} is {getattr(sharing, name)}: give 1 or more.")
    reads_folder = source is not None and source.is_dir()
    if output is not None and is_remote(output):
        exists(output)  # or a sentence
    if output is None or not (output.is_dir() or not output.suffix):
        if reads_folder:
            raise OptionError(f"{source} is a folder: write to a folder too, or name one of its files.")
        if sharing.engine != "local" or sharing.workers > 1:
            raise OptionError("Workers and engines share out the parts of a folder: write to a folder.")
        if output is not None:
            check_output(output, endings, () if source is None else (source,))
        return False
    if source is None:
        raise OptionError(f"The output {output} is a folder: read a file or a folder, or write to a file.")
    if reads_folder and output.exists() and output.samefile(source):
        raise OptionError(f"The output {output} is the folder that is read: name another one.")
    return True


def _open(
    model: Any,
    source: TextSource,
    device: str,
    classes: Sequence[Label] | None,
    fingerprint: str | None,
    tokenizer: Any = None,
) -> OpenedModel:
    """Open a model; one that does not name its classes is asked about the first text."""
    if isinstance(model, OpenedModel):
        opened = model
    else:
        named = isinstance(model, str) or is_place(model) or trained_model(model) is not None
        access = access_for([] if named else [source.first()], classes, device)
        opened = open_model(with_tokenizer(model, tokenizer), access, fingerprint)
    if opened.trained is not None:
        source.prefer(opened.trained.columns)
    return opened


def _told(source: TextSource, report: Report | None) -> Iterator[Document]:
    """Give the documents, and say how their file is read where that is not as usual."""
    documents = source.documents()
    if report is not None:
        for note in source.notes:
            report(note)
    return documents


def _only_one(documents: Iterator[Document], output: Path) -> Iterator[Document]:
    first = list(islice(documents, 2))
    if len(first) > 1:
        raise OptionError(
            f"The output {output} holds one picture, but several texts came: give one, or write an .html file."
        )
    return chain(first, documents)


def _part_file(output: Path, settings: Mapping[str, Any], source: TextSource, report: Report | None) -> PartFile:
    """Take up the rows that an earlier run with the same settings left, and say so."""
    contents, columns = source.fingerprint(), source.found()
    once = [] if contents is not None else ["texts that can be read only once"]
    if settings["model"] is None:
        once.append("a model without a fingerprint")
    part = PartFile(output, {"texts": [contents, columns.text, columns.text_pair], **settings}, once)
    if part.notice and report is not None:
        report(part.notice)
    return part


def _row_writer(output: Path, target: Target, top: int | None) -> Callable[[Explanation], Any]:
    if output.suffix == ".html":
        return lambda explanation: _page_part(explanation, target, top)
    if output.suffix == ".svg":
        return lambda explanation: only_top(explanation, top).to_svg()
    return lambda explanation: explanation.to_dict(top)


def _page_part(explanation: Explanation, target: Target, top: int | None) -> str:
    """Write a text for each label that is to be shown; of several labels, their table of words below."""
    views = target.views(explanation)
    shown = "".join(f"{only_top(view, top).to_html()}\n" for view in views)
    if explanation.labels is not None and len(views) > 1:
        shown += f"{explanation.to_table([view.label for view in views][:MOST_COLUMNS])}\n"
    several, document = explanation.labels, explanation.document
    predicted = (explanation.predicted,) if several is None else several
    given = None if document.label is None and document.labels is None else document.all_labels
    return page.article(
        shown,
        [str(explanation.classes[number]) for number in predicted],
        float(explanation.probabilities[list(predicted)].min()) if predicted else 1.0,
        None if given is None else list(map(str, given)),
    )


def _finish(part: PartFile, chunks: Iterable[Chunk], source: TextSource, report: Report | None) -> int:
    """Write rows as they are computed, then put the output in its place; give the number of all rows."""
    count = part.extend(chunks if report is None else _reported(chunks, part, source, report))
    name = part.output.name
    if name.endswith(".jsonl"):
        part.put()
    elif name.endswith(".html"):
        part.put(lambda path: _write_page(part, path))
    elif name.endswith(".svg"):
        part.put(lambda path: _write_picture(part, path))
    else:
        part.put(lambda path: fill(part, path, name))
    return count


def _write_page(part: PartFile, path: Path) -> None:
    """Write the explanations under a heading."""
    texts = f"{part.texts:,} text{'' if part.texts == 1 else 's'}"
    with path.open("w", encoding="utf-8") as file:
        file.write(page.head("Which words decided", f"{texts}. A word is painted for the class that it speaks for."))
        file.writelines(part)
        file.write(page.TAIL)


def _write_picture(part: PartFile, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(part)


def _reported(chunks: Iterable[Chunk], part: PartFile, source: TextSource, report: Report) -> Iterator[Chunk]:
    total = source.count()
    report(Progress(part.texts, total))
    for chunk in chunks:
        yield chunk  # and then it is written
        report(Progress(part.texts, total))
