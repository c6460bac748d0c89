"""spaCy text categorizers against the pipeline called as usual."""

import pytest
import torch

from reference import foreign_models
from whyword import explain
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.explaining.stream import prediction
from whyword.interfaces.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
spacy = pytest.importorskip("spacy")


@pytest.mark.parametrize("component", ["textcat", "textcat_multilabel"])
def test_probabilities_are_the_categories_of_a_document(tmp_path, component):
    nlp = foreign_models.spacy(component)
    nlp.to_disk(tmp_path / "reviews")
    text = foreign_models.TEXTS[0]
    expected = torch.tensor([list(nlp(text).cats.values())], dtype=torch.float64)
    for opened in (open_model(nlp), open_model(tmp_path / "reviews")):
        assert (opened.kind, opened.classifier.classes) == ("spacy", tuple(nlp(text).cats))
        answer = opened.classifier.probabilities([split(text)])
        torch.testing.assert_close(answer, expected, atol=1e-5, rtol=0)
        assert opened.classifier.multi_label == (component == "textcat_multilabel")
        assert ("labels" in prediction(opened.classifier, answer[0].tolist(), 0)) == opened.classifier.multi_label
    assert len(explain(nlp, [text], "occlusion")[0].scores) == len(split(text))


def test_a_pipeline_without_a_categorizer_is_refused():
    with pytest.raises(ModelError, match="has no text categorizer"):
        open_model(spacy.blank("en"))


def test_a_damaged_folder_is_refused_in_a_sentence(tmp_path):
    for name in ("config.cfg", "meta.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="could not be loaded"):
        open_model(tmp_path)
