"""SetFit classifiers: a folder, whose head is a pickle and must be allowed, or the object."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..data.tokenizers.hugging_face import import_transformers
from ..inference.black_box import BlackBox
from ..inference.files import contents_fingerprint
from ..inference.fitted import choose_device
from ..interfaces.adapter import Access, Adapter, ForeignModel, is_a
from ..interfaces.errors import MissingExtraError, ModelError, first_line

KIND = "set-fit"


class SetFit(Adapter):
    """Asked through predict_proba."""

    forms = "a SetFit folder"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize the folders and the objects of the library."""
        if isinstance(model, str | Path):
            return (Path(model) / "config_setfit.json").is_file()
        return is_a(model, "setfit", "SetFitModel")

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Load a folder, or take the object."""
        folder = Path(model) if isinstance(model, str | Path) else None
        network: Any = model if folder is None else _load(folder, access)
        name = "SetFit" if folder is None else folder.resolve().name
        several = network.multi_target_strategy is not None
        labels = network.labels
        if not labels:
            head = getattr(network.model_head, "classes_", None)
            labels = range(np.asarray(_ask(network, list(access.example))).shape[1]) if head is None else head.tolist()
        box = BlackBox(partial(_ask, network), access.classes_of(list(labels), name), several, pairs=False)
        return ForeignModel(box, name, KIND, None if folder is None else partial(contents_fingerprint, folder))


def _ask(network: Any, texts: list[str]) -> np.ndarray:
    table: np.ndarray = network.predict_proba(list(texts), as_numpy=True, show_progress_bar=False)
    return table


def _load(folder: Path, access: Access) -> Any:
    if not access.allow_pickle:
        raise ModelError(
            f"{folder} has its head in model_head.pkl, a pickle, which can run code when it is read: if you know where "
            "it comes from, allow it (--allow-pickle)."
        )
    try:
        from setfit import SetFitModel
    except ImportError:
        raise MissingExtraError(f"The model {folder}", "setfit") from None
    import_transformers("SetFit")  # without its progress bars
    try:
        return SetFitModel.from_pretrained(
            str(folder), local_files_only=True, device=str(choose_device(access.device)), trust_remote_code=False
        )
    except Exception as error:  # whatever a damaged file makes the libraries raise
        raise ModelError(
            f"The SetFit folder {folder} could not be loaded ({first_line(error)}): see that it is whole."
        ) from error
