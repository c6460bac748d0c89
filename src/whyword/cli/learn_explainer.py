"""`whyword learn-explainer`: contributions in one pass for a model that was trained without them."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from . import options

Data = Annotated[
    str,
    typer.Argument(
        metavar="TEXTS",
        help="Texts like those to be explained, labelled or not: a file, a folder, a name, planted (train split).",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="MODEL", help="The model folder to write. Left out: MODEL itself."),
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting, e.g. pairs=32; repeatable.")
]


@options.grouped
def command(
    model: options.ModelFolder,
    data: Data,
    *,
    output: Output = None,
    assignments: Assignments = None,
    columns: options.TextColumns,
    data_dir: options.DataDir = None,
    seed: options.Seed = 0,
    hardware: options.Hardware,
    reporting: options.Reporting,
) -> None:
    """Learn what each word adds to each class, for a model that is trained.

    It is learned from the model's own answers to sub-texts; the classifier stays as it is.
    """
    from ..blocks.contributions import ContributionHead
    from ..inference.fitted import choose_device
    from ..interfaces.settings import build
    from ..models.folder import check_place, load_model, put_model
    from ..models.learn import learn_contributions
    from .progress import TrainingProgress
    from .texts import read_corpus

    options.use_threads(hardware.threads)
    place = output or model
    check_place(place)
    config = build(ContributionHead.Config, options.explainer_settings(assignments, None, None), "contributions")
    trained = load_model(model, choose_device(hardware.device))
    names, splits = columns.columns(model), ("train", "test", "dev")
    corpus = read_corpus(data, names, data_dir, splits, reporting.quiet)
    texts = [document.words for document in islice(corpus.documents, 2 * config.texts)]
    with TrainingProgress(reporting.quiet) as progress:
        finished = learn_contributions(trained, texts, config, seed, progress)
    put_model(finished, place)
    facts = finished.metrics["contributions"]
    if reporting.as_json:
        print(json.dumps({"model": str(place), **facts}))
    elif not reporting.quiet:
        print(f"{facts['explained']:.1%} of what sub-texts change is explained by contributions.\nModel in {place}.")
