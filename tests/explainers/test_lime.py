from itertools import pairwise

import numpy as np
import pytest
from lime.lime_text import LimeTextExplainer
from scipy.special import expit
from scipy.stats import kendalltau

from contributing import contributing, keeps
from contributing import words as numbered
from whyword.attribution.surrogate import Surrogate
from whyword.data.words import split
from whyword.explainers.lime import Lime
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError

WEIGHTS = {"superb": 1.8, "warm": 0.9, "dull": -1.4, "thin": -0.7, "and": 0.1, "not": -0.4}
TEXT = "a superb and warm film , not dull but thin , said the man from the paper we all read on Sunday"


class Counting:
    """Says how many strings it was asked about."""

    def __init__(self, score):
        self.score = score
        self.asked = []

    def __call__(self, texts):
        self.asked += texts
        shares = np.array([self.score(text.split()) for text in texts])
        return np.stack([1 - shares, shares], axis=1)


def log_odds(words):
    return expit(sum(WEIGHTS.get(word, 0.0) for word in words))


def tangled(words):
    """A word counts only beside its neighbor."""
    return expit(sum(len(one) % 3 - len(other) % 4 for one, other in pairwise(words)) / 2)


def explain(score, text, **settings):
    box = Counting(score)
    (explanation,) = Lime(**settings).explain(BlackBox(box, ("bad", "good")), [Document(split(text))], [1])
    return explanation, box


class Scripted:
    """A random state of lime's that draws every subset as often as it comes on average."""

    def __init__(self, words, times):
        subsets = [[i for i in range(words) if number >> i & 1] for number in range(1, 2**words)]  # of words removed
        repeats = {size: times * 12 // sum(len(s) == size for s in subsets) for size in range(1, words + 1)}
        self.removed = [subset for subset in subsets for _ in range(repeats[len(subset)])]

    def randint(self, low, high, size):
        assert size == len(self.removed)
        return [len(removed) for removed in self.removed]

    def choice(self, words, size, replace):
        return self.removed.pop(0)


def test_scores_of_a_short_text_are_those_of_lime_itself_when_it_draws_every_subset(lstm):
    text, scripted = "superb dull film tonight", Scripted(4, 104)
    samples = len(scripted.removed) + 1  # 4993 of the 5000 that ours stand for
    theirs = LimeTextExplainer(feature_selection="none")
    theirs.random_state = scripted

    def predict(strings):
        return lstm.probabilities([split(string) for string in strings]).double().numpy()

    explained = theirs.explain_instance(text, predict, labels=(1,), num_features=4, num_samples=samples)
    (ours,) = Lime().explain(lstm, [Document(split(text))], [1])
    np.testing.assert_allclose(ours.scores, [score for _, score in sorted(explained.local_exp[1])], rtol=1e-4)
    assert ours.forward_passes == 16
    assert not ours.std_error.any()


@pytest.mark.parametrize("bag_of_words", [True, False])
def test_scores_agree_with_an_independent_run_of_lime(lstm, documents, bag_of_words):
    text = " ".join(document.words.texts[0] for document in documents[:2])
    theirs = LimeTextExplainer(
        feature_selection="none",
        bow=bag_of_words,
        mask_string="",
        split_expression=lambda string: list(split(string).strings),
        random_state=0,
    )

    def predict(strings):
        return lstm.probabilities([split(string) for string in strings]).double().numpy()

    explained = theirs.explain_instance(text, predict, labels=(1,), num_features=99, num_samples=5000)
    (ours,) = Lime(samples=2000, bag_of_words=bag_of_words).explain(lstm, [Document(split(text))], [1])
    first = {word: place for place, word in reversed(list(enumerate(ours.words)))}
    places = sorted(first.values()) if bag_of_words else range(len(ours.words))
    scores = np.array([score for _, score in sorted(explained.local_exp[1])])
    assert len(scores) == len(places)
    assert np.corrcoef(scores, ours.scores[places])[0, 1] > 0.98
    assert kendalltau(scores, ours.scores[places]).statistic > 0.8


def test_an_additive_model_is_recovered():
    explanation, _ = explain(lambda words: 0.5 + sum(WEIGHTS.get(word, 0) for word in words) / 9, TEXT, samples=300)
    expected = [WEIGHTS.get(word, 0.0) / 9 for word in explanation.words]
    np.testing.assert_allclose(explanation.scores, expected, atol=0.01)
    assert explanation.top(1)[0][0] == "superb"
    assert explanation.base_value == pytest.approx(0.5)


def test_standard_errors_say_how_far_off_the_scores_are():
    limit, _ = explain(tangled, TEXT, samples=4000)
    for seed in range(5):
        few, _ = explain(tangled, TEXT, samples=150, seed=seed)
        off = (few.scores - limit.scores) / np.hypot(few.std_error, limit.std_error)
        assert 0.4 < np.sqrt(np.mean(off**2)) < 1.7


@pytest.mark.parametrize("samples", [16, 64, 500])
def test_samples_are_forward_passes_and_none_is_asked_twice(samples):
    explanation, box = explain(tangled, TEXT, samples=samples, bag_of_words=False)
    assert explanation.forward_passes == samples
    assert len(set(box.asked)) == len(box.asked) <= samples


def test_short_texts_are_asked_about_every_subset_once_and_no_more():
    explanation, box = explain(tangled, "a superb and warm film", samples=1000)
    assert explanation.forward_passes == len(box.asked) == 32
    assert explanation.converged == 1.0


def test_auto_stops_sooner_where_the_top_words_are_plain_to_see():
    easy, _ = explain(log_odds, TEXT, top=2)
    hard, _ = explain(tangled, TEXT, top=2, limit=2000)
    assert easy.forward_passes < 200
    assert easy.forward_passes < hard.forward_passes <= 2000
    assert easy.converged >= 0.95
    assert not easy.tied.any()


def test_words_that_cannot_be_told_apart_are_tied():
    explanation, _ = explain(log_odds, TEXT, top=4, limit=200)
    assert explanation.forward_passes == 200
    names = {word for word, tied in zip(explanation.words, explanation.tied, strict=True) if tied}
    assert len(names - WEIGHTS.keys()) > 3
    assert not {"superb", "warm"} & names


def test_a_budget_of_seconds_is_kept(monkeypatch):
    clock = [0.0]

    def takes_a_millisecond(words):
        clock[0] += 0.001
        return tangled(words)

    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    for budget in (0.1, 0.3):
        explanation, _ = explain(takes_a_millisecond, TEXT, budget=budget, confidence=1 - 1e-9, bag_of_words=False)
        assert explanation.forward_passes == pytest.approx(1000 * budget, abs=3)
        assert explanation.seconds == pytest.approx(budget, abs=0.003)


def test_all_occurrences_of_a_word_share_a_score_unless_positions_are_asked_for():
    text = "dull dull superb dull Dull"
    together, box = explain(log_odds, text)
    assert together.scores[0] == together.scores[1] == together.scores[3] != together.scores[4]
    assert len(box.asked) == 8
    apart, _ = explain(lambda words: 0.5 + 0.4 * (words[:1] == ["dull"]), text, bag_of_words=False)
    assert len(set(apart.scores.round(9))) > 2


def test_no_words_and_one_word_are_explained():
    empty, box = explain(log_odds, "")
    assert (len(empty.scores), empty.forward_passes, box.asked) == (0, 1, [""])
    assert empty.base_value == empty.probability == 0.5
    single, _ = explain(log_odds, "superb")
    assert single.forward_passes == 2
    assert 0 < single.scores[0] < expit(1.8) - 0.5  # lime's penalty takes much of so few words


def test_unknown_words_and_emoji_are_explained(lstm):
    for text in ("qwx zvrk , qwx zvrk", "a 😀 film 👩‍👩‍👧 🇫🇷 !", " ".join(f"qwx{i}" for i in range(12))):
        (explanation,) = Lime(limit=100).explain(lstm, [Document(split(text))])
        assert np.isfinite(explanation.scores).all()


def test_five_thousand_words_are_explained():
    text = " ".join(["superb", *(f"word{i}" for i in range(4999))])
    explanation, _ = explain(lambda words: 0.9 if "superb" in words else 0.1, text, samples=60)
    assert explanation.ranking[0] == 0
    assert explanation.forward_passes == 60


def test_a_text_has_the_same_scores_alone_and_in_a_list_and_for_each_seed(lstm, documents):
    together = Lime(samples=80).explain(lstm, documents[:3])
    for document, explanation in zip(documents, together, strict=False):
        (alone,) = Lime(samples=80).explain(lstm, [document])
        np.testing.assert_allclose(alone.scores, explanation.scores, atol=1e-6)
    other = Lime(samples=80, seed=1).explain(lstm, documents[:3])
    assert any((one.scores != two.scores).any() for one, two in zip(together, other, strict=True))


def test_two_classes_have_opposite_scores(lstm, documents):
    one, other = (Lime(samples=400).explain(lstm, documents[:2], [target] * 2) for target in (0, 1))
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first.scores, -second.scores, atol=1e-3)


@pytest.mark.parametrize("settings", [{"samples": 3}, {"samples": "many"}, {"limit": 0}, {"kernel_width": 0.0}])
def test_settings_out_of_range_are_refused_in_a_sentence(settings):
    with pytest.raises(OptionError, match=r"lime\.\w+ is .*: give .*\.$"):
        Lime(**settings)


def three_classes(kept):
    odds = np.exp(kept @ np.random.default_rng(0).normal(size=(kept.shape[1], 3)))
    return odds / odds.sum(1, keepdims=True)


@pytest.mark.parametrize(("count", "samples", "off"), [(6, 100, 1e-6), (15, 2000, 0.02)])
def test_every_class_is_scored_by_the_answers_to_one(count, samples, off):
    model = BlackBox(lambda texts: three_classes(keeps(texts, count)), ("a", "b", "c"))
    (explanation,) = Lime(samples=samples).explain(model, [numbered(count)], [1])
    assert np.array_equal(explanation.all_scores[1], explanation.scores)
    for number in range(3):
        (alone,) = Lime(samples=samples).explain(model, [numbered(count)], [number])
        np.testing.assert_allclose(explanation.all_scores[number], alone.scores, atol=off)
        assert explanation.base_values[number] == pytest.approx(alone.base_value)


def test_contributions_bring_few_samples_nearer():
    """A model that adds up log-odds, and what it is known to add up: 24 samples of 20 words, ten seeds."""
    surrogate = Surrogate(-0.3, np.random.default_rng(0).normal(size=20))
    model = contributing(surrogate, 20, surrogate.shapley())
    (truth,) = Lime(samples=3000).explain(model, [numbered(20)], [1])

    def squared_error(start):
        explainers = [Lime(samples=24, seed=seed, start=start) for seed in range(10)]
        found = [explainer.explain(model, [numbered(20)], [1])[0].scores for explainer in explainers]
        return ((np.array(found) - truth.scores) ** 2).sum(1).mean()

    assert squared_error("own") < squared_error(None) / 2


def test_occurrences_of_a_word_start_together_and_the_pass_is_counted():
    document = Document(split("w0 w1 w0 w2"))
    model = contributing(lambda kept: 0.2 + 0.1 * kept[:, :2].sum(1), 4, np.array([0.1, 0.1, 0.0, 0.0]))
    started, anew = (Lime(start=start).explain(model, [document], [1])[0] for start in ("own", None))
    assert started.forward_passes == anew.forward_passes + 1
    np.testing.assert_allclose(started.scores, anew.scores, atol=1e-6)  # all sub-texts of three words were asked about


def test_another_start_is_refused():
    with pytest.raises(OptionError, match=r"lime\.start is 'shapley'"):
        Lime(start="shapley")
