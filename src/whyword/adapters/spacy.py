"""spaCy text categorizers: the folder of a pipeline with textcat or textcat_multilabel, or the object."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..inference.black_box import BlackBox
from ..inference.files import contents_fingerprint
from ..interfaces.adapter import Access, Adapter, ForeignModel, is_a
from ..interfaces.errors import MissingExtraError, ModelError, first_line

KIND = "spacy"
COMPONENTS = {"textcat": False, "textcat_multilabel": True}  # factories, and whether a text may have several labels


class Spacy(Adapter):
    """Asked for the categories of texts; a pipeline may hold other components."""

    forms = "a spaCy folder"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize the folders and the objects of the library."""
        if isinstance(model, str | Path):
            return all((Path(model) / name).is_file() for name in ("config.cfg", "meta.json"))
        return is_a(model, "spacy", "Language")

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Load a folder, or take the object."""
        folder = Path(model) if isinstance(model, str | Path) else None
        pipeline: Any = model if folder is None else _load(folder)
        name = f"{pipeline.lang}_{pipeline.meta['name']}" if folder is None else folder.resolve().name
        factories = {part: pipeline.get_pipe_meta(part).factory for part in pipeline.pipe_names}
        component = next((part for part, factory in factories.items() if factory in COMPONENTS), None)
        if component is None:
            raise ModelError(f"{name} has no text categorizer: give a spaCy pipeline with textcat.")
        labels = tuple(pipeline.get_pipe(component).labels)
        several = COMPONENTS[factories[component]]
        box = BlackBox(partial(_ask, pipeline, labels), access.classes_of(labels, name), several, pairs=False)
        return ForeignModel(box, name, KIND, None if folder is None else partial(contents_fingerprint, folder))


def _load(folder: Path) -> Any:
    try:
        import spacy
    except ImportError:
        raise MissingExtraError(f"The model {folder}", "spacy") from None
    try:
        return spacy.load(folder)
    except (OSError, ValueError, ImportError) as error:
        raise ModelError(
            f"The spaCy pipeline {folder} could not be loaded ({first_line(error)}): see that it is whole."
        ) from error


def _ask(pipeline: Any, labels: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    return np.array([[document.cats[label] for label in labels] for document in pipeline.pipe(texts)])
