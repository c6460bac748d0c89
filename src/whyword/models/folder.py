"""A trained classifier as a folder that people and programs can read, without pickle."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..blocks.contributions import add_head
from ..blocks.rationales import add_reader
from ..data.rows import Columns
from ..data.tokenizers.forbidding import forbid
from ..data.tokenizers.word_level import WordLevelTokenizer
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Label, Words
from ..interfaces.errors import ModelError, OptionError, WhywordError, first_line
from ..interfaces.explanation import Explainer
from ..interfaces.settings import strict_json
from ..report.tables import escape_markdown, markdown
from ..storage.atomic import put_in_place, read_tensors, write_tensors, write_text
from ..storage.pickles import pickled_weights
from ..storage.seal import check_seal, seal
from .closed import NoLargerThan, check_config, check_finite
from .config import FORBIDDEN, ORDINAL, SECTIONS, RunConfig, build_encoder, build_method, make_config
from .figures import figure_tables, warn_of

FORMAT = 1  # raised when a folder can no longer be read by older versions
FREQUENCIES = "whyword.frequencies"
WEIGHTS = "model.safetensors"
READ = ("config.json", "tokenizer.json", WEIGHTS, "training.jsonl", "metrics.json")
NEWER = (
    "contributions",
    "rationales",
    *FORBIDDEN,
    "name",
    "notes",
    "task",
    "order",
)  # settings that older models do not have
COLUMNS = ("text", "text_pair", "label")  # whose names are kept


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A fitted classifier and the story of its training."""

    classifier: FittedClassifier
    config: RunConfig
    history: Sequence[Mapping[str, Any]]  # lines of training.jsonl
    metrics: Mapping[str, Any]  # metrics.json
    folder: Path | None = None  # that it was loaded from
    columns: Columns | None = None  # of the file it was trained on


def save_model(model: TrainedModel, folder: Path) -> None:
    """Write all files of a model into an existing folder."""
    classifier = model.classifier
    tensors = dict(classifier.method.state_dict())
    if classifier.frequencies is not None:
        tensors[FREQUENCIES] = torch.from_numpy(classifier.frequencies)
    config = {
        "format": FORMAT,
        "whyword": version("whyword"),
        **model.config.to_dict(),
        "labels": list(classifier.classes),
        "columns": None if model.columns is None else _columns_to_dict(model.columns),
        "architecture": getattr(classifier.method.encoder, "architecture", None),
        "offsets": None if classifier.offsets is None else classifier.offsets.tolist(),
    }
    if classifier.multi_label:
        thresholds = None if classifier.thresholds is None else classifier.thresholds.tolist()
        config |= {"multi_label": True, "thresholds": thresholds}
    write_text(folder / "config.json", strict_json(config, indent=2))
    write_text(folder / "tokenizer.json", classifier.tokenizer.to_json())
    write_text(folder / "training.jsonl", "".join(strict_json(record) + "\n" for record in model.history))
    write_text(folder / "metrics.json", strict_json(model.metrics, indent=2))
    write_text(folder / "README.md", model_card(config, model.metrics, model.history))
    write_tensors(folder / WEIGHTS, tensors)
    seal(folder)


def put_model(model: TrainedModel, place: Path) -> None:
    """Write a model folder beside its place and rename it, so that no half model ever stands there."""
    check_place(place)
    beside = place.with_name(f".{place.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    save_model(model, beside)
    put_in_place(beside, place)


def check_place(place: Path) -> None:
    """Refuse to put a model where anything but a model is: what stands there is deleted once the new model is whole."""
    if place.name in ("", ".."):
        raise OptionError(f"{place} is no name for a model folder: give one, such as {place / 'model'}.")
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return
    try:
        _read_config(place)
    except ModelError:
        raise ModelError(f"{place} exists and is not a whyword model: name another folder.") from None


def load_model(folder: Path, device: torch.device | str = "cpu") -> TrainedModel:
    """Read a model folder, or say what is wrong with it."""
    _check_folder(folder)
    check_seal(folder, READ)
    config_values = _read_config(folder)
    check_config(config_values, folder / "config.json")
    try:
        names = ("method", "encoder", "vocabulary", "training", "embeddings", "seed")
        newer = {name: config_values.get(name) for name in NEWER}
        config = make_config({**{name: config_values[name] for name in names}, **newer})
        architecture = config_values["architecture"]
        kind = WordLevelTokenizer if architecture is None else WordPieceTokenizer
        tokenizer = kind.from_json(_read_text(folder / "tokenizer.json"))
        labels = tuple(config_values["labels"])
        tensors = _read_weights(folder)
        with NoLargerThan(tensors, folder):
            encoder = build_encoder(config, tokenizer, architecture)
            method = build_method(config, encoder, len(labels), tokenizer, config_values.get("multi_label", False))
            if config.contributions is not None:
                add_head(method, config.contributions)
            if config.rationales is not None:
                add_reader(method, config.rationales)
        frequencies = tensors.pop(FREQUENCIES, None)
        tensors.setdefault("logit_scale", torch.ones(()))  # models of 0.2.0 and before have none, and no prior
        if "prior" not in tensors:
            method.prior = None
        method.load_state_dict(tensors)
        values = config_values.get("offsets")  # models of 0.2.0 and before have none
        offsets = None if values is None else np.array(values, dtype=np.float64)
        values = config_values.get("thresholds")
        thresholds = None if values is None else np.array(values, dtype=np.float64)
        history, metrics = _read_history(folder), _read_metrics(folder)
        columns = _columns(config_values)
    except WhywordError:
        raise
    except Exception as error:  # whatever a damaged file makes the libraries raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"The model folder {folder} is damaged ({reason}): train it again or copy it anew.") from error
    method.to(device).eval()
    counts = None if frequencies is None else frequencies.numpy()
    classifier = FittedClassifier(method, forbid(tokenizer, config.unread), labels, counts, offsets, thresholds)
    return TrainedModel(classifier, config, history, metrics, folder, columns)


def model_columns(folder: Path) -> Columns | None:
    """Give the columns that a model was trained on, before it is loaded; None if they are not known."""
    try:
        values = _read_config(folder)
        check_config(values, folder / "config.json")
        return _columns(values)
    except ModelError:
        return None  # which loading it will say


def _columns(config: Mapping[str, Any]) -> Columns | None:
    names = config.get("columns")  # models of 0.2.0 and before have none
    if not isinstance(names, dict):
        return None
    return Columns(
        text=names.get("text"),
        label=names.get("label"),
        text_pair=names.get("text_pair"),
        label_separator=names.get("label_separator"),
        labels=tuple(names.get("labels", ())),
        several=names.get("several", False),
    )


def _columns_to_dict(columns: Columns) -> dict[str, Any]:
    """Give the names of columns; how several labels are written only where a text may have several."""
    names: dict[str, Any] = {name: getattr(columns, name) for name in COLUMNS}
    if columns.multi_label:
        written = {"label_separator": columns.label_separator, "labels": list(columns.labels)}
        names |= {**written, "several": columns.several}
    return names


def is_model(folder: Path) -> bool:
    """Whether a folder says that whyword wrote it."""
    try:
        return bool(_read_config(folder))
    except ModelError:
        return False


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise ModelError(f"There is no model folder {folder}: train one with  whyword train DATA -o {folder}.")
    if not (folder / "config.json").is_file():
        raise ModelError(
            f"{folder} is not a whyword model: it has no config.json. Give a folder that whyword train wrote."
        )


def _read_config(folder: Path) -> dict[str, Any]:
    _check_folder(folder)
    try:
        values = json.loads(_read_text(folder / "config.json"))
    except (ValueError, RecursionError) as error:
        raise ModelError(
            f"{folder / 'config.json'} is damaged ({first_line(error)}): train the model again."
        ) from error
    if not isinstance(values, dict) or not isinstance(values.get("format"), int) or "whyword" not in values:
        raise ModelError(
            f"{folder} is not a whyword model, as its config.json was written by another program: give a folder that "
            "whyword train wrote."
        )
    if values["format"] > FORMAT:
        raise ModelError(
            f"{folder} was written by whyword {values['whyword']} in a newer format ({values['format']}; this version "
            f"reads up to {FORMAT}): upgrade whyword."
        )
    return values


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ModelError(f"{path} is missing: the model folder is not complete, train it again.") from None
    except (UnicodeDecodeError, OSError) as error:
        raise ModelError(f"{path} cannot be read ({error}): train the model again.") from error


def _read_weights(folder: Path) -> dict[str, torch.Tensor]:
    pickled = None if (folder / WEIGHTS).exists() else pickled_weights(folder)
    if pickled is not None:
        raise ModelError(
            f"The weights in {folder} are pickled ({pickled}), which can run code when they are read: whyword reads "
            f"{WEIGHTS} only, so copy that too or train the model again."
        )
    tensors, _ = read_tensors(folder / WEIGHTS)
    check_finite(tensors, folder / WEIGHTS)
    return tensors


def _read_history(folder: Path) -> list[dict[str, Any]]:
    path = folder / "training.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    if not all(isinstance(record, dict) for record in records):
        raise ModelError(f"{path} is damaged (a line is no table): train the model again or copy the folder anew.")
    return records


def _read_metrics(folder: Path) -> dict[str, Any]:
    path = folder / "metrics.json"
    values = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not isinstance(values, dict):
        raise ModelError(f"{path} is damaged (it holds no table): train the model again or copy the folder anew.")
    return values


def model_card(config: Mapping[str, Any], metrics: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> str:
    """Say what the model is, what it was trained on, how good it is and how to use it."""
    method, encoder = config["method"]["name"], config["encoder"]["name"]
    lines = [
        f"# {escape_markdown(config.get('name') or f'{method} on {encoder}')}",
        "",
        *([config["notes"], ""] if config.get("notes") else []),
        f"A text classifier trained with whyword {config['whyword']}. {_what(config)}: "
        f"{', '.join(escape_markdown(str(label)) for label in config['labels'])}.",
        "",
        "| fact | value |",
        "|---|---|",
        *(
            f"| {escape_markdown(name)} | {escape_markdown(value)} |"
            for name, value in _facts(config, metrics, history)
        ),
        "",
        *_figures(metrics.get("figures")),
        *_forbidden(config, metrics.get("forbidden")),
        "## Settings",
        "",
        *(
            f"- {section}: {escape_markdown(_settings(config[section]))}"
            for section in SECTIONS
            if config.get(section) is not None
        ),
        "",
        "## Use",
        "",
        "```python",
        "from whyword import load",
        "",
        'classifier = load("PATH OF THIS FOLDER")',
        'classifier.explain(["a text"])[0].top(5)',
        "```",
        "",
        "The words a model relies on are a fact about the model, not about the world: look before you trust it.",
        "",
    ]
    return "\n".join(lines)


def _what(config: Mapping[str, Any]) -> str:
    if config.get("task") == ORDINAL:
        return "It tells these classes apart, which have an order, lowest first"
    several = config.get("multi_label", False)
    return "A text may have several of these labels, or none" if several else "It tells these classes apart"


def _facts(
    config: Mapping[str, Any], metrics: Mapping[str, Any], history: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    facts = [("method", config["method"]["name"]), ("encoder", config["encoder"]["name"])]
    if config.get("embeddings"):
        facts.append(("word vectors", str(config["embeddings"])))
    for name, value in {**metrics, **metrics.get("health", {})}.items():
        if name == "contributions":
            facts.append(("explained by contributions", f"{value['explained']:.4g}"))
        elif name == "rationales":
            facts += _agreement(value)
        elif name == "calibration":
            before, after = (f"{value[key]:.3f}" for key in ("dev_error_before", "dev_error"))
            if "temperature" in value:
                facts.append(("temperature", f"{value['temperature']:.3g}"))
            facts.append(("expected calibration error on dev", f"{after} (without temperature {before})"))
        elif name == "decision":
            facts += _decision(value)
        elif name == "auto":
            dev = ", ".join(f"{each} {accuracy:.1%}" for each, accuracy in value["dev_accuracy"].items())
            facts.append(("chosen on dev by auto", f"{value['chosen']}; {dev}"))
        elif name not in ("health", "figures", "forbidden"):
            facts.append((name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value)))
    facts.append(("epochs trained", str(len(history))))
    facts.append(("seed", str(config["seed"])))
    return facts


def _agreement(rationales: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say from how many texts it was learned what people mark, and how well that is told on dev."""
    facts = [("texts with marked words learned from", f"{rationales['texts']:,.0f}")]
    if "agreement" in rationales:
        shown = f"{rationales['agreement']:.3f} (random words about {rationales['random_agreement']:.3f})"
        facts.append(("average precision of the words that people marked on dev", shown))
    return facts


def _decision(decision: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say from which probability on a class is predicted, and what that brought on dev."""
    if "thresholds" in decision:
        rule = ("thresholds", ", ".join(f"{name} {value:.2f}" for name, value in decision["thresholds"].items()))
        before, after = decision["dev_macro_f1_before"], decision["dev_macro_f1"]
        return [rule, ("macro-F1 on dev with thresholds", f"{after:.4g} (at one half {before:.4g})")]
    if "threshold" in decision:
        last = list(decision["offsets"])[-1]
        rule = ("threshold", f"{last} from {decision['threshold']:.1%} on")
    else:
        offsets = ", ".join(f"{name} {value:+.2f}" for name, value in decision["offsets"].items())
        rule = ("added to log-probabilities before deciding", offsets)
    before, after = decision["dev_macro_f1_before"], decision["dev_macro_f1"]
    return [rule, ("macro-F1 on dev with thresholds", f"{after:.4g} (without {before:.4g})")]


def _figures(figures: Mapping[str, Any] | None) -> list[str]:
    """Show the model beside majority and baseline, and class by class, with 95 % intervals."""
    if figures is None:
        return []
    warning = warn_of(figures)
    tables = [markdown(table) for table in figure_tables(figures)]
    return ["## How good it is", "", *tables, "In brackets: 95 % intervals.", *([warning] if warning else []), ""]


def _forbidden(config: Mapping[str, Any], found: Mapping[str, Any] | None) -> list[str]:
    """Name the words that must not decide, and those that may have taken over."""
    if not config.get("forbid") and not config.get("forbid_soft"):
        return []
    lines = ["## Words that must not decide", ""]
    for name, what in (("forbid", "Not read"), ("forbid_soft", "Read, but taught to move no answer")):
        if config.get(name):
            lines += [f"{what}: {', '.join(_code(entry) for entry in config[name])}.", ""]
    for proxy in (found or {}).get("proxies", ()):
        lines.append(
            f"- {_code(proxy['word'])} may have taken over from {_code(proxy['beside'])}: its odds beside it are "
            f"{proxy['odds']:.3g} times those elsewhere, and on average it adds {proxy['contribution']:.3f} to "
            f"{escape_markdown(str(proxy['label']))}."
        )
    return [*lines, ""] if lines[-1] else lines


def _code(word: str) -> str:
    """Show a word as it is; one with a backtick, which would end the code, as plain text."""
    return escape_markdown(word) if "`" in word or "\n" in word else f"`{word}`"


def _settings(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if name != "name") or "none"


def model_fingerprint(model: TrainedModel) -> str:
    """Name all that decides what a model answers: weights, architecture, tokenizer and classes."""
    config = model.config.to_dict()
    return model.classifier.fingerprint([config["method"], config["encoder"]])


def named_fingerprint(name: str, classes: Sequence[Label]) -> str:
    """Name a model that cannot be looked into by what its owner calls it."""
    return fingerprint(["named", name, list(classes)])


def describe_explainer(explainer: Explainer) -> dict[str, Any]:
    """Give the explainer's name and settings as plain values, with the version of whyword that computes them."""
    if not is_dataclass(explainer):
        raise OptionError(
            f"The explainer {type(explainer).__name__} is no dataclass, so it cannot be told which settings it has: "
            "make its settings the fields of a dataclass."
        )
    settings = asdict(explainer)
    if settings.get("name") == getattr(type(explainer), "name", None):
        settings.pop("name", None)  # one that was renamed keeps explanations of its own
    try:
        json.dumps(settings)
    except TypeError as error:
        raise OptionError(
            f"The settings of the explainer {type(explainer).__name__} cannot be compared between runs ({error}): use "
            "plain values."
        ) from None
    kind = f"{type(explainer).__module__}.{type(explainer).__qualname__}"
    return {"explainer": kind, "settings": settings, "whyword": version("whyword")}


def text_fingerprint(text: Words) -> bytes:
    """Name a text, or a pair of texts, cut into words."""
    return hashlib.sha256(repr((text.texts, text.spans)).encode("utf-8", "surrogatepass")).digest()


def fingerprint(values: Any) -> str:
    """Name plain values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
