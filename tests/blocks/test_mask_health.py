"""Is a word mask alive?"""

import math
from collections import defaultdict

import pytest
import torch

from reference.samples import random_batch
from reference.word_masks import batch_for
from whyword.blocks.mask_health import keep_statistics, mask_warnings

ADVICE = {"collapsed": "Lower it.", "saturated": "Raise it."}
ALIVE = {"keep_min": 0.2, "keep_mean": 0.6, "keep_max": 0.99, "keep_sd": 0.2}


def told(batch):
    """Say of each token a number that depends on the token and its place."""
    return torch.sin(batch.tokens * 1.7 + torch.arange(batch.tokens.shape[1]) * 0.3) * 0.4 + 0.5


@pytest.mark.parametrize("batches", [[random_batch([3, 1, 5]), random_batch([4, 4])], [batch_for("pieces")]])
def test_statistics_are_over_distinct_tokens_each_with_its_mean(batches):
    by_token = defaultdict(list)
    for batch in batches:
        for row, words in enumerate(batch.word_of_token.tolist()):
            for time, word in enumerate(words):
                if word >= 0:
                    by_token[int(batch.tokens[row, time])].append(told(batch)[row, time].item())
    means = [sum(values) / len(values) for values in by_token.values()]
    mean = sum(means) / len(means)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in means) / len(means))
    expected = {"keep_min": min(means), "keep_mean": mean, "keep_max": max(means), "keep_sd": deviation}
    assert keep_statistics(batches, list(map(told, batches))) == pytest.approx(expected, abs=1e-9)


def test_a_mask_that_tells_words_apart_gives_no_warning():
    assert mask_warnings(ALIVE, **ADVICE) == []
    assert mask_warnings({}, **ADVICE) == []


def test_a_collapsed_mask_is_named_with_what_to_change():
    (warning,) = mask_warnings(ALIVE | {"keep_sd": 0.019, "keep_mean": 0.51}, **ADVICE)
    assert "collapsed" in warning
    assert "0.019" in warning
    assert "0.51" in warning
    assert warning.endswith("Lower it.")


def test_a_saturated_mask_is_named_with_what_to_change():
    (warning,) = mask_warnings(ALIVE | {"keep_sd": 0.03, "keep_mean": 0.971}, **ADVICE)
    assert "lets everything through" in warning
    assert "0.971" in warning
    assert warning.endswith("Raise it.")


def test_the_limits_are_those_of_the_pitfalls():
    assert mask_warnings(ALIVE | {"keep_sd": 0.021}, **ADVICE) == []
    assert mask_warnings(ALIVE | {"keep_mean": 0.969}, **ADVICE) == []


def test_a_mask_that_is_both_open_and_flat_is_one_warning():
    assert len(mask_warnings(ALIVE | {"keep_sd": 0.0, "keep_mean": 1.0}, **ADVICE)) == 1
