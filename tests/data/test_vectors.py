import gzip
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.vectors import Vectors, describe, load_vectors, words_of
from whyword.interfaces.errors import DataError

GLOVE = "the 0.1 0.2 0.3\ncat 1 2 3\n. . . 4 5 6\nThe 7 8 9\nÉté -1e-2 0 1\n"
ZIPPED = gzip.compress(GLOVE.encode(), mtime=0)


def write(tmp_path, content, name="vectors.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("glove.txt", GLOVE.encode()),
        ("word2vec.vec", f"5 3\n{GLOVE}".encode()),
        ("trailing.vec", f"5 3\n{GLOVE}".replace("\n", " \r\n").encode()),
        ("glove.txt.gz", ZIPPED),
        ("word2vec.vec.gz", gzip.compress(f"5 3\n{GLOVE}\n\n".encode(), mtime=0)),
        ("gzip-by-content.txt", ZIPPED),
    ],
)
def test_both_formats_give_a_row_for_each_vocabulary_word(tmp_path, name, content):
    vectors = load_vectors(write(tmp_path, content, name), ["cat", "dog", "the", "Été"])
    assert vectors.dim == 3
    assert vectors.rows.dtype == np.float32
    np.testing.assert_array_equal(vectors.found, [True, False, True, True])
    np.testing.assert_allclose(vectors.rows, [[1, 2, 3], [0, 0, 0], [0.1, 0.2, 0.3], [-0.01, 0, 1]])
    assert vectors.coverage == 0.75


def test_a_word_is_sought_as_it_is_and_then_in_lower_case(tmp_path):
    path = write(tmp_path, "the 1\nCat 2\ncat 3\nTHE 4\nDog 5\n")
    vectors = load_vectors(path, ["The", "THE", "the", "Cat", "CAT", "dog"])
    np.testing.assert_array_equal(vectors.rows[:, 0], [1, 4, 1, 2, 3, 0])
    np.testing.assert_array_equal(vectors.found, [True, True, True, True, True, False])


def test_words_may_hold_spaces(tmp_path):
    vectors = load_vectors(write(tmp_path, GLOVE + ". 7 7 7\n"), [".", ". . ."])
    np.testing.assert_array_equal(vectors.rows, [[7, 7, 7], [4, 5, 6]])


def test_a_word_listed_twice_keeps_its_first_vector_and_may_stand_twice_in_the_vocabulary(tmp_path):
    vectors = load_vectors(write(tmp_path, "a 1\nb 2\na 3\n"), ["a", "a", "b", "A"])
    np.testing.assert_array_equal(vectors.rows[:, 0], [1, 1, 2, 1])


words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=6)


@given(
    table=st.dictionaries(words, st.lists(st.floats(-9, 9, width=32), min_size=2, max_size=2), min_size=1),
    others=st.lists(words),
    header=st.booleans(),
)
def test_what_was_written_is_read_again(tmp_path_factory, table, others, header):
    lines = [f"{word} {' '.join(map(repr, row))}" for word, row in table.items()]
    content = "\n".join([f"{len(table)} 2"] * header + lines)
    path = write(tmp_path_factory.mktemp("vectors"), content)
    vocabulary = [*table, *others]
    vectors = load_vectors(path, vocabulary)
    for word, row, found in zip(vocabulary, vectors.rows, vectors.found, strict=True):
        expected = table.get(word, table.get(word.lower()))
        assert found == (expected is not None)
        np.testing.assert_array_equal(row, np.array(expected or [0, 0], np.float32))


def test_the_coverage_is_told_in_one_sentence():
    found = np.arange(2000) < 1500
    vectors = Vectors(1, np.zeros((2000, 1), np.float32), found)
    counts = np.where(found, 97, 9)
    assert describe(vectors, counts) == "Vectors cover 1,500 of 2,000 words (75.0 %), 97.0 % of occurrences."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the 1 2 3\ncat 1 2\n", "line 2: 2 numbers after the word where the others have 3"),
        ("the 1 2 3\ncat 1 2 3 4\n", "line 2: 4 numbers after the word where the others have 3"),
        ("1 3\nthe 1 2\n", "line 2: 2 numbers after the word where the others have 3"),
        ("the 1 2 3\nother 1 2\n", "line 2: 2 numbers"),
        ("the 1 2 3\ncat 1 x 3\n", "line 2: 'x' where a number was expected"),
        ("the 1 2 3\ncat 1 nan 3\n", "line 2: 'nan' where a number was expected"),
        ("the 1 2 3\ncat 1 1e39 3\n", "line 2: '1e39' where a number was expected"),
        ("text,label\n", "line 1: nothing where a number was expected"),
        ("a plain text\n", "line 1: 'plain' where a number was expected"),
        ("dog 1 2 3\n", "none of the 2 words"),
        ("", "holds no vectors"),
        ("3 100\n", "none of the 2 words"),
        ("the 1 2\nété 1 2\n".encode("latin-1"), "line 2: not UTF-8"),
        (ZIPPED[:-20], "ends early or is damaged"),
        (ZIPPED[:12] + b"damage" + ZIPPED[18:], "ends early or is damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(DataError, match=message) as error:
        load_vectors(path, ["the" if b"dog" not in path.read_bytes() else "a", "cat"])
    assert str(path) in str(error.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.txt: No such file"):
        load_vectors(tmp_path / "nowhere.txt", ["the"])
    with pytest.raises(DataError, match="Is a directory"):
        load_vectors(str(tmp_path), ["the"])


@pytest.mark.real
def test_real_glove_vectors_know_what_is_alike():
    path = os.environ.get("WHYWORD_EMBEDDINGS")
    if not path:
        pytest.skip("set WHYWORD_EMBEDDINGS to a file of GloVe vectors")
    vectors = load_vectors(path, ["terrible", "Awful", "guitar", "qxzzyq"])
    np.testing.assert_array_equal(vectors.found, [True, True, True, False])
    terrible, awful, guitar, _ = vectors.rows / np.maximum(np.linalg.norm(vectors.rows, axis=1, keepdims=True), 1)
    assert terrible @ awful > 0.6 > terrible @ guitar


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_the_words_of_a_file_come_in_its_order_each_once(tmp_path, header):
    path = write(tmp_path, f"{header}the 1 2\ncat 3 4\nthe 5 6\n")
    assert words_of(path) == ["the", "cat"]
