"""Long texts: groups of words first, then the words of the groups that matter."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch

from reference.owen import owen_values
from whyword.attribution.groups.watch import watch_long_texts
from whyword.data.words import split
from whyword.explainers import Lime, Occlusion, Shapley
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.interfaces.settings import build

EXPLAINERS = {"occlusion": Occlusion, "lime": Lime, "shapley": Shapley}
IN_GROUPS = {
    "occlusion": Occlusion(groups=100, limit_in_groups=100),
    "lime": Lime(groups=100, limit_in_groups=600),
    "shapley": Shapley(groups=100, limit_in_groups=2000),
}


@dataclass
class Game:
    """A model that is a function of which words are kept, and counts what it is asked."""

    ask: object  # (subset, word) float to (subset,)
    classes: tuple = ("bad", "good")
    passes: int = 0
    read: int = 0  # words
    most: list = field(default_factory=list)

    def probabilities(self, texts):
        return torch.cat(
            [self.probabilities_of_subsets(text, torch.ones(1, len(text), dtype=torch.bool)) for text in texts]
        )

    def probabilities_of_subsets(self, text, kept, removal="delete"):
        self.passes += len(kept)
        self.read += int(kept.sum())
        good = np.asarray(self.ask(kept.numpy().astype(float)))
        return torch.from_numpy(np.stack([1 - good, good], axis=1))

    def probabilities_of_many(self, requests, removal="delete"):
        for text, kept in requests:
            yield self.probabilities_of_subsets(text, kept, removal)


def text_of(count):
    return Document(split(" ".join(f"w{number}" for number in range(count))))


def sparse(count, seed=0, matter=6):
    """Give an additive model of which few words matter, and their weights."""
    generator = np.random.default_rng(seed)
    weights = np.zeros(count)
    weights[generator.choice(count, matter, replace=False)] = 0.06 * generator.choice([-1, 1], matter)
    return Game(lambda kept: 0.5 + kept @ weights), weights


@pytest.mark.parametrize(
    ("explainer", "off"),
    [
        (IN_GROUPS["occlusion"], 1e-6),
        (Shapley(groups=100, samples=2, limit_in_groups=2000), 1e-6),  # orders of groups, which are exact here
        (IN_GROUPS["shapley"], 6e-4),  # pairs, which are predicted to a hundredth of the largest score
    ],
    ids=["occlusion", "orders", "pairs"],
)
def test_words_of_an_additive_model_get_their_weights(explainer, off):
    game, weights = sparse(300)
    (explanation,) = explainer.explain(game, [text_of(300)], [1])
    assert not explanation.grouped[weights != 0].any()
    np.testing.assert_allclose(explanation.scores, weights, atol=off)  # groups that stay closed have none
    np.testing.assert_allclose(explanation.all_scores, [-weights, weights], atol=off)


def test_lime_of_an_additive_model_is_that_of_words_by_themselves():
    game, weights = sparse(300)
    (explanation,) = IN_GROUPS["lime"].explain(game, [text_of(300)], [1])
    (by_itself,) = Lime(groups=None, bag_of_words=False, samples=3000).explain(game, [text_of(300)], [1])
    matter = weights != 0
    assert not explanation.grouped[matter].any()
    np.testing.assert_allclose(explanation.scores[matter], by_itself.scores[matter], rtol=0.1)
    assert np.abs(explanation.scores[~matter]).max() < 0.1 * np.abs(explanation.scores[matter]).min()


def test_owen_values_of_a_short_text_are_those_of_all_orders():
    generator = np.random.default_rng(5)
    into, out = generator.normal(size=(8, 5)), generator.normal(size=5)

    def ask(kept):
        return 1 / (1 + np.exp(-np.tanh(0.7 * (kept @ into - 1)) @ out))

    (explanation,) = Shapley(groups=2, limit_in_groups=600).explain(Game(ask), [text_of(8)], [1])
    expected = owen_values(lambda kept: float(ask(kept[None].astype(float))[0]), [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert not explanation.grouped.any()
    np.testing.assert_allclose(explanation.scores, expected, atol=2e-6)
    np.testing.assert_allclose(explanation.all_scores[0], -expected, atol=2e-6)


@pytest.mark.parametrize("limit", [40, 300, 1000])
def test_shapley_values_add_up_however_little_was_asked(limit):
    generator = np.random.default_rng(1)
    weights = generator.normal(size=400) / 10

    def ask(kept):
        return 1 / (1 + np.exp(-kept @ weights - (kept[:, :-1] * kept[:, 1:]) @ weights[1:]))

    game = Game(ask)
    (explanation,) = Shapley(groups=200, limit_in_groups=limit).explain(game, [text_of(400)], [1])
    ends = ask(np.stack([np.ones(400), np.zeros(400)]))
    assert explanation.grouped.any()
    assert explanation.scores.sum() == pytest.approx(ends[0] - ends[1], abs=1e-9)
    np.testing.assert_allclose(explanation.all_scores.sum(axis=1), [ends[1] - ends[0], ends[0] - ends[1]], atol=1e-9)
    assert explanation.base_value == pytest.approx(ends[1])
    assert explanation.forward_passes == game.passes <= limit


def test_a_group_that_stays_closed_is_shared_out_evenly():
    weights = np.linspace(0.0, 0.001, 300)
    game = Game(lambda kept: 0.2 + kept @ weights)
    (explanation,) = Occlusion(groups=100, limit_in_groups=30).explain(game, [text_of(300)], [1])
    assert explanation.grouped.sum() > 200
    np.testing.assert_allclose(explanation.scores.sum(), weights.sum(), atol=1e-9)
    for first in np.flatnonzero(explanation.grouped)[:50]:
        same = np.isclose(explanation.scores, explanation.scores[first], atol=1e-12) & explanation.grouped
        assert explanation.scores[first] == pytest.approx(weights[same].mean())


@pytest.mark.parametrize("name", list(EXPLAINERS))
@pytest.mark.parametrize("count", [500, 4000, 8000])
def test_passes_do_not_grow_with_the_text_so_that_what_is_read_grows_with_its_length(name, count):
    game, _ = sparse(count, matter=20)
    (explanation,) = replace(EXPLAINERS[name](), groups=300, limit_in_groups=300).explain(game, [text_of(count)], [1])
    assert explanation.forward_passes == game.passes <= 300
    assert game.read <= 300 * count
    assert (explanation.scores != 0).any()


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_shorter_texts_beside_a_long_one_are_explained_as_ever(name):
    short, long = [text_of(12), text_of(15)], text_of(150)
    weights = np.random.default_rng(2).normal(size=150) / 30
    game = Game(lambda kept: 1 / (1 + np.exp(-kept @ weights[: kept.shape[1]])))
    mixed = IN_GROUPS[name].explain(game, [short[0], long, short[1]], [1, 1, 0])
    alone = replace(IN_GROUPS[name], groups=None).explain(game, short, [1, 0])
    assert [explanation.document for explanation in mixed] == [short[0], long, short[1]]
    for one, other in zip((mixed[0], mixed[2]), alone, strict=True):
        assert one.scores.tolist() == other.scores.tolist()
        assert one.grouped is None
    assert mixed[1].grouped is not None


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_the_same_text_has_the_same_scores(name):
    game, _ = sparse(200)
    once, again = (IN_GROUPS[name].explain(game, [text_of(200)])[0] for _ in range(2))
    assert once.scores.tolist() == again.scores.tolist()


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_progress_begins_with_a_few_timed_passes_and_ends_with_nothing_left(name):
    game, _ = sparse(300)
    told = []
    with watch_long_texts(told.append):
        (explanation,) = IN_GROUPS[name].explain(game, [text_of(300)], [1])
    assert told[0].begins
    assert told[0].passes <= 4
    assert told[0].left > 0
    assert all(one.words == 300 for one in told)
    assert [one.passes for one in told] == sorted(one.passes for one in told)
    assert told[-1].passes == explanation.forward_passes
    IN_GROUPS[name].explain(game, [text_of(300)], [1])  # nobody listens any more
    assert told[-1].passes == explanation.forward_passes


def test_an_lstm_explains_a_long_text_in_all_ways(lstm):
    filler = "the plot of this film has a beginning, a middle and an end. " * 5
    document = Document(split(filler + "superb " + filler))
    for explainer in IN_GROUPS.values():
        (explanation,) = explainer.explain(lstm, [document])
        assert np.isfinite(explanation.scores).all()
        assert explanation.grouped.any()
        assert f"{int(explanation.grouped.sum()):,} words were scored in groups" in explanation.to_html()
        assert explanation.to_dict()["grouped"] == explanation.grouped.tolist()
        assert explanation.to_frame()["grouped"].tolist() == explanation.grouped.tolist()


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_settings_out_of_range_are_refused(name):
    with pytest.raises(OptionError, match="groups is 1: give a number from 2 up"):
        build(EXPLAINERS[name], {"groups": "1"}, f"explainer {name}")
    assert build(EXPLAINERS[name], {"groups": "none"}, f"explainer {name}").groups is None
