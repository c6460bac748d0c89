from dataclasses import replace
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from contributing import contributing, words
from whyword.attribution.shapley.exact import all_subsets
from whyword.explainers.random import Random
from whyword.explainers.shapley import Shapley
from whyword.explaining.interactions import find_interactions, joint_effects, sub_texts
from whyword.interfaces.errors import OptionError

COUNT = 8
NOT, GOOD = 2, 5


def negated(kept):
    """Read *not* as turning *good* round, the other words as adding up."""
    return 1 / (1 + np.exp(-(2 * kept[:, GOOD] - 4 * kept[:, NOT] * kept[:, GOOD] + 0.5 * kept[:, 0] - 0.3)))


def explain(ask, count=COUNT, **settings):
    model = contributing(ask, count, np.zeros(count), has_contributions=False)
    return model, Shapley(**settings).explain(model, [words(count)], [1])


def test_a_negation_is_found():
    model, explanations = explain(negated)
    (found,) = find_interactions(model, explanations)
    (pair,) = found.interactions
    assert (pair.first, pair.second) == (NOT, GOOD)
    assert pair.score < -0.3
    assert np.array_equal(found.scores, explanations[0].scores)


def brute_force(ask, count, first, second):
    """Read the definition of the Shapley interaction index."""
    others = [word for word in range(count) if word not in (first, second)]
    total = 0.0
    for size in range(count - 1):
        for chosen in combinations(others, size):
            kept = np.zeros((4, count))
            kept[:, list(chosen)] = 1
            kept[[1, 3], first] = 1
            kept[[2, 3], second] = 1
            neither, one, other, both = ask(kept)
            share = factorial(size) * factorial(count - size - 2) / factorial(count - 1)
            total += share * (both - one - other + neither)
    return total


def test_joint_effects_are_the_interaction_index_where_words_act_three_by_three():
    generator = np.random.default_rng(0)
    alone, together = 0.02 * generator.normal(size=6), 0.02 * generator.normal(size=(6, 6))
    three = 0.02 * generator.normal(size=(6, 6, 6))

    def ask(kept):
        return (
            0.5
            + kept @ alone
            + np.einsum("ti,ij,tj->t", kept, together, kept)
            + np.einsum("ti,tj,tk,ijk->t", kept, kept, kept, three)
        )

    pairs = list(combinations(range(6), 2))
    effects = joint_effects(ask(sub_texts(pairs, 6).astype(float)), pairs)
    expected = [brute_force(ask, 6, *pair) for pair in pairs]
    np.testing.assert_allclose(effects.mean(0), expected, atol=1e-12)


def test_joint_effects_come_near_the_index_of_any_model():
    pairs = list(combinations(range(COUNT), 2))
    effects = joint_effects(negated(sub_texts(pairs, COUNT).astype(float)), pairs).mean(0)
    expected = np.array([brute_force(negated, COUNT, *pair) for pair in pairs])
    assert np.corrcoef(effects, expected)[0, 1] > 0.98
    assert pairs[np.abs(effects).argmax()] == pairs[np.abs(expected).argmax()] == (NOT, GOOD)


def test_words_that_add_up_do_not_act_together():
    weights = np.linspace(-0.05, 0.06, COUNT)
    model, explanations = explain(lambda kept: 0.5 + kept @ weights)
    assert find_interactions(model, explanations)[0].interactions == ()


def test_words_that_each_suffice_do_not_act_together():
    """In probability they seem to: the second adds nothing to the first."""

    def ask(kept):
        return 1 / (1 + np.exp(2 - 5 * kept[:, 0] - 5 * kept[:, 4]))

    model, explanations = explain(ask)
    pairs = [(0, 4)]
    assert joint_effects(ask(sub_texts(pairs, COUNT).astype(float)), pairs).mean() < -0.3
    assert find_interactions(model, explanations)[0].interactions == ()


def test_a_neighbor_of_small_score_is_looked_at():
    """*good* alone speaks for the class as much as *not good* speaks against it: its score is near 0."""

    def ask(kept):
        return 0.5 + 0.3 * kept[:, 5] - 0.6 * kept[:, 4] * kept[:, 5] + 0.02 * kept[:, [0, 1, 2]].sum(1)

    model, explanations = explain(ask, 7)
    assert abs(explanations[0].scores[5]) < 0.01
    (found,) = find_interactions(model, explanations, words=2)
    assert [(pair.first, pair.second) for pair in found.interactions] == [(4, 5)]


def test_the_passes_are_counted_and_shared_by_pairs():
    """Three words apart have 3 pairs, and 6 with neighbors, of 9 words: 2 (1 + 9 + 9) sub-texts."""
    count = 12
    model = contributing(lambda kept: 0.5 + 0.1 * kept[:, [1, 5, 9]].sum(1), count, np.zeros(count), False)
    (explanation,) = Shapley(samples=2).explain(model, [words(count)], [1])
    (found,) = find_interactions(model, [explanation], words=3)
    assert found.forward_passes - explanation.forward_passes == 2 * (1 + 9 + 9)
    assert len(np.unique(sub_texts([(0, 1), (1, 2)], 5), axis=0)) == 2 * (1 + 3 + 2)


@pytest.mark.parametrize("count", [0, 1])
def test_texts_without_a_pair_take_no_pass(count):
    model, explanations = explain(lambda kept: 0.5 + 0.1 * kept.sum(1), count)
    (found,) = find_interactions(model, explanations)
    assert found.interactions == ()
    assert found.forward_passes == explanations[0].forward_passes


def test_every_sub_text_of_a_text_of_two_words_is_what_it_should_be():
    assert np.array_equal(np.unique(sub_texts([(0, 1)], 2), axis=0), np.unique(all_subsets(2), axis=0))


def test_pairs_are_those_of_another_target():
    model, (explanation,) = explain(negated)
    (found,) = find_interactions(model, [explanation.for_class("bad")])
    assert found.interactions[0].score > 0.3


def test_weights_are_refused():
    model, _ = explain(negated)
    (explanation,) = Random().explain(model, [words(COUNT)])
    with pytest.raises(OptionError, match="'random' gives weights"):
        find_interactions(model, [replace(explanation, signed=False)])
