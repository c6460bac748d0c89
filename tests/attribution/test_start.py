import numpy as np

from contributing import contributing, words
from whyword.attribution.start import Start, starts
from whyword.attribution.surrogate import NEAR_ENOUGH


def model(**settings):
    known = np.array([0.1, -0.2, 0.05])
    return contributing(lambda kept: 0.5 + kept @ known, 3, known, **settings)


def test_contributions_are_what_is_known_of_a_text():
    (start,) = starts(model(), [words(3).words], "own")
    np.testing.assert_allclose(start.scores, [[-0.1, 0.2, -0.05], [0.1, -0.2, 0.05]])
    np.testing.assert_allclose(start.base_values, [0.5, 0.5])
    assert start.likeliest == 0
    assert start.passes == 1


def test_nothing_is_known_where_there_are_no_contributions_or_they_are_not_wanted():
    texts = [words(3).words, words(3).words]
    assert starts(model(), texts, None) == [None, None]
    assert starts(model(has_contributions=False), texts, "own") == [None, None]


def test_the_surrogate_of_a_class_has_its_scores():
    start = Start(np.array([[-0.1, 0.2, -0.05], [0.1, -0.2, 0.05]]), np.array([0.5, 0.5]))
    for number in (0, 1):
        np.testing.assert_allclose(start.surrogate(number).shapley(), start.scores[number], atol=1.1 * NEAR_ENOUGH)
