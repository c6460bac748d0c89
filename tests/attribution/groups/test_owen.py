"""Owen values against every order of the words that keeps groups together."""

from math import factorial

import numpy as np
import pytest

from reference.owen import owen_values as by_orders
from whyword.attribution.groups.owen import PairRegression, draw_contexts, draw_pairs, owen_values, pairs_of, sub_texts
from whyword.attribution.groups.pieces import Piece
from whyword.attribution.shapley.exact import all_subsets

GROUPS = [(0, 3), (3, 5), (5, 6)]


def random_game(words, seed=0):
    """Give a value to every sub-text, without any order in it."""
    table = np.random.default_rng(seed).normal(size=2**words)
    return lambda kept: table[int(np.dot(kept, 2 ** np.arange(words)))]


def test_from_all_pairs_and_contexts_the_values_are_those_of_all_orders():
    game = random_game(6)
    expected = by_orders(game, [[0, 1, 2], [3, 4], 5])
    parts = [(0, 1), (1, 2), (2, 3)]
    rows, weights, differences = [], [], []
    for outside in all_subsets(2):
        chance = factorial(outside.sum()) * factorial(2 - outside.sum()) / factorial(3)
        context = np.concatenate([np.zeros(3, bool), outside[:1].repeat(2), outside[1:]])
        for half in all_subsets(3)[1:4]:  # {0}, {1}, {0, 1}: with their complements, all but the ends
            one, other = (sub_texts(context[None], kept[None], parts)[0] for kept in (half, ~half))
            rows.append(half)
            weights.append(chance)  # all pairs of three parts have the same weight
            differences.append((game(one) - game(other)) / 2)
    values, _ = PairRegression(np.array(rows), np.array(weights)).solve(np.array(differences), expected[:3].sum())
    np.testing.assert_allclose(values, expected[:3], atol=1e-12)


def test_values_of_groups_are_shapley_values_of_the_game_of_groups():
    game = random_game(6, seed=3)

    def of_groups(kept):
        return game(np.repeat(kept, [3, 2, 1]))

    nested = by_orders(game, [[0, 1, 2], [3, 4], 5])
    np.testing.assert_allclose([nested[:3].sum(), nested[3:5].sum(), nested[5]], by_orders(of_groups, [0, 1, 2]))


@pytest.mark.parametrize("parts", [2, 3, 4, 5, 9, 20])
def test_additive_values_are_exact_with_any_number_of_parts(parts):
    generator = np.random.default_rng(parts)
    weights = generator.normal(size=(parts, 2)) / 10 / parts
    halves, shares = draw_pairs(parts, generator)
    assert halves.any(axis=1).all()
    assert not halves.all(axis=1).any()
    assert len(halves) <= pairs_of(parts)
    answers = [0.5 + kept @ weights for kept in (halves, ~halves)]
    values, errors = owen_values(halves, shares, answers, weights.sum(axis=0), generator)
    np.testing.assert_allclose(values, weights, atol=1e-12)
    np.testing.assert_allclose(errors, 0, atol=1e-12)


@pytest.mark.parametrize("parts", [3, 4])
def test_all_pairs_of_few_parts_give_shapley_values(parts):
    game = random_game(parts, seed=parts)
    halves, shares = draw_pairs(parts, np.random.default_rng(0))
    differences = np.array([(game(half) - game(~half)) / 2 for half in halves])
    values, _ = PairRegression(halves, shares).solve(differences, game(np.ones(parts)) - game(np.zeros(parts)))
    np.testing.assert_allclose(values, by_orders(game, list(range(parts))), atol=1e-12)


def test_values_add_up_however_noisy_the_answers_are():
    generator = np.random.default_rng(0)
    halves, shares = draw_pairs(15, generator)
    answers = generator.random((2, len(halves), 3))
    values, errors = owen_values(halves, shares, answers, np.array([0.5, -0.25, 0.0]), generator)
    np.testing.assert_allclose(values.sum(axis=0), [0.5, -0.25, 0.0], atol=1e-12)
    assert (errors > 0).all()


def test_standard_errors_tell_how_far_values_are_off():
    """Normal noise: about 95 % of the values lie within two errors; fewer than 85 % of 400 has a chance below 1e-9."""
    generator = np.random.default_rng(1)
    truth = generator.normal(size=8)
    inside = []
    for _ in range(50):
        halves, shares = draw_pairs(8, generator)
        regression = PairRegression(halves, shares)
        values, left = regression.solve((halves - 0.5) @ truth + 0.3 * generator.normal(size=len(halves)), truth.sum())
        inside.append(np.abs(values - truth) < 2.1 * regression.errors(left))
    assert 0.85 < np.mean(inside) < 0.995


def test_log_odds_that_add_up_take_out_what_contexts_change():
    """Contexts bend what parts do; the values are nearer to those of very many pairs than the regression alone."""
    generator = np.random.default_rng(2)
    slopes = generator.normal(size=10)

    def values(pairs):
        halves = np.concatenate([draw_pairs(10, generator)[0] for _ in range(pairs // pairs_of(10))])
        context = 3 * generator.normal(size=(len(halves), 1))
        answers = [1 / (1 + np.exp(-context - ((kept - 0.5) @ slopes)[:, None])) for kept in (halves, ~halves)]
        total = np.mean(1 / (1 + np.exp(-context - slopes.sum() / 2)) - 1 / (1 + np.exp(-context + slopes.sum() / 2)))
        shares = np.ones(len(halves))
        plain, _ = PairRegression(halves, shares).solve(((answers[0] - answers[1]) / 2)[:, 0], total)
        return plain, owen_values(halves, shares, answers, np.array([total]), generator)[0][:, 0]

    truth, _ = values(96 * 200)
    off = np.mean([[np.square(one - truth).mean() for one in values(96)] for _ in range(10)], axis=0)
    assert off[1] < 0.8 * off[0]


def test_contexts_are_what_comes_before_a_group_in_a_random_order():
    """Every context of two other groups has its chance, 1/3, 1/6, 1/6, 1/3: five standard deviations of 3,000 draws."""
    piece = Piece(GROUPS[0], np.zeros(1), tuple(GROUPS))
    contexts = draw_contexts(piece, 6, 3000, np.random.default_rng(0))
    assert not contexts[:, :3].any()
    assert (contexts[:, 3] == contexts[:, 4]).all()
    shares = [np.mean((contexts[:, 3] == a) & (contexts[:, 5] == b)) for a in (False, True) for b in (False, True)]
    np.testing.assert_allclose(shares, [1 / 3, 1 / 6, 1 / 6, 1 / 3], atol=0.045)
    opposite = contexts[1::2, 3:]
    assert (contexts[::2, 3:] == ~opposite).all()


def test_contexts_of_a_group_within_a_group_follow_both_levels():
    outer = Piece((0, 3), np.zeros(1), ((0, 3), (3, 6)))
    inner = Piece((0, 1), np.zeros(1), ((0, 1), (1, 3)), outer)
    contexts = draw_contexts(inner, 6, 400, np.random.default_rng(0))
    assert not contexts[:, 0].any()
    assert {tuple(row) for row in contexts[:, [1, 3]].tolist()} == {
        (a, b) for a in (False, True) for b in (False, True)
    }
    assert (contexts[:, 1] == contexts[:, 2]).all()
    assert (contexts[:, 3:].all(axis=1) | ~contexts[:, 3:].any(axis=1)).all()
