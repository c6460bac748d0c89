from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from reference.samples import SETTINGS, attention_on_lstm, equal_weights, sample, weights
from whyword.encoders.lstm import Lstm
from whyword.interfaces.errors import OptionError
from whyword.methods.base import Base
from whyword.training.head_only import PENALTIES, head_phase
from whyword.training.loop import TrainingRun

DATA = sample("train=60,dev=20,test=1")


def classifier(classes=2):
    torch.manual_seed(3)
    return Base(Lstm(Lstm.Config(dim=6, hidden=5), DATA.tokenizer.size, 0), classes, Base.Config())


def pooled(model, corpus):
    with torch.inference_mode():
        return np.concatenate([model.eval()(corpus.batch(np.array([i]))).pooled.numpy() for i in range(len(corpus))])


@pytest.mark.parametrize("classes", [2, 3])
def test_the_head_answers_as_scikit_learn_does_on_the_vectors_of_the_texts(classes):
    model = classifier(classes)
    train, dev = DATA.train, DATA.dev
    if classes == 3:
        train, dev = (replace(c, labels=np.arange(len(c)) % 3) for c in (train, dev))
    before = weights(model.encoder)
    run = TrainingRun(model, SETTINGS, train, dev, 0, torch.device("cpu"), [head_phase(model)])
    steps = list(run.steps())
    assert equal_weights(weights(model.encoder), before)
    assert [step.phase for step in steps] == ["head"] * len(steps)
    assert len(run.history) == 1
    scaler = StandardScaler().fit(pooled(model, train))
    vectors = [scaler.transform(pooled(model, corpus)) for corpus in (train, dev)]
    fits = [LogisticRegression(C=penalty, max_iter=1000).fit(vectors[0], train.labels) for penalty in PENALTIES]
    best = max(fits, key=lambda fit: fit.score(vectors[1], dev.labels))
    with torch.inference_mode():
        probabilities = torch.cat([model(dev.batch(np.array([i]))).logits for i in range(len(dev))]).softmax(-1)
    np.testing.assert_allclose(probabilities.numpy(), best.predict_proba(vectors[1]), atol=2e-3)
    assert run.history[0]["dev_accuracy"] == pytest.approx(best.score(vectors[1], dev.labels))


def test_methods_with_weights_of_their_own_are_refused():
    with pytest.raises(OptionError, match=r"training\.head_only is for the method base"):
        head_phase(attention_on_lstm(DATA.tokenizer.size))
