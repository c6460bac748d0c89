"""Marked words as a term of the loss, against its formula written out."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from reference.samples import attention_on_lstm, random_batch, sample
from whyword.checks.samples import CLASSES, maker_of_method, sample_corpus, sample_words
from whyword.data.planted import planted
from whyword.interfaces.document import NO_REASON, REASON, UNKNOWN
from whyword.interfaces.errors import OptionError
from whyword.interfaces.method import Objective, Phase
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.training.marked_words import distance_from_marks, with_marked_words


def marked_batch():
    marks = [[REASON, NO_REASON, REASON], [NO_REASON, NO_REASON, UNKNOWN], [NO_REASON, UNKNOWN, REASON]]
    return replace(random_batch([3, 3, 3]), marks=torch.tensor(marks))


def test_attention_is_held_against_the_marks_of_each_text_divided_among_them():
    weights = torch.tensor([[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]])
    batch = marked_batch().select(torch.tensor([0, 2]))
    by_hand = [0.5 * math.log(0.5 / 0.5) + 0.5 * math.log(0.5 / 0.3), math.log(1 / 0.7)]
    assert float(distance_from_marks(weights, batch, True)) == pytest.approx(sum(by_hand) / 2)


def test_attention_on_the_marks_alone_costs_nothing():
    weights = torch.tensor([[0.5, 0.0, 0.5]])
    assert float(distance_from_marks(weights, marked_batch().select(torch.tensor([0])), True)) == pytest.approx(0)


def test_gates_are_held_against_every_word_that_is_known():
    weights = torch.tensor([[0.9, 0.2, 0.8], [0.1, 0.3, 0.5], [0.4, 0.5, 0.6]])
    known = [0.9, 1 - 0.2, 0.8, 1 - 0.1, 1 - 0.3, 1 - 0.4, 0.6]
    by_hand = -sum(map(math.log, known)) / len(known)
    assert float(distance_from_marks(weights, marked_batch(), False)) == pytest.approx(by_hand)


@pytest.mark.parametrize(("name", "texts"), [("attention", 2), ("vmask", 3)])
def test_only_texts_of_which_something_is_known_are_read_again(name, texts):
    method = maker_of_method(name, "bag")(sample_words(), len(CLASSES)).eval()
    corpus = sample_corpus(sample_words())
    plain = corpus.batch(np.arange(4))
    marks = torch.full(plain.tokens.shape, UNKNOWN)
    marks[0, 0], marks[1, 0], marks[2, 0] = REASON, REASON, NO_REASON
    read = []
    method.register_forward_hook(lambda module, inputs, output: read.append(len(inputs[0])))
    phase = with_marked_words(Phase("one", 1, [Objective(task_of(method), [])]), 0.5, method)
    (objective,) = phase.objectives
    terms = objective.losses(replace(plain, marks=marks), 0.0)
    assert read == [4, texts]
    assert set(terms) == {"task", "marks"}
    read.clear()
    assert set(objective.losses(plain, 0.0)) == {"task"}
    assert read == [4]


def task_of(method):
    return lambda batch, progress: {"task": method(batch).logits.sum()}


def test_a_method_without_word_weights_refuses_in_a_sentence():
    config = make_config({"encoder": {"name": "bag", "dim": 4}, "training": {"rationale_weight": 1.0, "epochs": 1}})
    with pytest.raises(OptionError, match="choose attention or vmask"):
        train_model(config, planted("easy,train=20,dev=10,test=0"))


@pytest.mark.parametrize("method", ["attention", "vmask"])
def test_weights_that_are_drawn_to_marks_agree_with_them_better(method):
    dataset = planted("easy,train=80,dev=20,test=0")

    def agreement(weight):
        training = {"epochs": 5, "learning_rate": 0.02, "rationale_weight": weight, "patience": None, "subtexts": 0.3}
        values = {"method": method, "encoder": {"name": "bag", "dim": 16}, "training": training}
        model = train_model(make_config(values), dataset)
        return max(record["health"]["agreement"] for record in model.history)

    assert agreement(2.0) > agreement(1e-9) + 0.1


def test_without_a_weight_nothing_changes():
    phase = Phase("one", 1, [])
    assert with_marked_words(phase, 0.0, attention_on_lstm(sample().tokenizer.size)) is phase
