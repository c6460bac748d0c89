import numpy as np
import pytest

from reference.spying import Spy, additive, explanation
from whyword.evaluation.measure import measure
from whyword.inference.black_box import BlackBox
from whyword.metrics.direction import Direction

MODEL = additive({"funny": 2.0, "warm": 1.0, "dull": -1.0, "awful": -3.0})


def direction(text, scores, target=1, **settings):
    (score,) = measure(MODEL, {"x": [explanation(text, scores, target)]}, [Direction(**settings)])
    return score


@pytest.mark.parametrize(
    ("scores", "target", "expected"),
    [
        ([3, 1, 0], 1, 0),  # funny speaks for good
        ([0, 3, 1], 1, 1),  # dull opposes it
        ([0, 3, 1], 0, 0),  # and speaks for bad
        ([0, 1, 3], 1, 0),  # film does nothing
    ],
    ids=["for", "against", "for the other class", "for nothing"],
)
def test_a_top_word_opposes_the_answer_if_the_class_is_likelier_without_it(scores, target, expected):
    assert direction("funny dull film", scores, target).value == expected


def test_the_curve_says_whether_any_of_the_top_words_opposes_alone():
    score = direction("funny dull warm awful", [4, 2, 3, 1])
    assert score.points == (1, 2, 3)
    assert score.curve[0].tolist() == [0, 0, 1]
    assert direction("funny dull warm awful", [4, 2, 3, 1], k=3).value == 1


def test_words_are_removed_one_by_one_not_together():
    spy = Spy(MODEL)
    measure(spy, {"x": [explanation("funny dull film warm", [4, 3, 2, 1])]}, [Direction()])
    texts = sorted(text for (text,) in spy.asked)
    assert texts == ["dull film warm", "funny dull film warm", "funny dull warm", "funny film warm"]


def test_only_the_order_counts_so_weights_without_sign_are_judged_too():
    assert (
        direction("funny dull film", [0.1, 0.9, 0.0]).value
        == direction("funny dull film", [-0.8, -0.1, -0.9]).value
        == 1
    )


@pytest.mark.parametrize(("rise", "expected"), [(1e-6, 0), (1e-4, 1)], ids=["rounding", "a rise"])
def test_rounding_is_no_rise(rise, expected):
    def ask(texts):
        good = np.array([0.5 if "word" in text else 0.5 + rise for text in texts])
        return np.stack([1 - good, good], axis=1)

    (score,) = measure(BlackBox(ask, ("bad", "good")), {"x": [explanation("word other", [1, 0])]}, [Direction()])
    assert score.value == expected


def test_a_share_of_texts_has_wilsons_interval_and_texts_without_words_oppose_nothing():
    texts = [
        explanation("funny dull", [0, 1]),
        explanation("funny dull", [1, 0]),
        explanation("", []),
        explanation("awful", [1]),
    ]
    (score,) = measure(MODEL, {"x": texts}, [Direction()])
    assert score.per_text.tolist() == [1, 0, 0, 1]
    assert 0 < score.interval[0] < 0.5 < score.interval[1] < 1
    assert not score.higher_is_better
