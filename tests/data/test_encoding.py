"""Encodings, recognized from bytes."""

import pytest

from whyword.data.encoding import recognize_encoding
from whyword.interfaces.errors import OptionError

TEXT = "naïve “soup”, café\nœuf à la coque\n"


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_text_comes_back_as_it_was(name: str) -> None:
    found = recognize_encoding(TEXT.encode(name))
    assert TEXT.encode(name).decode(found.name).removeprefix("\ufeff") == TEXT


def test_bytes_that_cp1252_lacks_are_latin_1() -> None:
    assert recognize_encoding(b"caf\xe9 \x81").name == "latin-1"


def test_a_letter_cut_off_at_the_end_of_the_sample_is_no_contradiction() -> None:
    assert recognize_encoding("ascii only é".encode()[:-1]).name == "utf-8"


def test_a_few_bad_bytes_among_good_ones_leave_it_utf_8() -> None:
    assert recognize_encoding("é à ü ".encode() + b"caf\xe9 ").name == "utf-8"
    assert recognize_encoding("é ".encode() + b"caf\xe9 \xe0 la").name == "cp1252"


@pytest.mark.parametrize(("text", "newline"), [("a\rb\r", "\r"), ("a\r\nb", "\n"), ("a\nb\rc", "\n"), ("a", "\n")])
def test_line_ends_are_recognized(text: str, newline: str) -> None:
    assert recognize_encoding(text.encode()).newline == newline


def test_a_given_encoding_wins_and_an_unknown_one_is_refused() -> None:
    assert recognize_encoding(TEXT.encode(), "cp1252").name == "cp1252"
    assert recognize_encoding(TEXT.encode("utf-16"), "UTF-16").name == "utf-16-le"
    with pytest.raises(OptionError, match="--encoding rot13"):
        recognize_encoding(b"", "rot13")
