"""Nearly the same texts, checked against all pairs compared one by one."""

import random
import re
from itertools import pairwise

import pytest

from whyword.data.near_duplicates import RUN, SIMILAR, near_duplicates
from whyword.data.words import split

WORDS = [f"w{number}" for number in range(300)]


def shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    width = min(RUN, len(words))
    return {tuple(words[start : start + width]) for start in range(len(words) - width + 1)}


def similarity(one: str, other: str) -> float:
    return len(shingles(one) & shingles(other)) / len(shingles(one) | shingles(other))


def corpus() -> list[str]:
    """Random texts, each followed by a copy with a few words changed."""
    generator = random.Random(3)
    texts = []
    for number in range(60):
        words = generator.choices(WORDS, k=40)
        texts.append(" ".join(words))
        for place in generator.sample(range(40), number % 8):
            words[place] = "changed"
        texts.append(" ".join(words))
    return texts


def test_what_is_found_is_what_comparing_all_pairs_finds() -> None:
    texts = corpus()
    wanted = {
        other
        for other in range(len(texts))
        if any(similarity(texts[one], texts[other]) >= SIMILAR for one in range(other))
    }
    found = near_duplicates([split(text) for text in texts])
    assert {other for other, _ in found} == wanted
    assert all(similarity(texts[one], texts[other]) >= SIMILAR and one < other for other, one in found)


@pytest.mark.parametrize("copies", [["The End.", "the end!"], ["A b c d", "a, B c: D"], ["Word"] * 3])
def test_case_and_punctuation_do_not_count(copies: list[str]) -> None:
    found = near_duplicates([split(text) for text in copies])
    assert found == [(number, 0) for number in range(1, len(copies))]


def test_texts_without_words_are_like_nothing() -> None:
    assert near_duplicates([split(text) for text in ("", " ", "a b c", "d e f")]) == []
    assert near_duplicates([]) == []


def test_the_order_of_words_counts() -> None:
    words = [" ".join(WORDS[:20]), " ".join(reversed(WORDS[:20]))]
    assert [similarity(one, other) for one, other in pairwise(words)] == [0.0]
    assert near_duplicates([split(text) for text in words]) == []
