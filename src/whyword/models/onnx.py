"""A trained model as an ONNX file: probabilities and contributions from one pass, without torch or whyword."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..blocks.contributions import ContributionHead, answers_of
from ..blocks.neighborhood import features_of
from ..data.batching import collate
from ..data.tokenizers.word_level import WordLevelTokenizer
from ..data.words import split
from ..inference.fitted import FittedClassifier
from ..inference.onnx_file import FACTS, INPUTS, MULTI_LABEL, PROBABILITIES, SWITCH, WEIGHTS
from ..interfaces.classifier import HALF
from ..interfaces.document import Batch, Words
from ..interfaces.errors import MissingExtraError, ModelError
from ..interfaces.method import LinearEncoder, Method
from ..interfaces.settings import strict_json
from ..maths.tensors.subsets import SHAPLEY_ORDERS, Link
from ..storage.atomic import write_text
from .folder import TrainedModel
from .onnx_branch import compute_on_demand

OPSET = 18
CLOSE = 1e-4  # how far probabilities and contributions may be from torch's
MOST_WORDS = 4_096  # of a text, where the tokenizer states no limit
SAMPLES = (
    "The cast was superb, and the plot was not dreadful at all.",
    "Dull!",
    "",
    "I don't regret it: a truly well-made film with a few 🙂 surprises, though it could be shorter.",
)


class OnnxModel(nn.Module):
    """What the file computes: tensors in, tensors out."""

    def __init__(self, method: Method, most_words: int) -> None:
        super().__init__()
        self.method = method
        half = torch.rand(SHAPLEY_ORDERS // 2, most_words, generator=torch.Generator().manual_seed(0))
        self.register_buffer("keys", half)
        self.keys: Tensor

    def forward(self, tokens: Tensor, mask: Tensor, segments: Tensor, words: Tensor) -> tuple[Tensor, ...]:
        """(batch, time) each to (batch, class) probabilities and, if any, contributions and weights of words."""
        batch = Batch(tokens, mask.bool(), words, segments)
        head = self.method.contributions
        if head is None:
            return (self.method.probabilities(self.method(batch).logits),)
        embedded, prediction = self.method.read(batch)
        assert isinstance(head, ContributionHead)
        features = features_of(embedded, prediction, head.part)
        weights = head.weights(
            features, prediction.logits, batch, tokens.shape[1]
        )  # no text has more words than tokens
        probabilities = self.method.probabilities(prediction.logits)
        return probabilities, self._shapley(head.base, weights, head.link), weights

    def _shapley(self, base: Tensor, weights: Tensor, link: Link) -> Tensor:
        """Average what each word adds in some orders of the words; the same formula as the head's, in other orders."""
        half = self.keys[:, : weights.shape[1]].argsort(1)
        order = torch.cat([half, half.flip(1)])  # (order, word)
        place = order.argsort(1)
        path = weights[:, order].cumsum(2) + base  # (text, order, word, class)
        start = base.expand(path.shape[0], path.shape[1], 1, path.shape[3])
        answers = answers_of(torch.cat([start, path], 2), link)
        shares = answers[:, :, 1:] - answers[:, :, :-1]
        return shares.gather(2, place[None, :, :, None].expand_as(shares)).mean(1)


def export_onnx(model: TrainedModel, folder: Path) -> list[Path]:
    """Write model.onnx, what is needed to call it, and the tokenizer into an existing folder; checked against torch."""
    if isinstance(model.classifier.method.encoder, LinearEncoder):
        raise ModelError(
            f"The encoder '{model.config.encoder}' looks n-grams up, which ONNX has no operation for: serve the model "
            "folder, or export another encoder."
        )
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError:
        raise MissingExtraError("Export to ONNX", "onnx") from None
    classifier = model.classifier
    graph = OnnxModel(classifier.method, classifier.tokenizer.limit or MOST_WORDS).cpu().eval()
    inputs = inputs_of(classifier, [split(text) for text in SAMPLES])
    names = [PROBABILITIES, *(["contributions", WEIGHTS] if classifier.has_contributions else [])]
    file = folder / "model.onnx"
    try:
        _write(graph, inputs, names, file)
        compute_on_demand(file, PROBABILITIES, SWITCH)
        session = _open(file)
        error = _error(graph, classifier, session, names)
    except Exception as problem:  # whatever a network of another kind makes torch and onnxruntime raise
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise ModelError(
            f"The encoder '{model.config.encoder}' cannot be written as ONNX ({reason}): train another."
        ) from problem
    if not error <= CLOSE:
        raise ModelError(
            f"The ONNX file of this model differs from torch by {error:.2g}, more than {CLOSE}, so it was not written: "
            "train another encoder to export it."
        )
    facts = _describe(model, [put.name for put in session.get_inputs()], names, error)
    write_text(folder / FACTS, strict_json(facts, indent=2))
    write_text(folder / "tokenizer.json", classifier.tokenizer.to_json())
    return [file, folder / FACTS, folder / "tokenizer.json"]


def inputs_of(classifier: FittedClassifier, texts: Sequence[Words]) -> tuple[Tensor, ...]:
    """Give what the file takes for some texts."""
    batch = collate(classifier.tokenizer(texts), classifier.tokenizer.padding)
    return batch.tokens, batch.mask.long(), batch.segments, batch.word_of_token


def thresholds_of(classifier: FittedClassifier) -> list[float]:
    """Give the probability from which on a text has each label."""
    count = len(classifier.classes)
    return [HALF] * count if classifier.thresholds is None else classifier.thresholds.tolist()


def _write(graph: OnnxModel, inputs: tuple[Tensor, ...], names: list[str], file: Path) -> None:
    axes = {name: {0: "batch", 1: "time"} for name in (*INPUTS, *names[1:])}
    with warnings.catch_warnings(), torch.no_grad(), redirect_stdout(StringIO()):  # torch prints what it cannot write
        warnings.simplefilter("ignore")
        torch.onnx.export(
            graph,
            inputs,
            str(file),
            input_names=list(INPUTS),
            output_names=names,
            dynamic_axes={**axes, "probabilities": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )


def _open(file: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong is raised
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _error(graph: OnnxModel, classifier: FittedClassifier, session: Any, names: list[str]) -> float:
    """Give the largest difference from torch over batches of other sizes than the file was made with."""
    taken = {put.name for put in session.get_inputs()}
    worst = 0.0
    for texts in (SAMPLES[:1], SAMPLES[1:3], [" ".join(SAMPLES), *SAMPLES]):
        inputs = inputs_of(classifier, [split(text) for text in texts])
        with torch.no_grad():
            expected = graph(*inputs)
        given = {name: put.numpy() for name, put in zip(INPUTS, inputs, strict=True) if name in taken}
        for mine, theirs in zip(expected, session.run(names, given), strict=True):
            size = np.maximum(1, np.abs(theirs))  # weights are log-odds and may be large
            worst = max(worst, float((np.abs(mine.numpy() - theirs) / size).max(initial=0.0)))
    return worst


def _describe(model: TrainedModel, taken: list[str], names: list[str], error: float) -> dict[str, Any]:
    classifier = model.classifier
    facts: dict[str, Any] = {
        "inputs": {
            "input_ids": "(batch, time) int64: tokens, as tokenizer.json numbers them",
            "attention_mask": "(batch, time) int64: 1 on tokens, 0 on padding, which lies to the right",
            "token_type_ids": "(batch, time) int64: 0, or 1 in the second text of a pair",
            "word_ids": "(batch, time) int64: number of the word that a token is a piece of, -1 for special tokens",
        },
        "outputs": {
            "probabilities": "(batch, class) float32",
            "contributions": "(batch, word, class) float32: what each word adds to the probability of each class",
            "weights": "(batch, word, class) float32: the numbers, added up to base, that contributions are made of",
        },
        "labels": list(classifier.classes),
        "padding": classifier.tokenizer.padding,
        "limit": classifier.tokenizer.limit,
        "tokenizer": "tokenizer.json",
        "tokens": "words" if isinstance(classifier.tokenizer, WordLevelTokenizer) else "pieces",
        "encoder": model.config.encoder,
        "method": model.config.method,
        "largest_difference_from_torch": error,
    }
    facts["inputs"] = {name: facts["inputs"][name] for name in taken}
    facts["outputs"] = {name: facts["outputs"][name] for name in names}
    if classifier.multi_label:
        facts["problem_type"] = MULTI_LABEL
        facts["thresholds"] = thresholds_of(classifier)
    if classifier.offsets is not None:
        facts["offsets"] = classifier.offsets.tolist()  # added to log-probabilities before a class is predicted
    if classifier.values is not None:
        facts["ordered"] = True  # lowest first; the median is predicted
    if classifier.has_contributions:
        head: Any = classifier.method.contributions
        facts["link"], facts["base"] = head.link, head.base.tolist()
        facts["base_values"] = [round(value, 6) for value in answers_of(head.base, head.link).tolist()]
    return facts
