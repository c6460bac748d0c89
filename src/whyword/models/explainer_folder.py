"""A learned explainer as a folder: the head of a model that shows its states, or a reader for one that does not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..blocks.contributions import ContributionHead, add_head
from ..inference.black_box import BlackBox
from ..inference.fitted import FittedClassifier
from ..inference.opaque import OpaqueEncoder
from ..interfaces.classifier import Classifier
from ..interfaces.errors import ModelError, OptionError
from ..interfaces.settings import build, strict_json
from ..storage.atomic import read_tensors, save_tensors
from ..storage.exchange import replacing_folder, restore
from ..storage.seal import check_seal, seal
from .closed import check_finite
from .folder import TrainedModel, load_model, save_model

FACTS, HEAD, READER = "explainer.json", "head.safetensors", "reader"
FORMAT = 1  # raised when a folder can no longer be read by older versions


@dataclass(frozen=True, eq=False)
class LearnedExplainer:
    """Contributions that were learned for a model, and what is known of them."""

    config: ContributionHead.Config
    classes: tuple[Any, ...]
    model: str  # name of the model, for people
    identity: str | None = None  # of the model that it was learned for; None where nobody can tell
    head: ContributionHead | None = None  # carried by the model itself
    reader: TrainedModel | None = None  # or a network that reads for it
    fidelity: Mapping[str, float] = field(default_factory=dict)  # on texts that were held out


def shows_states(classifier: Classifier) -> bool:
    """Say whether a head can read the states of a model."""
    return isinstance(classifier, FittedClassifier) and not isinstance(classifier.method.encoder, OpaqueEncoder)


def attach(classifier: Classifier, explainer: LearnedExplainer) -> Classifier:
    """Let a model carry contributions that were learned for it."""
    if tuple(map(str, classifier.classes)) != tuple(map(str, explainer.classes)):
        raise OptionError(
            f"The explainer was learned for a model with the classes {', '.join(map(str, explainer.classes))}, and "
            f"this one has {', '.join(map(str, classifier.classes))}: give the model it was learned for."
        )
    if explainer.head is not None:
        if not (isinstance(classifier, FittedClassifier) and shows_states(classifier)):
            raise OptionError("The explainer reads the states of a model, which this one does not show: learn it anew.")
        classifier.method.contributions = explainer.head.to(classifier.device).eval()
        return classifier
    assert explainer.reader is not None
    if not isinstance(classifier, FittedClassifier | BlackBox):
        raise OptionError(f"A {type(classifier).__name__} cannot be given contributions: give a function instead.")
    return replace(classifier, reader=explainer.reader.classifier)


def put_explainer(explainer: LearnedExplainer, place: Path) -> None:
    """Write the folder beside its place and rename it, so that no half explainer ever stands there."""
    check_explainer_place(place)
    facts = {
        "format": FORMAT,
        "whyword": version("whyword"),
        "model": explainer.model,
        "identity": explainer.identity,
        "classes": list(explainer.classes),
        "contributions": asdict(explainer.config),
        "fidelity": dict(explainer.fidelity),
    }
    with replacing_folder(place) as beside:
        (beside / FACTS).write_text(strict_json(facts, indent=2), encoding="utf-8")
        if explainer.head is not None:
            weights = explainer.head.state_dict()
            check_finite(weights, "The explainer")
            save_tensors(beside / HEAD, weights)
        else:
            assert explainer.reader is not None
            (beside / READER).mkdir()
            save_model(explainer.reader, beside / READER)
        seal(beside)


def check_explainer_place(place: Path) -> None:
    """Refuse to put an explainer where anything but an explainer is."""
    if place.exists() and not (place / FACTS).is_file() and not (place.is_dir() and not any(place.iterdir())):
        raise ModelError(f"{place} exists and is no learned explainer: name another folder.")


def read_explainer(folder: Path, classifier: Classifier) -> LearnedExplainer:
    """Read a folder for the model that it is to explain, or say what is wrong with it."""
    restore(folder)
    check_seal(folder, (FACTS, HEAD))
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        if facts["format"] > FORMAT:
            raise ModelError(f"{folder} was written by a newer whyword, {facts['whyword']}: upgrade whyword.")
        config = build(ContributionHead.Config, facts["contributions"], "contributions")
        explainer = LearnedExplainer(
            config, tuple(facts["classes"]), facts["model"], facts["identity"], fidelity=facts["fidelity"]
        )
    except FileNotFoundError:
        raise ModelError(
            f"{folder} is no learned explainer, as it has no {FACTS}: make one with  whyword learn-explainer MODEL "
            f"TEXTS -o {folder}."
        ) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{folder / FACTS} is damaged ({error}): learn the explainer again.") from error
    if not (folder / HEAD).is_file():
        return replace(explainer, reader=load_model(folder / READER))
    if not isinstance(classifier, FittedClassifier) or not shows_states(classifier):
        raise OptionError(f"{folder} reads the states of {explainer.model}, which this model does not show.")
    return replace(explainer, head=_read_head(folder, classifier, config))


def _read_head(folder: Path, classifier: FittedClassifier, config: ContributionHead.Config) -> ContributionHead:
    tensors, _ = read_tensors(folder / HEAD)
    check_finite(tensors, folder / HEAD)
    method = classifier.method
    add_head(method, config)
    head, method.contributions = method.contributions, None
    assert isinstance(head, ContributionHead)
    try:
        head.load_state_dict(tensors)
    except RuntimeError as error:
        raise ModelError(f"{folder} does not fit this model: give the one it was learned for.") from error
    return head


def explainer_identity(folder: Path) -> str:
    """Name the contents of a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
