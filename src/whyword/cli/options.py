"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ..interfaces.errors import OptionError

if TYPE_CHECKING:
    from ..data.rows import Columns
    from ..explaining.any_model import OpenedModel
    from ..interfaces.adapter import Access

MODELS = (
    "A model folder, hf:FOLDER_OR_NAME, a file of scikit-learn (.skops), ONNX or fastText, a folder of spaCy or "
    "SetFit, python:module:function or http://…"
)
Model = Annotated[str, typer.Argument(metavar="MODEL", help=MODELS)]
ModelFolder = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.")]
Texts = Annotated[
    list[str],
    typer.Argument(metavar="TEXT...|FILE|FOLDER|-", help="Texts, or one file or folder, or - for standard input."),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output; notes and progress go to standard error.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of everything random.")]
Device = Annotated[str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda or mps.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, metavar="N", help="Threads of a forward pass; all cores if left out.")
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", envvar="WHYWORD_DATA", metavar="FOLDER", help="Folder in which data sets are looked up by name."
    ),
]
TextColumn = Annotated[
    str | None, typer.Option("--text", metavar="COLUMN", help="Column of the texts. Left out: recognized.")
]
PairColumn = Annotated[
    str | None, typer.Option("--text-pair", metavar="COLUMN", help="Column of the second texts of pairs.")
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN|A,B,C",
        help="Column of the labels, or several columns of 0 and 1, one per label. Left out: recognized.",
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        "--label-separator", metavar="CHARACTER", help="Between the labels of a text that may have several, such as ;"
    ),
]
RationaleColumn = Annotated[
    str | None, typer.Option("--rationale", metavar="COLUMN", help="Column of the passages people marked.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="Between the fields: , ; | or tab, or any other. Left out: recognized.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Of a file, such as utf-8 or cp1252. Left out: recognized."),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first row names the columns. Left out: recognized."),
]
OnBadRow = Annotated[
    str, typer.Option("--on-bad-row", metavar="stop|skip", help="List all bad rows and stop, or leave them out.")
]
WeightColumn = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="Column of how much each row counts in training.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the explainer, e.g. removal=mask; repeatable."),
]
Engine = Annotated[
    str, typer.Option("--engine", metavar="local|ray", help="Who does the work: processes of this machine, or Ray.")
]
Workers = Annotated[int, typer.Option("--workers", min=1, metavar="N", help="Processes that share the work.")]
Address = Annotated[
    str | None,
    typer.Option(
        "--address", envvar="RAY_ADDRESS", metavar="HOST:PORT", help="A Ray cluster. Left out: Ray on this machine."
    ),
]
Samples = Annotated[
    str | None, typer.Option("--samples", metavar="N|auto", help="Sub-texts to ask about, for explainers that sample.")
]
Budget = Annotated[
    str | None, typer.Option("--budget", metavar="SECONDS", help="Time for each text, for explainers that sample.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        envvar="WHYWORD_CACHE",
        metavar="FOLDER",
        help="Keep explanations here (no texts), and do not compute again what is there.",
    ),
]


PartSize = Annotated[
    int, typer.Option("--part-size", min=1, metavar="N", help="Texts of each part, if -o is a folder.")
]
Format = Annotated[str, typer.Option("--format", metavar="jsonl|parquet", help="Kind of the parts, if -o is a folder.")]


@dataclass(frozen=True)
class ExplainerSettings:
    """Settings of an explainer."""

    assignments: Assignments = None
    samples: Samples = None
    budget: Budget = None

    def values(self) -> dict[str, str]:
        """Give them by name, as the words of the command line."""
        return explainer_settings(self.assignments, self.samples, self.budget)


@dataclass(frozen=True)
class Parts:
    """How a folder of parts is written, and by whom."""

    engine: Engine = "local"
    workers: Workers = 1
    address: Address = None
    part_size: PartSize = 1_024  # as explaining.parts.PART_SIZE, which takes torch to import
    format: Format = "jsonl"


@dataclass(frozen=True)
class TextColumns:
    """Where the texts stand in a file, and how it is read."""

    text: TextColumn = None
    text_pair: PairColumn = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    header: Header = None
    on_bad_row: OnBadRow = "stop"

    def columns(self, model: str | Path | None = None) -> Columns:
        """Give them to the readers, with the columns that a model was trained on for what is left out."""
        from ..data.rows import Columns

        if model is None:
            return Columns(**vars(self))
        from ..models.folder import model_columns

        return Columns(**vars(self), known=model_columns(Path(model)))


@dataclass(frozen=True)
class DataColumns(TextColumns):
    """Where texts and labels stand in a file, and how it is read."""

    label: LabelColumn = None
    label_separator: LabelSeparator = None


@dataclass(frozen=True)
class RationaleColumns(DataColumns):
    """Where texts, labels and rationales stand in a file, and how it is read."""

    rationale: RationaleColumn = None


@dataclass(frozen=True)
class TrainingColumns(RationaleColumns):
    """Where everything stands that training reads, and how a file is read."""

    weight: WeightColumn = None


Task = Annotated[
    str | None,
    typer.Option(metavar="ordinal", help="Classes have an order, as stars and grades have. Left out: they have none."),
]
Order = Annotated[
    str | None,
    typer.Option(metavar="LOWEST,…,HIGHEST", help="Of ordinal classes that are neither numbers nor well-known grades."),
]
AllowDownload = Annotated[
    bool, typer.Option("--allow-download", help="Let a model of the Hugging Face Hub be downloaded.")
]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Read files that can run code, such as .joblib: only if you trust them.")
]
HttpTemplate = Annotated[
    Path | None,
    typer.Option("--http-template", metavar="FILE", help="JSON that says how an endpoint is asked: docs/any-model.md."),
]
ClassNames = Annotated[
    str | None,
    typer.Option("--classes", metavar="A,B", help="Names of the classes, for a model that does not name them."),
]
Fingerprint = Annotated[
    str | None,
    typer.Option(
        "--fingerprint", metavar="NAME", help="Changes whenever a function or an endpoint does, so that runs resume."
    ),
]
Learned = Annotated[
    Path | None,
    typer.Option("--learned", metavar="EXPLAINER", help="Folder that learn-explainer wrote for it: its own scores."),
]


@dataclass(frozen=True)
class Opening:
    """How a model that is not whyword's is opened."""

    allow_download: AllowDownload = False
    allow_pickle: AllowPickle = False
    http_template: HttpTemplate = None
    class_names: ClassNames = None
    fingerprint: Fingerprint = None
    learned: Learned = None

    def access(self, device: str) -> Access:
        """Say how a model may be opened."""
        from ..interfaces.adapter import Access

        classes = None if self.class_names is None else tuple(name.strip() for name in self.class_names.split(","))
        learned = None if self.learned is None else str(self.learned)
        return Access(device, classes, self.allow_download, self.allow_pickle, self.http_template, learned)

    def open(self, model: str, device: str) -> OpenedModel:
        """Open a model of any kind."""
        from ..explaining.any_model import open_model

        return open_model(model, self.access(device), self.fingerprint)


@dataclass(frozen=True)
class Forbidding:
    """Words that must not decide."""

    forbid: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Words the model must not read, one a line; see docs/forbid.md. Repeatable."),
    ] = None
    forbid_soft: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Words it reads, but is taught to let move no answer. Repeatable."),
    ] = None

    def add_to(self, values: dict[str, Any]) -> None:
        """Add the words of the files to those of the settings."""
        from ..data.forbidden import read_entries

        for name, files in (("forbid", self.forbid), ("forbid_soft", self.forbid_soft)):
            if files:
                values[name] = [*(values.get(name) or ()), *read_entries(files)]


@dataclass(frozen=True)
class Hardware:
    """What computes."""

    device: Device = "auto"
    threads: Threads = None


@dataclass(frozen=True)
class Reporting:
    """What is printed."""

    as_json: Json = False
    quiet: Quiet = False


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options: typer sees each field of a dataclass as an option of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))
            continue
        types = get_type_hints(groups[name], include_extras=True)
        parameters += [
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
            for field in fields(groups[name])
        ]

    @wraps(command)
    def call(**options: Any) -> None:
        for name, kind in groups.items():
            options[name] = kind(**{field.name: options.pop(field.name) for field in fields(kind)})
        command(**options)

    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return call


def explainer_settings(assignments: list[str] | None, samples: str | None, budget: str | None) -> dict[str, str]:
    """Gather the settings of an explainer from the options that give them."""
    settings: dict[str, str] = {}
    for word in assignments or []:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise OptionError(f"--set {word}: write name=value, for example --set samples=1000.")
        settings[name] = value
    direct = {"samples": samples, "budget": budget}
    return settings | {name: value for name, value in direct.items() if value is not None}


def names(words: str | None) -> list[str] | None:
    """Split at commas, each name once, but leave planted:train=50,dev=10 whole."""
    if words is None:
        return None
    return list(dict.fromkeys(word.strip() for word in re.split(r",(?!\s*\w+=)", words) if word.strip()))


def check_folder(output: Path) -> None:
    """Refuse a folder that cannot be made because a file is in its place."""
    for place in (output, *output.parents):
        if place.is_file():
            raise OptionError(f"-o {output} cannot be a folder, as {place} is a file: name another one.")


def use_threads(threads: int | None) -> None:
    """Limit the threads of torch; None leaves them alone."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
