"""Small instances of everything in the catalog, whatever is added to it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from .. import catalog
from ..interfaces.document import Tokenizer
from ..interfaces.explainer import Explainer
from ..interfaces.method import Encoder, Method
from .encoder import MakeEncoder
from .learning import MakeMethod
from .samples import PIECES_LIMIT, sample_pieces, sample_words

SMALL: dict[str, Any] = {
    "dim": 16,
    "hidden": 16,
    "filters": 8,
    "dropout": 0.0,
    "beta": 0.01,  # weight of a bottleneck: memorizing shows what a network can hold, not what holding costs
    "samples": 64,
    "steps": 16,
}
SMALL_TRANSFORMER: dict[str, Any] = {
    "model_type": "bert",
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": PIECES_LIMIT,
}

T = TypeVar("T")


def small(settings: T) -> T:
    """Make settings narrow and quick, without dropout and with a light bottleneck, as far as they have such fields."""
    return replace(settings, **{f.name: SMALL[f.name] for f in fields(settings) if f.name in SMALL})  # type: ignore


def tokenizer_for(encoder: str) -> Tokenizer:
    """Give the kind of tokenizer that an encoder reads."""
    return sample_pieces() if catalog.load("encoders", encoder).token_kind == "pieces" else sample_words()


def maker_of_encoder(name: str) -> MakeEncoder:
    """Make small encoders of a kind in the catalog."""
    encoder_class = catalog.load("encoders", name)
    settings = small(encoder_class.Config())

    def make(tokenizer: Tokenizer) -> Encoder:
        if encoder_class.token_kind == "pieces":
            facts = {**SMALL_TRANSFORMER, "vocab_size": tokenizer.size, "pad_token_id": tokenizer.padding}
            encoder: Encoder = encoder_class.from_architecture(settings, facts)
        else:
            encoder = encoder_class(settings, tokenizer.size, tokenizer.padding)
        return encoder

    return make


def maker_of_method(name: str, encoder: str) -> MakeMethod:
    """Make small methods of a kind in the catalog, on small encoders."""
    method_class, make_encoder = catalog.load("methods", name), maker_of_encoder(encoder)
    settings = small(method_class.Config())

    def make(tokenizer: Tokenizer, classes: int) -> Method:
        method: Method = method_class(make_encoder(tokenizer), classes, settings)
        return method

    return make


def small_explainer(name: str) -> Explainer:
    """Give an explainer of the catalog that asks only a few questions."""
    explainer: Explainer = small(catalog.load("explainers", name)())
    return explainer
