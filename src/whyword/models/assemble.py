"""The parts of a run put together: vocabulary, encoder and method, before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from .. import catalog
from ..blocks.heads import set_order
from ..data.forbidden import Forbidden
from ..data.store import Lazy
from ..data.tokenizers.forbidding import forbid
from ..data.tokenizers.word_level import (
    BoundedCounts,
    WordLevelTokenizer,
    count_words,
    count_words_within,
    normalize,
    vocabulary_of,
)
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..data.vectors import Vectors, describe, load_vectors, words_of
from ..interfaces.document import Tokenizer, Words
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder, Method
from ..interfaces.settings import setting_names
from .config import RunConfig, Vocabulary

MOST_WORDS = 131_072  # counted of texts on disk once there are twice as many; then it also bounds the vocabulary


@dataclass(frozen=True)
class Parts:
    """A method ready to be trained, its tokenizer, and what the user should know about them."""

    method: Method
    tokenizer: Tokenizer
    config: RunConfig  # with what was only known from the data, such as the width of pretrained vectors
    frequencies: np.ndarray | None
    notes: tuple[str, ...] = ()


def assemble(config: RunConfig, classes: int, texts: Sequence[Words], multi_label: bool = False) -> Parts:
    """Learn the vocabulary from the training texts, load pretrained parts, draw the other weights at random.

    Forbidden words are not read from here on.
    """
    if config.unread:
        forbidden = Forbidden(config.unread)

        def close_up(text: Words) -> Words:
            return forbidden.close_up(text).text

        texts = texts.then(close_up) if isinstance(texts, Lazy) else list(map(close_up, texts))
    parts = _assemble(config, classes, texts, multi_label)
    return replace(parts, tokenizer=forbid(parts.tokenizer, config.unread))


def _assemble(config: RunConfig, classes: int, texts: Sequence[Words], multi_label: bool) -> Parts:
    encoder_class = catalog.load("encoders", config.encoder_kind)
    if encoder_class.token_kind == "pieces":
        if config.embeddings:
            raise OptionError(f"--embeddings has no use with '{config.encoder}', which brings its own word vectors.")
        return _assemble_pretrained(config, classes, encoder_class, multi_label)
    if config.embeddings and "dim" not in setting_names(type(config.encoder_settings)):
        raise OptionError(f"--embeddings has no use with '{config.encoder}', which has no setting dim for their width.")
    settings = config.vocabulary
    counted, notes = _count(texts, settings)
    counts = counted.counts
    tokenizer = vocabulary_of(counts, settings.lowercase, settings.min_frequency, settings.max_size)
    if config.embeddings and _knows_vector_words(config):
        tokenizer = _with_words_of(config.embeddings, tokenizer)
    frequencies = np.array([counts.get(word, 0) for word in tokenizer.token_strings()], dtype=np.int64)
    frequencies[tokenizer.unknown] = counted.total - frequencies.sum()
    vectors = None
    if config.embeddings:
        vectors = load_vectors(config.embeddings, tokenizer.vocabulary)
        seen = frequencies[tokenizer.first_word :] > 0
        of_seen = Vectors(vectors.dim, vectors.rows[seen], vectors.found[seen])
        notes = (*notes, describe(of_seen, frequencies[tokenizer.first_word :][seen]))
        config = replace(config, encoder_settings=replace(config.encoder_settings, dim=vectors.dim))
    encoder = build_encoder(config, tokenizer, None)
    if vectors is not None:
        _put_vectors(encoder, vectors, tokenizer)
    method = build_method(config, encoder, classes, tokenizer, multi_label)
    return Parts(method, tokenizer, config, frequencies, notes)


def _count(texts: Sequence[Words], settings: Vocabulary) -> tuple[BoundedCounts, tuple[str, ...]]:
    """Count words; those of texts on disk in bounded memory, and say so where counts are not exact."""
    if not isinstance(texts, Lazy):
        counts = count_words(texts, settings.lowercase)
        return BoundedCounts(counts, sum(counts.values()), 0), ()
    most = max(MOST_WORDS, settings.max_size or 0)
    counted = count_words_within(texts, most, settings.lowercase)
    if not counted.too_low:
        return counted, ()
    return counted, (
        f"There are more than {2 * most:,} different words: rare ones were forgotten while counting, and counts are at "
        f"most {counted.too_low:,} too low.",
    )


def _knows_vector_words(config: RunConfig) -> bool:
    wanted = config.vocabulary.from_vectors
    return bool(getattr(config.encoder_settings, "frozen", False) if wanted is None else wanted)


def _with_words_of(path: str, tokenizer: WordLevelTokenizer) -> WordLevelTokenizer:
    known = set(tokenizer.vocabulary)
    more = [word for word in words_of(path) if word == normalize(word, tokenizer.lowercase) and word not in known]
    return WordLevelTokenizer([*tokenizer.vocabulary, *more], tokenizer.lowercase)


def _assemble_pretrained(config: RunConfig, classes: int, encoder_class: Any, multi_label: bool) -> Parts:
    from ..encoders.transformer import resolve

    encoder = encoder_class.from_pretrained(config.encoder_settings)
    tokenizer = WordPieceTokenizer.from_pretrained(resolve(config.encoder_settings.model), encoder.limit)
    if getattr(config.encoder_settings, "pooling", "") is None:
        encoder.choose_pooling(tokenizer.leads)
        config = replace(config, encoder_settings=encoder.config)
    return Parts(build_method(config, encoder, classes, tokenizer, multi_label), tokenizer, config, None)


def build_encoder(config: RunConfig, tokenizer: Tokenizer, architecture: dict[str, Any] | None) -> Encoder:
    """Build the network; architecture describes a transformer that is to be filled from a model folder."""
    encoder_class = catalog.load("encoders", config.encoder_kind)
    if architecture is not None:
        built: Encoder = encoder_class.from_architecture(config.encoder_settings, architecture)
    else:
        built = encoder_class(config.encoder_settings, tokenizer.size, tokenizer.padding)
    return built


def build_method(
    config: RunConfig, encoder: Encoder, classes: int, tokenizer: Tokenizer, multi_label: bool = False
) -> Method:
    """Put the method on top of an encoder; a head for contributions is added when the classifier is trained."""
    method: Method = catalog.load("methods", config.method)(encoder, classes, config.method_settings)
    method.unknown_token = tokenizer.unknown
    if isinstance(tokenizer, WordLevelTokenizer):
        method.first_word = tokenizer.first_word
        method.prior = torch.full((classes,), 1 / classes).log()
    if multi_label:
        method.expect_several_labels(classes)
    if config.ordered:
        set_order(method, classes)
    return method


def _put_vectors(encoder: Encoder, vectors: Vectors, tokenizer: WordLevelTokenizer) -> None:
    table: torch.nn.Embedding = encoder.embedding.table  # type: ignore[assignment, union-attr]
    found = torch.from_numpy(vectors.found)
    table.weight.data[tokenizer.first_word :][found] = torch.from_numpy(vectors.rows)[found]
