import numpy as np
import pytest

from reference.tokenizers import byte_level, joined_marks, letter_pieces, unigram
from whyword.data.forbidden import Forbidden
from whyword.data.tokenizers.forbidding import ForbiddingTokenizer, forbid
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer
from whyword.data.words import split

TEXTS = [
    split("The plot, sadly, was not good!"),
    split("plot"),
    split("Not good. The plot was Plot."),
    split("the plot", "was the plot good?"),
]
ENTRIES = ("plot", "not good")


def pieces(backend, limit=None):
    backend.enable_padding(pad_id=0, pad_token=backend.id_to_token(0))
    if limit is not None:
        backend.enable_truncation(limit)
    return WordPieceTokenizer(backend)


READERS = {
    "words": lambda: learn_vocabulary(TEXTS),
    "letters": lambda: pieces(letter_pieces()),
    "bytes": lambda: pieces(byte_level()),
    "unigram": lambda: pieces(unigram()),
    "marks": lambda: WordPieceTokenizer(joined_marks()),
}


@pytest.mark.parametrize("name", READERS)
def test_the_tokens_are_those_of_the_text_without_the_words(name):
    reader, forbidden = READERS[name](), Forbidden(ENTRIES)
    for text, tokens in zip(TEXTS, ForbiddingTokenizer(reader, forbidden)(TEXTS), strict=True):
        closed = forbidden.close_up(text)
        (expected,) = reader([closed.text])
        np.testing.assert_array_equal(tokens.ids, expected.ids)
        np.testing.assert_array_equal(tokens.segment, expected.segment)
        of_word = {place: expected.ids[expected.word == i].tolist() for i, place in enumerate(closed.places)}
        assert tokens.words == len(text)
        for word in range(len(text)):
            assert tokens.ids[tokens.word == word].tolist() == of_word.get(word, [])


def test_a_word_that_shares_a_piece_is_still_known_to():
    text = split('good "x" ."film')
    (tokens,) = ForbiddingTokenizer(WordPieceTokenizer(joined_marks()), Forbidden(("good",)))([text])
    (alone,) = WordPieceTokenizer(joined_marks())([Forbidden(("good",)).close_up(text).text])
    assert alone.owner is not None
    assert tokens.owner.tolist() == [0, *(alone.owner + 1)]


def test_forbidden_words_take_no_place_from_others():
    tokenizer = ForbiddingTokenizer(pieces(letter_pieces(), 6), Forbidden(("plot",)))
    (tokens,) = tokenizer([split("plot plot plot plot plot the was")])
    assert tokens.word.tolist() == [-1, 5, 6, -1]
    assert tokens.truncated_words == 0
    (cut,) = tokenizer([split("the plot was the was plot the plot")])
    assert cut.truncated_words == 3
    assert cut.word.tolist() == [-1, 0, 2, 3, 4, -1]


def test_windows_hold_every_word_and_forbidden_ones_go_with_the_word_before():
    tokenizer = ForbiddingTokenizer(pieces(letter_pieces(), 6), Forbidden(("plot",)))
    text = split("plot " + "the was plot " * 6)
    windows = tokenizer.windows([text])[0]
    assert len(windows) > 1
    assert sorted(set(np.concatenate(windows))) == list(range(len(text)))
    for window in windows:
        np.testing.assert_array_equal(np.diff(window), 1)
    assert windows[0].tolist()[:4] == [0, 1, 2, 3]


def test_a_tokenizer_is_left_alone_where_nothing_is_forbidden():
    reader = READERS["words"]()
    assert forbid(reader, ()) is reader
    wrapped = forbid(reader, ("plot",))
    assert (wrapped.size, wrapped.padding, wrapped.unknown, wrapped.lowercase) == (reader.size, 0, 1, True)
    assert wrapped.token_strings() == reader.token_strings()
    assert wrapped.to_json() == reader.to_json()
