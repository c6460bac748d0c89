from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from whyword.maths.stats.effects import Effect
from whyword.papers.reproduction.claims import (
    FAILS,
    HOLDS,
    NOT_TESTED,
    Measured,
    correct,
    measure_claims,
    p_values,
)
from whyword.papers.reproduction.paper import Claim

ABOVE = Claim("ours is above theirs", "ours", "theirs", "value")
CLOSE = Claim("ours is about theirs", "ours", "theirs", "value", margin=1.0, within=True)
LARGE = Claim("it is large", "ours", None, "value")


def effect(low, high, freedom=4):
    half = (high - low) / 2
    return Effect((low + high) / 2, (half / stats.t.ppf(0.975, freedom)) ** 2, freedom)


def judge(claim, values, texts=None, floor=None):
    (result,) = correct(measure_claims([claim], Measured(values, texts or {}, floor)))
    return result


@pytest.mark.parametrize(
    ("claim", "low", "high", "holds", "fails"),
    [
        (ABOVE, 0.1, 2.0, True, False),
        (ABOVE, -0.1, 2.0, False, False),
        (ABOVE, -2.0, -0.1, False, True),
        (ABOVE, -0.5, 0.9, False, True),  # surely less than a point, which would matter
        (ABOVE, -0.5, 1.1, False, False),
        (ABOVE, 0.1, 0.9, True, True),  # little, but surely more than nothing: it holds
        (replace(ABOVE, margin=2.0), 2.1, 3.5, True, False),
        (replace(ABOVE, margin=2.0), 1.0, 3.5, False, False),
        (CLOSE, -0.9, 0.9, True, False),
        (CLOSE, -1.1, 0.9, False, False),
        (CLOSE, 1.1, 2.0, False, True),
        (CLOSE, -2.0, -1.1, False, True),
    ],
)
def test_a_claim_holds_or_fails_at_95_percent_where_its_interval_says_so(claim, low, high, holds, fails):
    found = p_values(claim, effect(low, high))
    assert (found[0] < 0.05, found[1] < 0.05) == (holds, fails)


def test_p_is_that_of_scipys_t_test_between_runs_of_the_same_seed():
    values = {
        ("a", "ours", "value"): {0: 5.0, 1: 7.0, 2: 9.0, 4: nan},
        ("a", "theirs", "value"): {1: 6.0, 2: 5.0, 3: 100.0, 4: 1.0},
        ("a", "ours", "other"): {0: 0.0},
    }
    result = judge(ABOVE, values)
    assert (result.by_dataset["a"].seeds, result.effect.value) == (2, 2.5)  # of 1 and 4
    assert result.p_holds == pytest.approx(stats.ttest_1samp([1.0, 4.0], 0.0).pvalue)
    known = stats.ttest_1samp([1.0, 4.0], 0.0).confidence_interval(0.95)
    assert (result.effect.low, result.effect.high) == pytest.approx((known.low, known.high))


def test_without_another_row_the_number_itself_is_judged():
    result = judge(replace(LARGE, margin=0.1), {("a", "ours", "value"): {0: 1.0, 1: 1.01}})
    assert (result.effect.value, result.verdict) == (pytest.approx(1.005), HOLDS)


def test_one_seed_tests_nothing_and_is_left_out_of_an_effect_over_several_data_sets():
    values = {
        ("a", "ours", "value"): {0: 1.0, 1: 2.0, 2: 3.0},
        ("b", "ours", "value"): {0: -9.0},
        ("c", "ours", "value"): {0: 3.0, 1: 6.0},
    }
    result = judge(LARGE, values)
    assert result.tested_on == ["a", "c"]
    assert result.effect.value == pytest.approx((2.0 + 4.5) / 2)
    alone = judge(LARGE, {("b", "ours", "value"): {0: 9.0}})
    assert (alone.verdict, alone.effect.value) == (NOT_TESTED, 9.0)
    assert isnan(alone.p)


def test_data_sets_are_averaged_and_their_variances_add_up():
    values = {
        ("a", "ours", "value"): {0: 1.0, 1: 2.0, 2: 3.0},
        ("b", "ours", "value"): {0: 2.0, 1: 6.0},
    }
    result = judge(LARGE, values)
    variances = [1.0 / 3, 8.0 / 2]
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / 2 + variances[1] ** 2 / 1)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(sum(variances)) / 2
    assert (result.effect.value, result.effect.high) == pytest.approx((3.0, 3.0 + half))


def test_a_data_set_on_which_a_row_is_no_better_than_the_floor_carries_no_claim():
    values = {
        ("a", "ours", "value"): {0: 80.0, 1: 81.0},
        ("a", "theirs", "value"): {0: 70.0, 1: 71.5},
        ("a", "TF-IDF", "value"): {0: 71.0},
        ("b", "ours", "value"): {0: 80.0, 1: 81.0},
        ("b", "theirs", "value"): {0: 79.0, 1: 79.9},
        ("b", "TF-IDF", "value"): {0: 71.0},
    }
    result = judge(ABOVE, values, floor="TF-IDF")
    assert result.by_dataset["a"].at_floor
    assert result.tested_on == ["b"]
    assert judge(ABOVE, values).tested_on == ["a", "b"]


def test_texts_widen_the_interval_where_every_run_tells_of_each():
    values = {("a", "ours", "value"): {0: 60.0, 1: 61.0}, ("a", "theirs", "value"): {0: 50.0, 1: 50.0}}
    generator = np.random.default_rng(0)
    texts = {
        ("a", row, "value"): {seed: 100.0 * (generator.random(50) < share) for seed in (0, 1)}
        for row, share in (("ours", 0.6), ("theirs", 0.5))
    }
    plain, crossed = judge(ABOVE, values), judge(ABOVE, values, texts)
    assert not plain.by_dataset["a"].with_texts
    assert crossed.by_dataset["a"].with_texts
    del texts["a", "theirs", "value"][1]
    assert judge(ABOVE, values, texts).effect == plain.effect


@pytest.mark.parametrize(("bounded", "verdict"), [(True, HOLDS), (False, NOT_TESTED)])
def test_seeds_that_agree_to_the_last_digit_decide_only_where_the_number_has_an_end(bounded, verdict):
    assert judge(replace(LARGE, bounded=bounded), {("a", "ours", "value"): {0: 0.5, 1: 0.5}}).verdict == verdict


def test_verdicts_are_corrected_over_all_claims_that_several_seeds_tell_of():
    runs = {("a", "ours", "value"): {0: 9.0, 1: 10.0, 2: 11.0}, ("a", "theirs", "value"): {0: 5.0, 1: 9.0, 2: 4.0}}
    single = {("b", "ours", "value"): {0: 1.0}}
    claims = [LARGE, replace(LARGE, row="theirs"), ABOVE]
    measured = measure_claims(claims, Measured(runs)) + measure_claims([LARGE], Measured(single))
    results = correct(measured)
    smaller = np.array([min(r.p_holds, r.p_fails) for r in measured[:3]])
    expected = stats.false_discovery_control(smaller, method="by")  # for the order alone
    assert np.argsort([r.p for r in results[:3]]).tolist() == np.argsort(expected).tolist()
    assert results[0].p == pytest.approx(3 * measured[0].p_holds)  # the surest of three
    assert results[3].verdict == NOT_TESTED
    alone = correct(measured[1:2])[0]
    assert (alone.verdict, results[1].verdict) == (NOT_TESTED, NOT_TESTED)
    assert [results[0].verdict, correct([measured[0]])[0].verdict] == [HOLDS, HOLDS]


def test_a_claim_that_points_the_other_way_fails():
    values = {("a", "ours", "value"): {0: 1.0, 1: 1.1, 2: 0.9}, ("a", "theirs", "value"): {0: 5.0, 1: 5.0, 2: 5.2}}
    assert judge(ABOVE, values).verdict == FAILS


def test_what_runs_cannot_test_they_do_not_test():
    values = {("a", "ours", "value"): {0: 9.0, 1: 9.1, 2: 8.9}}
    assert judge(LARGE, values).verdict == HOLDS
    assert judge(replace(LARGE, obstacle="unequal budgets"), values).verdict == NOT_TESTED
