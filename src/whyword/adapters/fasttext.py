"""fastText classifiers: a .bin or .ftz file, or the object."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..inference.black_box import BlackBox
from ..inference.files import contents_fingerprint
from ..interfaces.adapter import Access, Adapter, ForeignModel, is_a
from ..interfaces.errors import MissingExtraError, ModelError

KIND = "fasttext"
LABEL = "__label__"


class Fasttext(Adapter):
    """Asked for the probabilities of all labels; one-vs-all models may give several labels."""

    forms = "FILE.bin or FILE.ftz of fastText"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize files by their endings, and the objects of the library."""
        if isinstance(model, str | Path):
            return Path(model).suffix in (".bin", ".ftz")
        return is_a(model, "fasttext", "_FastText")

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Load a file, or take the object."""
        file = Path(model) if isinstance(model, str | Path) else None
        network: Any = model if file is None else _load(file)
        name = KIND if file is None else file.stem
        labels = sorted(network.get_labels()) if network.f.getArgs().model.name == "supervised" else []
        if not labels:
            raise ModelError(f"{name} holds word vectors, not a classifier: train one with fasttext.train_supervised.")
        classes = access.classes_of([label.removeprefix(LABEL) for label in labels], name)
        several = network.f.getArgs().loss.name == "ova"
        box = BlackBox(partial(_ask, network, labels), classes, multi_label=several, pairs=False)
        return ForeignModel(box, name, KIND, None if file is None else partial(contents_fingerprint, file))


def _load(file: Path) -> Any:
    try:
        import fasttext
    except ImportError:
        raise MissingExtraError(f"The model {file}", "fasttext") from None
    if not file.is_file():
        raise ModelError(f"There is no model file {file}: give the path of one.")
    try:
        return fasttext.FastText._FastText(model_path=str(file))
    except ValueError as error:
        raise ModelError(f"{file} is no fastText model ({str(error).rstrip('.')}): give one it wrote.") from error


def _ask(network: Any, labels: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    """Give (text, label) probabilities.

    Its inner predict is called, as the outer one fails with numpy 2; a line break would end a text.
    """
    column = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(texts), len(labels)))
    for row, text in enumerate(texts):
        for probability, label in network.f.predict(f"{' '.join(text.split())}\n", -1, -1.0, "strict"):
            table[row, column[label]] = probability
    return table.clip(0.0, 1.0)  # fastText's may be a trifle above 1
