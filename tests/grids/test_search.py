from dataclasses import replace

import pytest

from reference.variants import tiny_trained, tiny_variant
from whyword.grids import search
from whyword.grids.search import search_settings, words_of
from whyword.interfaces.errors import DivergedError

CANDIDATES = (("training.learning_rate", (0.01, 0.1)), ("method.dropout", (0.2, 0.5)))


@pytest.fixture
def reached(monkeypatch):
    """Dev scores by learning rate and dropout, and a list of the runs that were trained."""
    scores = {(0.01, 0.2): 0.6, (0.1, 0.2): 0.8, (0.1, 0.5): 0.8}
    runs = []

    def train(run, *_, **__):
        key = (run.training.learning_rate, run.method_settings.dropout)
        runs.append((*key, run.seed))
        if scores[key] is None:
            raise DivergedError("It diverged.")
        return type("Model", (), {"metrics": {"dev_accuracy": scores[key]}})

    monkeypatch.setattr(search, "train_model", train)
    return scores, runs


def searched(folder=None, seed=3):
    trained = tiny_trained(folder, tiny_variant("base"), seed=seed)
    return search_settings(trained.config, trained.dataset(), CANDIDATES, folder=folder)


def test_each_setting_is_chosen_beside_the_best_of_those_before_with_one_seed(reached):
    found = searched()
    assert words_of(found) == ["training.learning_rate=0.1", "method.dropout=0.2"]  # of equals the first
    assert found[0]["dev"] == {"0.01": 0.6, "0.1": 0.8}
    assert reached[1] == [(0.01, 0.2, 0), (0.1, 0.2, 0), (0.1, 0.5, 0)]  # what was tried once is not tried again


def test_a_search_that_was_stopped_goes_on(reached, tmp_path):
    assert searched(tmp_path) == searched(tmp_path)
    assert len(reached[1]) == 3
    next(tmp_path.glob("*0.01*.json")).unlink()
    searched(tmp_path)
    assert len(reached[1]) == 4


def test_what_diverges_is_left_out_and_all_of_it_refused(reached):
    scores, _ = reached
    scores[0.01, 0.2] = None
    assert searched()[0]["chosen"] == 0.1
    scores[0.1, 0.2] = None
    with pytest.raises(DivergedError, match=r"every value of training\.learning_rate"):
        searched()


def test_a_variant_is_trained_with_what_its_search_finds_for_every_seed(tmp_path):
    variant = replace(tiny_variant("base"), search=(("method.dropout", (0.2, 0.5)),))
    first, other = (tiny_trained(tmp_path, variant, seed=seed) for seed in (0, 1))
    (found,) = first.searched(first.dataset())
    models = [trained.model(trained.dataset()) for trained in (first, other)]
    assert {model.config.method_settings.dropout for model in models} == {found["chosen"]}
    assert first.name != tiny_trained(tmp_path, tiny_variant("base")).name
    assert other.searched(other.dataset()) == [found]
