"""Open an ONNX file for predictions and explanations that need no torch."""

from __future__ import annotations

from pathlib import Path

from ..inference.onnx_file import read_onnx
from ..inference.session import SessionClassifier
from ..interfaces.adapter import Access
from .opened import OpenedModel


def open_without_torch(place: Path, access: Access, threads: int | None = None) -> OpenedModel:
    """Open a file; each forward pass takes that many threads, or as many as there are cores."""
    file = read_onnx(place, threads)
    classes = access.classes_of(file.labels(file.count_classes()), file.name)
    return OpenedModel(SessionClassifier.of(file, classes), file.name, "onnx", place=str(place.absolute()))
