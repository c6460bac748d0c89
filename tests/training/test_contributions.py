"""Contributions are fitted to the frozen classifier's answers to sub-texts, and come close to exact Shapley values."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from reference.contributions import QUICK, exact_shapley
from reference.samples import SETTINGS, attention_on_lstm, equal_weights, sample, weights
from reference.sub_texts import keep_tokens
from whyword.blocks.contributions import ContributionHead, add_head
from whyword.blocks.neighborhood import features_of
from whyword.checks.samples import maker_of_method, sample_pieces, untrained
from whyword.data.batching import Corpus, collate
from whyword.data.planted import planted
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.words import split
from whyword.encoders.bag import Bag
from whyword.inference.fitted import FittedClassifier
from whyword.methods.base import Base
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.storage.atomic import read_snapshot, write_snapshot
from whyword.training import contributions as under_test
from whyword.training import kept_states
from whyword.training.contributions import CONTRIBUTIONS, Answered, Sample, contribution_phase
from whyword.training.loop import TrainingRun

DATA = sample("train=24,dev=10,test=0")
TINY = ContributionHead.Config(**QUICK, batch_size=16, width=8, hidden=8)
REVIEWS = planted("medium,train=300,dev=40,test=0")
CPU = torch.device("cpu")


def carrying(config=TINY, seed=0, dropout=0.0):
    """An untrained attention model with a head."""
    torch.manual_seed(seed)
    method = attention_on_lstm(DATA.tokenizer.size, dropout)
    for parameter in method.parameters():
        parameter.data *= 2  # so that words matter
    add_head(method, config)
    return method


def answered(method, texts=DATA.train.texts, pairs=3):
    """Texts of which the model has been asked."""
    asked = Answered(method.eval(), [Sample(text, i) for i, text in enumerate(texts)], 0, pairs, [0])
    asked.read_base()
    assert list(asked.ask())[-1] == len(texts)
    asked.scale_features()
    return asked


def start(method, config=TINY, train=DATA.train, dev=DATA.dev, plan=()):
    phases = [*plan, contribution_phase(method, train, dev, 5)]
    return TrainingRun(method, SETTINGS, train, dev, 5, CPU, phases)


def corpus_of(texts):
    return Corpus(texts, np.zeros(len(texts), dtype=np.int64), 0)


def classifier_part(method):
    return {name: tensor for name, tensor in weights(method).items() if not name.startswith("contributions.")}


def test_kept_features_are_those_of_a_fresh_pass_up_to_half_precision():
    method = carrying()
    asked = answered(method)
    chosen = np.array([7, 2, 19, 11])
    batch = asked.batch(chosen)
    with torch.inference_mode():
        embedded, prediction = method.read(batch)
        fresh = features_of(embedded, prediction, method.contributions.part)
        kept = asked._features(batch)
    torch.testing.assert_close(kept[batch.mask], fresh[batch.mask], rtol=2e-3, atol=1e-4)
    torch.testing.assert_close(asked.logits[chosen], prediction.logits)


def test_features_have_mean_0_and_deviation_1():
    method = carrying()
    asked = answered(method)
    batch = asked.batch(np.arange(len(asked.texts)))
    seen = ((asked._features(batch) - method.contributions.mean) / method.contributions.scale)[batch.mask]
    torch.testing.assert_close(seen.mean(0), torch.zeros(seen.shape[1]), atol=1e-3, rtol=0)
    torch.testing.assert_close(seen.std(0, correction=0), torch.ones(seen.shape[1]), atol=1e-2, rtol=0)


def test_the_base_is_what_the_model_says_of_a_text_without_words():
    method = carrying()
    answered(method)
    classifier = FittedClassifier(method, DATA.tokenizer, DATA.classes)
    torch.testing.assert_close(method.contributions.base.exp(), classifier.probabilities([split("")])[0])


def test_the_base_of_pairs_is_a_pair_without_words():
    data = sample("pairs,train=20,dev=10,test=0")
    torch.manual_seed(0)
    method = attention_on_lstm(data.tokenizer.size)
    add_head(method, TINY)
    samples = [Sample(text, i) for i, text in enumerate(data.train.texts)]
    Answered(method.eval(), samples, 0, 2, [0]).read_base()
    expected = FittedClassifier(method, data.tokenizer, data.classes).probabilities([split("", "")])[0]
    torch.testing.assert_close(method.contributions.base.exp(), expected)


def test_answers_are_those_of_the_sub_texts_one_by_one():
    method = carrying()
    asked = answered(method)
    for i in (0, 5, 13):
        for kept, answer in zip(asked.kept[i].tolist(), asked.answers[i], strict=True):
            part = keep_tokens(asked.texts[i], kept)
            with torch.inference_mode():
                expected = method(collate([part], 0)).logits[0].softmax(-1)
            torch.testing.assert_close(answer, expected)


@pytest.mark.parametrize("equal_shares", [False, True])
def test_the_loss_is_the_squared_error_of_half_the_difference_of_a_pair_read_text_by_text(equal_shares):
    method = carrying()
    method.contributions.weigh[-1].weight.data *= 100
    asked = answered(method)
    chosen = np.array([3, 0, 21])
    with torch.no_grad():
        loss = asked.loss(asked.batch(chosen), equal_shares)
    errors = []
    for i in chosen:
        batch = asked.batch(np.array([i]))
        with torch.no_grad():
            rise = asked.logits[[i]].log_softmax(-1) - method.contributions.base
            of_words = method.contributions.weights(asked._features(batch), asked.logits[[i]], batch)[0]
        if equal_shares:
            of_words = (rise / len(of_words)).expand(len(of_words), -1)
        for kept, rest, said, said_of_rest in zip(
            asked.kept[i][0::2], asked.kept[i][1::2], asked.answers[i][0::2], asked.answers[i][1::2], strict=True
        ):
            predicted = [(method.contributions.base + of_words[mask].sum(0)).softmax(-1) for mask in (kept, rest)]
            half_differences = (predicted[0] - predicted[1]) / 2 - (said - said_of_rest) / 2
            errors.append(float(half_differences.square().sum()))
    assert float(loss) == pytest.approx(np.mean(errors), rel=1e-4)
    whole = asked.mean_loss(equal_shares)
    with torch.no_grad():
        one_by_one = [asked.loss(asked.batch(np.array([i])), equal_shares).item() for i in range(len(asked.texts))]
    assert whole == pytest.approx(np.mean(one_by_one), rel=1e-4)


def test_the_weights_of_the_classifier_do_not_move_by_one_bit_and_those_of_the_head_do():
    method = carrying(dropout=0.3)
    before, head = classifier_part(method), weights(method.contributions)
    run = start(method)
    list(run.steps())
    assert equal_weights(classifier_part(method), before)
    moved = weights(method.contributions)
    assert all(not torch.equal(moved[name], tensor) for name, tensor in head.items() if "around" not in name)
    assert not method.training
    assert all(parameter.requires_grad for parameter in method.parameters())
    assert [record["phase"] for record in run.history] == [CONTRIBUTIONS] * len(run.history)


def test_the_classifier_is_the_same_with_and_without_contributions():
    values = {"encoder": {"name": "lstm", "dim": 6, "hidden": 6}, "training": {"epochs": 2, "batch_size": 8}}
    data = planted("train=30,dev=10,test=0")
    plain, explained = (
        train_model(make_config({**values, "contributions": contributions}), data) for contributions in (False, QUICK)
    )
    assert equal_weights(classifier_part(explained.classifier.method), weights(plain.classifier.method))
    same = ("epoch", "phase", "dev_accuracy")
    assert [explained.metrics[name] for name in same] == [plain.metrics[name] for name in same]
    assert set(explained.metrics["contributions"]) == {"explained", "texts"}
    assert "contributions" not in plain.metrics


def test_the_head_of_the_epoch_with_the_least_dev_loss_stays():
    run = start(carrying(replace(TINY, epochs=4)))
    after = [weights(run.method) for step in run.steps() if step.record is not None]
    losses = [record["dev_loss"] for record in run.history]
    assert len(losses) >= 4
    assert equal_weights(weights(run.method), after[int(np.argmin(losses))])
    judged = run.plan[0].refinement
    assert judged.dev_loss() == pytest.approx(min(losses))
    explained = 1 - min(losses) / judged_by_equal_shares(run)
    assert run.history[int(np.argmin(losses))]["health"]["explained"] == pytest.approx(explained)


def judged_by_equal_shares(run):
    """Read the loss of equal shares off the health of a loss: 1 - loss / it."""
    return 1 / (1 - run.plan[0].refinement.health(1.0)["explained"])


class Sum(Bag):
    """Adds the vectors of words up, so that log-odds are a sum over words, as in the formula of the head."""

    def summarize(self, states, batch):
        return (states * batch.mask.unsqueeze(-1)).sum(1)


def additive():
    """A model whose words each have a weight, and none where there is no word."""
    tokenizer = learn_vocabulary([document.words for document in REVIEWS.train])
    torch.manual_seed(0)
    encoder = Sum(Sum.Config(dim=4, dropout=0.0), tokenizer.size, 0)
    encoder.embedding.table.weight.data[tokenizer.unknown] = 0
    torch.nn.init.normal_(encoder.embedding.table.weight.data[tokenizer.first_word :], std=0.5)
    return FittedClassifier(Base(encoder, 2, Base.Config(dropout=0.0)), tokenizer, ("negative", "positive"))


def trained():
    """An LSTM that has learned to read reviews."""
    values = {"encoder": {"name": "lstm", "dim": 12, "hidden": 12}, "training": {"epochs": 6, "learning_rate": 0.02}}
    return train_model(make_config(values), REVIEWS).classifier


@pytest.mark.parametrize("make", [additive, trained])
def test_contributions_come_close_to_exact_shapley_values(make):
    classifier = make()
    config = ContributionHead.Config(pairs=8, steps=300, epochs=1, least_texts=600, learning_rate=5e-3)
    train, dev = (Corpus.read(part, classifier.classes, classifier.tokenizer) for part in (REVIEWS.train, REVIEWS.dev))
    torch.manual_seed(0)
    add_head(classifier.method, config)
    run = start(classifier.method, config, train, dev)
    list(run.steps())
    unseen = planted("medium,train=12,dev=0,test=0,seed=9").train
    texts = [split(" ".join(document.words.strings[:8])) for document in unseen]
    learned = np.concatenate([scores.ravel() for scores in classifier.contributions(texts).scores])
    exact = np.concatenate([exact_shapley(classifier, text).ravel() for text in texts])
    assert np.corrcoef(learned, exact)[0, 1] > 0.9
    assert [record["health"]["explained"] for record in run.history if record["best"]][-1] > 0.6


def begin(seed):
    """Start a run that trains the classifier and then fits its contributions."""
    method = carrying(seed=seed, dropout=0.3)
    (phase,) = method.plan(2)
    own = [parameter for name, parameter in method.named_parameters() if not name.startswith("contributions.")]
    return start(method, plan=[replace(phase, objectives=[replace(phase.objectives[0], parameters=own)])])


@pytest.fixture(scope="module")
def unbroken():
    run = begin(0)
    phases = [step.phase for step in run.steps()]
    assert phases[:7] == ["train"] * 6 + [f"{CONTRIBUTIONS}: asking"]
    return run


@pytest.mark.parametrize("kill", [0, 3, 6, 7, 8, 9, 10, 11, 13, 18, 28])
def test_a_fit_killed_anywhere_and_resumed_ends_in_the_same_weights(tmp_path, unbroken, kill):
    run = begin(0)
    steps = run.steps()
    for _ in range(kill):
        next(steps)
    write_snapshot(tmp_path, *run.snapshot())
    run = begin(100 + kill)
    run.restore(*read_snapshot(tmp_path))
    list(run.steps())
    assert equal_weights(weights(run.method), weights(unbroken.method))
    assert [record["losses"] for record in run.history] == [record["losses"] for record in unbroken.history]
    assert run.chosen == unbroken.chosen


def test_it_is_the_chosen_classifier_that_is_asked_not_the_last():
    run = begin(0)
    for step in run.steps():
        if step.phase.startswith(CONTRIBUTIONS):
            chosen = {name: tensor for name, tensor in run.chosen_weights.items() if not name.startswith("contrib")}
            assert equal_weights(classifier_part(run.method), chosen)


def test_the_head_has_an_optimizer_of_its_own_whatever_the_classifier_is_trained_with():
    method = carrying()
    phase = contribution_phase(method, DATA.train, DATA.dev, 5)
    settings = replace(SETTINGS, optimizer="sgd", warmup=0.5, clip=1e-9)
    run = TrainingRun(method, settings, DATA.train, DATA.dev, 5, CPU, [phase])
    list(run.steps())
    usual = start(carrying())
    list(usual.steps())
    assert equal_weights(weights(run.method), weights(usual.method))


def test_few_texts_are_made_up_for_by_shortened_copies_of_them():
    few = DATA.train.texts[:4]
    method = carrying(replace(TINY, least_texts=20))
    texts = contribution_phase(method, corpus_of(few), DATA.dev, 0).refinement.texts.texts
    assert len(texts) == 20
    wholes = {tuple(text.ids.tolist()) for text in few}
    assert {tuple(text.ids.tolist()) for text in texts[:4]} == wholes
    for number, copy in enumerate(texts[4:]):
        whole = texts[number % 4].ids.tolist()
        rest = iter(whole)
        assert all(token in rest for token in copy.ids.tolist())  # a subsequence
        assert 2 <= len(copy) <= len(whole)
        assert copy.word.tolist() == list(range(len(copy)))
        assert copy.words == len(copy)
    assert any(len(copy) < len(texts[number % 4]) for number, copy in enumerate(texts[4:]))


def test_no_text_is_copied_more_than_seven_times_and_many_texts_not_at_all():
    method = carrying(replace(TINY, least_texts=1000))
    phase = contribution_phase(method, corpus_of(DATA.train.texts[:5]), DATA.dev, 0)
    assert len(phase.refinement.texts.texts) == 40
    method = carrying(replace(TINY, least_texts=10, texts=20))
    assert len(contribution_phase(method, DATA.train, DATA.dev, 0).refinement.texts.texts) == 20


def test_shortened_copies_keep_special_tokens_and_whole_words():
    (text,) = sample_pieces()([split("laughed and laughed, lovely writing", "a waste of nothing")])
    for shortened in under_test._shortened([Sample(text, 0)], 7, np.random.default_rng(0)):
        copy = shortened.tokens
        assert (copy.word < 0).sum() == (text.word < 0).sum()
        special = text.ids[text.word < 0].tolist()
        assert copy.ids[copy.word < 0].tolist() == special
        words = [tuple(text.ids[text.word == word].tolist()) for word in range(text.words)]
        kept = [tuple(copy.ids[copy.word == word].tolist()) for word in range(copy.words)]
        rest = iter(words)
        assert all(word in rest for word in kept)


def word_texts(*texts):
    return corpus_of(DATA.tokenizer([split(text) for text in texts]))


@pytest.mark.parametrize(
    "texts", [["superb"], ["superb", "dull"] * 4, ["", ""], ["", "superb"], ["superb cast"], ["superb", "the cast was"]]
)
def test_texts_of_one_word_or_of_none_end_in_contributions_that_add_up(texts):
    method = carrying(replace(TINY, steps=3))
    corpus = word_texts(*texts)
    run = start(method, train=corpus, dev=corpus)
    list(run.steps())
    assert all(np.isfinite(record["dev_loss"]) for record in run.history)
    found = FittedClassifier(method, DATA.tokenizer, DATA.classes).contributions([split(text) for text in texts])
    for scores, probabilities in zip(found.scores, found.probabilities, strict=True):
        np.testing.assert_allclose(found.base + scores.sum(1), probabilities, atol=1e-5)


def test_texts_of_one_word_are_left_out_where_there_are_others():
    method = carrying(replace(TINY, least_texts=1))
    texts = word_texts("superb", "the cast", "", "dull", "a superb film")
    assert sorted(map(len, contribution_phase(method, texts, texts, 0).refinement.texts.texts)) == [2, 3]


def on_pieces():
    """A small transformer that reads 64 pieces."""
    classifier = untrained(maker_of_method("attention", "transformer"), sample_pieces())
    classifier.method.unknown_token = classifier.tokenizer.unknown
    add_head(classifier.method, TINY)
    return classifier


def test_words_cut_off_at_the_limit_are_not_asked_about_and_get_nothing():
    classifier = on_pieces()
    long, short = split("a warm and funny film " * 30), split("lovely music")
    tokens = classifier.tokenizer([long, short])
    assert tokens[0].truncated_words > 0
    run = start(classifier.method, train=corpus_of(tokens * 3), dev=corpus_of(tokens))
    list(run.steps())
    read = tokens[0].words - tokens[0].truncated_words
    texts = run.plan[0].refinement.texts
    assert {kept.shape[1] for kept, text in zip(texts.kept, texts.texts, strict=True) if text is tokens[0]} == {read}
    found = classifier.contributions([long, short])
    assert found.truncated_words == [tokens[0].truncated_words, 0]
    assert (found.scores[0][:, read:] == 0).all()
    assert (found.scores[0][:, :read] != 0).any()
    np.testing.assert_allclose(found.base + found.scores[0].sum(1), found.probabilities[0], atol=1e-5)


def test_words_without_a_token_are_no_trouble_and_get_nothing():
    classifier = on_pieces()
    texts = [split("lovely \u0301 music \u0301"), split("\u0301 dull"), split("\u0301")]
    tokens = classifier.tokenizer(texts)
    assert set(tokens[0].word.tolist()) == {-1, 0, 2}  # nothing is left of the second word and the last
    run = start(classifier.method, train=corpus_of(tokens), dev=corpus_of(tokens[:2]))
    list(run.steps())
    found = classifier.contributions(texts)
    np.testing.assert_allclose(found.scores[0][:, [1, 3]], 0, atol=1e-7)
    np.testing.assert_allclose(found.scores[1][:, 0], 0, atol=1e-7)
    assert np.abs(found.scores[0][:, [0, 2]]).max() > 1e-4
    for scores, probabilities in zip(found.scores, found.probabilities, strict=True):
        np.testing.assert_allclose(found.base + scores.sum(1), probabilities, atol=1e-5)


def test_the_same_seed_asks_about_the_same_sub_texts():
    asked = [answered(carrying()) for _ in range(2)]
    assert all(torch.equal(one, other) for one, other in zip(asked[0].kept, asked[1].kept, strict=True))
    assert torch.equal(asked[0].answers, asked[1].answers)


def test_no_more_tokens_are_kept_than_memory_allows(monkeypatch):
    method = carrying(replace(TINY, least_texts=1))
    monkeypatch.setattr(kept_states, "MOST_STATES", 100 * method.encoder.state_dim)
    texts = contribution_phase(method, DATA.train, DATA.dev, 0).refinement.texts.texts
    assert 0 < sum(map(len, texts)) <= 100 < sum(map(len, DATA.train.texts))
