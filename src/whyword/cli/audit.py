"""`whyword audit`: can the explanations of a model be trusted? Every metric, against random words, and a verdict."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from itertools import count, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import OptionError
from ..interfaces.places import as_place
from . import options
from .precision import Precision, measured

if TYPE_CHECKING:
    from ..audits.audit import Audit

REPORTS, TABLES = (".html", ".json"), (".csv", ".jsonl", ".jsonl.gz")
SAMPLE = 500
DRAWS = 10


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="Texts to explain: a file, a folder, a name, hub:owner/name or planted (test split)."
    ),
]
Explainers = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="Left out: own, lime, shapley, occlusion. Random words are always there."),
]
Metrics = Annotated[
    str | None, typer.Option(metavar="A,B", help="Left out: all for which DATA has labels or rationales.")
]
Judge = Annotated[
    str | None, typer.Option(metavar="MODEL", help="Another model that judges the shortened texts, as VAT does.")
]
Forbid = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Words that must not decide, one a line; see docs/forbid.md. Repeatable."),
]
RulesFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Your own rules for the verdicts, a TOML file.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        parser=as_place,
        metavar="FILE",
        help="A report: .html (and .json beside it) or .json; or a table of scores: .csv, .jsonl or .jsonl.gz.",
    ),
]


@options.grouped
def command(
    model: options.Model,
    data: Data,
    *,
    explainers: Explainers = None,
    metrics: Metrics = None,
    sample: Annotated[int, typer.Option(min=2, metavar="N", help="Texts drawn from DATA.")] = SAMPLE,
    draws: Annotated[int, typer.Option(min=1, metavar="N", help="Random orders of the words of each text.")] = DRAWS,
    judge: Judge = None,
    rules: RulesFile = None,
    forbid: Forbid = None,
    output: Output = None,
    card: Annotated[bool, typer.Option("--card", help="Also write the result into the model's README.md.")] = False,
    columns: options.RationaleColumns,
    data_dir: options.DataDir = None,
    opening: options.Opening,
    cache: options.Cache = None,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    threads: options.Threads = None,
    precision: Precision = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say which explanation of a model to use, which can be trusted, and why.

    Attention is also replaced by even, shuffled and adversarial attention: see docs/attention-tests.md.
    """
    from ..audits.run import gather_audit, load_rules
    from ..data.forbidden import read_entries
    from ..explaining.cache import ExplanationCache
    from ..explaining.inputs import draw
    from ..storage.lock import owned
    from ..storage.records import check_output
    from .texts import read_corpus

    options.use_threads(threads)
    if output is not None:
        check_output(output, REPORTS + TABLES, [data])
    metric_names, explainer_names = _names("metrics", metrics), _names("explainers", explainers)
    rules_used, forbidden = load_rules(rules), read_entries(forbid or ())
    opened = opening.open(model, device)
    if card and opened.trained is None:
        raise OptionError(f"--card writes into the folder of a whyword model, which {model} is not: leave it out.")
    corpus, number = read_corpus(data, columns.columns(model), data_dir, quiet=quiet), count()
    documents = draw((document for document, _ in zip(corpus.documents, number, strict=False)), sample, seed)
    opened = measured(opened, precision, documents, output, quiet)
    stages = _Stages(quiet)
    with nullcontext() if output is None else owned(output):
        audit = gather_audit(
            opened,
            documents,
            explainer_names,
            metric_names,
            judge=None if judge is None else opening.open(judge, device).classifier,
            seed=seed,
            draws=draws,
            rules=rules_used,
            cache=None if cache is None else ExplanationCache(cache, opened.named("A cache")),
            forbid=forbidden,
            data_name=corpus.name,
            of=next(number),
            command=shlex.join(["whyword", *sys.argv[1:]]),
            on_event=stages,
        )
        stages.end()
        _show(audit, Path(model) if card else None, output, as_json, quiet)


def _show(audit: Audit, carded: Path | None, output: Path | None, as_json: bool, quiet: bool) -> None:
    """Write the card of the model in the folder carded and the output, and print what is wanted."""
    from ..storage.records import write_records
    from .outputs import tell_written

    if carded is not None:
        from ..audits.card import add_audit

        add_audit(carded, audit.data)
    if output is not None and output.suffix in REPORTS:
        files = audit.save(output)
        if not as_json and not quiet:
            print(audit)
            print(f"Wrote {' and '.join(map(str, files))}.", file=sys.stderr)
    elif output is not None:
        tell_written(write_records(audit.scores.rows(), output), "scores", output, as_json, quiet)
    if as_json and (output is None or output.suffix in REPORTS):
        print(audit.to_json())
    elif output is None:
        print(audit)
    if not quiet:
        data, cost = audit.data.data, audit.data.cost
        measuring = cost.metrics.forward_passes
        passes = f"{cost.forward_passes - measuring:,} forward passes to explain and {measuring:,} to measure"
        print(f"{data.texts:,} texts of {data.name}, {passes}, in {cost.seconds:.0f} s.", file=sys.stderr)


def _names(package: str, words: str | None) -> list[str] | None:
    """Read a list of names; a misspelled one is refused before any text is read."""
    from .. import catalog

    if words is None:
        return None
    names = [word.strip() for word in words.split(",")]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"'{name}' is asked for twice: once is enough.")
        catalog.load(package, name)
    return names


class _Stages:
    """Shows the progress of one stage after the other."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.stage = ""
        self.ticks: Iterator[None] = iter(())

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how many texts are done; only the name of a stage in which none are counted."""
        from .progress import track

        if not total:
            self.end()
            if not self.quiet:
                print(f"{stage} ...", file=sys.stderr)
            return
        if stage != self.stage:
            self.end()
            self.stage = stage
            self.ticks = track(repeat(None), stage, partial(int, total), self.quiet)
        next(self.ticks)

    def end(self) -> None:
        """Take the last bar away."""
        self.ticks = iter(())
