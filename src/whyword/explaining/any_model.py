"""Any model becomes a classifier: ours, one that an adapter opens, or a function from strings to probabilities."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..inference.black_box import BlackBox
from ..inference.fitted import choose_device
from ..inference.opening import forms, open_foreign, open_object
from ..inference.precision import FULL, in_precision
from ..interfaces.adapter import Access
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Label, Words
from ..interfaces.errors import ModelError, OptionError, unknown_name
from ..interfaces.places import as_place, exists, is_url, reason
from ..models.explainer_folder import attach, explainer_identity, read_explainer
from ..models.fingerprint import fingerprint as fingerprint_of
from ..models.fingerprint import model_fingerprint, named_fingerprint
from ..models.folder import TrainedModel, load_model
from .inputs import read_labels
from .opened import OpenedModel as OpenedModel


def open_model(model: Any, access: Access | None = None, fingerprint: str | None = None) -> OpenedModel:
    """Open what a user names or hands over.

    The fingerprint is a name that the user changes whenever the model changes, for models whose contents nobody sees.
    """
    access = access or Access()
    opened = _open(model, access)
    if opened.fingerprint is None and fingerprint is not None:
        classes = opened.classifier.classes
        opened = replace(opened, fingerprint=lambda: named_fingerprint(fingerprint, classes))
    opened = opened if access.learned is None else _with_learned(opened, access)
    return opened if opened is model else lowered(opened, access.precision)


def lowered(opened: OpenedModel, precision: str) -> OpenedModel:
    """Let a model compute in another precision, which its identity then names."""
    if precision == FULL:
        return opened
    named = opened.fingerprint
    return replace(
        opened,
        classifier=in_precision(opened.classifier, precision),
        fingerprint=None if named is None else lambda: fingerprint_of([named(), precision]),
        access=replace(opened.access, precision=precision),
    )


def _with_learned(opened: OpenedModel, access: Access) -> OpenedModel:
    """Attach the explainer that was learned for a model, unless it was learned for another one."""
    folder = Path(access.learned or "")
    if opened.trained is not None:
        raise OptionError(f"{opened.name} is a model of whyword, which carries its contributions: leave out learned.")
    explainer = read_explainer(folder, opened.classifier)
    identity = opened.identity
    if None not in (identity, explainer.identity) and identity != explainer.identity:
        raise OptionError(
            f"{folder} was learned for another model, {explainer.model}, or for {opened.name} before it was changed: "
            "learn it anew with  whyword learn-explainer MODEL TEXTS -o EXPLAINER."
        )
    return replace(
        opened,
        classifier=attach(opened.classifier, explainer),
        fingerprint=None if identity is None else lambda: fingerprint_of([identity, explainer_identity(folder)]),
        access=replace(access, learned=str(folder.absolute())),
        fidelity=explainer.fidelity,
    )


def _open(model: Any, access: Access) -> OpenedModel:
    if isinstance(model, OpenedModel):
        return model
    if isinstance(model, str | Path):
        return _open_named(model, access)
    if (ours := trained_model(model)) is not None:
        return _ours(ours, access)
    if isinstance(model, Classifier):
        return OpenedModel(model, type(model).__name__, "classifier", access=access)
    found = open_object(model, access)
    classifier = found.classifier
    if isinstance(classifier, BlackBox):
        classifier = replace(classifier, classes=tuple(read_labels(classifier.classes)))
    return OpenedModel(classifier, found.name, found.kind, fingerprint=found.fingerprint, access=access)


def _ours(trained: TrainedModel, access: Access) -> OpenedModel:
    name = f"{trained.config.method} on {trained.config.encoder}"
    place = None if trained.folder is None else str(trained.folder.absolute())
    return OpenedModel(trained.classifier, name, "whyword", trained, place, lambda: model_fingerprint(trained), access)


def _fetched(url: str, access: Access) -> OpenedModel:
    """Open a model folder of ours that is reached by a URL: it is copied here, and read whole."""
    place: Any = as_place(url)
    if not exists(place / "config.json"):
        raise ModelError(f"There is no model folder {url}: copy there what  whyword train  wrote, or correct the URL.")
    with TemporaryDirectory() as scratch:
        here = Path(scratch, place.name)
        try:
            place.fs.get(place.path, str(here), recursive=True)
        except Exception as error:  # of whatever library speaks the protocol
            raise ModelError(f"{url} cannot be read ({reason(error)}): check the URL and the credentials.") from None
        if not _is_ours(here):
            raise ModelError(f"{url} is no whyword model, and only those are read by a URL: copy it to this machine.")
        opened = _open_named(here, access)
    assert opened.trained is not None
    return replace(opened, place=url, trained=replace(opened.trained, folder=None))


def _open_named(model: str | Path, access: Access) -> OpenedModel:
    if is_url(model):
        return _fetched(str(model), access)
    if not _is_ours(Path(model)):
        found = open_foreign(str(model), access)
        if found is not None:
            place = _from_anywhere(str(model))
            return OpenedModel(found.classifier, found.name, found.kind, None, place, found.fingerprint, access)
        if not Path(model).exists():
            raise ModelError(
                f"There is no model folder {model}: train one with  whyword train DATA -o {model},  or give {forms()}."
            )
        if not (Path(model) / "config.json").is_file():
            raise ModelError(f"{model} is not a whyword model, nor one of {forms()}: give one of these.")
    if access.classes is not None:
        raise OptionError(f"{model} is a model of whyword, which names its classes itself: leave out --classes.")
    trained = load_model(Path(model), choose_device(access.device))
    return replace(_ours(trained, access), name=Path(model).resolve().name)


def _from_anywhere(model: str) -> str:
    """Write a path, also one behind a prefix such as hf:, so that workers elsewhere find it too."""
    prefix, colon, rest = model.partition(":")
    if colon and Path(rest).exists():
        return f"{prefix}:{Path(rest).absolute()}"
    return str(Path(model).absolute()) if Path(model).exists() else model


def _is_ours(folder: Path) -> bool:
    """Tell a folder of whyword by its config.json."""
    try:
        return "whyword" in json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        return False


def trained_model(model: Any) -> TrainedModel | None:
    """Give the trained model that a value is or, as a fitted TextClassifier does, holds; None for models not ours."""
    held = model.trained if isinstance(model, OpenedModel) else getattr(model, "model_", model)
    return held if isinstance(held, TrainedModel) else None


def with_tokenizer(model: Any, tokenizer: Any) -> Any:
    """Put a network of Hugging Face together with its tokenizer, if one is given."""
    return model if tokenizer is None else (model, tokenizer)


def as_classifier(model: Any, texts: Sequence[Words], classes: Sequence[Label] | None = None) -> Classifier:
    """Make any model answer like ours; texts are some to ask it about, if nobody names the classes."""
    return open_model(model, access_for(texts, classes)).classifier


def access_for(texts: Sequence[Words], classes: Sequence[Label] | None = None, device: str = "auto") -> Access:
    """Say how a model is opened that is to be asked about texts; classes as a user holds them."""
    names = None if classes is None else tuple(read_labels(classes))
    return Access(device, names, example=texts[0].texts) if texts else Access(device, names)


def open_classifier(model: Any) -> OpenClassifier:
    """Give the classifier of a model whose weights and gradients can be looked at; refuse any other."""
    ours = trained_model(model)
    classifier = model if ours is None else ours.classifier
    if not isinstance(classifier, OpenClassifier):
        raise OptionError(f"{type(model).__name__} cannot be looked into: give a model that whyword trained.")
    return classifier


def known_label(classes: Sequence[Label], label: Label) -> Label:
    """Give the label of a text as the model spells it; a class that the model does not know is refused."""
    if str(label) not in (names := [str(name) for name in classes]):
        raise unknown_name(str(label), "the classes of this model, though a text is labelled so", names)
    return classes[names.index(str(label))]
