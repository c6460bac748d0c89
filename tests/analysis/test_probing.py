import numpy as np
import pytest
import torch

from reference.attention_models import DOCUMENTS, TOKENIZER, small_lstm, without_attention
from reference.samples import fitted
from whyword.analysis.probing import word_information
from whyword.data.planted import planted
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.encoders.bag import Bag
from whyword.interfaces.errors import DataError
from whyword.maths.stats.correlation import entropy
from whyword.methods.attention import Attention
from whyword.methods.word_regularized import WordRegularized

PLANTED = planted("train=60,dev=1,test=1").train


class Forgets(Bag):
    """States are noise that says nothing about words."""

    def encode(self, embedded, batch):
        return (torch.randn(embedded.shape, generator=torch.Generator().manual_seed(0)),)


def model(encoder_class, documents=PLANTED):
    tokenizer = learn_vocabulary([document.words for document in documents])
    encoder = encoder_class(Bag.Config(dim=16), tokenizer.size, 0)
    torch.nn.init.normal_(encoder.embedding.table.weight)
    return fitted(Attention(encoder, 2, Attention.Config()), tokenizer)


def test_states_that_are_the_word_vectors_reach_the_bound():
    result = word_information(model(Bag), PLANTED, clusters=1_000)
    assert result.information == pytest.approx(result.bound, rel=0.05)
    assert result.of_vectors == result.information
    assert result.share > 0.9


def test_the_bound_is_the_entropy_of_the_words_counted():
    tokens = [word.lower() for document in PLANTED for word in document.words.strings]
    counts = np.sort(np.unique(tokens, return_counts=True)[1])[::-1]
    assert word_information(model(Bag), PLANTED, clusters=20).bound == pytest.approx(entropy(counts[:1000]))
    few = word_information(model(Bag), PLANTED, words=7, clusters=7)
    assert few.bound == pytest.approx(entropy(counts[:7]))
    assert (few.words, few.tokens) == (7, counts[:7].sum())


def test_states_that_are_noise_tell_no_more_than_chance():
    result = word_information(model(Forgets), PLANTED, clusters=30)
    assert result.information == pytest.approx(result.chance, rel=0.15)
    assert abs(result.share) < 0.1
    assert result.of_vectors > 2 * result.chance
    assert result.probe_accuracy < result.probe_chance + 0.05


def test_more_is_known_about_frequent_words_by_a_probe_that_has_seen_other_texts():
    result = word_information(model(Bag), PLANTED, words=20, clusters=20)
    assert result.probe_accuracy == 1.0
    assert result.probe_low < 1.0
    assert result.probe_high == pytest.approx(1.0)
    assert 0 < result.probe_chance < 0.5


def test_any_method_can_be_asked_and_says_so_in_a_sentence():
    for classifier in (small_lstm(), without_attention()):
        result = word_information(classifier, DOCUMENTS, clusters=12)
        assert 0 <= result.information <= result.bound + 1e-9
        assert f"{result.bound:.2f} nats" in str(result)
        assert result.to_dict()["share"] == result.share


def test_the_same_seed_gives_the_same_numbers():
    one, other = (word_information(small_lstm(), DOCUMENTS, clusters=6, seed=2) for _ in range(2))
    assert one == other


def test_word_vectors_beside_the_states_are_left_out():
    def states_alone(concat):
        tokenizer = learn_vocabulary([document.words for document in PLANTED])
        torch.manual_seed(0)
        encoder = Forgets(Bag.Config(dim=16), tokenizer.size, 0)
        torch.nn.init.normal_(encoder.embedding.table.weight)
        method = WordRegularized(encoder, 2, WordRegularized.Config(tying=0.0, concat=concat))
        return word_information(fitted(method, tokenizer), PLANTED)

    beside, alone = states_alone(concat=True), states_alone(concat=False)
    assert beside == alone
    assert beside.share < 0.2


def test_texts_of_one_word_are_refused():
    assert TOKENIZER.size > 2
    with pytest.raises(DataError, match="fewer than two different words"):
        word_information(small_lstm(), [type(DOCUMENTS[0])(type(DOCUMENTS[0].words)(("film",), (((0, 4),),)))])
