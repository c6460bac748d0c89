"""Small models on texts and on pairs of texts."""

import pytest

from reference.contributions import QUICK
from whyword.data.planted import planted
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Document
from whyword.models.config import make_config
from whyword.models.train import train_model


def trained(method: str, encoder: str, options: str = "easy", contributions: bool = False) -> FittedClassifier:
    dataset = planted(f"{options},train=40,dev=10,test=0")
    settings = {"name": encoder} | ({"hidden": 8, "dim": 8} if encoder == "lstm" else {"dim": 8})
    values = {"method": method, "encoder": settings, "training": {"epochs": 2, "learning_rate": 0.02}}
    return train_model(make_config({**values, "contributions": contributions and QUICK}), dataset).classifier


@pytest.fixture(scope="session")
def lstm() -> FittedClassifier:
    """Attention over an LSTM."""
    return trained("attention", "lstm")


@pytest.fixture(scope="session")
def gated() -> FittedClassifier:
    """A gate per word."""
    return trained("vmask", "bag")


@pytest.fixture(scope="session")
def plain() -> FittedClassifier:
    """A model without scores of its own."""
    return trained("base", "cnn")


@pytest.fixture(scope="session")
def contributing() -> FittedClassifier:
    """A model without weights on words that carries contributions."""
    return trained("base", "lstm", contributions=True)


@pytest.fixture(scope="session")
def gated_and_contributing() -> FittedClassifier:
    """A gate per word, and contributions."""
    return trained("vmask", "bag", contributions=True)


@pytest.fixture(scope="session")
def contributing_on_pairs() -> FittedClassifier:
    return trained("attention", "lstm", "pairs", contributions=True)


@pytest.fixture(scope="session")
def on_pairs() -> FittedClassifier:
    return trained("attention", "lstm", "pairs")


@pytest.fixture(scope="session")
def documents() -> tuple[Document, ...]:
    return planted("easy,train=12,dev=0,test=0,seed=7").train


@pytest.fixture(scope="session")
def pairs() -> tuple[Document, ...]:
    return planted("pairs,train=6,dev=0,test=0,seed=7").train
