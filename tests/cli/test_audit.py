import csv
import json
import re

import pytest

from whyword import load
from whyword.audits import card
from whyword.data.dataset import load_dataset
from whyword.explaining.measure import measure_explanations

DATA = "planted:easy,train=20,dev=5,test=20"
QUICK = ("--explainers", "gradient,occlusion", "--sample", 12)
OWN = ("--explainers", "own", "--sample", 6)


def rows(done):
    assert done.code == 0, done.err
    return {(row["metric"], row["explainer"]): row for row in done.json[0]["scores"]}


def test_verdicts_come_first_then_a_line_per_metric_and_a_column_per_explainer_with_random_words_last(whyword, model):
    done = whyword("audit", model, DATA, *QUICK)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == f"{model.name}, asked about 12 of 20 texts: the test split of {DATA}"
    assert lines[1].startswith("Accuracy ")
    assert any(line.startswith("occlusion: use with care") for line in lines)  # twelve texts are few
    assert ["gradient", "occlusion", "random"] in [line.split() for line in lines]
    assert any(line.startswith("probability-drop ↑") for line in lines)
    assert any(line.startswith("rationale-f1 ↑") for line in lines)  # planted texts have known reasons
    assert "12 texts" in lines[-1]
    explain, measure = re.findall(r"([\d,]+) forward passes to explain and ([\d,]+) to measure, in", done.err)[0]
    assert f"{measure} forward passes" in lines[-1]
    assert int(explain.replace(",", "")) > 0


def test_the_numbers_are_those_of_python(whyword, model):
    found = rows(whyword("audit", model, DATA, "--explainers", "occlusion", "--sample", 20, "--json", "-q"))
    classifier = load(model)
    documents = load_dataset(DATA).test
    texts = [document.words.texts[0] for document in documents]
    explanations = {"occlusion": classifier.explain(texts, "occlusion")}
    labels = [document.label for document in documents]
    scores = measure_explanations(classifier, explanations, ["accuracy-drop", "comprehensiveness"], labels=labels)
    for metric in ("accuracy-drop", "comprehensiveness"):
        for explainer in ("occlusion", "random"):
            row, score = found[metric, explainer], scores[metric, explainer]
            assert row["value"] == pytest.approx(score.value, abs=1e-6)
            assert (row["low"], row["high"]) == pytest.approx(score.interval, abs=1e-6)


def test_attention_is_also_tested_for_faithfulness_and_other_scores_are_not(whyword, model, base_model):
    done = whyword("audit", model, DATA, "--explainers", "attention", "--sample", 6, "--json")
    assert set(done.json[0]["attention_tests"]) >= {"uniform", "permuted", "adversarial", "gradient", "occlusion"}
    assert "Is the attention faithful" in whyword("audit", model, DATA, *OWN).out
    assert whyword("audit", base_model, DATA, "--explainers", "occlusion", "--json").json[0]["attention_tests"] is None


def test_only_the_metrics_asked_for_are_measured(whyword, model):
    found = rows(whyword("audit", model, DATA, *QUICK, "--metrics", "sufficiency, probability-drop", "--json"))
    assert {metric for metric, _ in found} == {"sufficiency", "probability-drop"}


def test_a_file_without_labels_is_measured_by_what_needs_none(whyword, model, tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "a superb film"}\n{"text": "a dull film"}\n{"text": "not a superb cast"}\n')
    found = rows(whyword("audit", model, texts, *QUICK, "--json"))
    metrics = {metric for metric, _ in found}
    assert "probability-drop" in metrics
    assert not {"accuracy-drop", "posthoc-accuracy-gold", "rationale-f1"} & metrics


def test_another_model_can_judge(whyword, model, base_model):
    own, other = (
        rows(whyword("audit", model, DATA, *QUICK, *more, "--json"))["probability-drop", "occlusion"]["value"]
        for more in ((), ("--judge", base_model))
    )
    assert own != other


def test_scores_are_written_to_a_file(whyword, model, tmp_path):
    assert whyword("audit", model, DATA, *QUICK, "-o", tmp_path / "scores.csv").code == 0
    with (tmp_path / "scores.csv").open() as file:
        table = list(csv.DictReader(file))
    assert {row["explainer"] for row in table} == {"gradient", "occlusion", "random"}
    assert whyword("audit", model, DATA, *QUICK, "-o", tmp_path / "scores.jsonl", "--json").code == 0
    first = json.loads((tmp_path / "scores.jsonl").read_text().splitlines()[0])
    assert first["metric"] == table[0]["metric"]


def test_a_report_is_a_page_with_json_beside_it(whyword, model, tmp_path):
    done = whyword("audit", model, DATA, *QUICK, "-o", tmp_path / "report.html")
    assert done.code == 0, done.err
    values = json.loads((tmp_path / "report.json").read_text())
    assert (tmp_path / "report.html").read_text().lower().startswith("<!doctype html>")
    assert values["again"]["command"].startswith(f"whyword audit {model} {DATA}")
    assert values["data"]["of"] == 20
    assert "occlusion: " in done.out
    assert "report.html and" in done.err


def test_a_report_may_be_json_alone_and_is_the_same_as_on_standard_output(whyword, model, tmp_path):
    done = whyword("audit", model, DATA, *QUICK, "-o", tmp_path / "report.json", "--json")
    assert json.loads((tmp_path / "report.json").read_text()) == done.json[0]
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_own_rules_change_the_verdict(whyword, model, tmp_path):
    rule = '["r"]\nquestion = "?"\nquantity = "texts"\nmust_be = "above"\nthreshold = 5\nneeded = true\n'
    for threshold, verdict in ((5, "trust"), (50, "do not trust")):
        (tmp_path / "rules.toml").write_text(rule.replace("= 5", f"= {threshold}"))
        values = whyword("audit", model, DATA, *QUICK, "--rules", tmp_path / "rules.toml", "--json").json[0]
        assert {row["verdict"] for row in values["verdicts"]} == {verdict}


def test_the_model_card_gets_the_numbers_only_if_asked(whyword, model, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(card, "add_audit", lambda *values: calls.append(values))
    assert whyword("audit", model, DATA, *QUICK).code == 0
    assert not calls
    assert whyword("audit", model, DATA, *QUICK, "--card").code == 0
    assert [(folder, data.data.texts) for folder, data in calls] == [(model, 12)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rules", "nowhere.toml"], "nowhere.toml"),
        (["--metrics", "sufficiency,sufficiency"], "twice"),
        (["--explainers", "limee"], "lime"),
        (["--metrics", "aopc"], "metrics"),
        (["--sample", "1"], "--sample"),
        (["-o", "scores.pdf"], "The output scores.pdf must end in"),
        (["--judge", "nowhere"], "nowhere"),
    ],
    ids=["rules", "twice", "explainer", "metric", "sample", "ending", "judge"],
)
def test_mistakes_get_one_sentence(refused, model, words, sentence):
    assert sentence in refused("audit", model, DATA, *words)


def test_labels_a_metric_needs_are_asked_for(refused, model, tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "a superb film"}\n{"text": "a dull film"}\n')
    words = ("--metrics", "accuracy-drop", "--explainers", "own")
    assert "gold labels" in refused("audit", model, texts, *words)
