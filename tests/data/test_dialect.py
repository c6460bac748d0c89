"""Separators and quotes."""

import pytest

from whyword.data.dialect import DOUBLED, ESCAPED, UNQUOTED, Dialect, read_separator, recognize_dialect
from whyword.interfaces.errors import OptionError


def recognized(content: str, usual: str = ",", given: str | None = None, truncated: bool = False) -> Dialect:
    return recognize_dialect(content.splitlines(keepends=True), usual, given, truncated).dialect


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_the_separator_gives_rows_of_equal_width(separator: str) -> None:
    rows = [
        f"so good{separator} in, all; its| ways{separator}{number}\n".replace(separator, "\0") for number in range(9)
    ]
    content = "".join(row.replace("\0", separator) for row in ["text\0more\0label\n", *rows])
    assert recognized(content).separator == separator


def test_the_usual_separator_stays_where_others_fit_hardly_better() -> None:
    content = "text\tlabel\n" + "well, yes\tx\n" * 20 + "a\tb\tc\n"
    assert recognized(content, "\t").separator == "\t"


def test_a_header_that_is_known_counts_more_than_ragged_rows() -> None:
    assert recognized("text,label\n" + "a, b, c, d,x\n" * 9).separator == ","


def test_one_column_of_prose_is_one_column() -> None:
    fit = recognize_dialect(["text\n", "hello, world\n", "no\n", "a, b, c\n"], ",", None, False)
    assert (fit.width, fit.misfits) == (1, 0)


@pytest.mark.parametrize(
    ("rows", "quotes"),
    [
        (['"a ""b"", c",x'] * 5, DOUBLED),
        (['"a \\"b\\", c",x'] * 5, ESCAPED),
        (['"a" b,x', '"c" d,y'] * 5, UNQUOTED),
        (['"a, b",x'] * 5 + ['"a" b,x'], DOUBLED),
    ],
)
def test_what_quotes_mean_is_what_most_rows_bear_out(rows: list[str], quotes: str) -> None:
    assert recognized("text,label\n" + "\n".join(rows) + "\n").quotes == quotes


def test_a_row_cut_off_by_the_end_of_the_sample_does_not_count() -> None:
    lines = ["text,label\n", '"a, b",x\n', '"cut off\n']
    assert recognize_dialect(lines, ",", None, truncated=True).misfits == 0
    assert recognize_dialect(lines, ",", None, truncated=False).misfits == 1


def test_separators_have_names() -> None:
    assert [read_separator(word) for word in ("tab", "\\t", "Semicolon", "~")] == ["\t", "\t", ";", "~"]
    for word in ("", "ab", '"', "\n"):
        with pytest.raises(OptionError, match="give one character"):
            read_separator(word)
