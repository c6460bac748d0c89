"""`whyword explain`: the words that decided, highlighted in the terminal or written to a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.places import as_place, is_place
from ..interfaces.settings import strict_json
from . import options
from .completion import complete_class, complete_target
from .precision import Precision, measured_on

if TYPE_CHECKING:
    from ..explaining.targets import Target
    from ..interfaces.explanation import Explanation
    from .progress import LongTextProgress

ExplainerName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="See: whyword list explainers. Left out: own, or occlusion if it has none."),
]
TargetName = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS|predicted|all|score",
        help="Explain this class, each class, or the expected score.",
        autocompletion=complete_target,
    ),
]
AgainstName = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS", help="What speaks for the target rather than for this class.", autocompletion=complete_class
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Ask about 4 pairs of sub-texts, and say how far sums of the scores are off.")
]
Tolerance = Annotated[
    float | None,
    typer.Option(metavar="P", help="Sample on where that is above P, such as 0.02, until no score is less sure."),
]
Interactions = Annotated[
    bool, typer.Option("--interactions", help="Look for words that act together, such as a negation and its word.")
]
Top = Annotated[int | None, typer.Option(min=1, metavar="K", help="Only the K strongest words.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        parser=as_place,
        metavar="FILE|FOLDER",
        help="A .jsonl, .jsonl.gz, .parquet, .html or .svg file, or a folder of parts.",
    ),
]


@options.grouped
def command(
    model: options.Model,
    inputs: options.Texts,
    *,
    explainer: ExplainerName = None,
    settings: options.ExplainerSettings,
    target: TargetName = None,
    against: AgainstName = None,
    check: Check = False,
    tolerance: Tolerance = None,
    interactions: Interactions = False,
    top: Top = None,
    output: Output = None,
    parts: options.Parts,
    columns: options.TextColumns,
    opening: options.Opening,
    cache: options.Cache = None,
    seed: options.Seed = 0,
    hardware: options.Hardware,
    precision: Precision = None,
    reporting: options.Reporting,
) -> None:
    """Show which words speak for the class of each text, and which for others.

    With -o, a run that was interrupted resumes when the same command is given again. If -o is a folder, --workers share
    the texts, also those of a folder of files.
    """
    from ..catalog import make_explainer
    from ..explaining.cache import ExplanationCache
    from ..explaining.parts import Sharing
    from ..explaining.proof import prove
    from ..explaining.stream import explain_documents
    from ..explaining.targets import read_target
    from ..explaining.write import EXPLANATIONS, check_destination, write_explanations
    from ..interfaces.classifier import class_values
    from .outputs import tell_written
    from .progress import LongTextProgress, TextProgress
    from .texts import open_texts, read_inputs

    options.use_threads(hardware.threads)
    values = settings.values()
    names = columns.columns(model)
    texts = read_inputs(inputs, names)
    check_destination(texts if is_place(texts) else None, output, EXPLANATIONS, Sharing(**vars(parts)))
    opened = opening.open(model, hardware.device)
    opened, texts = measured_on(opened, precision, texts, names, output, reporting.quiet)
    chosen = make_explainer(explainer, opened.classifier, seed, values)
    asked = read_target(opened.classifier.classes, target, against, class_values(opened.classifier))
    chosen = prove(chosen, check, tolerance, interactions, against, asked.score)
    if output is None:
        known = None if cache is None else ExplanationCache(cache, opened.named("A cache"))
        documents = open_texts(texts, names, reporting.quiet)
        explanations = explain_documents(opened.classifier, documents, chosen, asked, known)
        with _watched(LongTextProgress(TextProgress("explain")), reporting.quiet):
            _show(explanations, asked, top, reporting.as_json)
        return
    with TextProgress("explain") as progress, _watched(LongTextProgress(progress), reporting.quiet):
        count = write_explanations(
            opened,
            texts,
            output,
            explainer=chosen,
            target=target,
            against=against,
            top=top,
            columns=names,
            cache=cache,
            threads=hardware.threads or 1,
            on_progress=None if reporting.quiet else progress,
            **vars(parts),
        )
    tell_written(count, "explanations", output, reporting.as_json, reporting.quiet)


def _watched(progress: LongTextProgress, quiet: bool) -> AbstractContextManager[None]:
    from ..attribution.groups.watch import watch_long_texts

    return nullcontext() if quiet else watch_long_texts(progress)


def _show(explanations: Iterator[Explanation], target: Target, top: int | None, as_json: bool) -> None:
    from ..explaining.stream import only_top
    from .outputs import screen

    console = screen()
    for explanation in explanations:
        target.check(explanation)
        if as_json:
            print(strict_json(explanation.to_dict(top)))
            continue
        for view in target.views(explanation):
            console.print(only_top(view, top))
            console.print()
