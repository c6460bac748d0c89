"""Claims judged on hand-made numbers."""

from math import isnan, nan, sqrt

import pytest

from whyword.maths.stats.intervals import Estimate
from whyword.papers.reproduction.claims import EVERYWHERE, REPEATED, findings, verdict
from whyword.papers.reproduction.paper import Claim

ABOVE = Claim("ours is above theirs", "ours", "theirs", "value")
CLOSE = Claim("ours is about theirs", "ours", "theirs", "value", margin=1.0, within=True)


def effect(low, high):
    return Estimate((low + high) / 2, low, high)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.1, 2.0, "holds"),
        (-2.0, -0.1, "fails"),
        (-1.0, 1.0, "undecided"),
        (nan, nan, "undecided"),
        (3.0, 3.0, "undecided"),
    ],
)
def test_a_row_is_above_another_if_its_whole_interval_is(low, high, expected):
    assert verdict(ABOVE, effect(low, high)) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(2.1, 3.0, "holds"), (1.0, 3.0, "undecided"), (0.5, 1.9, "fails")]
)
def test_a_margin_is_what_the_difference_must_exceed(low, high, expected):
    assert verdict(Claim("by far", "ours", "theirs", "value", margin=2.0), effect(low, high)) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.9, 0.9, "holds"),
        (-1.1, 0.9, "undecided"),
        (-0.9, 1.1, "undecided"),
        (1.1, 2.0, "fails"),
        (-2.0, -1.1, "fails"),
    ],
)
def test_a_row_is_about_another_if_its_whole_interval_is_within_the_margin(low, high, expected):
    assert verdict(CLOSE, effect(low, high)) == expected


def test_the_same_seeds_are_compared_and_seeds_that_only_one_row_has_are_left_out():
    values = {
        ("a", "ours", "value"): {0: 5.0, 1: 7.0, 2: 9.0, 4: nan},
        ("a", "theirs", "value"): {1: 6.0, 2: 5.0, 3: 100.0, 4: 1.0},
        ("a", "ours", "other"): {0: 0.0},
    }
    (found,) = findings([ABOVE], values)
    assert (found.dataset, found.seeds, found.effect.value) == ("a", 2, 2.5)  # of 1 and 4
    half = 12.706204736 * sqrt(4.5) / sqrt(2)  # Student's t of one degree of freedom
    assert found.effect.high == pytest.approx(2.5 + half)


def test_without_another_row_the_number_itself_is_judged():
    values = {("a", "ours", "value"): {0: 1.0, 1: 1.1}}
    (found,) = findings([Claim("it is large", "ours", None, "value", margin=0.1)], values)
    assert (found.effect.value, found.verdict) == (1.05, "holds")


def test_several_data_sets_are_also_judged_together_over_the_seeds_that_all_have():
    values = {
        ("a", "ours", "value"): {0: 1.0, 1: 2.0, 2: 50.0},
        ("a", "theirs", "value"): {0: 0.0, 1: 0.0, 2: 0.0},
        ("b", "ours", "value"): {0: 3.0, 1: 6.0},
        ("b", "theirs", "value"): {0: 0.0, 1: 0.0},
        ("c", "ours", "value"): {0: 1.0},
    }
    found = {finding.dataset: finding for finding in findings([ABOVE], values)}
    assert list(found) == ["a", "b", EVERYWHERE]
    assert (found[EVERYWHERE].effect.value, found[EVERYWHERE].seeds) == (3.0, 2)  # of (1 + 3) / 2 and (2 + 6) / 2


def test_a_data_set_with_one_seed_is_judged_alone_where_others_have_several():
    values = {
        ("a", "ours", "value"): {0: 1.0, 1: 2.0},
        ("b", "ours", "value"): {0: -9.0},
        ("c", "ours", "value"): {0: 3.0, 1: 6.0},
    }
    found = {finding.dataset: finding for finding in findings([Claim("it is large", "ours", None, "value")], values)}
    assert list(found) == ["a", "b", "c", REPEATED]
    assert (found[REPEATED].effect.value, found[REPEATED].seeds) == (3.0, 2)  # of (1 + 3) / 2 and (2 + 6) / 2


def test_data_sets_of_one_seed_are_judged_together_where_no_other_has_more():
    values = {(data, "ours", "value"): {0: 1.0} for data in "ab"}
    (*_, found) = findings([Claim("it is large", "ours", None, "value")], values)
    assert (found.dataset, found.effect.value, found.seeds) == (EVERYWHERE, 1.0, 1)


def test_data_sets_without_a_common_seed_are_not_judged_together():
    values = {(data, row, "value"): {seed: 1.0} for seed, data in enumerate("ab") for row in ("ours", "theirs")}
    found = list(findings([ABOVE], values))
    assert [finding.dataset for finding in found] == ["a", "b"]
    assert all(isnan(finding.effect.low) and finding.verdict == "undecided" for finding in found)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.5, 0.5, "holds"), (-0.5, -0.5, "fails"), (0.0, 0.0, "undecided"), (nan, nan, "undecided")],
)
def test_seeds_that_agree_to_the_last_digit_decide_where_the_number_has_an_end(low, high, expected):
    assert verdict(Claim("all words", "ours", None, "value", bounded=True), effect(low, high)) == expected
