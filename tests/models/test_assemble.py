"""From settings to tokenizer, encoder and method."""

import numpy as np
import pytest
import torch

from whyword.data.words import split
from whyword.interfaces.errors import OptionError
from whyword.models.assemble import assemble, build_encoder
from whyword.models.config import make_config

TEXTS = [split("good good plot"), split("Good cast"), split("bad plot, rare")]


def parts(texts=TEXTS, classes=3, **values):
    return assemble(make_config(values), classes, texts)


def test_the_vocabulary_is_learned_from_the_training_texts():
    made = parts()
    assert made.tokenizer.vocabulary[:2] == ("good", "plot")
    assert made.method.encoder.embedding.table.weight.shape[0] == made.tokenizer.size
    assert made.method.head.linear.out_features == 3


def test_frequencies_count_each_word_and_the_unknown_ones_together():
    made = parts(vocabulary={"min_frequency": 2})
    by_name = dict(zip(made.tokenizer.token_strings(), made.frequencies.tolist(), strict=True))
    assert by_name == {"[PAD]": 0, "[UNK]": 4, "[SEP]": 0, "[MASK]": 0, "good": 3, "plot": 2}


def test_a_vocabulary_may_be_empty():
    made = parts(vocabulary={"min_frequency": 100})
    assert made.tokenizer.vocabulary == ()
    assert made.frequencies.tolist() == [0, sum(len(text) for text in TEXTS), 0, 0]


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("good 1 2 3\nplot 4 5 6\nelsewhere 7 8 9\n", encoding="utf-8")
    return str(path)


def test_pretrained_vectors_are_put_where_their_words_are(vectors):
    made = parts(embeddings=vectors, encoder={"dim": 50})
    table = made.method.encoder.embedding.table.weight
    ids = {name: number for number, name in enumerate(made.tokenizer.token_strings())}
    assert table[ids["good"]].tolist() == [1, 2, 3]
    assert table[ids["plot"]].tolist() == [4, 5, 6]
    assert table[ids["cast"]].abs().max() <= 0.1  # not among the vectors: drawn at random
    assert (table[ids["[PAD]"]] == 0).all()
    assert made.config.encoder_settings.dim == 3
    assert len(made.notes) == 1


def test_pretrained_vectors_do_not_change_the_other_weights(vectors):
    torch.manual_seed(3)
    with_vectors = parts(embeddings=vectors)
    torch.manual_seed(3)
    without = parts(encoder={"dim": 3})
    for (name, first), (_, second) in zip(
        with_vectors.method.named_parameters(), without.method.named_parameters(), strict=True
    ):
        assert torch.equal(first, second) != name.endswith("table.weight")


def test_the_encoder_is_built_with_the_width_of_the_vectors(vectors):
    made = parts(embeddings=vectors, encoder="cnn")
    assert made.method.encoder.embedding_dim == 3
    again = build_encoder(made.config, made.tokenizer, None)
    again.load_state_dict(made.method.encoder.state_dict())


def test_word_vectors_have_no_use_with_a_pretrained_encoder(vectors, tiny_bert):
    with pytest.raises(OptionError, match="brings its own word vectors"):
        parts(embeddings=vectors, encoder=str(tiny_bert))


def test_a_pretrained_encoder_brings_its_tokenizer(tiny_bert):
    made = parts(encoder=str(tiny_bert), method={"name": "attention", "dropout": 0.0})
    assert made.tokenizer.limit == made.method.encoder.limit == 40
    assert made.frequencies is None
    assert np.issubdtype(made.tokenizer(TEXTS)[0].ids.dtype, np.integer)


def test_the_same_seed_assembles_the_same_weights():
    made = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        made.append(parts().method.state_dict())
    assert all(torch.equal(made[0][name], made[1][name]) for name in made[0])
    assert not all(torch.equal(made[0][name], made[2][name]) for name in made[0])


def test_with_frozen_vectors_words_that_only_the_file_has_are_known_too(vectors):
    made = parts(embeddings=vectors, encoder={"frozen": True})
    ids = {name: number for number, name in enumerate(made.tokenizer.token_strings())}
    assert made.method.encoder.embedding.table.weight[ids["elsewhere"]].tolist() == [7, 8, 9]
    assert made.frequencies[ids["elsewhere"]] == 0
    assert made.notes == parts(embeddings=vectors).notes  # coverage speaks of the training texts alone


@pytest.mark.parametrize(
    ("frozen", "wanted", "known"), [(True, False, False), (False, True, True), (False, None, False)]
)
def test_whether_they_are_known_can_be_set(vectors, frozen, wanted, known):
    made = parts(embeddings=vectors, encoder={"frozen": frozen}, vocabulary={"from_vectors": wanted})
    assert ("elsewhere" in made.tokenizer.vocabulary) == known


def test_a_pretrained_encoder_takes_no_word_vectors(vectors):
    with pytest.raises(OptionError, match="has no use"):
        parts(embeddings=vectors, encoder="minilm")
