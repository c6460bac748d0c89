import numpy as np
import pytest
from scipy.stats import kendalltau

from reference.spying import explanation
from whyword.evaluation.agreement import rank_agreement, top_agreement
from whyword.interfaces.errors import OptionError

TEXTS = ("a warm and funny film", "one", "", "seven words are more than five words")


def explained(seed):
    rng = np.random.default_rng(seed)
    return [explanation(text, rng.integers(0, 4, len(text.split()))) for text in TEXTS]


def test_rank_agreement_is_kendalls_tau_of_each_text():
    one, other = explained(1), explained(2)
    score = rank_agreement(one, other)
    for place in (0, 3):
        expected = kendalltau(one[place].scores, other[place].scores).statistic
        assert score.per_text[place] == pytest.approx(expected)
    assert np.isnan(score.per_text[1:3]).all()
    assert score.explainer == "chosen ~ chosen"


def test_top_agreement_counts_common_words_of_texts_longer_than_k():
    one, other = explained(1), explained(2)
    score = top_agreement(one, other, k=2)
    for place in (0, 3):
        common = set(one[place].ranking[:2]) & set(other[place].ranking[:2])
        assert score.per_text[place] == len(common) / 2
    assert np.isnan(score.per_text[1:3]).all()
    assert top_agreement(one, one, k=2).value == 1
    assert np.isnan(top_agreement(one, other, k=7).value)


def test_an_explainer_agrees_with_itself():
    assert rank_agreement(explained(1), explained(1)).value == pytest.approx(1)
    assert rank_agreement([], []).texts == 0


def test_other_texts_are_refused():
    with pytest.raises(OptionError, match="the same list with both"):
        rank_agreement(explained(1), explained(1)[::-1])
