"""One token per word: a vocabulary learned from training texts, kept by Hugging Face's tokenizers library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers

from ...interfaces.document import Tokens, Words

PADDING, UNKNOWN, SEPARATOR, MASK = "[PAD]", "[UNK]", "[SEP]", "[MASK]"
SPECIAL = (PADDING, UNKNOWN, SEPARATOR, MASK)


class WordLevelTokenizer:
    """Looks words up in a vocabulary; a separator stands between the two texts of a pair."""

    padding, unknown, separator = 0, 1, 2  # their places in SPECIAL
    mask: int | None = 3
    limit: int | None = None
    first_word = len(SPECIAL)  # id of the first word of the vocabulary

    def __init__(self, vocabulary: Sequence[str], lowercase: bool = True) -> None:
        self.vocabulary = tuple(vocabulary)
        self.lowercase = lowercase
        self.size = len(SPECIAL) + len(self.vocabulary)
        self._ids = {word: number for number, word in enumerate(self.vocabulary, start=self.first_word)}

    def __call__(self, texts: Sequence[Words]) -> list[Tokens]:
        """Tokenize many texts at once."""
        return [self._tokenize(text) for text in texts]

    def _tokenize(self, text: Words) -> Tokens:
        ids: list[int] = []
        word: list[int] = []
        segment: list[int] = []
        for number, (string, spans) in enumerate(zip(text.texts, text.spans, strict=True)):
            if number:
                ids.append(self.separator)
                word.append(-1)
                segment.append(0)
            numbers = [self._ids.get(normalize(string[a:b], self.lowercase), self.unknown) for a, b in spans]
            first = 0 if number == 0 else len(text.spans[0])
            word.extend(range(first, first + len(numbers)))
            ids.extend(numbers)
            segment.extend([number] * len(numbers))
        if not ids:  # a text of no words is read as one unknown word that belongs to nobody
            ids, word, segment = [self.unknown], [-1], [0]
        return Tokens(np.array(ids), np.array(word), np.array(segment), len(text))

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give no windows: every text fits."""
        return [[] for _ in texts]

    def token_strings(self) -> list[str]:
        """Name every token id."""
        return [*SPECIAL, *self.vocabulary]

    def to_json(self) -> str:
        """Write the vocabulary in the format of Hugging Face's tokenizers."""
        names = {name: number for number, name in enumerate(self.token_strings())}
        tokenizer = tokenizers.Tokenizer(models.WordLevel(names, unk_token=UNKNOWN))
        if self.lowercase:
            tokenizer.normalizer = normalizers.Lowercase()
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.add_special_tokens(list(SPECIAL))
        return str(tokenizer.to_str())

    @classmethod
    def from_json(cls, text: str) -> WordLevelTokenizer:
        """Make the tokenizer that to_json wrote."""
        tokenizer = tokenizers.Tokenizer.from_str(text)
        names = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
        return cls([name for name, _ in names[len(SPECIAL) :]], lowercase=tokenizer.normalizer is not None)


def normalize(word: str, lowercase: bool) -> str:
    """Write a word as the vocabulary does: with a straight apostrophe, as pretrained vectors have it."""
    straight = word.replace("’", "'")
    return straight.lower() if lowercase else straight


def count_words(texts: Iterable[Words], lowercase: bool = True) -> Counter[str]:
    """Count the occurrences of each word."""
    return Counter(normalize(word, lowercase) for text in texts for word in text.strings)


def learn_vocabulary(
    texts: Iterable[Words], lowercase: bool = True, min_frequency: int = 1, max_size: int | None = None
) -> WordLevelTokenizer:
    """Collect the words of the training texts, most frequent first; ties in alphabetical order."""
    return vocabulary_of(count_words(texts, lowercase), lowercase, min_frequency, max_size)


@dataclass(frozen=True)
class BoundedCounts:
    """Counts of words in bounded memory: exact where nothing was dropped, else none is too high."""

    counts: Mapping[str, int]
    total: int  # of all words, dropped or not
    too_low: int  # by which any count is too low at most, also that of a word which is not there


def count_words_within(texts: Iterable[Words], most: int, lowercase: bool = True) -> BoundedCounts:
    """Count words and forget rare ones as often as there are twice as many as wanted (Misra & Gries 1982, in batches).

    Counts are exact for up to twice as many words, and at most (all words) / (most + 1) too low otherwise: a word
    that is more frequent is never missing.
    """
    counts: Counter[str] = Counter()
    total = too_low = 0
    for text in texts:
        words = [normalize(word, lowercase) for word in text.strings]
        counts.update(words)
        total += len(words)
        if len(counts) > 2 * most:
            numbers = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
            cut = int(np.partition(numbers, len(numbers) - most - 1)[len(numbers) - most - 1])
            counts = Counter({word: n - cut for word, n in counts.items() if n > cut})
            too_low += cut
    return BoundedCounts(counts, total, too_low)


def vocabulary_of(
    counts: Mapping[str, int], lowercase: bool = True, min_frequency: int = 1, max_size: int | None = None
) -> WordLevelTokenizer:
    """Put counted words in order, most frequent first; ties in alphabetical order."""
    frequent = sorted(
        (word for word, n in counts.items() if n >= min_frequency), key=lambda word: (-counts[word], word)
    )
    return WordLevelTokenizer([word for word in frequent if word not in SPECIAL][:max_size], lowercase)
