import json

from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.inference.precision import in_precision
from whyword.interfaces.adapter import Access


def test_the_choice_is_said_in_a_line_and_recorded_beside_the_output(whyword, model, data, tmp_path):
    done = whyword("predict", model, data, "--precision", "bfloat16", "-o", tmp_path / "out.jsonl")
    assert done.code == 0
    assert done.err.startswith("Precision bfloat16")
    record = json.loads((tmp_path / "out.jsonl.precision.json").read_text(encoding="utf-8"))
    assert record["precision"] == "bfloat16"
    assert record["measured"]["bfloat16"]["error"] < record["bound"] == 0.01
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 40


def test_a_run_that_resumes_keeps_its_precision(whyword, model, data, tmp_path):
    record = tmp_path / "out.jsonl.precision.json"
    record.write_text('{"precision": "bfloat16"}', encoding="utf-8")
    done = whyword("explain", model, data, "--precision", "auto", "-o", tmp_path / "out.jsonl")
    assert (done.code, "measured" in done.err) == (0, False)
    assert record.read_text(encoding="utf-8") == '{"precision": "bfloat16"}'
    record.write_text("{}", encoding="utf-8")
    done = whyword("explain", model, data, "--precision", "auto", "-o", tmp_path / "again.jsonl", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "again.jsonl.precision.json").is_file()


def test_standard_input_is_measured_and_read_once(whyword, model):
    lines = "".join(json.dumps({"text": f"food number {n}"}) + "\n" for n in range(70)).encode()
    done = whyword("predict", model, "-", "--precision", "bfloat16", "--json", stdin=lines)
    assert [json.loads(line)["text"] for line in done.out.splitlines()] == [f"food number {n}" for n in range(70)]


def test_a_process_that_opens_the_model_by_its_access_computes_in_that_precision(model):
    lower = open_model(model, Access(precision="bfloat16"))
    texts = [split("the food was superb"), split("dull")]
    expected = in_precision(open_model(model).classifier, "bfloat16").probabilities(texts)
    assert lower.access.precision == "bfloat16"
    assert lower.classifier.probabilities(texts).tolist() == expected.tolist()


def test_an_unknown_precision_is_refused(refused, model):
    assert "Did you mean 'bfloat16'?" in refused("predict", model, "a text", "--precision", "bfloat")
    assert "give both" in refused("serve", model, "--precision", "auto", "--port", 0)
    assert "There is no file none.csv" in refused(
        "serve", model, "--precision", "auto", "--precision-texts", "none.csv", "--port", 0
    )
