from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from contributing import contributing, words
from whyword.explainers.lime import Lime
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.explainers.random import Random
from whyword.explainers.shapley import Shapley
from whyword.explaining.check import check, draw_pairs
from whyword.interfaces.errors import OptionError

COUNT = 9


def two_by_two(seed=0):
    """Give a model in which words act alone and two by two, and its Shapley values: half of what each pair does."""
    generator = np.random.default_rng(seed)
    alone = 0.03 * generator.normal(size=COUNT)
    together = np.triu(0.02 * generator.normal(size=(COUNT, COUNT)), 1)

    def ask(kept):
        return 0.5 + kept @ alone + np.einsum("ti,ij,tj->t", kept, together, kept)

    return ask, alone + (together.sum(0) + together.sum(1)) / 2


def explained(ask, scores):
    (explanation,) = Own().explain(contributing(ask, COUNT, scores), [words(COUNT)], [1])
    return explanation


def test_shapley_values_have_no_error_where_words_act_two_by_two():
    ask, truth = two_by_two()
    model = contributing(ask, COUNT, truth)
    (checked,) = check(model, [explained(ask, truth)])
    assert checked.error == pytest.approx(0, abs=1e-9)
    assert checked.forward_passes == 1 + 8


def test_the_error_is_that_of_the_sums_over_the_pairs_that_were_drawn():
    ask, truth = two_by_two()
    off = 0.05 * np.array([1, -1, 2, 0, 0, 0, -2, 1, -1.0])
    explanation = explained(ask, truth + off)
    (checked,) = check(contributing(ask, COUNT, truth), [explanation], pairs=6, seed=3)
    halves = draw_pairs(explanation, 6, 3)
    missed = [(off[half].sum() - off[~half].sum()) / 2 for half in halves]
    assert checked.error == pytest.approx(np.sqrt(np.mean(np.square(missed))), abs=1e-9)
    assert checked.forward_passes == 1 + 12
    assert np.array_equal(checked.scores, explanation.scores)


def test_the_error_is_never_below_that_of_the_scores_on_average():
    """What words do three by three adds to it, whatever the scores are."""

    def ask(kept):
        return 0.5 + 0.2 * kept[:, 0] * kept[:, 1] * kept[:, 2] + 0.02 * kept[:, 3:].sum(1)

    truth = np.array([0.2 / 3] * 3 + [0.02] * 6)
    model = contributing(ask, COUNT, truth)
    off = 0.1 * np.array([1, -1, 0, 0, 0, 1, 0, 0, -1.0])
    exact, wrong = (check(model, [explained(ask, scores)], pairs=200)[0].error for scores in (truth, truth + off))
    assert 0 < exact < wrong


@pytest.mark.parametrize("count", [2, 3, 5, 8, 9, 40])
def test_pairs_are_complementary_halves_seeded_by_the_text(count):
    (explanation,) = Own().explain(contributing(lambda kept: kept[:, 0], count, np.eye(count)[0]), [words(count)], [1])
    halves = draw_pairs(explanation, 4, 0)
    assert halves.shape == (min(4, 2 ** (count - 1) - 1), count)
    assert halves.any(1).all()
    assert not halves.all(1).any()
    assert np.array_equal(halves, draw_pairs(explanation, 4, 0))
    if count <= 8:
        assert all((one != other).any() and (one == other).any() for one, other in combinations(halves, 2))


def test_sizes_are_drawn_as_the_kernel_weighs_them():
    """Of 4,000 pairs of 10 words; the chance of a share to be off by 0.05 is below one in a million."""
    (explanation,) = Own().explain(contributing(lambda kept: kept[:, 0], 10, np.eye(10)[0]), [words(10)], [1])
    sizes = draw_pairs(explanation, 4000, 0).sum(1)
    expected = 1 / (np.arange(1, 10) * np.arange(9, 0, -1))
    shares = np.bincount(sizes, minlength=10)[1:] / 4000
    np.testing.assert_allclose(shares, expected / expected.sum(), atol=0.05)


def test_texts_of_no_word_and_of_one_need_no_pair():
    for count in (0, 1):
        model = contributing(lambda kept: 0.5 + 0.1 * kept.sum(1), count, np.full(count, 0.1))
        (checked,) = check(model, Own().explain(model, [words(count)], [1]))
        assert (checked.error, checked.forward_passes) == (0.0, 1)


def test_shapley_values_can_be_checked_for_a_model_of_any_kind():
    ask, truth = two_by_two()
    model = contributing(ask, COUNT, truth, has_contributions=False)
    (checked,) = check(model, Shapley().explain(model, [words(COUNT)]))
    assert checked.error == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("explainer", [Occlusion(), Random(), Lime(samples=16)], ids=lambda e: e.name)
def test_scores_that_do_not_add_up_are_refused_in_a_sentence(explainer):
    def ask(kept):
        return 0.9 * kept[:, 0] * kept[:, 1]

    model = contributing(ask, COUNT, np.zeros(COUNT), has_contributions=False)
    with pytest.raises(OptionError, match=f"The scores of '{explainer.name}' do not add up"):
        check(model, explainer.explain(model, [words(COUNT)], [1]))


def test_a_text_in_windows_is_not_checked():
    ask, truth = two_by_two()
    stitched = replace(explained(ask, truth), windows=3, base_value=None)
    (checked,) = check(contributing(ask, COUNT, truth), [stitched])
    assert (checked.error, checked.forward_passes) == (None, 1)
