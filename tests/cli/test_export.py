"""`whyword export`."""

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def test_a_model_leaves_as_onnx(whyword, base_model, tmp_path):
    done = whyword("export", base_model, "--to", "onnx", "-o", "out")
    assert done.code == 0, done.err
    assert done.out == f"out holds model.onnx, model.json, tokenizer.json; it gives the same answers as {base_model}.\n"
    assert (tmp_path / "out" / "model.onnx").stat().st_size > 0


def test_json_names_the_files(whyword, base_model):
    (facts,) = whyword("export", base_model, "--to", "onnx", "-o", "out", "--json").json
    assert facts == {"to": "onnx", "output": "out", "files": ["model.onnx", "model.json", "tokenizer.json"]}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--to", "onx"), "No 'onx' in the kinds of export: choose from huggingface, onnx. Did you mean 'onnx'?"),
        (("--to", "huggingface"), "choose  --to onnx"),
    ],
)
def test_what_cannot_be_written_is_refused(refused, base_model, words, complaint):
    assert complaint in refused("export", base_model, *words, "-o", "out")
