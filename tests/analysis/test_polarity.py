"""Polarity and attention scores, word by word."""

from collections import defaultdict

import numpy as np
import pytest
import torch

from reference.samples import fitted
from whyword.analysis.polarity import attention_words, polarity_weights
from whyword.data.dataset import load_dataset
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.words import split
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError, OptionError
from whyword.methods.attention import Attention
from whyword.methods.base import Base
from whyword.methods.polarity_attention import PolarityAttention
from whyword.models.config import make_config
from whyword.models.train import train_model

TEXTS = ("good good plot", "The good film", "a bad film", "bad plot")
LABELS = (1, 1, 0, 0)
DOCUMENTS = [Document(split(text), label) for text, label in zip(TEXTS, LABELS, strict=True)]
TOKENIZER = learn_vocabulary([document.words for document in DOCUMENTS])
ENCODERS = {"bag": (Bag, Bag.Config(dim=4)), "lstm": (Lstm, Lstm.Config(dim=3, hidden=4))}


def model(encoder="bag", classes=2, method=PolarityAttention):
    kind, config = ENCODERS[encoder]
    return fitted(method(kind(config, TOKENIZER.size, 0), classes, method.Config()), TOKENIZER)


def classifier(encoder="bag", classes=2, method=PolarityAttention):
    built = model(encoder, classes, method)
    return type(built)(built.method, built.tokenizer, tuple(range(classes)))


def test_words_are_counted_by_the_label_of_their_text():
    scored = attention_words(classifier(), DOCUMENTS)
    counts = {word: row.tolist() for word, row in zip(scored.words, scored.counts, strict=True)}
    assert counts == {"good": [0, 3], "plot": [1, 1], "the": [0, 1], "film": [1, 1], "a": [1, 0], "bad": [2, 0]}
    assert {scored.words[i] for i in scored.group(2)} == {"plot", "film"}


@pytest.mark.parametrize("encoder", ["bag", "lstm"])
@pytest.mark.parametrize("method", [PolarityAttention, Attention])
def test_scores_are_averaged_over_the_places_where_a_word_stands(encoder, method):
    fitted_model = classifier(encoder, 2, method)
    scored = attention_words(fitted_model, DOCUMENTS)
    network, weight = fitted_model.method.eval(), fitted_model.method.head.linear.weight
    direction = weight[0] if len(weight) == 1 else weight[1] - weight[0]
    places = defaultdict(list)
    with torch.no_grad():
        for document in DOCUMENTS:
            for _, batch in fitted_model.batches([document.words]):
                states = network.encoder.encode(network.encoder.embed(batch), batch)[-1]
                scores, shares = network.attention.scores(states)[0], network.attention(states, batch.mask)[0]
                for t, word in enumerate(document.words.strings):
                    row = (states[0, t] @ direction, scores[t], shares[t] * len(document.words))
                    places[word.lower()].append([float(value) for value in row])
    for i, word in enumerate(scored.words):
        expected = np.mean(places[word], axis=0)
        np.testing.assert_allclose([scored.polarity[i, 0], scored.attention[i], scored.share[i]], expected, rtol=1e-4)


def test_a_word_alone_is_the_same_as_in_context_where_there_is_none():
    scored = attention_words(classifier(), DOCUMENTS)
    np.testing.assert_allclose(scored.polarity_alone, scored.polarity, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(scored.attention_alone, scored.attention, rtol=1e-4, atol=1e-6)
    in_context = attention_words(classifier("lstm"), DOCUMENTS)
    assert np.abs(in_context.attention_alone - in_context.attention).max() > 1e-3


def test_many_classes_have_a_polarity_each():
    documents = [Document(split(text), label) for text, label in zip(TEXTS, (0, 1, 2, 0), strict=True)]
    scored = attention_words(classifier(classes=3), documents)
    assert scored.polarity.shape == (6, 3)
    np.testing.assert_allclose(scored.leaning, scored.polarity.max(1) - scored.polarity.mean(1))
    row = next(scored.rows())
    assert (row["word"], row["count"]) == ("good", {"0": 2, "1": 1, "2": 0})
    assert set(row["polarity"]) == {"0", "1", "2"}


def test_a_class_called_neutral_is_not_mistaken_for_neutral_words():
    scored = attention_words(classifier(), DOCUMENTS)
    assert scored.group_names == ("0", "1", "neutral")
    with_neutral_class = type(scored)(**{**vars(scored), "classes": ("neutral", "x")})
    assert with_neutral_class.group_names == ("neutral", "x", "balanced")


def test_unknown_words_are_left_out():
    more = [*DOCUMENTS, Document(split("a zvrk plot"), 0)]
    assert "zvrk" not in attention_words(classifier(), more).words
    with pytest.raises(DataError, match="hold no word that the model knows"):
        attention_words(classifier(), [Document(split("zvrk"), 0)])


def test_models_and_texts_that_do_not_fit_are_refused():
    with pytest.raises(OptionError, match="The method 'base' has no attention scores to look at"):
        polarity_weights(classifier(method=Base))
    with pytest.raises(DataError, match="A text has the class 7, but the model knows 0, 1"):
        attention_words(classifier(), [Document(split("good"), 7)])


def test_transformers_score_whole_words(tiny_bert):
    data = load_dataset("planted:train=24,dev=8,test=8")
    settings = {"method": "polarity-attention", "encoder": str(tiny_bert), "training": {"epochs": 1}}
    scored = attention_words(train_model(make_config(settings), data).classifier, data.train)
    assert np.isfinite(scored.attention).all()
    assert np.isfinite(scored.attention_alone).all()
    assert set(scored.words) <= {word.lower() for document in data.train for word in document.words.strings}
    assert scored.share.mean() < 20  # [CLS] and [SEP] have shares of their own
