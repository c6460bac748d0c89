import pytest

from whyword.interfaces.errors import OptionError
from whyword.models.export import export_model


def test_an_unknown_kind_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(OptionError, match="choose from huggingface, onnx"):
        export_model(None, "onx", tmp_path / "out")


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(OptionError, match="exists: name a new folder"):
        export_model(None, "onnx", tmp_path / "out")
