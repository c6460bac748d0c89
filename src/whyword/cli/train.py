"""`whyword train`: from labelled texts to a model folder."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options


def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file, a folder with train/dev/test files, a name, hub:owner/name or planted."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model folder to write.")],
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="See: whyword list methods. Left out: base.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="bag, affine, cnn, lstm, minilm, or a Hugging Face name or folder. Left out: lstm."
        ),
    ] = None,
    embeddings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Word vectors in GloVe or word2vec text format.")
    ] = None,
    contributions: Annotated[
        bool | None,
        typer.Option(
            "--contributions/--no-contributions", help="Learn what each word adds to each class. Left out: yes."
        ),
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Most passes over the training texts.")] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Any setting, e.g. method.dropout=0.5; repeatable."),
    ] = None,
    choose: Annotated[
        str | None,
        typer.Option(
            metavar="SECTION.NAME=VALUE,…",
            help="Train with each value of a setting, e.g. method.beta=0.01,0.1,1,10, and keep the best on dev.",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with settings; options on the command line win.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume a run that was stopped.")] = False,
    text: options.TextColumn = "text",
    label: options.LabelColumn = "label",
    text_pair: options.PairColumn = None,
    rationale: options.RationaleColumn = None,
    data_dir: options.DataDir = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="Seed of everything random; 0 if left out.")
    ] = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a classifier that says which words decided, and write its model folder.

    The best epoch is chosen on the dev split; accuracy is measured on the test split, if there is one.
    """
    from ..data.dataset import load_dataset
    from ..data.rows import Columns
    from ..inference.fitted import choose_device
    from ..models.choose import choose_setting, split_choice
    from ..models.config import make_config, overlay, read_toml, with_contributions
    from ..models.train import train_model
    from .progress import TrainingProgress

    options.use_threads(threads)
    options.check_folder(output)
    values: dict[str, Any] = read_toml(config) if config else {}
    for name, choice in (("method", method), ("encoder", encoder)):
        if choice is not None:
            values[name] = {"name": choice}
        elif isinstance(values.get(name), str):
            values[name] = {"name": values[name]}
    values = overlay(values, assignments or [])
    if embeddings is not None:
        values["embeddings"] = str(embeddings)
    if epochs is not None:
        values.setdefault("training", {})["epochs"] = epochs
    if seed is not None:
        values["seed"] = seed
    if contributions is not None and (not contributions or not values.get("contributions")):
        values["contributions"] = contributions
    run = make_config(with_contributions(values))
    search = split_choice(choose) if choose is not None else None
    where = choose_device(device)
    dataset = load_dataset(data, Columns(text, label, text_pair, rationale), data_dir)
    with TrainingProgress(quiet) as progress:
        try:
            if search is not None:
                model = choose_setting(run, dataset, *search, where, output, resume, progress)
            else:
                model = train_model(run, dataset, where, output, resume, progress)
        except KeyboardInterrupt as interruption:
            interruption.add_note(_how_to_resume(output, search is not None))
            raise
    if as_json:
        print(json.dumps({"model": str(output), **model.metrics}))
    elif not quiet:
        print(_summary(model.metrics, output))


def _how_to_resume(output: Path, choosing: bool) -> str:
    from ..models.choose import choosing_folder
    from ..models.train import unfinished_folder
    from ..storage.atomic import CHECKPOINT

    folder = choosing_folder(output) if choosing else unfinished_folder(output)
    if not choosing and not (folder / CHECKPOINT).exists():
        return "The first epoch was not done, so nothing is saved."
    command = ["whyword", *(word for word in sys.argv[1:] if word != "--resume"), "--resume"]
    return f"The run is saved in {folder}; resume it with  {shlex.join(command)}"


def _summary(metrics: Mapping[str, Any], output: Path) -> str:
    sentence = f"dev accuracy {metrics['dev_accuracy']:.1%} (epoch {metrics['epoch']})"
    if "test_accuracy" in metrics:
        low, high = metrics["test_accuracy_low"], metrics["test_accuracy_high"]
        sentence += f", test accuracy {metrics['test_accuracy']:.1%} [{low:.1%}, {high:.1%}]"
    return f'{sentence}\nModel in {output}; try:  whyword explain {shlex.quote(str(output))} "a text of yours"'
