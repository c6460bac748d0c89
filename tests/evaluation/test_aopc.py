from itertools import permutations

import numpy as np
import pytest
import torch

from reference.spying import Spy, additive, explanation
from whyword.evaluation.aopc import AopcLimits, removed_words
from whyword.evaluation.measure import measure
from whyword.inference.black_box import BlackBox
from whyword.interfaces.errors import OptionError
from whyword.metrics.normalized_comprehensiveness import NormalizedComprehensiveness
from whyword.metrics.normalized_sufficiency import NormalizedSufficiency

WEIGHTS = {"funny": 2.0, "warm": 1.0, "fine": 0.5, "dull": -1.0, "awful": -3.0}
TEXT = "awful warm film dull funny fine"
EXACT = [WEIGHTS.get(word, 0.0) for word in TEXT.split()]
BOTH = [NormalizedComprehensiveness(), NormalizedSufficiency()]


def tangled(words, seed):
    """A model of texts of the letters a, b, c, ... that gives every subset of them a probability of its own."""
    table = np.random.default_rng(seed).random(2**words)

    def ask(texts):
        good = table[[sum(2 ** (ord(letter) - ord("a")) for letter in text.split()) for text in texts]]
        return np.stack([1 - good, good], axis=1)

    return BlackBox(ask, ("bad", "good")), " ".join(chr(ord("a") + i) for i in range(words))


def aopc_of_every_order(model, text):
    """The mean fall over all steps of every order in which the words can go."""
    words = text.split()
    (whole,) = model.predict_proba([text])[:, 1]
    values = {}
    for order in permutations(range(len(words))):
        left = [" ".join(words[i] for i in range(len(words)) if i not in order[:k]) for k in range(1, len(words) + 1)]
        values[order] = float(np.mean(whole - model.predict_proba(left)[:, 1]))
    return values


def limits(model, text, **settings):
    words = len(text.split())
    search = AopcLimits(words, 1, **{"steps": words, "width": 2, "candidates": 16, **settings})
    rounds = search.rounds()
    subsets = next(rounds)
    while True:
        document = explanation(text, np.zeros(words)).document
        answers = model.probabilities_of_subsets(document.words, torch.from_numpy(subsets)).numpy()
        try:
            subsets = rounds.send(answers)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("width", [1, 2])
def test_where_words_add_up_the_search_finds_the_limits_of_all_orders(width):
    model = additive(WEIGHTS)
    every = aopc_of_every_order(model, TEXT).values()
    assert limits(model, TEXT, width=width) == pytest.approx([min(every), max(every)], abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_search_as_wide_as_there_are_subsets_finds_the_limits_whatever_the_model(seed):
    model, text = tangled(6, seed)
    every = aopc_of_every_order(model, text).values()
    assert limits(model, text, width=20) == pytest.approx([min(every), max(every)], abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_search_stays_inside_the_limits_and_comes_near_them(seed):
    model, text = tangled(7, seed)
    every = list(aopc_of_every_order(model, text).values())
    low, high = limits(model, text)
    assert min(every) - 1e-5 <= low < high <= max(every) + 1e-5
    assert high - low > 0.8 * (max(every) - min(every))  # of models in which no word means anything by itself


def test_the_true_order_is_best_first_and_worst_last():
    found = {"exact": [explanation(TEXT, EXACT)], "reversed": [explanation(TEXT, -np.array(EXACT))]}
    scores = measure(additive(WEIGHTS), found, BOTH)
    assert scores["normalized-comprehensiveness", "exact"].value == pytest.approx(1, abs=1e-5)
    assert scores["normalized-comprehensiveness", "reversed"].value == pytest.approx(0, abs=1e-5)
    assert scores["normalized-sufficiency", "exact"].value == pytest.approx(0, abs=1e-5)
    assert scores["normalized-sufficiency", "reversed"].value == pytest.approx(1, abs=1e-5)


def test_an_order_lies_where_all_orders_put_it():
    model, text = tangled(6, 9)
    every = aopc_of_every_order(model, text)
    order = (2, 5, 0, 1, 4, 3)
    wide = [NormalizedComprehensiveness(width=20), NormalizedSufficiency(width=20)]
    falling = explanation(text, -np.argsort(order).astype(float))
    scores = measure(model, {"x": [falling]}, wide)
    low, high = min(every.values()), max(every.values())
    for name, way in (("comprehensiveness", order), ("sufficiency", order[::-1])):
        expected = (every[way] - low) / (high - low)
        assert scores[f"normalized-{name}", "x"].value == pytest.approx(expected, abs=1e-4)


def test_a_model_that_answers_more_flatly_has_lower_falls_and_the_same_place():
    sharp, flat = ({word: scale * weight for word, weight in WEIGHTS.items()} for scale in (0.2, 0.02))
    found = {"x": [explanation(TEXT, np.arange(6))]}
    one, other = (measure(additive(weights), found, BOTH) for weights in (sharp, flat))
    for metric in BOTH:
        assert one[metric.name, "x"].value == pytest.approx(other[metric.name, "x"].value, abs=0.05)


@pytest.mark.parametrize(("text", "scores"), [("", []), ("funny", [1]), ("the film of it", [1, 2, 3, 4])])
def test_where_no_order_is_better_than_another_nothing_is_defined(text, scores):
    found = measure(additive(WEIGHTS), {"x": [explanation(text, scores)]}, BOTH)
    assert all(np.isnan(score.value) for score in found)


def test_texts_of_many_words_lose_several_at_a_time():
    assert removed_words(4, 10) == [1, 2, 3, 4]
    assert removed_words(25, 10) == [3, 5, 8, 10, 13, 15, 18, 20, 23, 25]
    assert removed_words(0, 10) == []


def test_the_cost_is_bounded_and_long_texts_still_find_their_limits():
    rng = np.random.default_rng(0)
    weights = {f"w{i}": weight for i, weight in enumerate(rng.normal(0, 0.2, 120))}
    text, values = " ".join(weights), np.array(list(weights.values()))
    spy = Spy(additive(weights))
    found = measure(spy, {"exact": [explanation(text, values)], "random": [explanation(text, rng.random(120))]}, BOTH)
    metric = BOTH[0]
    chains = 4 * metric.steps
    assert (
        found.forward_passes <= 120 + 2 * metric.steps * metric.width * (metric.candidates + metric.width) + chains + 1
    )
    assert found["normalized-comprehensiveness", "exact"].value > 0.97
    assert found["normalized-sufficiency", "exact"].value < 0.03
    assert 0.2 < found["normalized-comprehensiveness", "random"].value < 0.8


@pytest.mark.parametrize("name", ["steps", "width", "candidates"])
def test_a_search_for_nothing_is_refused(name):
    with pytest.raises(OptionError, match=f"{name} = 0: give 1 or more"):
        NormalizedSufficiency(**{name: 0})
