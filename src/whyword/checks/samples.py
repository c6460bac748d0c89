"""The texts on which promises are tried: few, short and awkward."""

from __future__ import annotations

import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, processors

from ..data.batching import Corpus, collate
from ..data.tokenizers.word_level import WordLevelTokenizer, learn_vocabulary
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..data.words import split
from ..interfaces.document import Batch, Document, Tokenizer

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
