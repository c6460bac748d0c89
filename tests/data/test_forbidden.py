import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.forbidden import Forbidden, close_up, read_entries
from whyword.data.words import split
from whyword.interfaces.errors import OptionError


def left(entries, *texts):
    """The texts without what the entries forbid."""
    closed = Forbidden(tuple(entries)).close_up(split(*texts)).text.texts
    return closed[0] if len(closed) == 1 else closed


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Chicago hotel", "hotel"),
        ("a hotel in CHICAGO.", "a hotel in."),
        ("one Chicago  two", "one  two"),
        ("hotel/Chicago/inn", "hotel/ /inn"),  # two marks that were apart stay apart
        ("Chi\u00adcago and ｃｈｉｃａｇｏ", "and"),  # as a reader sees them, soft hyphen or wide letters
        ("Chicago Chicago", ""),
        ("Chicago's Chicagoans", "'s Chicagoans"),
    ],
)
def test_a_word_is_left_out_wherever_it_stands_by_itself(text, without):
    assert left(["chicago"], text) == without


def test_both_texts_of_a_pair_close_up_and_every_word_that_is_left_keeps_its_string():
    closed = Forbidden(("chicago",)).close_up(split("In Chicago?", "Chicago , yes"))
    assert closed.text.texts == ("In?", ", yes")
    assert closed.text.strings == ("In", "?", ",", "yes")
    assert closed.places.tolist() == [0, 2, 4, 5]
    assert closed.left_out.tolist() == [False, True, False, True, False, False]


def test_several_words_are_forbidden_one_after_the_other_only():
    assert left(["New York"], "new york, York in new books") == ", York in new books"
    assert left(["don't"], "I don't do it") == "I do it"
    assert left(["new york"], "new", "york") == ("new", "york")


def test_what_closes_up_to_a_forbidden_phrase_is_left_out_too():
    assert left(["new york", "chicago"], "a new chicago new york york b") == "a b"


def test_an_expression_must_match_a_whole_word():
    assert left(["/chicago.*/"], "Chicago Chicagoans old-chicago") == "old-chicago"
    assert left([r"/\d+/"], "5 a5 5.5") == "a5 5.5"


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [("/(/", "missing"), ("//", "there is no regular expression"), ("  ", "there is no word in it")],
)
def test_an_entry_that_cannot_be_read_is_refused(entry, complaint):
    with pytest.raises(OptionError, match=complaint):
        Forbidden((entry,))


def test_an_expression_that_never_ends_is_stopped():
    with pytest.raises(OptionError, match="takes more than 1 s over a word of 41 characters"):
        Forbidden(("/(a|aa)+$b?c/",)).marks(split("a" * 41))


def test_a_file_has_an_entry_a_line_and_files_add_up(tmp_path):
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("# cities\nChicago\n\n  New York  \n", encoding="utf-8-sig")
    two.write_text("/hotel.*/\nChicago\n")
    assert read_entries([one, two]) == ("Chicago", "New York", "/hotel.*/")


def test_a_line_that_cannot_be_read_is_named(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("# a comment\nfine\n/[/\n")
    with pytest.raises(OptionError, match=r"Line 3 of .*words\.txt, '/\[/', cannot be read: it is no regular expr"):
        read_entries([file])
    file.write_text("# nothing but a comment\n")
    with pytest.raises(OptionError, match="names no word"):
        read_entries([file])
    file.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(OptionError, match="not written in UTF-8"):
        read_entries([file])
    with pytest.raises(OptionError, match=r"There is no file .*none\.txt"):
        read_entries([tmp_path / "none.txt"])


def test_entries_that_match_nothing_are_named():
    texts = [split("Chicago in new York"), split("old York")]
    entries = ("chicago", "Boston", "/chi.*/", "/bos.*/", "new york", "york new")
    assert Forbidden(entries).unmatched(texts) == ["Boston", "/bos.*/", "york new"]


ANY = st.text(alphabet="ab.,'/- \n\u00adé", max_size=40)


@given(ANY, st.data())
def test_whatever_is_left_out_the_other_words_stay_as_they_are_and_apart(text, data):
    words = split(text)
    left_out = np.array(data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words))), dtype=bool)
    closed = close_up(words, left_out)
    assert closed.text.strings == tuple(word for word, gone in zip(words.strings, left_out, strict=True) if not gone)
    ends = [end for _, end in closed.text.spans[0]]
    for place, ((start, _), end) in enumerate(zip(closed.text.spans[0][1:], ends, strict=False)):
        adjacent = closed.places[place + 1] == closed.places[place] + 1
        assert start >= end
        assert (
            adjacent
            or start > end
            or words.spans[0][closed.places[place]][1] < words.spans[0][closed.places[place + 1]][0]
        )


@given(ANY)
def test_leaving_out_twice_leaves_out_no_more(text):
    forbidden = Forbidden(("a", "b a b", "/é+/"))
    once = forbidden.close_up(split(text)).text
    assert forbidden.close_up(once).text == once


def test_the_end_that_was_cut_off_is_counted_in_words_of_the_whole_text():
    closed = Forbidden(("x",)).close_up(split("a x b c x d x"))
    assert [closed.truncated(n) for n in (0, 1, 2, 4)] == [0, 3, 4, 7]
