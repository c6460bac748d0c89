"""The task on random sub-texts: an addition to objectives that have a task, and to no others."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from reference.samples import SETTINGS, attention_on_lstm, equal_weights, sample, training_run, weights
from whyword.checks.samples import CLASSES, maker_of_method, sample_corpus, sample_words
from whyword.data.planted import planted
from whyword.interfaces.errors import OptionError
from whyword.interfaces.method import Objective, Phase, Refinement
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.training import sub_texts as under_test
from whyword.training.optimizer import Training
from whyword.training.sub_texts import with_sub_texts

DATA = sample()
UNKNOWN = 1


def phase_of(*losses):
    return Phase("one", 1, [Objective(each, []) for each in losses])


def batch():
    return sample_corpus(sample_words()).batch([0, 2, 4, 5, 6])


def test_the_task_is_added_on_sub_texts_with_its_weight_and_their_labels(monkeypatch):
    method = maker_of_method("base", "bag")(sample_words(), len(CLASSES)).eval()
    seen = []

    def draw(whole, unknown):
        assert unknown == UNKNOWN
        seen.append(whole.select(torch.tensor([1, 3])))
        return seen[-1]

    monkeypatch.setattr(under_test, "random_sub_texts", draw)
    (objective,) = with_sub_texts(phase_of(method.losses), 0.25, UNKNOWN).objectives
    terms = objective.losses(batch(), 0.5)
    (part,) = seen
    assert set(terms) == {"task", "sub-texts"}
    torch.testing.assert_close(terms["task"], method.losses(batch(), 0.5)["task"])
    torch.testing.assert_close(terms["sub-texts"], 0.25 * cross_entropy(method(part).logits, part.labels))


def test_only_objectives_with_a_task_get_the_term():
    task = lambda texts, progress: {"task": torch.tensor(progress) + len(texts), "more": torch.ones(())}  # noqa: E731
    other = lambda texts, progress: {"bottleneck": torch.ones(())}  # noqa: E731
    first, second = with_sub_texts(phase_of(task, other), 2.0, UNKNOWN).objectives
    terms = first.losses(batch(), 0.5)
    assert set(terms) == {"task", "more", "sub-texts"}
    assert float(terms["sub-texts"]) == 2 * (6 + 0.5)  # pairs of sub-texts of three of the five texts
    assert set(second.losses(batch(), 0.5)) == {"bottleneck"}


def test_without_weight_and_in_a_refinement_nothing_changes():
    phase = phase_of(lambda texts, progress: {"task": torch.ones(())})
    assert with_sub_texts(phase, 0.0, UNKNOWN) is phase
    refinement = Refinement(lambda: iter(()), DATA.train, lambda: 0.0, lambda loss: {}, 8)
    refining = Phase("fit", 1, phase.objectives, refinement=refinement)
    assert with_sub_texts(refining, 1.0, UNKNOWN) is refining


def test_the_other_fields_of_objectives_and_phases_stay():
    objective = Objective(lambda texts, progress: {}, [], weight_decay=0.5, learning_rate=0.1)
    phase = with_sub_texts(Phase("one", 3, [objective], eligible=False), 1.0, UNKNOWN)
    assert (phase.name, phase.epochs, phase.eligible) == ("one", 3, False)
    assert (phase.objectives[0].weight_decay, phase.objectives[0].learning_rate) == (0.5, 0.1)


def test_a_run_with_weight_0_is_a_run_without():
    runs = []
    for settings in (
        SETTINGS,
        Training(**{**vars(SETTINGS), "subtexts": 0.0}),
        Training(**{**vars(SETTINGS), "subtexts": 1.0}),
    ):
        torch.manual_seed(0)
        runs.append(training_run(attention_on_lstm(DATA.tokenizer.size), DATA, settings))
        list(runs[-1].steps())
    plain, none, some = (weights(run.method) for run in runs)
    assert equal_weights(plain, none)
    assert not equal_weights(plain, some)
    assert set(runs[0].history[0]["losses"]) == {"task"}
    assert set(runs[2].history[0]["losses"]) == {"task", "sub-texts"}


@pytest.mark.parametrize("method", ["vat", "evarm", "agn", "vmask", "scl", "l2x", "iba"])
def test_methods_with_several_losses_and_phases_train_on_sub_texts(method):
    values = {"method": method, "encoder": {"name": "bag", "dim": 6}, "training": {"epochs": 1, "subtexts": 0.5}}
    model = train_model(make_config(values), planted("train=24,dev=8,test=0"))
    with_term = [record for record in model.history if "sub-texts" in record["losses"]]
    assert with_term
    assert all("task" in record["losses"] for record in with_term)
    assert all(record["losses"]["sub-texts"] > 0 for record in with_term)


def test_a_negative_weight_is_refused():
    with pytest.raises(OptionError, match="subtexts"):
        Training(subtexts=-0.1)
