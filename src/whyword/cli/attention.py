"""`whyword attention`: what a model attends to, and whether those are the words that decide (Sun & Lu, ACL 2020)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..interfaces.errors import OptionError
from ..interfaces.settings import strict_json
from . import options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis.polarity_report import AttentionReport
    from ..models.folder import TrainedModel


@options.grouped
def command(
    model: options.ModelFolder,
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="The data the model was trained on, of which the train split is read: a file, a folder, a name, "
            "hub:owner/name or planted.",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="A folder for words.csv, report.json and the figures."),
    ] = None,
    columns: options.DataColumns,
    data_dir: options.DataDir = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare what the model attends to with what decides, word by word.

    Works for models with one head of attention and one layer after it: polarity-attention and attention.
    """
    from ..analysis.polarity import polarity_weights
    from ..analysis.polarity_report import attention_report
    from ..data.dataset import load_dataset
    from ..inference.fitted import choose_device
    from ..models.folder import load_model

    options.use_threads(threads)
    if output is not None and output.exists() and not output.is_dir():
        raise OptionError(f"-o {output} is a file: name a folder.")
    trained = load_model(model, choose_device(device))
    polarity_weights(trained.classifier)  # refuses a model without attention before the data is read
    dataset = load_dataset(data, columns.columns(model), data_dir, keep_leaks=False)  # as train reads it
    report = attention_report(trained.classifier, dataset.train)
    written = [] if output is None else _write(report, trained, output)
    if as_json:
        record = report.to_dict()
        print(strict_json(record if output is None else {"output": str(output), **record}))
    else:
        _show(report, f"{len(dataset.train):,} training texts of {data}")
    if not quiet:
        if written:
            print(f"Wrote {', '.join(written)} to {output}.", file=sys.stderr)
        if not (report.words.groups == len(report.words.classes)).any():
            print("No word is neutral, so class words have nothing to be compared with.", file=sys.stderr)


def _write(report: AttentionReport, trained: TrainedModel, folder: Path) -> list[str]:
    """Write the table, the report and all figures; give their names."""
    from ..storage.atomic import write_text
    from ..storage.records import write_records
    from .outputs import save_figure

    write_records(report.words.rows(), folder / "words.csv")
    write_text(folder / "report.json", strict_json(report.to_dict(), indent=2) + "\n")
    figures = _figures(report, trained)
    for name, figure in figures.items():
        save_figure(figure, folder / name)
    return ["words.csv", "report.json", *figures]


def _figures(report: AttentionReport, trained: TrainedModel) -> dict[str, Figure]:
    from ..maths.stats.correlation import spearman
    from ..plots.word_groups import group_scores, polarity_attention, score_weight, scores_in_training, update_terms

    words, names = report.words, report.words.group_names
    rho = spearman(words.attention, words.share)
    figures = {
        "scores.png": group_scores(words.polarity, words.attention, words.groups, names),
        "polarity_attention.png": polarity_attention(words.words, words.leaning, words.attention, words.groups, names),
        "weights.png": score_weight(words.attention, words.share, words.groups, names, rho),
    }
    if report.updates is not None:
        figures["updates.png"] = update_terms(report.updates, names)
    epochs = [record["health"] for record in trained.history]
    if any(key.startswith("polarity_") for epoch in epochs for key in epoch):
        figures["training.png"] = scores_in_training(epochs, names)
    return figures


def _show(report: AttentionReport, texts: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..views.characters import showable
    from .outputs import screen

    console = screen()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("words of", no_wrap=True, overflow="ellipsis", max_width=40)
    for column in ("words", "polarity", "attention", "alone: polarity", "attention", "weight"):
        table.add_column(column, justify="right")
    for row in report.group_table():
        numbers = [row[name] for name in ("polarity", "attention", "polarity_alone", "attention_alone", "share")]
        table.add_row(Text(showable(row["group"])), f"{row['words']:,}", *map(_number, numbers))
    scale = "" if report.scale is None else f", λ = {report.scale:g}"
    console.print(Text(f"{len(report.words):,} words of {texts}{scale}. Means by group (weight 1 is an equal share):"))
    console.print(table)
    if report.overlap is not None and report.cosine is not None:
        pairs = zip(report.overlap, report.cosine, strict=True)
        overlaps = ", ".join(f"{overlap:.3g} (cosine {cosine:.3f})" for overlap, cosine in pairs)
        console.print(Text(f"V·W = {overlaps}"), soft_wrap=not console.is_terminal)
    for claim in report.claims:
        verdict = {True: "yes", False: "no", None: "open"}[claim.holds]
        line = f"{verdict:>4}  {claim.name}: {claim.value:.3f} [{claim.low:.3f}, {claim.high:.3f}], {claim.measure}"
        console.print(Text(showable(line)), soft_wrap=not console.is_terminal)


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:.3g}"
