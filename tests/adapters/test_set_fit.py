"""SetFit classifiers against the library's own probabilities."""

import pytest
import torch

from reference import foreign_models
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
pytest.importorskip("setfit")


def test_a_folder_is_read_only_where_its_pickled_head_is_allowed(tmp_path):
    model = foreign_models.set_fit()
    model.save_pretrained(tmp_path / "reviews")
    with pytest.raises(ModelError, match=r"model_head\.pkl, a pickle.*--allow-pickle"):
        open_model(tmp_path / "reviews")
    text = foreign_models.TEXTS[0]
    expected = torch.as_tensor(model.predict_proba([text], as_numpy=True)).double()
    for opened in (open_model(model), open_model(tmp_path / "reviews", Access("cpu", allow_pickle=True))):
        assert (opened.kind, opened.classifier.classes) == ("set-fit", ("negative", "positive"))
        torch.testing.assert_close(opened.classifier.probabilities([split(text)]), expected, atol=1e-5, rtol=0)
