import pickle
from dataclasses import replace

import pytest
import torch

from reference.trials import TEXTS, tiny_run, tiny_trial
from whyword.grids.evaluation import Question
from whyword.grids.source import find_source
from whyword.grids.trial import Inquiry, Interview
from whyword.interfaces.errors import OptionError
from whyword.models import train as module
from whyword.models.train import train_model
from whyword.papers.evaluations.accuracy import Accuracy
from whyword.papers.evaluations.examples import Examples
from whyword.parallel import WorkerError


def test_the_name_changes_with_whatever_decides_the_model_and_with_nothing_else(tmp_path):
    trial = tiny_trial(tmp_path, replace(tiny_run(), vectors=True), embeddings="glove.txt", vectors="bytes")
    other_settings = {**trial.run.settings, "training": {"epochs": 2}}
    others = [
        replace(trial, seed=1),
        replace(trial, source=find_source("planted:train=41,dev=10,test=12")),
        replace(trial, source=replace(trial.source, rows=20)),
        replace(trial, vectors="other bytes"),
        trial.other(replace(trial.run, settings=other_settings)),
        trial.other(replace(trial.run, vectors=False)),
        trial.other(replace(trial.run, choose=("method.beta", (0.1, 1.0)))),
        trial.other(replace(trial.run, longest=5)),
        trial.other(replace(trial.run, ratio="1:5")),
        trial.other(replace(trial.run, name="another")),
    ]
    assert len({trial.name, *(other.name for other in others)}) == 1 + len(others)
    same = replace(trial, models=tmp_path / "elsewhere", embeddings="copy.txt", data_dir="data")
    assert same.name == trial.name


def test_vectors_are_only_for_the_runs_that_start_from_some(tmp_path):
    trial = tiny_trial(tmp_path, embeddings="glove.txt", vectors="bytes")
    assert trial.config.embeddings is None
    assert trial.other(replace(trial.run, vectors=True)).config.embeddings == "glove.txt"


def test_a_run_sees_its_data_short_and_in_its_ratio(tmp_path):
    trial = tiny_trial(tmp_path, replace(tiny_run(), longest=2, ratio="1:5"))
    dataset = trial.dataset()
    assert {len(document.words.strings) for document in dataset.train} == {2}
    assert [d.label for d in dataset.train].count("positive") * 4 < len(dataset.train)


def test_a_model_is_trained_once_as_train_model_does_and_loaded_ever_after(tmp_path, monkeypatch):
    trial = tiny_trial(tmp_path)
    dataset = trial.dataset()
    texts = [document.words for document in dataset.test]
    expected = train_model(trial.config, dataset).classifier.probabilities(texts)
    assert torch.equal(trial.model(dataset).classifier.probabilities(texts), expected)
    monkeypatch.setattr(module, "train_model", None)
    assert torch.equal(trial.model(dataset).classifier.probabilities(texts), expected)


def test_a_killed_training_is_taken_up_again(tmp_path, monkeypatch):
    trial = tiny_trial(tmp_path)
    dataset = trial.dataset()
    asked = []
    monkeypatch.setattr(module, "train_model", lambda *given: asked.append(given[4]))
    trial.model(dataset)
    begun = tmp_path / f"{trial.name}.training"
    begun.mkdir()
    (begun / "run.json").write_text("{}")
    trial.model(dataset)
    assert asked == [False, True]


def test_a_setting_is_chosen_on_dev(tmp_path):
    trial = tiny_trial(tmp_path, replace(tiny_run(), choose=("method.beta", (0.1, 50.0))))
    model = trial.model(trial.dataset())
    assert model.metrics["choice"]["setting"] == "method.beta"
    assert set(model.metrics["choice"]["dev_accuracy"]) == {"0.1", "50.0"}
    assert (tmp_path / trial.name / "config.json").exists()


def test_a_killed_choice_is_taken_up_again(tmp_path, monkeypatch):
    trial = tiny_trial(tmp_path, replace(tiny_run(), choose=("method.beta", (0.1, 50.0))))
    train, trained = module.train_model, []

    def dying(run, *given):
        if len(trained) == 1:
            trained.append(None)
            raise KeyboardInterrupt
        trained.append(run.method_settings.beta)
        return train(run, *given)

    monkeypatch.setattr(module, "train_model", dying)
    with pytest.raises(KeyboardInterrupt):
        trial.model(trial.dataset())
    trial.model(trial.dataset())
    assert trained == [0.1, None, 50.0]
    assert [path.name for path in tmp_path.iterdir()] == [trial.name]


def test_every_question_has_its_own_record(tmp_path):
    trial = tiny_trial(tmp_path)
    inquiries = [Inquiry(trial, question) for question in (Accuracy(), Examples(), Examples(texts=2))]
    inquiries.append(Inquiry(replace(trial, seed=1), Accuracy()))
    assert len({inquiry.name for inquiry in inquiries}) == 4
    assert "-accuracy-" in inquiries[0].name
    assert Inquiry(trial, Accuracy()).name == inquiries[0].name


def test_the_record_says_what_was_asked_of_whom_and_holds_the_answer(tmp_path):
    trial = tiny_trial(tmp_path)
    threads = []

    class Threads(Question):
        facts = {"question": "threads"}  # noqa: RUF012

        def ask(self, model, dataset, trial):
            threads.append(torch.get_num_threads())
            return {"test": len(dataset.test), "seed": trial.seed}

    torch.set_num_threads(2)
    try:
        record = Inquiry(trial, Threads()).answer()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert threads == [1]
    assert record["answer"] == {"test": 12, "seed": 0}
    assert record["train_texts"] == 40
    assert (record["dataset"], record["run"], record["seed"]) == (TEXTS, "vmask", 0)
    assert record["cell"] == Inquiry(trial, Threads()).name
    assert record["facts"]["asked"] == {"question": "threads"}


class Odd(Question):
    """A question that cannot be answered."""

    facts = {"question": "odd"}  # noqa: RUF012

    def ask(self, model, dataset, trial):
        raise ZeroDivisionError("of zero")


def test_an_answer_that_fails_leaves_the_others_of_its_interview_alone(tmp_path):
    trial = tiny_trial(tmp_path)
    odd, sound = Interview((Inquiry(trial, Odd()), Inquiry(trial, Accuracy())), tmp_path / "cells").answer()
    assert (odd["failed"], odd["bug"]) == ("ZeroDivisionError: of zero", True)
    assert odd["cell"] == Inquiry(trial, Odd()).name
    assert sound["answer"]["test_texts"] == 12
    assert {path.stem for path in (tmp_path / "cells").iterdir()} == {odd["cell"], sound["cell"]}


def test_an_interview_that_was_broken_off_keeps_its_answers(tmp_path, monkeypatch):
    trial = tiny_trial(tmp_path)
    answered, broken = Inquiry(trial, Accuracy()), Inquiry(trial, Examples())
    (kept,) = Interview((answered,), tmp_path / "cells").answer()
    interview = Interview((answered, broken), tmp_path / "cells")
    again, failed = interview.fail(WorkerError("It died twice."))
    assert again == kept
    assert (failed["question"], failed["failed"]) == ("examples", "It died twice.")
    asked = []
    monkeypatch.setattr(Inquiry, "answer", lambda inquiry: asked.append(inquiry) or {"cell": inquiry.name})
    assert interview.answer() == [kept, {"cell": broken.name}]
    assert asked == [broken]


def test_training_that_fails_is_not_tried_again_for_every_question(tmp_path, monkeypatch):
    tries = []

    def diverging(*_, **__):
        tries.append(1)
        raise OptionError("The loss became nan.")

    monkeypatch.setattr(module, "train_model", diverging)
    trial = tiny_trial(tmp_path)
    records = Interview((Inquiry(trial, Accuracy()), Inquiry(trial, Examples())), tmp_path / "cells").answer()
    assert [(record["question"], record["failed"], record["bug"]) for record in records] == [
        ("accuracy", "The loss became nan.", False),
        ("examples", "The loss became nan.", False),
    ]
    assert tries == [1]


def test_an_inquiry_can_be_sent_to_another_process(tmp_path):
    inquiry = Inquiry(tiny_trial(tmp_path), Examples())
    sent = pickle.loads(pickle.dumps(inquiry))
    assert sent == inquiry
    assert sent.name == inquiry.name


@pytest.mark.parametrize("name", ["a/b c", "x" * 300], ids=["odd", "long"])
def test_names_are_good_for_files(tmp_path, name):
    trial = tiny_trial(tmp_path, tiny_run(name=name))
    assert len(trial.name) < 150
    assert "/" not in trial.name
    assert " " not in Inquiry(trial, Accuracy()).name
