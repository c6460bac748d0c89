"""What contracts are tried on: few, short and awkward texts, and small instances of everything in the catalog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, processors

from .. import catalog
from ..blocks.rationales import RationaleReader, add_reader
from ..data.batching import Corpus, collate
from ..data.tokenizers.word_level import WordLevelTokenizer, learn_vocabulary
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..data.words import split
from ..encoders.lstm import Lstm
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Batch, Document, Tokenizer
from ..interfaces.explanation import Explainer
from ..interfaces.method import Encoder, Method
from ..methods.attention import Attention
from .contract import seeded

T = TypeVar("T")

MakeEncoder = Callable[[Tokenizer], Encoder]  # draws new weights from torch's random stream
MakeMethod = Callable[[Tokenizer, int], Method]  # (tokenizer, classes); draws new weights from torch's random stream

CLASSES = ("bad", "good")

EIGHT = tuple(
    Document(split(text), label)
    for text, label in (
        ("a warm and funny film", "good"),
        ("dull", "bad"),
        ("the plot is thin , the jokes are thinner", "bad"),
        ("bravo !", "good"),
        ("we laughed and laughed", "good"),
        ("a waste of a good cast", "bad"),
        ("sharp writing , lovely music", "good"),
        ("two hours of nothing", "bad"),
    )
)

AWKWARD = (
    *(
        Document(split(text))
        for text in (
            "film",
            "",
            "   ",
            "qwx",
            "qwx zvrk , qwx zvrk",  # no word of it but the comma is in the vocabulary
            "funny funny funny dull funny",
            "a 😀 film 👩‍👩‍👧 🇫🇷 !",
            "The PLOT isn't thin… it's café-thin",
            "\u200b \ufeff",  # invisible characters, and no word
            "\u0301 \ufffd",  # words of which a pretrained tokenizer keeps nothing
            "فيلم ممتع جدا",
        )
    ),
    Document(split("is the film funny ?", "a warm and funny film")),
    Document(split("is the film dull ?", "")),
)

PIECES_LIMIT = 64

LABELS = ("bad", "fair", "good")
LOUDER = 3.0  # random weights times this: probabilities then depend on every word well above rounding
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


def sample_words() -> WordLevelTokenizer:
    """Give a tokenizer that knows the words of the eight texts."""
    return learn_vocabulary([document.words for document in EIGHT])


def sample_pieces() -> WordPieceTokenizer:
    """Give a tokenizer as pretrained encoders have: [CLS] and [SEP] around texts, long words cut in two."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = sorted({word for document in EIGHT for word in document.words.strings})
    pieces = [piece for word in words for piece in ((word,) if len(word) < 5 else (word[:3], f"##{word[3:]}"))]
    names = {name: number for number, name in enumerate(dict.fromkeys([*special, *pieces]))}
    backend = tokenizers.Tokenizer(models.WordPiece(names, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.add_special_tokens(special)
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", names["[CLS]"]), ("[SEP]", names["[SEP]"])],
    )
    backend.enable_padding(pad_id=names["[PAD]"], pad_token="[PAD]")
    backend.enable_truncation(PIECES_LIMIT)
    return WordPieceTokenizer(backend)


def sample_corpus(tokenizer: Tokenizer) -> Corpus:
    """Give the eight texts with their classes."""
    return Corpus.read(EIGHT, CLASSES, tokenizer)


def sample_batch(tokenizer: Tokenizer) -> Batch:
    """Give the eight texts and the awkward ones, of very different lengths, in one batch."""
    return collate(tokenizer([document.words for document in (*EIGHT, *AWKWARD)]), tokenizer.padding)


def sample_classifier() -> FittedClassifier:
    """Give a model with its own scores, word by word, for three classes."""
    return untrained(_attention, sample_words())


def untrained(make: MakeMethod, tokenizer: Tokenizer) -> FittedClassifier:
    """Give a classifier whose weights are random, but large enough for every word to count.

    It carries a reader of reasons, of random weights too.
    """
    with seeded():
        method = make(tokenizer, len(LABELS)).eval()
    with seeded():
        add_reader(method, RationaleReader.Config(width=4, hidden=4))
    method.eval()
    for parameter in method.parameters():
        parameter.data *= LOUDER
    return FittedClassifier(method, tokenizer, LABELS)


def _attention(tokenizer: Tokenizer, classes: int) -> Attention:
    encoder = Lstm(Lstm.Config(dim=8, hidden=8), tokenizer.size, tokenizer.padding)
    return Attention(encoder, classes, Attention.Config())


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


def pairs() -> list[tuple[str, str]]:
    """List the methods and encoders of the catalog that go together."""
    return [
        (method, encoder)
        for method in catalog.names("methods")
        for encoder in catalog.names("encoders")
        if (only := catalog.load("encoders", encoder).methods) is None or method in only
    ]


def small_explainer(name: str) -> Explainer:
    """Give an explainer of the catalog that asks only a few questions."""
    explainer: Explainer = small(catalog.load("explainers", name)())
    return explainer
