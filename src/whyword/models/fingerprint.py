"""Names of all that decides an explanation: the model, the explainer, and the text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ..interfaces.document import Label, Words
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer

if TYPE_CHECKING:
    from .folder import TrainedModel


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
