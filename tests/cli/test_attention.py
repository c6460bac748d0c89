import csv
import json

import pytest

from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.train import train_model

SOURCE = "planted:sun-lu-1,train=300,dev=60,test=20"
TRAINING = {"optimizer": "adagrad", "learning_rate": 0.05, "epochs": 3}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    place, data = tmp_path_factory.mktemp("models"), load_dataset(SOURCE)
    for name, method in (("dp", {"name": "polarity-attention", "trace": True}), ("plain", {"name": "attention"})):
        settings = {"method": method, "encoder": {"name": "bag", "dim": 12}, "training": TRAINING}
        train_model(make_config(settings), data, folder=place / name)
    return place


def test_a_table_of_groups_and_the_claims_are_shown(whyword, models):
    done = whyword("attention", models / "dp", SOURCE)
    assert done.code == 0
    lines = done.out.splitlines()
    assert "300 training texts" in done.out
    assert {"negative", "positive", "neutral"} <= {line.split()[0] for line in lines if line.strip()}
    assert "V·W = " in done.out
    for claim in (
        "polarity follows the class",
        "class words are attended to",
        "a gap between classes",
        "weights follow",
    ):
        assert claim in done.out


def test_json_is_one_record_of_all(whyword, models):
    (record,) = whyword("attention", models / "dp", SOURCE, "--json").json
    assert [row["group"] for row in record["groups"]] == ["negative", "positive", "neutral"]
    assert len(record["claims"]) == 4
    for claim in record["claims"]:
        assert claim["low"] <= claim["value"] <= claim["high"] + 1e-9
    assert record["updates"].keys() == set("ABCDEF")
    (plain,) = whyword("attention", models / "plain", SOURCE, "--json").json
    assert plain["updates"] is None
    assert plain["overlap"] is not None


def test_a_folder_holds_words_report_and_figures(whyword, models, tmp_path):
    folder = tmp_path / "deep" / "out"
    done = whyword("attention", models / "dp", SOURCE, "-o", folder)
    assert (done.code, "Wrote words.csv, report.json, scores.png" in done.err) == (0, True)
    pictures = {"scores.png", "polarity_attention.png", "weights.png", "updates.png", "training.png"}
    assert {path.name for path in folder.iterdir()} == {"words.csv", "report.json", *pictures}
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in pictures)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    with (folder / "words.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == report["words"]
    positive = [float(row["attention"]) for row in rows if row["group"] == "positive"]
    assert sum(positive) / len(positive) == pytest.approx(report["groups"][1]["attention"])


def test_without_a_trace_there_is_no_picture_of_the_training(whyword, models, tmp_path):
    (record,) = whyword("attention", models / "plain", SOURCE, "-o", tmp_path / "out", "--json", "--quiet").json
    assert record["output"] == str(tmp_path / "out")
    assert not (tmp_path / "out" / "training.png").exists()
    assert not (tmp_path / "out" / "updates.png").exists()


def test_mistakes_are_refused_in_one_sentence(refused, models, base_model, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert "The method 'base' has no attention scores to look at" in refused("attention", base_model, SOURCE)
    assert "is a file: name a folder" in refused("attention", models / "dp", SOURCE, "-o", tmp_path / "file")
    assert "There is no file or folder 'nowhere'" in refused("attention", models / "dp", "nowhere")
    assert "There is no model folder" in refused("attention", tmp_path / "no", SOURCE)
    other = tmp_path / "other.jsonl"
    rows = [{"text": f"p{i:02} word", "label": "ab"[i % 2]} for i in range(1, 41)]
    other.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "but the model knows negative, positive" in refused("attention", models / "dp", other)
