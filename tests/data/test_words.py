"""The splitter: what a reader sees as a word, with exact character offsets."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.words import split

FORMAT = ("Cc", "Cf")
PIECES = [
    "don't",
    "It’s",
    "U.S.",
    "e.g.",
    ":)",
    "...",
    "--",
    "?!",
    "3:30",
    "http://a.b/c_(d).",
    "me@b.org",
    "#tag",
    "中",
    "カ",
]
PIECES += [
    "👩‍👩‍👧",
    "🇩🇪",
    "e\u0301",
    "\u200b",
    "\u00ad",
    "n't",
    "'s",
    "-",
    "'",
    "’",
    ".",
    ",",
    "(",
    "/",
    "&",
    "a",
    "B",
    "7",
    "\u0301",
]
PIECES += [" ", "\t", "\u00a0", "\n", "Mr.", "'em", "@", "#", "<3", "``", "_", "\u200d", "ﾞ", "\ud800"]
HARD = ["a-", "a--", "a@", "a.b@c-", "http://.", "http://a(", "www.a(b", "'", "n't", "#1", "#_", "-_", "!", "(", "a'"]
HARD += ["1,", "\u00ad", "a\u00ad", ".", ":", "ab.", "中", "👩\u200d", "\u0301", "é.", "x@a.", "a.com/", "A&", "</3"]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


def words(text: str) -> list[str]:
    return list(split(text).strings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know", "I do n't know"),
        ("can't won't AIN'T isn’t", "ca n't wo n't AI N'T is n’t"),
        ("it's they'll I'm we've you're he'd", "it 's they 'll I 'm we 've you 're he 'd"),
        ("IT’S THEY’LL", "IT ’S THEY ’LL"),
        ("I'd've shouldn't've", "I 'd 've should n't 've"),
        ("why-don't you", "why-do n't you"),
        ("her mother-in-law's dogs'", "her mother-in-law 's dogs '"),
        ("the 1990's", "the 1990 's"),
        ("the dos and don'ts", "the dos and don'ts"),
    ],
)
def test_contractions_are_cut_as_in_the_penn_treebank(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    "text",
    [
        "do n't it 's ca n't they 'll i 'm n't 's",
        "thought-provoking o'clock rock'n'roll y'all d'Angelo",
        "rock 'n' roll 'em '90s 'tis",
        "U.S. e.g. J.R.R. a.k.a. U.S U.S.-led p.m.",
        "Mr. Mrs. Dr. etc. vs.",
        "1,000.50 3:30 9/11 .50 21st 80s mp3 2000-2001",
        "R&B AT&T foo_bar",
        "http://example.com/a_(b)?q=1&r=2#x https://x.org www.example.org/path HTTP://X.Y amazon.com/dp",
        "jane.doe+spam@mail.example.co.uk @handle_1 #hashtag #2024goals #日本",
        ":) ;-) :D :-( :P :/ :| <3 </3 =) :'( (: ^_^ -_- XD :))) :-D",
        "... … .. -- --- — – ! !!! ?!?! `` ''",
        "한국어 단어 नमस्ते שָׁלוֹם Привет مرحبا می\u200cخواهم cafe\u0301 naïve exam\u00adple",
        "👍 👍🏽 👩‍👩‍👧 🇩🇪 1️⃣ ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "中 文 ひ ラ ー 々 ｶﾞ",
        "$ % & * ( ) [ ] { } + = ~ ^ | \\ / # @ « » “ ” • ° © €",
    ],
)
def test_each_of_these_is_one_word(text: str) -> None:
    assert words(text) == text.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(see http://a.com/x, www.b.org/y).", "( see http://a.com/x , www.b.org/y ) ."),
        ("Mail me@b.org!", "Mail me@b.org !"),
        ("at amazon.com.", "at amazon.com ."),
        ("good.The end.", "good . The end ."),
        ("by J.R.R.Tolkien", "by J.R.R. Tolkien"),
        ("the U.S., e.g., and", "the U.S. , e.g. , and"),
        ("$3.39!!!! 10% #1 50/50?", "$ 3.39 !!!! 10 % # 1 50/50 ?"),
        ("word--word yes—no wait...what", "word -- word yes — no wait ... what"),
        ("'hello' \"you\" _so_ -ish well-", "' hello ' \" you \" _ so _ - ish well -"),
        ("title:Dogs x<3 ratio:(3) and/or", "title : Dogs x < 3 ratio : ( 3 ) and / or"),
        ("love it:) 😀😀", "love it :) 😀 😀"),
        ("我爱NLP，真的！1,000円", "我 爱 NLP ， 真 的 ！ 1,000 円"),
        ("ラーメン屋 とても", "ラ ー メ ン 屋 と て も"),
        ("🇩🇪🇫🇷ok❤️", "🇩🇪 🇫🇷 ok ❤️"),
        ("see http://a.com看", "see http://a.com 看"),
    ],
)
def test_words_and_marks_are_told_apart(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\u2003", "\u3000", "\ufeff", "\x1f"])
def test_visible_and_invisible_spaces_part_words(space: str) -> None:
    assert split(f"a{space}b{space}").spans == (((0, 1), (1 + len(space), 2 + len(space))),)


def test_empty_and_blank_texts_have_no_words() -> None:
    assert split("").spans == ((),)
    assert len(split(" \t\n\u200b\u00a0")) == 0


def test_a_pair_has_the_words_of_both_texts_each_with_its_own_offsets() -> None:
    pair = split("Who won?", "It's a tie.")
    assert pair.texts == ("Who won?", "It's a tie.")
    assert pair.strings == ("Who", "won", "?", "It", "'s", "a", "tie", ".")
    assert pair.spans[1][:2] == ((0, 2), (2, 4))
    assert split("a", "").spans == (((0, 1),), ())


@given(TEXTS)
def test_spans_increase_without_overlap_and_hold_no_white_space(text: str) -> None:
    (spans,) = split(text).spans
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    assert all(start < end for start, end in spans)
    assert not any(
        character.isspace() or character == "\u200b" for start, end in spans for character in text[start:end]
    )


@given(TEXTS)
def test_only_white_space_and_invisible_characters_lie_outside_words(text: str) -> None:
    covered = {place for start, end in split(text).spans[0] for place in range(start, end)}
    left = [character for place, character in enumerate(text) if place not in covered]
    assert all(character.isspace() or unicodedata.category(character) in FORMAT for character in left)


@given(TEXTS)
def test_words_joined_by_spaces_split_into_the_same_words(text: str) -> None:
    once = words(text)
    assert words(" ".join(once)) == once


@given(st.lists(TEXTS, max_size=3), st.sampled_from([" ", "\n", "\u3000"]))
def test_what_stands_across_white_space_does_not_matter(texts: list[str], space: str) -> None:
    assert words(space.join(texts)) == [word for text in texts for word in words(text)]


def test_every_unicode_character_is_a_word_unless_it_is_invisible() -> None:
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) not in ("Cn", "Co") and code % 7 == 0:
            character = chr(code)
            seen = not (character.isspace() or unicodedata.category(character) in FORMAT)
            assert words(f"{character} x") == [character] * seen + ["x"]


@pytest.mark.parametrize("unit", ["a", "a ", "don't ", "a."])
def test_a_line_of_a_megabyte_is_split(unit: str) -> None:
    text = unit * (1_000_000 // len(unit)) + "!"
    assert split(text).spans[0][-1][1] == len(text)


@pytest.mark.parametrize("unit", HARD)
def test_no_repetition_takes_time_beyond_the_length_of_the_text(unit: str) -> None:
    text = unit * (50_000 // len(unit)) + "!"  # were time quadratic, this would take minutes
    assert split(text).spans[0][-1][1] == len(text)
