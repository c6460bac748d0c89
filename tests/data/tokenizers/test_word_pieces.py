"""Tokenizers of pretrained encoders: their own ids, and every piece given back to its word."""

from itertools import pairwise

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.pieces import word_of_piece
from reference.tokenizers import byte_level, joined_marks, letter_pieces, unigram
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer, _word_of_piece
from whyword.data.words import split
from whyword.inference.windows import part
from whyword.interfaces.errors import ModelError, OptionError

transformers = pytest.importorskip("transformers")

TEXTS = [
    "I don't like it, but they'll love the well-made ending!",
    "Überraschend naïve café – 3.5 stars… 🙂👩‍👩‍👧 ok",
    "中文 and カナ, e\u0301tude U.S. e.g. me@b.org",
    "   spaces\t\tand\nlines  ",
    "",
    " ",
    "!",
    "soft\u00adhyphen zero\u200bwidth \ufffd end",
]
PAIRS = [("Isn't it good?", "It's not dreadful at all."), ("", "second only"), ("first only", ""), ("", "")]
ANY = st.one_of(st.text(max_size=30), st.lists(st.sampled_from([*TEXTS[0].split(), "🙂", "中", "é", " "])).map("".join))


def as_words(text):
    return split(text) if isinstance(text, str) else split(*text)


@pytest.fixture(scope="module")
def minilm(minilm_path):
    theirs = transformers.AutoTokenizer.from_pretrained(minilm_path)
    return WordPieceTokenizer.from_pretrained(minilm_path, 512), theirs


FAMILIES = {
    "letter pieces": (letter_pieces(), 0),
    "byte-level BPE": (byte_level(), 1),
    "byte-level BPE with blanks": (byte_level(trim_offsets=False), 1),
    "unigram": (unigram(), 0),
}


def of_family(name):
    """Give our tokenizer and, apart from it, the one it is made of."""
    theirs, padding = FAMILIES[name]
    backend = tokenizers.Tokenizer.from_str(theirs.to_str())
    backend.enable_padding(pad_id=padding, pad_token=backend.id_to_token(padding))
    return WordPieceTokenizer(backend), theirs


@pytest.mark.parametrize("text", [*TEXTS, *PAIRS])
def test_ids_and_segments_are_those_transformers_gives(minilm, text):
    ours, theirs = minilm
    tokens = ours([as_words(text)])[0]
    expected = theirs([text]) if isinstance(text, str) else theirs([text[0]], [text[1]])
    assert tokens.ids.tolist() == expected["input_ids"][0]
    assert tokens.segment.tolist() == expected["token_type_ids"][0]
    assert tokens.words == len(as_words(text))


def test_many_texts_at_once_are_tokenized_as_each_alone(minilm):
    ours, _ = minilm
    texts = [as_words(text) for text in TEXTS]
    for text, tokens in zip(texts, ours(texts), strict=True):
        alone = ours([text])[0]
        assert tokens.ids.tolist() == alone.ids.tolist()
        assert tokens.word.tolist() == alone.word.tolist()


def test_special_tokens_belong_to_no_word(minilm):
    ours, _ = minilm
    tokens = ours([as_words(PAIRS[0])])[0]
    names = ours.token_strings()
    for token, word in zip(tokens.ids, tokens.word, strict=True):
        assert (word == -1) == (names[token] in ("[CLS]", "[SEP]"))


def test_pieces_of_contractions_hyphens_and_rare_words_find_their_words(minilm):
    ours, _ = minilm
    text = split("They don't unreproachably re-watch it.")
    tokens, names = ours([text])[0], ours.token_strings()
    pieces = [[names[i] for i in tokens.ids[tokens.word == word]] for word in range(len(text))]
    assert text.strings == ("They", "do", "n't", "unreproachably", "re-watch", "it", ".")
    assert pieces[0] == ["they"]
    assert pieces[1:3] == [["don"], ["'", "t"]]  # the piece "don" shares two letters with "do" and one with "n't"
    assert "".join(pieces[3]).replace("##", "") == "unreproachably"
    assert pieces[4:] == [["re", "-", "watch"], ["it"], ["."]]


def test_an_empty_text_is_its_special_tokens(minilm):
    ours, theirs = minilm
    tokens = ours([split("")])[0]
    assert tokens.ids.tolist() == [theirs.cls_token_id, theirs.sep_token_id]
    assert (tokens.word.tolist(), tokens.words, tokens.truncated_words) == ([-1, -1], 0, 0)


def expected_words(backend, text):
    """Give every token's word by counting characters."""
    words = as_words(text)
    encoding = backend.encode(text) if isinstance(text, str) else backend.encode(*text)
    shift = [0, len(words.spans[0])]
    found = []
    for offsets, number, special in zip(
        encoding.offsets, encoding.sequence_ids, encoding.special_tokens_mask, strict=True
    ):
        word = -1 if special or number is None else word_of_piece(offsets, words.spans[number])
        found.append(word if word < 0 else word + shift[number])
    return encoding.ids, found


@pytest.mark.parametrize("name", FAMILIES)
def test_any_tokenizer_maps_back_to_words(name):
    ours, theirs = of_family(name)
    for text in [*TEXTS, *PAIRS]:
        tokens = ours([as_words(text)])[0]
        assert (tokens.ids.tolist(), tokens.word.tolist()) == expected_words(theirs, text)


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=40)
@given(first=ANY, second=st.none() | ANY)
def test_any_text_maps_back_to_words(name, first, second):
    text = first if second is None else (first, second)
    ours, theirs = of_family(name)
    tokens = ours([as_words(text)])[0]
    assert (tokens.ids.tolist(), tokens.word.tolist()) == expected_words(theirs, text)
    assert tokens.truncated_words == 0


@pytest.mark.parametrize("name", ["letter pieces", "byte-level BPE"])
def test_every_ordinary_word_has_a_piece(name):
    tokenizer, _ = of_family(name)
    for text in [TEXTS[0], "the cast was superb and the plot was not dreadful"]:
        words = split(text)
        assert set(tokenizer([words])[0].word.tolist()) - {-1} == set(range(len(words)))


SPANS = st.lists(st.integers(0, 40), unique=True, max_size=12).map(
    lambda cuts: list(zip(*(iter(sorted(cuts)),) * 2, strict=False))
)
OFFSETS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)).map(lambda o: (o[0], o[0] + o[1])), max_size=8)


@given(OFFSETS, SPANS, st.booleans())
def test_a_piece_goes_to_the_word_it_shares_most_characters_with(offsets, spans, touching):
    if touching:  # words without a blank between them
        cuts = [cut for span in spans for cut in span]
        spans = list(pairwise(cuts))
    found = _word_of_piece(
        np.array(offsets, dtype=np.int64).reshape(-1, 2), np.array(spans, dtype=np.int64).reshape(-1, 2)
    )
    assert found.tolist() == [word_of_piece(piece, spans) for piece in offsets]


def test_words_beyond_the_limit_are_counted_as_unread(minilm_path):
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_path, 6)
    tokens = tokenizer([split("one two three four five six"), split("one two three four")])
    assert tokenizer.limit == 6
    assert [len(text) for text in tokens] == [6, 6]
    assert [text.truncated_words for text in tokens] == [2, 0]
    assert [text.words for text in tokens] == [6, 4]
    assert tokens[0].word.tolist() == [-1, 0, 1, 2, 3, -1]


def test_a_pair_beyond_the_limit_counts_the_unread_words_of_both(minilm_path):
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_path, 7)
    tokens = tokenizer([split("one two three four", "five six seven"), split("one", "two three four five six")])
    for text, lengths in zip(tokens, [(4, 3), (1, 5)], strict=True):
        read = {int(word) for word in text.word if word >= 0}
        assert len(text) == 7
        assert text.truncated_words == sum(lengths) - len(read) == sum(lengths) - 4


def test_a_word_of_which_one_piece_was_read_counts_as_read(minilm_path):
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_path, 4)
    tokens = tokenizer([split("unreproachably good")])[0]
    assert tokens.word.tolist() == [-1, 0, 0, -1]
    assert tokens.truncated_words == 1


@pytest.mark.parametrize("text", [*TEXTS, *PAIRS])
def test_written_and_read_again_it_is_the_same(minilm, text):
    ours, _ = minilm
    again = WordPieceTokenizer.from_json(ours.to_json())
    first, second = (tokenizer([as_words(text)])[0] for tokenizer in (ours, again))
    assert first.ids.tolist() == second.ids.tolist()
    assert first.word.tolist() == second.word.tolist()
    assert (again.size, again.padding, again.unknown, again.mask, again.limit) == (
        ours.size,
        ours.padding,
        ours.unknown,
        ours.mask,
        ours.limit,
    )


def test_its_numbers_are_those_of_transformers(minilm):
    ours, theirs = minilm
    assert (ours.padding, ours.unknown, ours.mask) == (theirs.pad_token_id, theirs.unk_token_id, theirs.mask_token_id)
    assert ours.size == len(theirs) == len(ours.token_strings())
    assert ours.token_strings()[2024] == theirs.convert_ids_to_tokens(2024)
    assert ours.limit == min(512, theirs.model_max_length)


def test_families_without_an_unknown_token_fall_back_to_padding():
    bytes_, unigrams = of_family("byte-level BPE")[0], of_family("unigram")[0]
    assert (bytes_.unknown, bytes_.padding, bytes_.mask) == (1, 1, 4)
    assert (unigrams.unknown, unigrams.padding, unigrams.mask) == (1, 0, None)


def test_a_name_that_cannot_be_loaded_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(OptionError, match="could not be loaded") as caught:
        WordPieceTokenizer.from_pretrained(str(tmp_path / "nothing"), 512)
    assert "\n" not in str(caught.value)


def test_a_tokenizer_without_offsets_is_refused(monkeypatch):
    class Slow:
        is_fast = False

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda *_, **__: Slow())
    with pytest.raises(ModelError, match="character offsets"):
        WordPieceTokenizer.from_pretrained("slow", 512)


@pytest.mark.parametrize("limit", [24, 40])
@pytest.mark.parametrize("family", FAMILIES)
def test_windows_of_long_texts_hold_every_word_and_are_read_whole(family, limit):
    backend, padding = FAMILIES[family]
    backend = tokenizers.Tokenizer.from_str(backend.to_str())
    backend.enable_padding(pad_id=padding, pad_token=backend.id_to_token(padding))
    backend.enable_truncation(limit)
    tokenizer = WordPieceTokenizer(backend)
    settings = tokenizer.to_json()
    easy = (TEXTS[0], TEXTS[3], PAIRS[0])  # no word of them fills a window
    texts = [as_words(t * 7 if isinstance(t, str) else (t[0] * 7, t[1])) for t in easy]
    texts.append(split(TEXTS[0] * 5, TEXTS[0] * 3))
    for text, windows in zip(texts, tokenizer.windows(texts), strict=True):
        assert len(windows) > 1
        assert set(np.concatenate(windows).tolist()) == set(range(len(text)))
        assert [tokens.truncated_words for tokens in tokenizer([part(text, window) for window in windows])] == [
            0
        ] * len(windows)
    assert tokenizer.to_json() == settings


def test_texts_that_fit_need_no_windows(minilm_path):
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_path, 6)
    texts = [split("one two three four"), split("one two three four five"), split("one", "two three"), split("")]
    assert [bool(windows) for windows in tokenizer.windows(texts)] == [False, True, False, False]


def test_without_a_limit_there_are_no_windows():
    assert of_family("letter pieces")[0].windows([split("good " * 900)]) == [[]]


def test_a_word_without_a_piece_of_its_own_knows_whose_it_shares():
    text = split('good film." good')
    assert text.strings == ("good", "film", ".", '"', "good")
    tokens = WordPieceTokenizer(joined_marks())([text])[0]
    assert tokens.ids.tolist() == [1, 3, 2, 1]
    assert tokens.word.tolist() == [0, 1, 2, 4]
    assert tokens.owner.tolist() == [0, 1, 2, 2, 4]
    assert WordPieceTokenizer(joined_marks())([split("good film")])[0].owner is None


def test_words_of_the_second_text_share_among_themselves():
    tokens = WordPieceTokenizer(joined_marks())([split("good", 'film."')])[0]
    assert tokens.owner.tolist() == [0, 1, 2, 2]


def test_a_word_that_shares_the_last_piece_read_is_not_truncated():
    tokens = WordPieceTokenizer(joined_marks(limit=2))([split('film." good')])[0]
    assert tokens.word.tolist() == [0, 1]
    assert tokens.owner.tolist() == [0, 1, 1, 3]
    assert tokens.truncated_words == 1


def test_a_text_without_any_token_is_one_unknown_token_of_no_word():
    tokenizer = WordPieceTokenizer(joined_marks())
    tokens = tokenizer([split(""), split("good")])[0]
    assert (tokens.ids.tolist(), tokens.word.tolist(), tokens.segment.tolist()) == ([0], [-1], [0])
    assert not tokenizer.leads


def test_whether_a_text_begins_with_a_token_of_no_word_is_known(minilm):
    assert minilm[0].leads
    assert not of_family("unigram")[0].leads


def test_without_a_token_for_padding_the_end_of_a_text_pads(tmp_path):
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel({"good": 0, "<end>": 1}, unk_token="<end>"))
    transformers.PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<end>").save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    assert WordPieceTokenizer.from_pretrained(str(tmp_path), 8).padding == 1
