"""A trained model for programs that do not know whyword."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..encoders.transformer import Transformer
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.method import Encoder
from ..storage.exchange import replacing_folder
from ..storage.seal import seal
from .folder import TrainedModel
from .huggingface import export_huggingface
from .onnx import export_onnx

KINDS = {"huggingface": export_huggingface, "onnx": export_onnx}


def export_model(model: TrainedModel, to: str, place: Path) -> list[Path]:
    """Write a model as `huggingface` or `onnx` into a new folder, once it gives the same answers; give its files."""
    if to not in KINDS:
        raise unknown_name(to, "the kinds of export", KINDS)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise OptionError(f"{place} exists: name a new folder.")
    if model.classifier.forbidden is not None:
        raise OptionError(
            "Models that do not read some words cannot be exported, as other programs would read them: serve the model "
            "folder itself."
        )
    with replacing_folder(place) as beside:
        with _in_float32(model.classifier.method.encoder):
            names = [path.name for path in KINDS[to](model, beside)]
        mode = seal(beside).stat().st_mode
        for path in beside.iterdir():
            path.chmod(mode)  # other libraries write files that only their owner reads
    return [place / name for name in names]


@contextmanager
def _in_float32(encoder: Encoder) -> Iterator[None]:
    """Let an encoder compute in float32, as others do; its weights are the same in any precision."""
    if not isinstance(encoder, Transformer):
        yield
        return
    before = encoder.config
    encoder.config = replace(before, precision="float32")
    try:
        yield
    finally:
        encoder.config = before
