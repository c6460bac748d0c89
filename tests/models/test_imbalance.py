"""Rare classes are found: class weights, sample weights, the metric of choice; and texts of no known word."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import TextClassifier
from whyword.checks.samples import CLASSES, maker_of_method, pairs, sample_corpus, tokenizer_for
from whyword.data.dataset import load_dataset
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config, with_defaults
from whyword.models.train import train_model
from whyword.training.optimizer import Training, selection


@cache
def rare():
    """Planted texts, 3 % of those to learn from positive."""
    whole = load_dataset("planted:train=2000,dev=600,test=300")

    def cut(documents, share):
        few = [d for d in documents if d.label == "positive"]
        many = [d for d in documents if d.label != "positive"]
        return (*many, *few[: round(share * len(many))])

    return Dataset("rare", cut(whole.train, 0.03), cut(whole.dev, 0.03), whole.test)


def recall(predicted):
    gold = np.array([document.label == "positive" for document in rare().test])
    return float(np.asarray(predicted)[gold].mean())


@cache
def recall_of_tfidf(class_weight):
    values = {"encoder": "tfidf", "contributions": False, "training": {"class_weight": class_weight}}
    classifier = train_model(make_config(with_defaults(values)), rare()).classifier
    return recall(classifier.probabilities([d.words for d in rare().test]).argmax(1).numpy() == 1)


def test_balanced_weights_find_as_much_of_a_rare_class_as_scikit_learns_balanced_regression():
    pipeline = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(class_weight="balanced", max_iter=1_000)
    )
    pipeline.fit([d.words.texts[0] for d in rare().train], [d.label for d in rare().train])
    wanted = recall(pipeline.predict([d.words.texts[0] for d in rare().test]) == "positive")
    assert recall_of_tfidf("balanced") >= wanted
    assert recall_of_tfidf("balanced") > recall_of_tfidf(None)


def test_a_network_finds_a_rare_class_that_counts_a_thousand_times():
    values = {"encoder": "bag", "training": {"class_weight": {"positive": 1000.0}, "epochs": 3, "patience": None}}
    classifier = train_model(make_config(values), rare()).classifier
    assert recall(classifier.probabilities([d.words for d in rare().test]).argmax(1).numpy() == 1) > 0.9


@pytest.mark.parametrize(("method", "encoder"), [pair for pair in pairs() if pair[1] == "bag"])
def test_the_task_of_every_method_counts_texts_by_their_weights(method, encoder):
    tokenizer = tokenizer_for(encoder)
    corpus = sample_corpus(tokenizer)
    ones = torch.ones(len(corpus))
    batch = corpus.batch(np.arange(len(corpus)))
    heavy = 1e6 * (batch.labels == 1).float()

    def task(weights):
        torch.manual_seed(0)
        made = maker_of_method(method, encoder)(tokenizer, len(CLASSES)).eval()
        torch.manual_seed(0)
        weighed = replace(batch, weights=weights)
        objectives = [objective for phase in made.plan(3) for objective in phase.objectives]
        terms = [objective.losses(weighed, 0.5) for objective in objectives]
        return float(next(losses["task"] for losses in terms if "task" in losses).detach())

    assert task(ones) == pytest.approx(task(None), rel=1e-5)
    assert task(heavy) > 1e4 * task(None)


def test_what_dev_decides_by_follows_the_classes_and_their_weights():
    alike, unlike = np.repeat([0, 1], [10, 10]), np.repeat([0, 1], [18, 2])
    assert selection(Training(select="auto"), alike) == "accuracy"
    assert selection(Training(select="auto"), unlike) == "macro-f1"
    assert selection(Training(select="auto", class_weight="balanced"), unlike) == "balanced-loss"
    assert selection(Training(), unlike) == "accuracy"


def test_sample_weights_of_fit_are_those_of_scikit_learn():
    texts = [d.words.texts[0] for d in rare().train[:300]]
    labels = ["yes" if i % 3 else "no" for i in range(300)]
    weights = np.linspace(0.1, 3, 300)
    dev = (texts[:20], labels[:20])
    settings = {"penalty": 2.0, "ngrams": 1}
    ours = TextClassifier(encoder="tfidf", encoder_settings=settings, training={"calibrate": False})
    ours.fit(texts, labels, dev=dev, sample_weight=weights)
    vectorizer = TfidfVectorizer(
        tokenizer=lambda text: [word.lower() for word in split(text).strings], token_pattern=None, sublinear_tf=True
    )
    theirs = LogisticRegression(C=2.0, max_iter=1_000).fit(
        vectorizer.fit_transform(texts), labels, sample_weight=weights / weights.mean()
    )
    np.testing.assert_allclose(ours.predict_proba(texts), theirs.predict_proba(vectorizer.transform(texts)), atol=1e-5)
    assert not np.allclose(ours.predict_proba(texts), ours.fit(texts, labels, dev=dev).predict_proba(texts), atol=1e-3)


def test_class_weights_are_settings_of_the_estimator_and_unknown_classes_are_refused():
    texts, labels = ["a b", "c d"] * 20, [0, 1] * 20
    fitted = TextClassifier(encoder="tfidf", class_weight={0: 1.0, 1: 9.0}).fit(texts, labels)
    assert fitted.model_.config.training.class_weight == {"0": 1.0, "1": 9.0}
    with pytest.raises(OptionError, match="class_weight"):
        TextClassifier(encoder="tfidf", class_weight={"spam": 1.0}).fit(texts, labels)
    with pytest.raises(OptionError, match="class_weight"):
        TextClassifier(encoder="tfidf", class_weight="even").fit(texts, labels)


@pytest.mark.parametrize("encoder", ["tfidf", "bag"])
def test_a_text_of_no_known_word_is_answered_by_the_shares_of_the_classes_and_said_to_be_such(encoder):
    texts, labels = ["good film", "bad film", "bad plot", "bad jokes"] * 10, ["+", "-", "-", "-"] * 10
    settings = {"epochs": 1, "contributions": {"pairs": 2, "steps": 5, "least_texts": 20}}
    fitted = TextClassifier(encoder=encoder, **settings).fit(texts, labels, dev=(texts, labels))
    unknown = ["qwx zvrk", "", "qwx"]
    np.testing.assert_allclose(fitted.predict_proba(unknown), [[0.25, 0.75]] * 3, atol=1e-6)
    for explanation in fitted.explain(unknown):
        assert explanation.known_words == 0
        assert explanation.to_dict()["known_words"] == 0
        assert not explanation.scores.any()
        assert explanation.base_value == pytest.approx(explanation.probability)
        assert "knows no word of this text" in explanation.__rich__()
    (known,) = fitted.explain(["good qwx"])
    assert known.known_words == 1
    assert known.base_values == pytest.approx([0.25, 0.75])
    assert known.base_value + known.scores.sum() == pytest.approx(known.probability, abs=1e-5)
    assert "knows no word" not in known.__rich__()
