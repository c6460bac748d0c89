"""ONNX files of sequence classifiers, with tokenizer.json (and config.json, if any) beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tokenizers
import torch
from torch import Tensor

from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..inference.files import contents_fingerprint
from ..inference.fitted import FittedClassifier
from ..inference.opaque import OpaqueEncoder, refuse_gradients
from ..interfaces.adapter import Access, Adapter, ForeignModel
from ..interfaces.document import Batch
from ..interfaces.errors import MissingExtraError, ModelError, first_line
from ..interfaces.method import Method, Prediction

KIND = "onnx"
ENDING = ".onnx"


class Onnx(Adapter):
    """Asked with token ids, so sub-texts are never tokenized again and long texts are read in windows; no gradients."""

    forms = "FILE.onnx with tokenizer.json beside it"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize an .onnx file, or a folder that has one and no other weights."""
        if not isinstance(model, str | Path):
            return False
        place = Path(model)
        return place.suffix == ENDING or (place.is_dir() and _only_file(place) is not None)

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Open a session, and read the classes from config.json where it is there."""
        place = Path(str(model))
        file = _only_file(place) if place.is_dir() else place
        if file is None or not file.is_file():
            raise ModelError(f"There is no model file {place}: give the path of an ONNX file.")
        name = file.stem if file.stem != "model" else file.resolve().parent.name
        facts = _facts(file)
        method = OnnxMethod(_session(file), name, facts.get("problem_type") == "multi_label_classification")
        if method.outputs == 1 and not method.multi_label:
            raise ModelError(f"{name} gives one number and no classes: only classifiers can be explained.")
        labels = facts.get("id2label") or {}
        names = [labels.get(str(number), f"LABEL_{number}") for number in range(method.outputs)]
        classifier = FittedClassifier(method, _tokenizer(file, facts), access.classes_of(names, name))
        return ForeignModel(classifier, name, KIND, partial(_fingerprint, classifier, file))


def _only_file(folder: Path) -> Path | None:
    files = list(folder.glob(f"*{ENDING}"))
    return files[0] if len(files) == 1 and not any(folder.glob("*.safetensors")) else None


def _fingerprint(classifier: FittedClassifier, file: Path) -> str:
    return classifier.fingerprint([contents_fingerprint(file)])


class OnnxMethod(Method):
    """Runs a session of onnxruntime on batches of token ids."""

    @dataclass(frozen=True)
    class Config:
        """There is nothing to set."""

    def __init__(self, session: Any, name: str, multi_label: bool) -> None:
        super().__init__()
        self.encoder = OpaqueEncoder()
        self.multi_label = multi_label
        self._session = session
        self._inputs = {part.name for part in session.get_inputs()}
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown or "input_ids" not in self._inputs:
            raise ModelError(
                f"{name} takes {', '.join(sorted(self._inputs))}: give a sequence classifier that takes input_ids, "
                "attention_mask and perhaps token_type_ids."
            )
        names = [part.name for part in session.get_outputs()]
        self._output = "logits" if "logits" in names else names[0]
        token = torch.ones(1, 1, dtype=torch.long)
        logits = self(Batch(token, token.bool(), token, token * 0)).logits
        if logits.dim() != 2:
            raise ModelError(
                f"{name} answers with shape {tuple(logits.shape)}: give a model with (text, class) logits."
            )
        self.outputs = logits.shape[1]

    def forward(self, batch: Batch) -> Prediction:
        """Predict from token ids."""
        values = {"input_ids": batch.tokens, "attention_mask": batch.mask.long(), "token_type_ids": batch.segments}
        feed = {name: value.numpy() for name, value in values.items() if name in self._inputs}
        logits = torch.from_numpy(self._session.run([self._output], feed)[0]).float()
        return Prediction(logits, logits)

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Refuse: a session takes no word vectors."""
        refuse_gradients()


def _session(file: Path) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError(f"The model {file}", "onnx") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no class of their own
        raise ModelError(f"{file} is no ONNX model that can be run ({first_line(error)}): export it again.") from error


def _facts(file: Path) -> dict[str, Any]:
    beside = file.parent / "config.json"
    try:
        facts = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
    except ValueError as error:
        raise ModelError(f"{beside} is damaged ({error}): copy it anew.") from error
    return facts if isinstance(facts, dict) else {}


def _tokenizer(file: Path, facts: dict[str, Any]) -> WordPieceTokenizer:
    """Read the tokenizer; what it does not say of padding and length, config.json does."""
    beside = file.parent / "tokenizer.json"
    if not beside.is_file():
        raise ModelError(f"{file} has no tokenizer.json beside it: put that of its model there.")
    try:
        backend = tokenizers.Tokenizer.from_file(str(beside))
    except Exception as error:  # its errors share no class of their own
        raise ModelError(f"{beside} is no tokenizer ({error}): copy it anew.") from error
    padding = (backend.padding or {}).get("pad_id", facts.get("pad_token_id") or 0)
    backend.enable_padding(pad_id=padding, pad_token=backend.id_to_token(padding) or "[PAD]")
    stated = facts.get("max_position_embeddings")
    if stated and backend.truncation is None:
        offset = padding + 1 if facts.get("model_type") in ("roberta", "xlm-roberta", "camembert", "mpnet") else 0
        backend.enable_truncation(stated - offset)
    return WordPieceTokenizer(backend)
