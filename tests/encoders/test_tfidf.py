"""The linear model against scikit-learn's own pipeline, against brute force, and through its model folder."""

from functools import cache

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from reference.contributions import exact_shapley
from whyword.data.dataset import Dataset, load_dataset
from whyword.data.words import split
from whyword.encoders import Tfidf
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config, with_contributions
from whyword.models.folder import load_model, save_model
from whyword.models.learn import learn_contributions
from whyword.models.train import train_model


@cache
def corpus():
    return load_dataset("planted:train=120,dev=40,test=40")


@cache
def trained(**encoder):
    plain = {"contributions": True}
    return train_model(make_config({"encoder": {"name": "tfidf", **encoder}, **plain}), corpus())


def words_of(documents):
    return [document.words for document in documents]


def sklearn_pipeline(ngrams=2, sublinear=True):
    vectorizer = TfidfVectorizer(
        tokenizer=lambda words: [word.lower() for word in words.strings],
        preprocessor=lambda words: words,
        token_pattern=None,
        ngram_range=(1, ngrams),
        sublinear_tf=sublinear,
    )
    return make_pipeline(vectorizer, LogisticRegression(C=2.0, max_iter=1_000))


@pytest.mark.parametrize(("ngrams", "sublinear"), [(2, True), (2, False), (1, True)])
def test_its_probabilities_are_those_of_scikit_learns_pipeline(ngrams, sublinear):
    model = trained(penalty=2.0, ngrams=ngrams, sublinear=sublinear)
    pipeline = sklearn_pipeline(ngrams, sublinear)
    pipeline.fit(words_of(corpus().train), [document.label for document in corpus().train])
    texts = [*words_of(corpus().test), split("Funny , funny FUNNY and a qwx film")]
    assert list(model.classifier.classes) == list(pipeline.classes_)
    np.testing.assert_allclose(model.classifier.probabilities(texts), pipeline.predict_proba(texts), atol=1e-6)


def test_sub_texts_close_up_so_that_new_pairs_arise():
    model = trained(penalty=2.0)
    text = corpus().test[0].words
    kept = torch.ones(1, len(text), dtype=torch.bool)
    kept[0, 1::2] = False
    shorter = split(" ".join(word for word, stays in zip(text.strings, kept[0], strict=True) if stays))
    assert len(shorter) == int(kept.sum())
    torch.testing.assert_close(
        model.classifier.probabilities_of_subsets(text, kept), model.classifier.probabilities([shorter])
    )


def test_the_weights_of_the_words_are_scikit_learns_shared_out_and_add_up_to_the_log_odds():
    model = trained(penalty=2.0, ngrams=2)
    pipeline = sklearn_pipeline()
    pipeline.fit(words_of(corpus().train), [document.label for document in corpus().train])
    vectorizer, regression = pipeline
    method, text = model.classifier.method, split("a funny , funny film with a dull plot and dull jokes")
    words = [word.lower() for word in text.strings]
    values = vectorizer.transform([text]).toarray()[0] * regression.coef_[0]
    grams = [(i, words[i]) for i in range(len(words))]
    grams += [(i, " ".join(words[i : i + 2])) for i in range(len(words) - 1)]
    names = [name for _, name in grams]
    by_hand = np.zeros(len(words))
    for start, name in grams:
        share = values[vectorizer.vocabulary_[name]] / names.count(name) if name in vectorizer.vocabulary_ else 0.0
        parts = len(name.split())
        by_hand[start : start + parts] += share / parts
    batch = next(iter(model.classifier.batches([text])))[1]
    with torch.inference_mode():
        logits = method(batch).token_logits[0]
    np.testing.assert_allclose(logits[:, 1] - logits[:, 0], by_hand, atol=1e-6)
    assert np.abs(by_hand).max() > 0.05
    log_odds = pipeline.decision_function([text])[0] - regression.intercept_[0]
    np.testing.assert_allclose(by_hand.sum(), log_odds, atol=1e-9)


def test_its_contributions_add_up_and_are_close_to_the_shapley_values_of_its_answers():
    classifier = trained().classifier
    texts = [split("a funny film with a dull plot"), *words_of(corpus().test[:10])]
    found = classifier.contributions(texts)
    for scores, probabilities in zip(found.scores, found.probabilities, strict=True):
        np.testing.assert_allclose(found.base + scores.sum(1), probabilities, atol=1e-6)
    exact = exact_shapley(classifier, texts[0])
    assert np.corrcoef(exact[1], found.scores[0][1])[0, 1] > 0.9


def test_many_ngrams_are_hashed_and_it_still_learns():
    model = trained(features=512)
    encoder = model.classifier.method.encoder
    assert bool(encoder.hashed)
    assert len(encoder.keys) <= 512
    assert model.metrics["test_accuracy"] > 0.6
    assert not bool(trained().classifier.method.encoder.hashed)


def test_the_folder_holds_the_solved_model_and_its_contributions(tmp_path):
    model = trained()
    save_model(model, tmp_path)
    loaded = load_model(tmp_path).classifier
    texts = words_of(corpus().test)
    assert torch.equal(loaded.probabilities(texts), model.classifier.probabilities(texts))
    for one, other in zip(
        loaded.contributions(texts).scores, model.classifier.contributions(texts).scores, strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert not list(tmp_path.glob("*.pkl"))


def test_learning_contributions_of_a_linear_model_reads_them_off():
    without = train_model(make_config({"encoder": "tfidf"}), corpus())
    assert not without.classifier.has_contributions
    learned = learn_contributions(without, words_of(corpus().train)).classifier
    wanted = trained().classifier
    for one, other in zip(
        learned.contributions(words_of(corpus().test)).scores,
        wanted.contributions(words_of(corpus().test)).scores,
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-7)


def test_the_penalty_that_is_best_on_dev_wins():
    best, worst = trained().metrics["dev_accuracy"], trained(penalty=1e-4).metrics["dev_accuracy"]
    assert best > worst


def test_dev_chooses_between_words_alone_and_pairs():
    pairs = ["not good but bad", "not bad but good"] * 60  # what the words say alone is the same
    words = [f"a {('good', 'bad')[i % 2]} film {i % 7} {i % 5}" for i in range(120)]
    for texts, chosen in ((pairs, 2), (words, 1)):
        rows = tuple(Document(split(text), label) for text, label in zip(texts, ["no", "yes"] * 60, strict=True))
        data = Dataset("orders", rows[:80], rows[80:], ())
        model = train_model(make_config({"encoder": "tfidf"}), data)
        assert model.metrics["dev_accuracy"] == 1
        named = train_model(make_config({"encoder": {"name": "tfidf", "ngrams": chosen}}), data)
        answers, wanted = (one.classifier.probabilities(words_of(data.dev)) for one in (model, named))
        assert torch.equal(answers, wanted)


def test_methods_other_than_base_refuse_it_in_a_sentence():
    with pytest.raises(OptionError, match=r"'tfidf' .* base only, not 'vmask'.*\.$"):
        make_config({"method": "vmask", "encoder": "tfidf"})


def test_more_than_pairs_are_refused():
    with pytest.raises(OptionError, match="ngrams is 3: give 1 or 2"):
        make_config({"encoder": {"name": "tfidf", "ngrams": 3}})
    assert Tfidf.Config(ngrams=1).ngrams == 1


def test_what_people_get_by_default_carries_contributions():
    assert make_config(with_contributions({"encoder": "tfidf"})).contributions is not None
