"""A sequence classifier of Hugging Face as a method: its own network, entered at its word vectors.

Networks differ in the token they read the class from, and in whether they find it in padded batches of word vectors.
So a few ways of asking are tried, and the one is taken whose answers to a padded batch are those that the model gives
to each text alone, called as its authors call it.
"""

from __future__ import annotations

import inspect
import logging
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from ..blocks.pretrained import position_limit
from ..data.batching import collate
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..data.words import split
from ..interfaces.document import Batch, Label
from ..interfaces.errors import ModelError
from ..interfaces.method import Encoder, Method, Prediction, lower_layers
from .fitted import FittedClassifier
from .opaque import OpaqueEncoder, refuse_gradients

UNLIMITED = 1_000_000  # tokens, of networks without positions
SAMPLES = ("one", "a few more words")


@dataclass(frozen=True)
class Layout:
    """How a network is asked about a batch."""

    left: bool = False  # padding stands before the tokens, for networks that read the last place
    vectors: bool = True  # by word vectors, so that there are gradients; else by token ids


LAYOUTS = (Layout(), Layout(left=True), Layout(vectors=False), Layout(left=True, vectors=False))


class HuggingFaceEncoder(Encoder):
    """The network without its head: word-piece vectors, and the states of every layer."""

    token_kind = "pieces"

    def __init__(self, model: Any, layout: Layout, segments: bool) -> None:
        super().__init__()
        self.model = model
        self.label = type(model).__name__
        self.layout = layout
        self._takes = set(inspect.signature(model.forward).parameters)
        self._segments = segments and "token_type_ids" in self._takes
        self.embedding_dim = model.get_input_embeddings().weight.shape[1]
        layers = int(getattr(model.config, "num_hidden_layers", 1))
        self.layer_dims = (int(getattr(model.config, "hidden_size", self.embedding_dim)),) * layers

    def embed(self, batch: Batch) -> Tensor:
        """Look up one vector per piece."""
        if not self.layout.vectors:
            refuse_gradients()
        embedded: Tensor = self.model.get_input_embeddings()(batch.tokens)
        return embedded

    def run(self, values: Tensor, batch: Batch) -> Any:
        """Ask the whole network, head included, by word vectors, (batch, time, dim), or token ids, (batch, time)."""
        mask, segments = batch.mask, batch.segments
        if self.layout.left:
            to_left = _rotation(mask, 1)
            values, mask, segments = (_rotated(part, to_left) for part in (values, mask, segments))
        inputs: dict[str, Any] = {
            "attention_mask": mask.long(),
            "output_hidden_states": values.dim() == 3,
            "return_dict": True,
            "use_cache": False,
        }
        inputs = {name: value for name, value in inputs.items() if name in self._takes or name.startswith("output")}
        if self._segments:
            inputs["token_type_ids"] = segments
        if self.layout.left and "position_ids" in self._takes:
            inputs["position_ids"] = (mask.long().cumsum(1) - 1).clamp(min=0)
        inputs["inputs_embeds" if values.dim() == 3 else "input_ids"] = values
        return self.model(**inputs)

    def states(self, output: Any, batch: Batch) -> tuple[Tensor, ...]:
        """Give the states of every layer, in the places of the batch."""
        layers = (getattr(output, "hidden_states", None) or getattr(output, "encoder_hidden_states", None) or ())[1:]
        if not self.layout.left:
            return tuple(layers)
        back = _rotation(batch.mask, -1)
        return tuple(_rotated(layer, back) for layer in layers)

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Run the network and give the states of every layer."""
        return self.states(self.run(embedded, batch), batch)

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Take the state of the last token where padding comes first, else that of the first."""
        if not self.layout.left:
            return states[:, 0]
        last = batch.mask.sum(1) - 1
        return states[torch.arange(len(states), device=states.device), last]


class HuggingFaceMethod(Method):
    """A trained sequence classifier as it is: nothing of it is trained here."""

    @dataclass(frozen=True)
    class Config:
        """There is nothing to set."""

    own_score: ClassVar[None] = None

    def __init__(self, model: Any, layout: Layout, segments: bool, multi_label: bool) -> None:
        super().__init__()
        self.network = HuggingFaceEncoder(model, layout, segments)
        self.encoder = self.network if layout.vectors else OpaqueEncoder(self.network.label)
        self.multi_label = multi_label

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors."""
        return self._predict(embedded, batch)[0]

    def read(self, batch: Batch) -> tuple[Tensor, Prediction]:
        """Give the word vectors, and the prediction with the states of its layers."""
        embedded = self.encoder.embed(batch)
        prediction, layers = self._predict(embedded, batch)
        return embedded, replace(prediction, states=layers[-1], lower=lower_layers(layers))

    def _predict(self, embedded: Tensor, batch: Batch) -> tuple[Prediction, tuple[Tensor, ...]]:
        output = self.network.run(embedded, batch)
        layers = self.network.states(output, batch)
        pooled = self.network.summarize(layers[-1], batch) if layers else output.logits
        return Prediction(output.logits, pooled), layers

    def forward(self, batch: Batch) -> Prediction:
        """Predict from token ids, as the network can be asked."""
        if self.network.layout.vectors:
            return super().forward(batch)
        logits = self.network.run(batch.tokens, batch).logits
        return Prediction(logits, logits)


def _rotation(mask: Tensor, direction: int) -> Tensor:
    """Give the places, (batch, time), that bring the padding at the end of each row to its beginning, or back."""
    time = mask.shape[1]
    places = torch.arange(time, device=mask.device).unsqueeze(0)
    return (places + direction * mask.sum(1, keepdim=True)) % time


def _rotated(values: Tensor, places: Tensor) -> Tensor:
    index = places if values.dim() == 2 else places.unsqueeze(-1).expand_as(values)
    return values.gather(1, index)


def fit_hugging_face(
    model: Any, tokenizer: Any, name: str, classes: tuple[Label, ...], multi_label: bool
) -> FittedClassifier:
    """Make a classifier of a sequence classifier and its tokenizer; name is for people."""
    model.eval()
    pieces = WordPieceTokenizer.wrap(tokenizer, name, position_limit(model) or UNLIMITED, _spare_padding(model))
    if model.config.pad_token_id is None:
        model.config.pad_token_id = pieces.padding  # without one, networks refuse batches
    segments = "token_type_ids" in tokenizer.model_input_names and getattr(model.config, "type_vocab_size", 2) > 1
    alone = _answers_alone(model, tokenizer, pieces.limit)
    batch = collate(pieces([split(text) for text in SAMPLES]), pieces.padding).to(model.device)
    for layout in LAYOUTS:
        method = HuggingFaceMethod(model, layout, segments, multi_label).eval()
        if _agrees(method, batch, alone):
            method.unknown_token = pieces.unknown
            return FittedClassifier(method, pieces, classes)
    raise ModelError(
        f"{name} ({type(model).__name__}) answers differently when texts of several lengths are asked together, so it "
        "cannot be asked in batches: give a function that asks it text by text, as python:module:function."
    )


def _spare_padding(model: Any) -> int:
    """Give a token to pad with for tokenizers that have none: it is masked, and must not end a text."""
    known = (getattr(model.config, name, None) for name in ("pad_token_id", "eos_token_id"))
    return next((number for number in known if isinstance(number, int)), 0)


@torch.inference_mode()
def _answers_alone(model: Any, tokenizer: Any, limit: int | None) -> Tensor:
    """Ask about each sample by itself, called as its authors call it: (text, class) logits."""
    takes = inspect.signature(model.forward).parameters
    rows = []
    for text in SAMPLES:
        encoded = tokenizer(text, return_tensors="pt", truncation=True, max_length=limit).to(model.device)
        rows.append(model(**{key: value for key, value in encoded.items() if key in takes}).logits[0])
    return torch.stack(rows)


@torch.inference_mode()
def _agrees(method: HuggingFaceMethod, batch: Batch, alone: Tensor) -> bool:
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it warns of what is being found out here
    try:
        logits = method(batch).logits
    except (TypeError, ValueError, LookupError, NotImplementedError, RuntimeError, AttributeError):
        return False  # what networks raise that cannot be asked so
    finally:
        logger.setLevel(level)
    if logits.shape != alone.shape:
        return False
    allowed = torch.finfo(alone.dtype).eps ** 0.5 * max(1.0, float(alone.abs().max()))
    return bool((logits - alone).abs().max() <= allowed)
