import pytest

from whyword.data.words import split
from whyword.explaining.rationales import read_rationales
from whyword.interfaces.errors import DataError


def test_spans_of_texts_and_of_pairs_are_read():
    texts = [split("a good film"), split("bad"), split("one", "two")]
    found = read_rationales([[(2, 6)], None, [[[0, 1]], []]], texts)
    assert found == [(((2, 6),),), None, (((0, 1),), ())]


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("abc", "must be a list"),
        (3, "must be a list"),
        ([], "1 texts and 0 rationales"),
        ([[(0, 9)]], r"\(0, 9\), but its text has 4 characters"),
        ([[(2, 2)]], r"\(2, 2\)"),
        ([["good"]], "Rationale 0 is"),
        ([3], "Rationale 0 is"),
    ],
    ids=["string", "number", "too few", "outside", "empty", "word", "no list"],
)
def test_mistakes_get_one_sentence(marked, words):
    with pytest.raises(DataError, match=words):
        read_rationales(marked, [split("good")])


def test_a_pair_needs_two_lists():
    with pytest.raises(DataError, match="two of them for a pair"):
        read_rationales([[[(0, 1)]]], [split("one", "two")])
