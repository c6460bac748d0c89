"""`whyword train`: from labelled texts to a model folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options


def command(
    data: Annotated[
        str, typer.Argument(help="A file, a folder with train/dev/test files, a name, hub:owner/name or planted.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    method: Annotated[str | None, typer.Option(help="See: whyword list methods.")] = None,
    encoder: Annotated[str | None, typer.Option(help="bag, affine, cnn, lstm, minilm, or a Hugging Face name.")] = None,
    embeddings: Annotated[Path | None, typer.Option(help="Word vectors in GloVe or word2vec text format.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="At most so many passes over the training texts.")] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", help="section.name=value, e.g. method.dropout=0.5.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with settings; options on the command line win.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    text: options.TextColumn = "text",
    label: options.LabelColumn = "label",
    text_pair: options.PairColumn = None,
    rationale: options.RationaleColumn = None,
    data_dir: options.DataDir = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed of everything random.")] = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a classifier, choose its best epoch on dev, measure it on test, write the model folder."""
    from ..data.dataset import load_dataset
    from ..data.rows import Columns
    from ..experiments.config import make_config, overlay, read_toml
    from ..experiments.run import train_model
    from ..training.device import choose_device
    from .progress import TrainingProgress

    options.use_threads(threads)
    values: dict[str, Any] = read_toml(config) if config else {}
    for name, given in (("method", method), ("encoder", encoder)):
        if given is not None:
            values[name] = {"name": given}
        elif isinstance(values.get(name), str):
            values[name] = {"name": values[name]}
    values = overlay(values, assignments or [])
    if embeddings is not None:
        values["embeddings"] = str(embeddings)
    if epochs is not None:
        values.setdefault("training", {})["epochs"] = epochs
    if seed is not None:
        values["seed"] = seed
    run = make_config(values)
    where = choose_device(device)
    dataset = load_dataset(data, Columns(text, label, text_pair, rationale), data_dir)
    with TrainingProgress(quiet) as progress:
        model = train_model(run, dataset, where, output, resume, progress)
    if as_json:
        print(json.dumps({"model": str(output), **model.metrics}))
    elif not quiet:
        print(_summary(model.metrics, output))


def _summary(metrics: Any, output: Path) -> str:
    sentence = f"dev accuracy {metrics['dev_accuracy']:.1%} (epoch {metrics['epoch']})"
    if "test_accuracy" in metrics:
        low, high = metrics["test_accuracy_low"], metrics["test_accuracy_high"]
        sentence += f", test accuracy {metrics['test_accuracy']:.1%} [{low:.1%}, {high:.1%}]"
    return f'{sentence}\nModel in {output}; try:  whyword explain {output} "a text of yours"'
