"""The greedy pick of SP-LIME against a literal reading, the package of its authors, and the best of all picks."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.words import split
from whyword.explaining.text_pick import STRONGEST, pick_texts, text_weights
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation


def explained(*pairs):
    """Make an explanation of a text of (word, score) pairs."""
    document = Document(split(" ".join(word for word, _ in pairs)))
    scores = np.array([score for _, score in pairs], dtype=float)
    return Explanation(document, scores, 0, ("a", "b"), np.array([0.5, 0.5]), "lime")


SCORES = st.floats(-1, 1).map(lambda score: round(score, 3))
TEXTS = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefghij"), SCORES), max_size=5).map(lambda pairs: explained(*pairs)),
    min_size=1,
    max_size=7,
)


def table(explanations):
    """W, as a literal reading has it."""
    names = sorted({word.lower() for explanation in explanations for word in explanation.words})
    rows = np.zeros((len(explanations), len(names)))
    for i, explanation in enumerate(explanations):
        for word, score in zip(explanation.words, explanation.scores, strict=True):
            place = i, names.index(word.lower())
            rows[place] = score if abs(score) > abs(rows[place]) else rows[place]
    return rows


def coverage(weights, picked):
    importance = np.sqrt(abs(weights).sum(0))
    return float(sum(importance[j] for j in range(weights.shape[1]) if any(weights[i, j] != 0 for i in picked)))


@given(TEXTS, st.integers(1, 8))
def test_each_pick_adds_most_to_the_coverage(explanations, count):
    weights = table(explanations)
    picked = pick_texts(explanations, count)
    assert len(picked) == len(set(picked)) == min(count, len(explanations))
    for number, chosen in enumerate(picked):
        before = picked[:number]
        gains = {i: coverage(weights, [*before, i]) for i in range(len(explanations)) if i not in before}
        assert gains[chosen] == pytest.approx(max(gains.values()), rel=1e-5)  # nearer ones tie


@given(TEXTS, st.integers(1, 4))
def test_a_pick_covers_at_least_1_minus_1_over_e_of_the_best_one(explanations, count):
    weights = table(explanations)
    count = min(count, len(explanations))
    best = max(coverage(weights, chosen) for chosen in combinations(range(len(explanations)), count))
    assert coverage(weights, pick_texts(explanations, count)) >= (1 - 1 / np.e) * best - 1e-9


def test_greed_is_not_always_best_but_near_it():
    """The first text covers most, but the second and third cover all together."""
    explanations = [
        explained(("b", 1), ("c", 1), ("d", 1), ("e", 1)),
        explained(("a", 1), ("b", 1), ("c", 1)),
        explained(("d", 1), ("e", 1), ("f", 1)),
    ]
    assert pick_texts(explanations, 2) == [0, 1]


def test_the_same_texts_as_the_package_of_the_authors():
    submodular_pick = pytest.importorskip("lime.submodular_pick")
    generator = np.random.default_rng(0)
    words = [f"w{letter}{other}" for letter in "abcdef" for other in "ghijk"]
    explanations = []
    for _ in range(40):
        chosen = generator.choice(words, generator.integers(1, 9), replace=False)
        explanations.append(explained(*((word, generator.normal()) for word in chosen)))
    theirs = [
        SimpleNamespace(
            mode="classification",
            available_labels=lambda: [0],
            as_list=lambda label, e=explanation: e.top(STRONGEST),
        )
        for explanation in explanations
    ]
    explainer = SimpleNamespace(explain_instance=lambda row, *_, **__: theirs[row])
    picked = submodular_pick.SubmodularPick(explainer, np.arange(40), None, method="full", num_exps_desired=6)
    assert pick_texts(explanations, 6) == picked.V


def test_a_repeated_word_counts_once_for_a_text_with_its_strongest_score():
    assert text_weights(explained(("Good", 0.25), ("good", -0.5), ("bad", -0.75))) == {"good": -0.5, "bad": -0.75}
    assert text_weights(explained(("Good", 0.25), ("good", 0.5)), lowercase=False) == {"good": 0.5, "Good": 0.25}
    assert text_weights(explained(("good", 0.0), ("good", 0.0))) == {}


def test_texts_that_add_the_same_up_to_rounding_are_picked_in_their_order():
    for scale in (1.0, 1e-9):
        some = [
            explained(("a", scale)),
            explained(("b", scale * (1 + 1e-7))),
            explained(("c", scale), ("d", scale)),
        ]
        assert pick_texts(some, 3) == [2, 0, 1]


def test_only_the_strongest_words_of_a_text_count():
    weights = text_weights(explained(*((letter, -number) for number, letter in enumerate("abcdefghijkl"))))
    assert "".join(weights) == "lkjihgfedc"


@pytest.mark.parametrize("texts", [[], [explained()], [explained(("a", 0)), explained()]])
def test_texts_that_show_nothing_are_picked_in_their_order(texts):
    assert pick_texts(texts, 5) == list(range(len(texts)))
