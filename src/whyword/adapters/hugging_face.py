"""Hugging Face sequence classifiers: a folder, a name of the Hub, a model with its tokenizer, or a pipeline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..data.tokenizers.hugging_face import import_transformers
from ..inference.fitted import choose_device
from ..inference.hugging_face import fit_hugging_face
from ..interfaces.adapter import Access, Adapter, ForeignModel, is_a
from ..interfaces.document import Label
from ..interfaces.errors import ModelError, OptionError, first_line
from ..storage.pickles import pickled_weights

PREFIX = "hf:"
KIND = "hugging-face"
HEAD = "ForSequenceClassification"
NOT_ITSELF = ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype")  # nor what it answers


class HuggingFace(Adapter):
    """Opened with word vectors and gradients; nothing is downloaded unless allowed, no remote code is ever run."""

    forms = "hf:FOLDER_OR_NAME"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize hf:…, a folder that transformers wrote, a model, (model, tokenizer), or a pipeline."""
        if isinstance(model, str | Path):
            return str(model).startswith(PREFIX) or _is_folder(Path(model))
        first = model[0] if isinstance(model, tuple) and len(model) == 2 else model
        return is_a(first, "transformers", "PreTrainedModel", "TextClassificationPipeline")

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Open it as a model that can be looked into."""
        if isinstance(model, str | Path):
            place = str(model).removeprefix(PREFIX)
            network, tokenizer = _load(place, access)
            name, applied = Path(place).name, None
        else:
            network, tokenizer, applied = _parts(model)
            name = Path(str(network.config._name_or_path)).name or type(network).__name__
        classes, multi_label = _labels(network, name, access, applied)
        classifier = fit_hugging_face(network, tokenizer, name, classes, multi_label)
        if multi_label and (chosen := getattr(network.config, "thresholds", None)):  # as whyword export writes them
            classifier = replace(classifier, thresholds=np.array(chosen))
        settings = {key: value for key, value in network.config.to_dict().items() if key not in NOT_ITSELF}
        facts = json.dumps([type(network).__name__, settings, multi_label], sort_keys=True, default=str)
        return ForeignModel(classifier, name, KIND, lambda: classifier.fingerprint([facts]))


def _is_folder(folder: Path) -> bool:
    """Tell the folders of transformers from those of whyword, and from SetFit's, whose body is one of transformers."""
    if not (folder / "config.json").is_file() or (folder / "config_setfit.json").is_file():
        return False
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(values, dict) and "whyword" not in values and "model_type" in values


def _load(place: str, access: Access) -> tuple[Any, Any]:
    transformers = import_transformers(f"The model {PREFIX}{place}")
    folder = Path(place)
    if folder.is_dir():
        _check_folder(folder, access)
    options = {"local_files_only": not access.allow_download, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, use_fast=True, **options)
        network, report = transformers.AutoModelForSequenceClassification.from_pretrained(
            place, use_safetensors=None if access.allow_pickle else True, output_loading_info=True, **options
        )
    except (OSError, ValueError, ImportError, KeyError) as error:
        known = folder.is_dir() or access.allow_download
        hint = "see that it is complete" if known else "give its folder, or allow a download (--allow-download)"
        raise ModelError(
            f"The Hugging Face model {place} could not be loaded ({first_line(error)}): {hint}."
        ) from error
    if report["missing_keys"]:
        raise ModelError(
            f"{place} has no trained classification head ({sorted(report['missing_keys'])[0]} is missing): fine-tune "
            f"it first, or train a classifier on it with  whyword train DATA --encoder {place}."
        )
    return network.float().to(choose_device(access.device)), tokenizer


def _check_folder(folder: Path, access: Access) -> None:
    """Refuse what transformers would guess or say in many lines."""
    values = json.loads((folder / "config.json").read_text(encoding="utf-8")) if _is_folder(folder) else {}
    architectures = values.get("architectures") or []
    if not any(name.endswith(HEAD) for name in architectures):
        kind = ", ".join(architectures) or "no sequence classifier"
        raise ModelError(
            f"{folder} is {kind}, not a Hugging Face sequence classifier (…{HEAD}): give a fine-tuned one, or train "
            f"one on it with  whyword train DATA --encoder {folder}."
        )
    pickled = pickled_weights(folder)
    if pickled is not None and not access.allow_pickle:
        raise ModelError(
            f"{folder} has its weights in {pickled}, a pickle, which can run code when it is read: save the model "
            "again with save_pretrained, which writes safetensors, or allow it (--allow-pickle)."
        )


def _parts(model: Any) -> tuple[Any, Any, str | None]:
    """Give network, tokenizer, and the function that a pipeline applies to logits, if it names one."""
    if isinstance(model, tuple):
        return *model, None
    if is_a(model, "transformers", "TextClassificationPipeline"):
        applied = model._postprocess_params.get("function_to_apply")
        return model.model, model.tokenizer, None if applied is None else str(getattr(applied, "value", applied))
    raise OptionError(
        f"A {type(model).__name__} reads tokens, not texts: give its tokenizer too, as in explain(model, texts, "
        "tokenizer=tokenizer), or as a pair, (model, tokenizer)."
    )


def _labels(network: Any, name: str, access: Access, applied: str | None) -> tuple[tuple[Label, ...], bool]:
    """Give the classes, and whether a text may have several; refuse a head that gives no classes."""
    config = network.config
    if not type(network).__name__.endswith(HEAD):
        raise ModelError(f"{name} is a {type(network).__name__}, not a sequence classifier: give one (…{HEAD}).")
    multi_label = applied == "sigmoid" if applied else config.problem_type == "multi_label_classification"
    if config.problem_type == "regression" or (config.num_labels == 1 and not multi_label):
        raise ModelError(
            f"{name} is a regression model, which gives a number and no classes: only classifiers can be explained."
        )
    if applied == "none":
        raise ModelError(f"{name} gives logits: make the pipeline with function_to_apply='softmax' or 'sigmoid'.")
    names = [config.id2label[number] for number in range(config.num_labels)]
    return access.classes_of(names, name), multi_label
