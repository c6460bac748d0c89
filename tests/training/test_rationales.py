"""The reader of reasons: learned on frozen states, from marked texts only, beside a classifier that stays as it is."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score

from reference.samples import attention_on_lstm, equal_weights, sample, weights
from whyword.blocks.rationales import RationaleReader, add_reader
from whyword.data.planted import planted
from whyword.explainers import Own, Rationale
from whyword.interfaces.document import NO_REASON, REASON
from whyword.models.config import make_config
from whyword.models.folder import load_model, put_model
from whyword.models.learn import learn_rationales
from whyword.models.train import train_model
from whyword.training.agreement import agreement_of
from whyword.training.loop import TrainingRun
from whyword.training.optimizer import Training
from whyword.training.rationales import FEWEST_DEV_TEXTS, RATIONALES, marked_texts, rationale_phase

QUICK = RationaleReader.Config(least_texts=5, epochs=2, steps=4, width=4, hidden=4)
DATA = sample("train=30,dev=12,test=1")


def run_of(config=QUICK, train=DATA.train, dev=DATA.dev, seed=0):
    torch.manual_seed(3)
    method = attention_on_lstm(DATA.tokenizer.size)
    add_reader(method, config)
    phase = rationale_phase(method, train, dev, seed)
    return TrainingRun(method, Training(), train, dev, seed, torch.device("cpu"), [phase])


def finish(run):
    for _ in run.steps():
        pass
    return run


def config(**values):
    settings = {"encoder": {"name": "lstm", "dim": 8, "hidden": 8}, "training": {"epochs": 2}}
    return make_config({**settings, "rationales": {"epochs": 2, "steps": 4, "width": 4, "hidden": 4}, **values})


def test_answers_are_the_same_to_the_last_bit_with_and_without_a_reader():
    dataset = planted("easy,train=60,dev=20,test=20")
    texts = [document.words for document in dataset.test]
    with_reader, without = (train_model(config(rationales=r), dataset) for r in (True, False))
    assert with_reader.classifier.has_rationales
    assert not without.classifier.has_rationales
    answers = [model.classifier.probabilities(texts) for model in (with_reader, without)]
    assert torch.equal(*answers)
    own = weights(without.classifier.method)
    assert all(torch.equal(weights(with_reader.classifier.method)[name], tensor) for name, tensor in own.items())


def test_contributions_are_the_same_with_and_without_a_reader():
    dataset = planted("easy,train=60,dev=20,test=5")
    small = {"texts": 60, "least_texts": 60, "pairs": 2, "steps": 5, "width": 4, "hidden": 4}
    models = [train_model(config(rationales=r, contributions=small), dataset) for r in (True, False)]
    marked, plain = (Own().explain(model.classifier, dataset.test) for model in models)
    for one, other in zip(marked, plain, strict=True):
        assert np.array_equal(one.scores, other.scores)
        assert one.would_mark.shape == one.scores.shape
        assert other.would_mark is None


def test_only_the_reader_moves():
    run = run_of()
    before = weights(run.method)
    finish(run)
    after = weights(run.method)
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert moved
    assert all(name.startswith("rationales.") for name in moved)


def test_texts_without_marks_cost_nothing():
    marks = list(DATA.train.marks)
    for i in range(10):
        marks[i] = None
    half = replace(DATA.train, marks=marks)
    run = finish(run_of(train=half))
    assert run.history[-1]["health"]["texts"] == len(half) - 10
    assert run.history[-1]["tokens"] == DATA.train.lengths[10:].sum()


def test_no_more_texts_without_a_reason_are_read_than_their_share_allows():
    marks = list(DATA.train.marks)
    for i in range(20):
        marks[i] = np.full(len(marks[i]), NO_REASON)
    most = replace(DATA.train, marks=marks)
    for unmarked, texts in ((0.0, 10), (0.5, 15), (9.0, 30)):
        run = run_of(replace(QUICK, unmarked=unmarked), most)
        assert len(run.plan[0].refinement.texts.texts) == texts


def test_agreement_is_the_mean_average_precision_of_the_marked_words():
    marks = [None, *DATA.dev.marks[1:]]
    dev = replace(DATA.dev, marks=marks)
    generator = torch.Generator().manual_seed(0)
    batches = [dev.batch(np.arange(start, start + 4)) for start in (0, 4, 8)]
    scored = [(batch, torch.rand(batch.tokens.shape, generator=generator)) for batch in batches]
    rows = [
        row[: len(text)].numpy() for text, row in zip(dev.texts, torch.cat([pad(s) for _, s in scored]), strict=True)
    ]
    found = [average_precision_score(states == REASON, row) for row, states in zip(rows[1:], marks[1:], strict=True)]
    assert agreement_of(scored)["agreement"] == pytest.approx(np.mean(found))
    assert agreement_of(scored[:0]) == {}


def pad(scores):
    return torch.nn.functional.pad(scores, (0, 100 - scores.shape[1]))


def test_where_hardly_a_dev_text_is_marked_nothing_is_said_of_agreement():
    marks = [states if i < FEWEST_DEV_TEXTS - 1 else None for i, states in enumerate(DATA.dev.marks)]
    run = finish(run_of(dev=replace(DATA.dev, marks=marks)))
    assert "agreement" not in run.history[-1]["health"]
    assert len(run.history) == len([record for record in run.history if record["phase"] == RATIONALES])


def test_a_run_that_was_stopped_ends_with_the_same_reader():
    whole = finish(run_of())
    stopped = run_of()
    for _, step in zip(range(3), stopped.steps(), strict=False):
        assert step.phase.startswith(RATIONALES)
    tensors, values = stopped.snapshot()
    resumed = run_of(seed=0)
    resumed.restore(tensors, values)
    finish(resumed)
    assert equal_weights(weights(resumed.method), weights(whole.method))


@pytest.mark.parametrize("method", ["base", "attention", "vmask"])
def test_planted_reasons_are_found_by_a_reader_of_a_classifier_that_is_hardly_trained(method):
    dataset = planted("hard,train=300,dev=30,test=60")
    encoder = {"name": "lstm", "dim": 32, "hidden": 32}
    model = train_model(
        make_config({"method": method, "encoder": encoder, "training": {"epochs": 1}, "rationales": {"steps": 200}}),
        dataset,
    )
    agreement = model.metrics["rationales"]
    assert agreement["random_agreement"] < 0.15
    assert agreement["agreement"] > 0.5


def test_a_model_keeps_its_reader_in_its_folder(tmp_path):
    dataset = planted("easy,train=60,dev=20,test=6")
    model = train_model(config(), dataset)
    put_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    texts = [document.words for document in dataset.test]
    for one, other in zip(model.classifier.would_mark(texts)[0], loaded.classifier.would_mark(texts)[0], strict=True):
        assert np.array_equal(one, other)
    assert loaded.metrics["rationales"]["texts"] == 60
    assert "average precision of the words that people marked on dev" in (tmp_path / "model/README.md").read_text()


def test_a_finished_model_is_taught_what_people_mark_without_moving_its_answers():
    dataset = planted("easy,train=60,dev=20,test=6")
    model = train_model(config(rationales=False), dataset)
    texts = [document.words for document in dataset.test]
    before = model.classifier.probabilities(texts)
    taught = learn_rationales(model, dataset.train, dataset.dev, QUICK)
    assert torch.equal(taught.classifier.probabilities(texts), before)
    explanation = Rationale().explain(taught.classifier, dataset.test)[0]
    assert explanation.explainer == "rationale"
    assert not explanation.signed
    assert 0 <= explanation.scores.min() <= explanation.scores.max() <= 1


def test_too_few_marked_texts_teach_nothing_and_the_user_hears_of_it():
    dataset = planted("easy,train=40,dev=10,test=0")
    bare = tuple(replace(d, rationale=d.rationale if i < 3 else None) for i, d in enumerate(dataset.train))
    events = []
    model = train_model(config(), replace(dataset, train=bare), on_event=events.append)
    assert not model.classifier.has_rationales
    assert model.config.rationales is None
    assert any(isinstance(event, str) and "3 training texts have marked words: too few" in event for event in events)


def test_marked_texts_are_those_with_a_marked_word():
    marks = [np.array([REASON, NO_REASON]), np.array([NO_REASON]), None]
    corpus = replace(DATA.train, texts=DATA.train.texts[:3], marks=marks)
    assert marked_texts(corpus).tolist() == [0]
