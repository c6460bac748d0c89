import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whyword.attribution.groups.cuts import GROUP_WORDS, MOST_WORDS, Cuts, members
from whyword.data.words import split

STRINGS = st.lists(st.sampled_from(["word", "end.", "so,", '"Yes!"', "\n\nnew"]), min_size=2, max_size=80)


def shown(text, runs):
    strings = split(*text).strings if isinstance(text, tuple) else split(text).strings
    return [" ".join(strings[first:stop]) for first, stop in runs]


@given(STRINGS, st.integers(2, 30))
@settings(max_examples=60, deadline=None)
def test_every_word_is_in_one_group_and_there_are_as_many_groups_as_asked(strings, parts):
    words = split(" ".join(strings))
    runs = Cuts(words).cut((0, len(words)), parts)
    assert len(runs) == min(parts, len(words))
    assert [word for first, stop in runs for word in range(first, stop)] == list(range(len(words)))
    assert members(runs).tolist() == sorted(members(runs).tolist())
    assert np.bincount(members(runs)).tolist() == [stop - first for first, stop in runs]


def test_groups_end_where_sentences_end():
    text = 'It was a long dull film. We left early! "Why not?" he asked. Nobody knew.'
    assert shown(text, Cuts(split(text)).cut((0, len(split(text))), 4)) == [
        "It was a long dull film .",
        "We left early !",
        '" Why not ? "',
        "he asked . Nobody knew .",
    ]


def test_clauses_are_the_next_best_place():
    text = "a b c d e, f g h i j"
    assert shown(text, Cuts(split(text)).cut((0, 11), 2)) == ["a b c d e ,", "f g h i j"]


def test_a_group_does_not_reach_from_one_text_of_a_pair_into_the_other():
    text = ("a b c d e", "f. g h i j k")
    assert shown(text, Cuts(split(*text)).cut((0, 12), 2)) == ["a b c d e", "f . g h i j k"]


@pytest.mark.parametrize("count", [30, 400, 5000])
def test_groups_open_into_words_in_at_most_a_few_steps(count):
    cuts = Cuts(split(" ".join(f"w{number}" for number in range(count))))
    runs = cuts.first(100)
    assert len(runs) == min(100, max(2, -(-count // GROUP_WORDS)))
    for _ in range(cuts.depth(runs)):
        assert max(stop - first for first, stop in runs) > 1
        assert all(len(cuts.open(run)) <= MOST_WORDS for run in runs)
        runs = [part for run in runs for part in cuts.open(run)]
    assert runs == [(word, word + 1) for word in range(count)]
