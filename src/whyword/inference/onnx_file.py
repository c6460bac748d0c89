"""An ONNX file of a classifier, with what lies beside it: run by onnxruntime on arrays, without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers

from ..data.padding import Padded
from ..data.tokenizers.word_level import WordLevelTokenizer
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..interfaces.document import Label, Tokenizer
from ..interfaces.errors import MissingExtraError, ModelError, first_line
from ..maths.arrays.shapley import Link, answers_of

ENDING = ".onnx"
FACTS = "model.json"  # what `whyword export` writes beside a file
PROBABILITIES, WEIGHTS = "probabilities", "weights"  # outputs of such a file
SWITCH = "explain"  # input that may be left out: whether to compute more than probabilities
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "word_ids")
MULTI_LABEL = "multi_label_classification"  # as Hugging Face calls it
LEAST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, eq=False)
class OnnxFile:
    """A session, the tokenizer, and what is known of the classes."""

    path: Path
    session: Any
    tokenizer: Tokenizer
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name it after the file or, if that is model.onnx, after its folder."""
        return self.path.stem if self.path.stem != "model" else self.path.resolve().parent.name

    @property
    def multi_label(self) -> bool:
        """Whether a text may have several labels."""
        return bool(self.facts.get("problem_type") == MULTI_LABEL)

    @property
    def ordered(self) -> bool:
        """Whether classes have an order."""
        return bool(self.facts.get("ordered"))

    @property
    def first_word(self) -> int | None:
        """Token ids from here on are words of a vocabulary; None: every token says something."""
        return getattr(self.tokenizer, "first_word", None)

    @cached_property
    def has_weights(self) -> bool:
        """Whether it gives weights of words, of which contributions are made."""
        return WEIGHTS in _names(self.session.get_outputs())

    @property
    def base(self) -> np.ndarray:
        """What the formula of the contributions starts from."""
        return np.array(self.facts["base"])

    @property
    def link(self) -> Link:
        """What the formula of the contributions ends with."""
        link: Link = self.facts["link"]
        return link

    def list_of(self, name: str) -> np.ndarray | None:
        """Give the numbers of that name, one for each class; None if there are none."""
        values = self.facts.get(name)
        return None if values is None else np.array(values, dtype=np.float64)

    def labels(self, count: int) -> tuple[Label, ...]:
        """Name the classes."""
        if "labels" in self.facts:
            return tuple(self.facts["labels"])
        names = self.facts.get("id2label") or {}
        return tuple(names.get(str(number), f"LABEL_{number}") for number in range(count))

    def count_classes(self) -> int:
        """Ask about one token, and count the numbers of the answer."""
        token = np.ones((1, 1), dtype=np.int64)
        (answer,) = self.run(Padded(token, token > 0, token * 0, token * 0), [self._output])
        if answer.ndim != 2:
            raise ModelError(f"{self.name} answers with shape {answer.shape}: give a model with (text, class) logits.")
        if answer.shape[1] == 1 and not self.multi_label:
            raise ModelError(f"{self.name} gives one number and no classes: only classifiers can be explained.")
        return int(answer.shape[1])

    @property
    def _output(self) -> str:
        names = _names(self.session.get_outputs())
        return next((name for name in (PROBABILITIES, "logits") if name in names), names[0])

    def run(self, batch: Padded, outputs: list[str]) -> list[np.ndarray]:
        """Run the session; explanations are computed only if an output needs them."""
        values = (batch.tokens, batch.mask.astype(np.int64), batch.segments, batch.word_of_token)
        taken = _names(self.session.get_inputs())
        feed = {name: value for name, value in zip(INPUTS, values, strict=True) if name in taken}
        if self.has_weights:
            feed[SWITCH] = np.array(WEIGHTS in outputs)
        answers: list[np.ndarray] = self.session.run(outputs, feed)
        return answers

    def logits(self, batch: Padded) -> np.ndarray:
        """Give (text, class) logits; of a file that gives probabilities, those that belong to them."""
        (answer,) = self.run(batch, [self._output])
        if self._output != PROBABILITIES:
            return np.asarray(answer, dtype=np.float32)
        logits = np.log(np.maximum(answer, LEAST))
        return np.asarray(logits - np.log(np.maximum(1 - answer, LEAST)) if self.multi_label else logits)

    def probabilities(self, batch: Padded) -> np.ndarray:
        """Give (text, class) probabilities."""
        (answer,) = self.run(batch, [self._output])
        return answer if self._output == PROBABILITIES else self._normalized(answer)

    def probabilities_and_weights(self, batch: Padded) -> tuple[np.ndarray, np.ndarray]:
        """Give probabilities and the weights of words in the formula of the contributions, (text, word, class)."""
        probabilities, weights = self.run(batch, [PROBABILITIES, WEIGHTS])
        return probabilities, weights

    def _normalized(self, logits: np.ndarray) -> np.ndarray:
        return answers_of(logits.astype(np.float64), "sigmoid" if self.multi_label else "softmax")


def _names(puts: Any) -> list[str]:
    return [put.name for put in puts]


def only_onnx(folder: Path) -> Path | None:
    """Give the ONNX file of a folder that has one and no other weights."""
    files = list(folder.glob(f"*{ENDING}"))
    return files[0] if len(files) == 1 and not any(folder.glob("*.safetensors")) else None


def is_onnx(place: Path) -> bool:
    """Recognize an .onnx file, or a folder that has one and no other weights."""
    return place.suffix == ENDING or (place.is_dir() and only_onnx(place) is not None)


def read_onnx(place: Path, threads: int | None = None) -> OnnxFile:
    """Open a file, or the only one of a folder, with what lies beside it; threads are those of a forward pass."""
    path = only_onnx(place) if place.is_dir() else place
    if path is None or not path.is_file():
        raise ModelError(f"There is no model file {place}: give the path of an ONNX file.")
    facts = _read_facts(path)
    file = OnnxFile(path, _open(path, threads), _read_tokenizer(path, facts), facts)
    taken = set(_names(file.session.get_inputs()))
    if not (taken <= set(INPUTS) and INPUTS[0] in taken):
        raise ModelError(
            f"{file.name} takes {', '.join(sorted(taken))}: give a sequence classifier that takes input_ids, "
            "attention_mask and perhaps token_type_ids."
        )
    if file.has_weights and not {"base", "link"} <= set(facts):
        raise ModelError(f"{path} has weights of words, but no {FACTS} beside it says from where: copy it anew.")
    return file


def _open(path: Path, threads: int | None) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError(f"The model {path}", "onnx") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong is raised
    options.intra_op_num_threads = threads or 0
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no class of their own
        raise ModelError(f"{path} is no ONNX model that can be run ({first_line(error)}): export it again.") from error


def _read_facts(path: Path) -> dict[str, Any]:
    """Read what `whyword export` wrote beside a file or, of a file from elsewhere, its config.json."""
    own = path.parent / FACTS
    beside = own if own.is_file() else path.parent / "config.json"
    try:
        facts = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
    except ValueError as error:
        raise ModelError(f"{beside} is damaged ({error}): copy it anew.") from error
    return facts if isinstance(facts, dict) else {}


def _read_tokenizer(path: Path, facts: Mapping[str, Any]) -> Tokenizer:
    """Read the tokenizer; what it does not say of padding and length, config.json does."""
    beside = path.parent / "tokenizer.json"
    if not beside.is_file():
        raise ModelError(f"{path} has no tokenizer.json beside it: put that of its model there.")
    try:
        text = beside.read_text(encoding="utf-8")
        if facts.get("tokens") == "words":
            return WordLevelTokenizer.from_json(text)
        backend = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # its errors share no class of their own
        raise ModelError(f"{beside} is no tokenizer ({error}): copy it anew.") from error
    padding = (backend.padding or {}).get("pad_id", facts.get("pad_token_id") or 0)
    backend.enable_padding(pad_id=padding, pad_token=backend.id_to_token(padding) or "[PAD]")
    stated = facts.get("max_position_embeddings")
    if stated and backend.truncation is None:
        offset = padding + 1 if facts.get("model_type") in ("roberta", "xlm-roberta", "camembert", "mpnet") else 0
        backend.enable_truncation(stated - offset)
    return WordPieceTokenizer(backend)
