"""ONNX files of sequence classifiers, with tokenizer.json beside them; those of `whyword export` with contributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from ..data.padding import Padded
from ..inference.files import contents_fingerprint
from ..inference.fitted import FittedClassifier
from ..inference.onnx_file import FACTS, OnnxFile, is_onnx, read_onnx
from ..inference.opaque import OpaqueEncoder, refuse_gradients
from ..inference.session import SessionClassifier
from ..interfaces.adapter import Access, Adapter, ForeignModel
from ..interfaces.classifier import Contributions
from ..interfaces.document import Batch, Words
from ..interfaces.method import Method, Prediction

KIND = "onnx"


class Onnx(Adapter):
    """Asked with token ids, so sub-texts are never tokenized again and long texts are read in windows; no gradients."""

    forms = "FILE.onnx with tokenizer.json beside it"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize an .onnx file, or a folder that has one and no other weights."""
        return isinstance(model, str | Path) and is_onnx(Path(model))

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Open a session, and read the classes from the file beside it where it is there."""
        file = read_onnx(Path(str(model)), torch.get_num_threads())
        classes = access.classes_of(file.labels(file.count_classes()), file.name)
        session = SessionClassifier.of(file, classes)
        classifier = OnnxClassifier(
            OnnxMethod(file), file.tokenizer, classes, None, session.offsets, session.thresholds, session=session
        )
        return ForeignModel(classifier, file.name, KIND, partial(_fingerprint, classifier, file.path))


def _fingerprint(classifier: FittedClassifier, file: Path) -> str:
    beside = file.parent / FACTS
    facts = [contents_fingerprint(beside)] if beside.is_file() else []
    return classifier.fingerprint([contents_fingerprint(file), *facts])


class OnnxMethod(Method):
    """Runs a session of onnxruntime on batches of token ids."""

    @dataclass(frozen=True)
    class Config:
        """There is nothing to set."""

    def __init__(self, file: OnnxFile) -> None:
        super().__init__()
        self.encoder = OpaqueEncoder()
        self.multi_label, self.ordered, self.first_word = file.multi_label, file.ordered, file.first_word
        self._file = file

    def forward(self, batch: Batch) -> Prediction:
        """Predict from token ids."""
        padded = Padded(batch.tokens.numpy(), batch.mask.numpy(), batch.word_of_token.numpy(), batch.segments.numpy())
        logits = torch.from_numpy(self._file.logits(padded)).float()
        return Prediction(logits, logits)

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Refuse: a session takes no word vectors."""
        refuse_gradients()


@dataclass(frozen=True, eq=False)
class OnnxClassifier(FittedClassifier):
    """Answers through torch's machinery for sub-texts, and has the contributions of the file, if it has any."""

    session: SessionClassifier | None = None

    @property
    def has_contributions(self) -> bool:
        """Whether the file gives them, or they were learned for it."""
        return super().has_contributions or (self.session is not None and self.session.has_contributions)

    def contributions(self, texts: Sequence[Words], answers: Tensor | None = None) -> Contributions:
        """Give what each word adds to the probability of each class, from one pass over each text."""
        if super().has_contributions or self.session is None:
            return super().contributions(texts, answers)
        found = self.session.contributions(texts)
        return Contributions(found.scores, torch.as_tensor(found.probabilities), found.base, found.truncated_words)
