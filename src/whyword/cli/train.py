"""`whyword train`: from labelled texts to a model folder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..interfaces.errors import OptionError, WriteError
from ..interfaces.settings import strict_json
from . import options
from .overwrite import check_overwrite

AUTO = "auto"  # as models.config.AUTO, which takes torch to import

FixLabels = Annotated[
    bool, typer.Option("--fix-labels", help="Read labels that differ only in case or spaces as one class.")
]
KeepLeaks = Annotated[bool, typer.Option("--keep-leaks", help="Keep training texts that stand in dev or test too.")]


@dataclass(frozen=True)
class Keeping:
    """What the model is called, what it replaces, and who else hears of the run."""

    name: Annotated[str | None, typer.Option(metavar="NAME", help="A name for the model card and the loggers.")] = None
    notes: Annotated[str | None, typer.Option(metavar="TEXT", help="Whatever should be remembered of the model.")] = (
        None
    )
    log: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="mlflow, wandb, tensorboard, or a plug-in: see whyword list loggers."),
    ] = None
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model that is there already.")] = False
    resume: Annotated[bool, typer.Option("--resume", help="Resume a run that was stopped.")] = False


@options.grouped
def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file, a folder with train/dev/test files, a name, hub:owner/name or planted."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model folder to write.")],
    *,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="See: whyword list methods. Left out: base.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="tfidf, lstm, cnn, bag, affine, minilm, a Hugging Face name or folder, or auto, which chooses by "
            "--budget and dev. Left out: auto.",
        ),
    ] = None,
    task: options.Task = None,
    order: options.Order = None,
    budget: Annotated[
        float | None, typer.Option(metavar="MINUTES", help="Time for --encoder auto on this machine. Left out: 10.")
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
    rationales: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Words that people marked: lines with text, rationale and maybe label."),
    ] = None,
    no_rationales: Annotated[
        bool, typer.Option("--no-rationales", help="Do not learn what people would mark where texts are marked.")
    ] = False,
    class_weight: Annotated[
        str | None,
        typer.Option(
            metavar="balanced|CLASS=N,…", help="How much each class counts in training; balanced: rare ones as others."
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="auto|P", help="Decide by thresholds tuned on dev, or from probability P on for the last class."
        ),
    ] = None,
    calibrate: Annotated[
        bool | None,
        typer.Option("--calibrate/--no-calibrate", help="Fit a temperature on dev. Left out: yes."),
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline/--no-baseline", help="Measure TF-IDF with logistic regression beside it.")
    ] = True,
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
    forbidding: options.Forbidding,
    keeping: Keeping,
    columns: options.TrainingColumns,
    fix_labels: FixLabels = False,
    keep_leaks: KeepLeaks = False,
    data_dir: options.DataDir = None,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Keep rows on disk rather than in memory while training. Left out: from 200 MB on.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="Seed of everything random; 0 if left out.")
    ] = None,
    device: options.Device = "auto",
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, metavar="N", help="Left out: one or all cores, by timed steps.")
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a classifier that says which words decided, and write its model folder.

    The best epoch is chosen on the dev split; accuracy is measured on the test split, if there is one.
    """
    from ..catalog import make_logger
    from ..data.marked_rows import add_marks
    from ..inference.fitted import choose_device
    from ..models.auto import BUDGET, train_automatically
    from ..models.choose import choose_setting, split_choice
    from ..models.config import make_config, overlay, read_toml, with_defaults
    from ..models.forbidden_words import with_forbidden_notes
    from ..models.row_folder import training_rows
    from ..models.train import train_model
    from .progress import TrainingProgress

    options.use_threads(threads)
    options.check_folder(output)
    check_overwrite(output, keeping.overwrite, keeping.resume)
    values: dict[str, Any] = read_toml(config) if config else {}
    for name, choice in (("method", method), ("encoder", encoder)):
        if choice is not None:
            values[name] = {"name": choice}
        elif isinstance(values.get(name), str):
            values[name] = {"name": values[name]}
    values = overlay(values, assignments or [])
    given = {"embeddings": embeddings and str(embeddings), "seed": seed, "name": keeping.name, "notes": keeping.notes}
    given |= {"task": task, "order": order}
    values |= {name: value for name, value in given.items() if value is not None}
    direct = {"epochs": epochs, "class_weight": class_weight, "threshold": threshold, "calibrate": calibrate}
    for name, value in direct.items():
        if value is not None:
            values.setdefault("training", {})[name] = value
    if contributions is False and any(word.startswith("contributions.") for word in assignments or []):
        raise OptionError("--no-contributions leaves out what contributions.… sets: leave one of them out.")
    if contributions is not None and (not contributions or not values.get("contributions")):
        values["contributions"] = contributions
    forbidding.add_to(values)
    if no_rationales and rationales is not None:
        raise OptionError("--rationales FILE goes with no --no-rationales: leave one of them out.")
    if no_rationales:
        values["rationales"] = False
    search = split_choice(choose) if choose is not None else None
    auto = _is_auto(values, choose, budget)
    run = make_config(with_defaults(values))
    loggers = [make_logger(name) for name in keeping.log or ()]
    where = choose_device(device)
    alone = threads is None
    if rationales is not None:
        if stream:
            raise OptionError("--rationales takes all rows in memory: leave --stream out.")
        stream = False
    with ExitStack() as stack:
        rows = training_rows(
            data,
            output,
            columns.columns(),
            data_dir,
            keep_leaks=keep_leaks,
            fix_labels=fix_labels,
            stream=stream,
            resume=keeping.resume,
        )
        dataset, resume = stack.enter_context(rows)
        dataset = with_forbidden_notes(dataset, values)
        dataset = dataset if rationales is None else add_marks(dataset, rationales)
        progress = stack.enter_context(TrainingProgress(quiet))
        try:
            if auto:
                minutes = BUDGET if budget is None else budget
                model = train_automatically(
                    values, dataset, where, output, resume, progress, baseline, loggers, minutes, alone
                )
            elif search is not None:
                model = choose_setting(run, dataset, *search, where, output, resume, progress, baseline, loggers)
            else:
                model = train_model(run, dataset, where, output, resume, progress, baseline, loggers, alone)
        except (KeyboardInterrupt, WriteError) as stopped:
            stopped.add_note(_how_to_resume(output, auto or search is not None))
            raise
    if as_json:
        print(strict_json({"model": str(output), **model.metrics}))
    elif not quiet:
        print(_summary(model.metrics, output))


def _is_auto(values: dict[str, Any], choose: str | None, budget: float | None) -> bool:
    """Whether the encoder is to be chosen; a choice of another setting, or settings of an encoder, are the LSTM's."""
    from ..training.optimizer import Processes

    section = values.get("encoder")
    named = isinstance(section, dict) and section.get("name") == AUTO
    auto = named or (section is None and choose is None and Processes().count == 1)
    if named:
        assert isinstance(section, dict)
        if len(section) > 1 or choose is not None or Processes().count > 1:
            raise OptionError(
                "--encoder auto goes with no --choose, with no settings of an encoder, and with one process: name an "
                "encoder, such as --encoder lstm."
            )
        del values["encoder"]
    if budget is not None and not auto:
        raise OptionError("--budget is for --encoder auto: leave one of them out.")
    return auto


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
    if "test_micro_f1" in metrics:
        return _label_summary(metrics, output)
    if "test_kappa" in metrics:
        return _ordinal_summary(metrics, output)
    sentence = f"dev accuracy {metrics['dev_accuracy']:.1%} (epoch {metrics['epoch']})"
    if "test_accuracy" in metrics:
        low, high = metrics["test_accuracy_low"], metrics["test_accuracy_high"]
        sentence += f", test accuracy {metrics['test_accuracy']:.1%} [{low:.1%}, {high:.1%}]"
    return _with_figures(sentence, metrics, output)


def _label_summary(metrics: Mapping[str, Any], output: Path) -> str:
    """Say how good a model of several labels a text is."""
    names = {"micro-F1": "micro_f1", "macro-F1": "macro_f1", "all labels right": "accuracy"}
    shown = (f"{name} {metrics[f'test_{key}']:.1%}" for name, key in names.items())
    return _with_figures(f"test {', '.join(shown)} (epoch {metrics['epoch']})", metrics, output)


def _ordinal_summary(metrics: Mapping[str, Any], output: Path) -> str:
    """Say how good a model of ordered classes is."""
    names = {"mean absolute error": "absolute_error", "weighted kappa": "kappa"}
    shown = (f"{name} {metrics[f'test_{key}']:.3f}" for name, key in names.items())
    sentence = f"test accuracy {metrics['test_accuracy']:.1%}, {', '.join(shown)} (epoch {metrics['epoch']})"
    return _with_figures(sentence, metrics, output)


def _with_figures(sentence: str, metrics: Mapping[str, Any], output: Path) -> str:
    """Put the tables above the sentence, and what to do next below it."""
    from ..models.figures import figure_tables
    from ..report.tables import plain

    if "figures" in metrics:
        sentence = "\n\n".join([*map(plain, figure_tables(metrics["figures"])), sentence])
    target = " --target score" if "test_absolute_error" in metrics else ""
    return f'{sentence}\nModel in {output}; try:  whyword explain {shlex.quote(str(output))} "a text of yours"{target}'
