import numpy as np
import pytest

from whyword.data.words import split
from whyword.explaining.inputs import TextSource, read_documents, read_labels, read_rationales, read_texts
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError


def test_strings_words_and_documents_are_texts():
    words = split("a text")
    assert read_texts(["a text", np.str_("a text"), words, Document(words)]) == [words] * 4


def test_two_strings_are_a_pair():
    words = split("one", "two")
    assert read_texts([("one", "two"), ["one", "two"], np.array(["one", "two"])]) == [words] * 3


def test_text_is_kept_plain():
    assert type(read_texts(np.array(["a"]))[0].texts[0]) is str


def test_anything_that_can_be_gone_through_holds_texts():
    wanted = [split("a"), split("b")]
    assert read_texts(iter("ab")) == read_texts({"a": 1, "b": 2}) == read_texts(np.array([["a"], ["b"]])) == wanted


@pytest.mark.parametrize("text", [None, 3, b"bytes", ("a",), ("a", None), ("a", "b", "c"), {"a", "b"}])
def test_what_is_no_text_is_refused_by_place(text):
    with pytest.raises(DataError, match="Text 1 is"):
        read_texts(["fine", text])


def test_labels_become_plain_strings_and_integers():
    read = read_labels([np.str_("a"), "b"]), read_labels(np.array([1, 2], np.int8)), read_labels([1.0, np.float32(2)])
    assert read == (["a", "b"], [1, 2], [1, 2])
    assert {type(label) for labels in read for label in labels} == {str, int}


@pytest.mark.parametrize("label", [None, float("nan"), float("inf"), 0.5, b"x", ["x"]])
def test_what_is_no_label_is_refused_by_place(label):
    with pytest.raises(DataError, match="Label 1 is"):
        read_labels([1, label])


def test_missing_labels_of_pandas_are_refused():
    pandas = pytest.importorskip("pandas")
    for column in (pandas.Series([1, None]), pandas.Series([1, None], dtype="Int64"), pandas.Series(["x", None])):
        with pytest.raises(DataError, match="Label 1 is"):
            read_labels(column)


def test_a_column_of_labels_is_flattened_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector y"):
        assert read_labels(np.array([["a"], ["b"]])) == ["a", "b"]


def test_texts_are_joined_with_their_labels():
    assert read_documents(["one", "two"], [1, 0]) == [Document(split("one"), 1), Document(split("two"), 0)]


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


def test_a_file_is_checked_before_its_first_text_is_given(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "one"}\n{"text": "two"}\nno json\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"line 3 is no JSON"):
        TextSource(path).documents()


def test_an_iterator_is_read_no_further_than_needed_and_keeps_documents_as_they_are():
    def texts():
        yield "one"
        yield Document(split("two"), "label")
        raise AssertionError

    source = TextSource(texts())
    assert source.first().texts == ("one",)
    documents = source.documents()
    assert next(documents).words.texts == ("one",), "the first is still there"
    assert next(documents).label == "label"
    assert (source.count(), source.fingerprint()) == (None, None)


def test_texts_in_a_list_are_known_by_number_and_content(tmp_path):
    assert TextSource(["a text", ("a", "pair")]).count() == 2
    lists = (["a"], ["a", "b"], ["a b"], ["né"], [("a", "b")])
    assert len({TextSource(texts).fingerprint() for texts in lists}) == 5
    assert TextSource(["a"]).fingerprint() == TextSource(("a",)).fingerprint()


def test_files_are_known_by_their_content(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("text\na\n", encoding="utf-8")
    other.write_text("text\na\n", encoding="utf-8")
    assert TextSource(one).fingerprint() == TextSource(str(other)).fingerprint()
    other.write_text("text\nb\n", encoding="utf-8")
    assert TextSource(one).fingerprint() != TextSource(other).fingerprint()


def test_no_texts_and_a_file_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(DataError, match="There is no file or folder 'a text': give its path, or a list of texts"):
        TextSource("a text")
    for texts in ([], iter([])):
        with pytest.raises(DataError, match="The input holds no texts"):
            TextSource(texts).documents()
