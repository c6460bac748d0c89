"""The word-level tokenizer."""

from collections import Counter

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.tokenizers.word_level import SPECIAL, WordLevelTokenizer, count_words, learn_vocabulary
from whyword.data.words import split

TEXTS = [split("The plot, the cast and the end."), split("A good plot"), split("Good Good plot")]
ANY = st.lists(st.text(max_size=12), min_size=1, max_size=4).map(lambda texts: [split(text) for text in texts])


def test_words_are_numbered_from_the_most_frequent_and_ties_alphabetically():
    tokenizer = learn_vocabulary(TEXTS)
    counts = Counter(word.lower() for text in TEXTS for word in text.strings)
    assert tokenizer.vocabulary == tuple(sorted(counts, key=lambda word: (-counts[word], word)))
    assert tokenizer.vocabulary[:3] == ("good", "plot", "the")
    assert tokenizer.token_strings() == [*SPECIAL, *tokenizer.vocabulary]
    assert tokenizer.size == len(tokenizer.token_strings())


@given(ANY, st.booleans())
def test_every_word_of_the_training_texts_is_found_again(texts, lowercase):
    tokenizer = learn_vocabulary(texts, lowercase)
    names = tokenizer.token_strings()
    for text, tokens in zip(texts, tokenizer(texts), strict=True):
        if len(text):
            words = [(word.lower() if lowercase else word).replace("’", "'") for word in text.strings]
            assert [names[i] for i in tokens.ids] == words
            assert tokens.word.tolist() == list(range(len(words)))
            assert tokens.segment.tolist() == [0] * len(words)
        assert (tokens.words, tokens.truncated_words) == (len(text), 0)


def test_rare_words_are_unknown():
    tokenizer = learn_vocabulary(TEXTS, min_frequency=2)
    assert set(tokenizer.vocabulary) == {"the", "plot", "good"}
    assert tokenizer([split("good cast")])[0].ids.tolist() == [tokenizer.size - 3, tokenizer.unknown]


def test_only_so_many_words_are_kept():
    assert learn_vocabulary(TEXTS, max_size=2).vocabulary == ("good", "plot")
    assert learn_vocabulary(TEXTS, max_size=0).size == len(SPECIAL)


def test_case_matters_only_if_asked():
    cased = learn_vocabulary(TEXTS, lowercase=False)
    assert {"The", "the", "Good", "good"} <= set(cased.vocabulary)
    assert cased([split("GOOD")])[0].ids.tolist() == [cased.unknown]
    assert learn_vocabulary(TEXTS)([split("GOOD")])[0].ids.tolist() == [len(SPECIAL)]


def test_a_curly_apostrophe_is_a_straight_one():
    tokenizer = learn_vocabulary([split("it's"), split("don’t")])
    assert set(tokenizer.vocabulary) == {"it", "'s", "do", "n't"}
    assert tokenizer([split("It’s")])[0].ids.tolist() == tokenizer([split("it's")])[0].ids.tolist()


def test_a_separator_that_belongs_to_no_word_stands_between_the_texts_of_a_pair():
    tokenizer = learn_vocabulary([split("good plot", "cast")])
    tokens = tokenizer([split("Good plot", "cast good")])[0]
    assert [tokenizer.token_strings()[i] for i in tokens.ids] == ["good", "plot", "[SEP]", "cast", "good"]
    assert tokens.word.tolist() == [0, 1, -1, 2, 3]
    assert tokens.segment.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("text", [split(""), split(" \n")])
def test_a_text_of_no_words_is_one_unknown_token_of_nobody(text):
    tokenizer = learn_vocabulary(TEXTS)
    tokens = tokenizer([text])[0]
    assert (tokens.ids.tolist(), tokens.word.tolist(), tokens.words) == ([tokenizer.unknown], [-1], 0)


def test_a_pair_of_no_words_is_its_separator():
    tokenizer = learn_vocabulary(TEXTS)
    tokens = tokenizer([split("", "")])[0]
    assert (tokens.ids.tolist(), tokens.word.tolist(), tokens.words) == ([tokenizer.separator], [-1], 0)
    assert tokenizer([split("", "good")])[0].word.tolist() == [-1, 0]


@given(ANY, st.booleans(), st.integers(1, 2))
def test_written_and_read_again_it_is_the_same(texts, lowercase, min_frequency):
    tokenizer = learn_vocabulary(texts, lowercase, min_frequency)
    again = WordLevelTokenizer.from_json(tokenizer.to_json())
    assert (again.vocabulary, again.lowercase) == (tokenizer.vocabulary, tokenizer.lowercase)
    for first, second in zip(tokenizer(texts), again(texts), strict=True):
        assert first.ids.tolist() == second.ids.tolist()


def test_hugging_faces_library_reads_the_file_and_gives_the_same_ids():
    tokenizer = learn_vocabulary(TEXTS)
    theirs = tokenizers.Tokenizer.from_str(tokenizer.to_json())
    assert theirs.encode("Good plot zzz").ids == tokenizer([split("Good plot zzz")])[0].ids.tolist()
    assert [theirs.token_to_id(name) for name in SPECIAL] == [0, 1, 2, 3]


def test_names_of_special_tokens_are_never_words():
    class Named:
        strings = ("[PAD]", "[UNK]", "good")

    assert learn_vocabulary([Named()], lowercase=False).vocabulary == ("good",)


def test_counting_lowercases_only_if_asked():
    assert count_words(TEXTS)["good"] == 3
    assert count_words(TEXTS, lowercase=False) == Counter(word for text in TEXTS for word in text.strings)
