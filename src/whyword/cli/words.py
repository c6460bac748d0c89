"""`whyword words`: which words speak for each class overall, and whether they are just the frequent ones."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.settings import strict_json
from . import options

if TYPE_CHECKING:
    from rich.table import Table

    from ..explaining.cache import ExplanationCache
    from ..explaining.words import FrequencyLink
    from ..interfaces.classifier import Classifier
    from ..interfaces.document import Document, Label
    from ..interfaces.explanation import Explainer, Explanation, WordImportance
    from .texts import Corpus

    Parts = dict[Label | None, WordImportance]  # words of each class, or all under None

TABLES = (".csv", ".jsonl", ".jsonl.gz")
PICTURES = (".png", ".svg", ".pdf")
SHOWN, IN_CLOUD, SAMPLE = 50, 80, 500
FEWEST, FEWEST_IN_CLOUD = 10, 25  # words of each class, however many classes there are
RARE = 2  # a word that occurs this often or less is judged on no evidence to speak of
BAR = 20  # characters

Data = Annotated[
    str | None,
    typer.Argument(
        metavar="DATA",
        help="Texts to score words in: a file, a folder, a name, hub:owner/name or planted (test split, else dev).",
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="K",
        help="Only the K highest of each class. Left out: 50 shown, 80 in clouds, shared out among the classes; all in "
        "a table.",
    ),
]
ClassName = Annotated[str | None, typer.Option("--class", metavar="NAME", help="Only words that speak for this class.")]
MinCount = Annotated[int, typer.Option(min=1, metavar="N", help="Only words that occur at least N times.")]
ExplainerName = Annotated[
    str | None, typer.Option(metavar="NAME", help="Put together this explainer's scores over DATA.")
]
Reduce = Annotated[
    str | None,
    typer.Option(metavar="sum|mean|root", help="How scores of a word are put together. Left out: mean."),
]
Pick = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Also show N texts that cover the important words best (SP-LIME)."),
]
Sample = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Texts drawn from DATA. Left out: 500 with --explainer, else all."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="A .csv, .jsonl, .jsonl.gz, .png, .svg or .pdf file."),
]
Plot = Annotated[
    str | None, typer.Option(metavar="cloud|scatter", help="The picture for -o: a word cloud if left out.")
]


@options.grouped
def command(
    model: options.Model,
    data: Data = None,
    *,
    top: Top = None,
    class_name: ClassName = None,
    min_count: MinCount = 1,
    explainer: ExplainerName = None,
    settings: options.ExplainerSettings,
    reduce: Reduce = None,
    pick: Pick = None,
    sample: Sample = None,
    output: Output = None,
    plot: Plot = None,
    columns: options.DataColumns,
    opening: options.Opening,
    data_dir: options.DataDir = None,
    cache: options.Cache = None,
    seed: options.Seed = 0,
    hardware: options.Hardware,
    reporting: options.Reporting,
) -> None:
    """List the words that speak for each class, or those with the highest weights.

    Contributions and explainers are averaged over DATA, for each class; weights and gates are not for a class.
    """
    from ..catalog import make_explainer
    from ..explaining.cache import ExplanationCache
    from ..explaining.words import REDUCTIONS, frequency_link, word_importance
    from .texts import read_corpus

    options.use_threads(hardware.threads)
    values = settings.values()
    _check(output, plot, sample, data)
    _check_pick(pick, reduce, data, explainer, values)
    opened = opening.open(model, hardware.device)
    classifier = opened.classifier
    explains = explainer is not None or pick is not None
    chosen = make_explainer(explainer, classifier, seed, values) if explains else None
    known = None if cache is None else ExplanationCache(cache, opened.named("A cache"))
    documents, notes = None, []
    if data is not None:
        corpus = read_corpus(data, columns.columns(model), data_dir, quiet=reporting.quiet)
        documents, note = _documents(corpus, SAMPLE if sample is None and chosen else sample, seed, reporting.quiet)
        notes.append(note)
    picked: list[Explanation] = []
    if pick is not None and chosen and documents:
        importance, picked = _pick(classifier, documents, chosen, pick, known)
    else:
        importance = word_importance(classifier, documents, chosen, reduce, known)
        if importance.source.startswith(REDUCTIONS["sum"]):
            notes.append("A sum grows with the number of texts a word stands in; --reduce mean does not.")
    if class_name is not None:
        importance = importance.for_class(_label(importance, class_name))
    importance = _frequent(importance, min_count)
    shown = {label: part.top(top or _most(SHOWN, FEWEST, importance)) for label, part in importance.by_class().items()}
    link = frequency_link(importance)
    notes += _about_rare_words(shown, data is not None)
    if output is not None:
        notes += [_write(importance, link, output, plot or "cloud", top), str(link)]
    if reporting.as_json:
        print(strict_json(_record(importance, shown, link, output, picked)))
    else:
        if output is None:
            _show(shown, importance, link)
        _show_picked(picked)
    if not reporting.quiet:
        for sentence in notes:
            print(sentence, file=sys.stderr)


def _label(importance: WordImportance, name: str) -> Label:
    """Find the class of this name, which may be a number; what is not for a class refuses any."""
    return next((label for label in importance.classes if str(label) == name), name)


def _most(words: int, fewest: int, importance: WordImportance) -> int:
    """Share out a number of words among the classes."""
    return max(fewest, words // len(importance.by_class()))


def _record(
    importance: WordImportance, shown: Parts, link: FrequencyLink, output: Path | None, picked: Sequence[Explanation]
) -> dict[str, Any]:
    record = {
        "source": importance.source,
        "words": len(importance),
        "classes": [label for label in shown if label is not None],
        "top": [row for part in shown.values() for row in part.rows()],
        **link.to_dict(),
    }
    record |= {"output": str(output)} if output is not None else {}
    return record | ({"picked": [explanation.to_dict() for explanation in picked]} if picked else {})


def _check(output: Path | None, plot: str | None, sample: int | None, data: str | None) -> None:
    from ..storage.records import check_output

    if output is not None:
        check_output(output, (*TABLES, *PICTURES), [] if data is None else [data])
    if plot is not None and plot not in ("cloud", "scatter"):
        raise unknown_name(plot, "plots", ("cloud", "scatter"))
    if plot is not None and (output is None or output.suffix not in PICTURES):
        raise OptionError(f"--plot {plot} needs a picture to draw: name one with -o, such as -o {plot}.png.")
    if sample is not None and data is None:
        raise OptionError(f"--sample {sample} has nothing to draw from: give DATA, or leave it out.")


def _check_pick(
    pick: int | None, reduce: str | None, data: str | None, explainer: str | None, settings: dict[str, str]
) -> None:
    if pick is not None and data is None:
        raise OptionError(f"--pick {pick} has no texts to pick from: give DATA, or leave it out.")
    if pick is not None and reduce not in (None, "root"):
        raise OptionError(f"--pick {pick} scores words by --reduce root: leave --reduce {reduce} out.")
    if settings and explainer is None and pick is None:
        raise OptionError(f"{', '.join(settings)}: these are settings of an explainer, so name one with --explainer.")


def _documents(corpus: Corpus, sample: int | None, seed: int, quiet: bool) -> tuple[Iterator[Document], str]:
    """Take all documents or draw some, with progress; also say which they are."""
    from ..explaining.inputs import draw
    from .progress import track

    if sample is None:
        documents = track(corpus.documents, "words", corpus.count, quiet)
        return documents, f"Words and frequencies are those of {corpus.name}."
    drawn = draw(corpus.documents, sample, seed)
    documents = track(drawn, "words", lambda: len(drawn), quiet)
    return documents, f"Words and frequencies are those of {len(drawn):,} texts drawn from {corpus.name} (seed {seed})."


def _pick(
    classifier: Classifier,
    documents: Iterable[Document],
    explainer: Explainer,
    count: int,
    cache: ExplanationCache | None,
) -> tuple[WordImportance, list[Explanation]]:
    """Score words as SP-LIME does, and pick the texts that show most of the important ones."""
    from ..explaining.stream import explain_documents
    from ..explaining.words import ignores_case, importance_in, pick_texts

    explanations = list(explain_documents(classifier, documents, explainer, cache=cache))
    picked = [explanations[i] for i in pick_texts(explanations, count, ignores_case(classifier))]
    return importance_in(explanations, classifier, "root"), picked


def _frequent(importance: WordImportance, min_count: int) -> WordImportance:
    frequent = importance.at_least(min_count)
    if not len(frequent):
        most = importance.frequencies.argmax()
        raise OptionError(
            f"--min-count {min_count}: no word occurs that often, not even '{importance.words[most]}' "
            f"({importance.frequencies[most]:,} times): lower it."
        )
    return frequent


def _write(importance: WordImportance, link: FrequencyLink, output: Path, plot: str, top: int | None) -> str:
    from ..storage.records import write_records

    if output.suffix not in PICTURES:
        parts = importance.by_class().values()
        count = write_records((row for part in parts for row in part.top(top or len(part)).rows()), output)
        return f"Wrote {count:,} {'words' if len(parts) == 1 else 'words of classes'} to {output}."
    from .outputs import save_figure

    if plot == "cloud":
        from ..plots.word_cloud import word_cloud

        save_figure(word_cloud(importance, top or _most(IN_CLOUD, FEWEST_IN_CLOUD, importance)), output)
    else:
        from ..plots.frequency_importance import frequency_importance

        save_figure(frequency_importance(importance, link.pearson, link.spearman), output)
    return f"Drew {output}."


def _about_rare_words(shown: Parts, from_texts: bool) -> list[str]:
    """Say how many of the words shown were seen too rarely to be trusted."""
    from ..explaining.words import GATE

    gated = any(part.source.startswith(GATE) for part in shown.values())
    rare = sum(int((part.frequencies <= RARE).sum()) for part in shown.values())
    if not rare or (gated and from_texts):  # how often training saw the words of other texts is not shown
        return []
    grounds = "their vector alone" if gated else "one or two places"
    return [
        f"Seen only once or twice, so judged by {grounds}: {rare} of the {sum(map(len, shown.values()))} highest "
        "words; --min-count 5 leaves such words out."
    ]


def _show(shown: Parts, importance: WordImportance, link: FrequencyLink) -> None:
    """Print the words of each class with their scores and frequencies, and what the link between the two is."""
    from rich.columns import Columns
    from rich.text import Text

    from .outputs import screen

    console = screen()
    block = "#" if console.options.ascii_only else "█"
    if not importance.classes:
        console.print(
            f"The {len(shown[None]):,} highest of {len(importance):,} words by {importance.source} "
            "(weights, not for a class):",
            markup=False,
        )
    else:
        console.print(f"Words that speak for a class, by {importance.source}:", markup=False)
    longest = max((float(abs(part.scores).max()) for part in shown.values() if len(part)), default=0.0)
    tables = [_table(part, block, longest or 1.0) for part in shown.values()]
    if console.is_terminal and len(tables) > 1:
        console.print(Columns(tables, padding=(0, 4)))
    else:
        for table in tables:
            console.print(table)
    console.print(Text(str(link)), soft_wrap=not console.is_terminal)


def _table(part: WordImportance, block: str, longest: float) -> Table:
    """Make a table of the words of a class, under its name and with bars in its color."""
    from rich.table import Table
    from rich.text import Text

    from ..views.characters import showable
    from ..views.highlight import GRAY, class_color, hexadecimal

    color = hexadecimal(GRAY if part.label is None else class_color(part.classes.index(part.label)))
    says = "speaks for" if len(part) else "no word speaks for"
    title = None if part.label is None else Text(showable(f"{says} {part.label}"), f"bold {color}")
    table = Table(
        box=None,
        pad_edge=False,
        header_style="bold",
        show_header=len(part) > 0,
        title=title,
        title_justify="left",
    )
    table.add_column("word", no_wrap=True, overflow="ellipsis", max_width=40)
    table.add_column("score", justify="right")
    table.add_column("", no_wrap=True, width=BAR)
    table.add_column("frequency", justify="right")
    for row in part.rows():
        bar = block * round(BAR * max(0.0, row["score"]) / longest)
        table.add_row(Text(showable(row["word"])), f"{row['score']:.3f}", Text(bar, color), f"{row['frequency']:,}")
    return table


def _show_picked(explanations: Sequence[Explanation]) -> None:
    """Print texts highlighted, under a line that says why they are shown."""
    from .outputs import screen

    console = screen()
    if explanations:
        console.print(
            f"\nThe {len(explanations):,} texts that show most of these words together (SP-LIME):\n", markup=False
        )
    for explanation in explanations:
        console.print(explanation)
        console.print()
