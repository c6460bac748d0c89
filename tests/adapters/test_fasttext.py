"""fastText classifiers against the library's own predictions."""

import pytest
import torch

from reference import foreign_models
from whyword import explain
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.errors import ModelError, OptionError

fasttext = pytest.importorskip("fasttext")


@pytest.mark.parametrize("loss", ["softmax", "ova"])
def test_probabilities_are_those_of_the_library(tmp_path, loss):
    model = foreign_models.fasttext(tmp_path, loss)
    model.save_model(str(tmp_path / "reviews.bin"))
    opened = open_model(tmp_path / "reviews.bin")
    assert (opened.kind, opened.name, opened.classifier.classes) == ("fasttext", "reviews", ("negative", "positive"))
    assert opened.classifier.multi_label == (loss == "ova")
    text = foreign_models.TEXTS[0]
    found = {label: probability for probability, label in model.f.predict(text + "\n", 2, 0.0, "strict")}
    expected = torch.tensor([[found["__label__negative"], found["__label__positive"]]], dtype=torch.float64)
    for one in (opened, open_model(model)):
        torch.testing.assert_close(one.classifier.probabilities([split(text)]), expected.clip(0, 1))
    assert len(explain(model, [text], "occlusion")[0].scores) == len(split(text))


def test_a_line_break_does_not_end_a_text(tmp_path):
    classifier = open_model(foreign_models.fasttext(tmp_path)).classifier
    broken, whole = classifier.probabilities([split("wonderful\ndull"), split("wonderful dull")])
    assert torch.equal(broken, whole)


def test_pairs_are_refused(tmp_path):
    with pytest.raises(OptionError, match="reads single texts"):
        explain(foreign_models.fasttext(tmp_path), [("one", "two")])


def test_word_vectors_are_no_classifier(tmp_path):
    (tmp_path / "texts.txt").write_text("one two three\n" * 20, encoding="utf-8")
    vectors = fasttext.train_unsupervised(str(tmp_path / "texts.txt"), dim=4, minCount=1, verbose=0, thread=1)
    with pytest.raises(ModelError, match="word vectors"):
        open_model(vectors)


def test_another_file_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "other.bin").write_bytes(b"nothing of the kind")
    with pytest.raises(ModelError, match="is no fastText model"):
        open_model(tmp_path / "other.bin")
    with pytest.raises(ModelError, match="There is no model file"):
        open_model(tmp_path / "none.ftz")
