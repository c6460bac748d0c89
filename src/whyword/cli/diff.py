"""`whyword diff`: which predictions and which reasons changed between two models, with an exit code for CI."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import DataError, OptionError
from ..interfaces.settings import strict_json
from . import options

if TYPE_CHECKING:
    from ..diffs.difference import ModelDifference
    from ..explaining.any_model import OpenedModel
    from ..explaining.cache import ExplanationCache
    from ..interfaces.document import Document

ENDINGS = (".html", ".jsonl", ".jsonl.gz", ".csv")
SAMPLE = 500
CHANGED = 3  # the exit code when more has changed than is allowed
SHOWN_WORDS, SHOWN_TEXTS = 10, 5
LONGEST = 300  # characters of a text on the screen


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Texts to compare on: a file, a folder, a name, hub:owner/name or planted (test split).",
    ),
]
ExplainerName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Left out: own if both models have own scores of one kind, else occlusion."),
]
LeastShared = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help="A reason changed if less of the score of its top words is on the same words.",
    ),
]
MostPredictions = Annotated[
    float | None,
    typer.Option(min=0, max=1, metavar="SHARE", help="Exit with 3 if more of the predictions changed, e.g. 0.02."),
]
MostReasons = Annotated[
    float | None, typer.Option(min=0, max=1, metavar="SHARE", help="Exit with 3 if more of the reasons changed.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="An .html page, or a .jsonl, .jsonl.gz or .csv row per text."),
]


@options.grouped
def command(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The model to compare with: a folder, or any other kind.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The model that is to replace it.")],
    data: Data,
    *,
    explainer: ExplainerName = None,
    assignments: options.Assignments = None,
    samples: options.Samples = None,
    budget: options.Budget = None,
    sample: Annotated[int, typer.Option(min=1, metavar="N", help="Texts drawn from DATA.")] = SAMPLE,
    top: Annotated[int, typer.Option(min=1, metavar="K", help="The K highest words of a text are its reason.")] = 5,
    least_shared: LeastShared = 0.5,
    most_changed_predictions: MostPredictions = None,
    most_changed_reasons: MostReasons = None,
    min_count: Annotated[int, typer.Option(min=1, metavar="N", help="List words that occur at least N times.")] = 5,
    output: Output = None,
    columns: options.RationaleColumns,
    data_dir: options.DataDir = None,
    opening: options.Opening,
    cache: options.Cache = None,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show which predictions and which reasons changed between two models.

    Also which words stopped deciding, whether reasons moved towards people's, and what it cost in accuracy.
    Exits with 3 if more changed than allowed: the share of these very texts counts, not its interval.
    """
    from ..catalog import make_explainer
    from ..diffs.diff import check_classes, diff_models, shared_explainer
    from ..explaining.inputs import draw
    from .progress import track
    from .texts import read_corpus

    options.use_threads(threads)
    settings = options.explainer_settings(assignments, samples, budget)
    _check(most_changed_predictions, most_changed_reasons, output, data)
    before, after = (opening.open(model, device) for model in (old, new))
    names = old, new
    check_classes(before.classifier, after.classifier, names)
    name = explainer or shared_explainer(before.classifier, after.classifier)
    chosen = make_explainer(name, after.classifier, seed, settings)
    corpus = read_corpus(data, columns.columns(new), data_dir, quiet=quiet)
    documents = draw(corpus.documents, sample, seed)
    if not documents:
        raise DataError(f"{corpus.name} holds no texts: give some to compare the models on.")
    difference = diff_models(
        before,
        after,
        documents,
        chosen,
        top=top,
        least_shared=least_shared,
        names=names,
        data=corpus.name,
        caches=(_cache(cache, before), _cache(cache, after)),
        follow=lambda explanations, whose: track(explanations, whose, lambda: len(documents), quiet),
    )
    _report(difference, output, min_count, most_changed_reasons, as_json, quiet)
    _judge(difference, most_changed_predictions, most_changed_reasons)


def _check(predictions: float | None, reasons: float | None, output: Path | None, data: str) -> None:
    """Refuse impossible options before anything is read."""
    from ..storage.records import check_output

    for name, share in (("predictions", predictions), ("reasons", reasons)):
        if share is not None and math.isnan(share):
            raise OptionError(f"--most-changed-{name} {share}: give a share from 0 to 1, such as 0.02.")
    if output is not None:
        check_output(output, ENDINGS, [data])


def _cache(folder: Path | None, model: OpenedModel) -> ExplanationCache | None:
    from ..explaining.cache import ExplanationCache

    return None if folder is None else ExplanationCache(folder, model.named("A cache"))


def _report(
    difference: ModelDifference, output: Path | None, min_count: int, reasons: float | None, as_json: bool, quiet: bool
) -> None:
    """Write the output and print what is wanted; reasons is the share of them that may change."""
    if reasons is not None and difference.reasons_changed is None:
        top = difference.top
        raise OptionError(
            f"No text of {difference.data} has more than {top} words, so nobody can say which reasons changed: lower "
            f"--top {top}, or leave --most-changed-reasons out."
        )
    if output is not None:
        _write(difference, output, min_count)
        if not quiet:
            print(f"Wrote {output}.", file=sys.stderr)
    if as_json:
        written = {} if output is None else {"output": str(output)}
        print(strict_json(difference.to_dict() | written))
    elif output is None:
        _show(difference, min_count)
    else:
        print(difference)


def _write(difference: ModelDifference, output: Path, min_count: int) -> None:
    from ..storage.atomic import write_text
    from ..storage.records import write_records

    if output.suffix == ".html":
        output.parent.mkdir(parents=True, exist_ok=True)
        write_text(output, difference.to_html(min_count))
    elif output.suffix == ".csv":
        write_records((text.to_row() for text in difference.texts), output)
    else:
        write_records((text.to_dict() for text in difference.texts), output)


def _show(difference: ModelDifference, min_count: int) -> None:
    from rich.text import Text

    from ..diffs.difference import turn, written
    from ..diffs.page import SCALE
    from ..views.characters import showable
    from .outputs import screen

    console = screen()

    def say(line: str, style: str = "") -> None:
        console.print(Text(showable(line), style), soft_wrap=not console.is_terminal)

    def shorten(document: Document) -> str:
        words = " ".join(" | ".join(document.words.texts).split())
        return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"

    say(str(difference))
    moved = difference.most_moved(SHOWN_WORDS, min_count)
    if moved:
        say(f"\nWords whose mean score moved most, of those that occur {min_count} times or more ({SCALE}):")
        width = max(len(word.word) for word in moved)
        for word in moved:
            classes = "" if word.label is None else f"  for {word.label}"
            scores = f"{word.old:z.3f} → {word.new:z.3f}  {word.change:+.3f}"
            say(f"{word.word:<{width}}  {scores}  {word.count:>5,} times{classes}")
    turned = difference.turned(min_count)
    if turned:
        say("\nWords that speak for another class now:")
    for word in turned[:SHOWN_WORDS]:
        say(turn(word))
    for heading, texts in (
        ("Reasons that moved furthest towards people's", difference.moved_closer(SHOWN_TEXTS)),
        ("Reasons that moved furthest away", difference.moved_away(SHOWN_TEXTS)),
    ):
        if texts:
            say(f"\n{heading} (average precision of the words marked):")
        for text in texts:
            say(f"{text.old_agreement:.2f} → {text.new_agreement:.2f}  {shorten(text.document)}")
            say(f"  marked: {', '.join(text.marked[:SHOWN_WORDS])}; {written(text.moved(3))}")
    changed = [text for text in difference.most_changed(SHOWN_TEXTS) if text.prediction_changed or text.reason_changed]
    if changed:
        say("\nThe most changed texts:")
    for change in changed:
        gold = "" if change.document.label is None else f"  (labelled {change.document.label})"
        before, after = (
            f"{change.old_label} {change.old_probability:.0%}",
            f"{change.new_label} {change.new_probability:.0%}",
        )
        say(f"\n{before} → {after}{gold}", "bold")
        say(shorten(change.document))
        say(f"  {written(change.moved())}")


def _judge(difference: ModelDifference, predictions: float | None, reasons: float | None) -> None:
    """Leave with an exit code of its own if more has changed than is allowed."""
    from .exits import stop

    changed = difference.reasons_changed
    shares = {"predictions": (difference.predictions_changed.value, predictions)}
    if changed is not None:
        shares["reasons"] = changed.value, reasons
    too_much = [
        f"{share:.1%} of the {what} changed, and {allowed:.1%} may (--most-changed-{what})."
        for what, (share, allowed) in shares.items()
        if allowed is not None and share > allowed
    ]
    if too_much:
        sys.stdout.flush()
        stop(" ".join(too_much), CHANGED)
