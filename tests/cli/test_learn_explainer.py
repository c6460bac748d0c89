"""`whyword learn-explainer`."""

import json
import shutil
from pathlib import Path

import pytest

from reference.contributions import QUICK
from whyword import load

QUICKLY = [word for name, value in QUICK.items() for word in ("--set", f"{name}={value}")]
HARDWARE = ("--device", "cpu", "--threads", "1")


@pytest.fixture
def own_model(base_model, tmp_path) -> Path:
    """A model without contributions that may be written over."""
    return Path(shutil.copytree(base_model, tmp_path / "mine"))


def test_a_model_is_changed_in_place_and_then_explains_by_contributions(whyword, own_model, data):
    before = load(own_model)
    done = whyword("learn-explainer", own_model, data, *QUICKLY, *HARDWARE)
    assert done.code == 0, done.err
    assert "% of what sub-texts change is explained by contributions." in done.out
    assert f"Model in {own_model}." in done.out
    after = load(own_model)
    texts = ["It was superb.", "A dreadful plot"]
    assert (before.predict_proba(texts) == after.predict_proba(texts)).all()
    assert not before.model_.classifier.has_contributions
    assert after.model_.classifier.has_contributions
    (explained,) = whyword("explain", own_model, "It was superb.", "--json").json
    assert explained["explainer"] == "own"
    config = json.loads((own_model / "config.json").read_text(encoding="utf-8"))
    assert config["contributions"]["pairs"] == QUICK["pairs"]


def test_another_folder_leaves_the_model_as_it_was(whyword, own_model, data):
    files = {path.name: path.read_bytes() for path in own_model.iterdir()}
    done = whyword("learn-explainer", own_model, data, "-o", "explained", "--json", *QUICKLY, *HARDWARE)
    (facts,) = done.json
    assert facts["model"] == "explained"
    assert facts["explained"] <= 1
    assert facts["texts"] > 0
    assert {path.name: path.read_bytes() for path in own_model.iterdir()} == files
    assert load("explained").model_.classifier.has_contributions


def test_texts_need_no_labels(whyword, own_model, data):
    lines = data.read_text(encoding="utf-8").splitlines()[1:]
    unlabelled = Path("texts.csv")
    unlabelled.write_text("body\n" + "\n".join(line.rsplit(",", 1)[0] for line in lines), encoding="utf-8")
    done = whyword("learn-explainer", own_model, unlabelled, "--text", "body", "--quiet", *QUICKLY, *HARDWARE)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert load(own_model).model_.classifier.has_contributions


def test_a_generated_data_set_is_read_for_its_training_texts(whyword, own_model):
    words = ("learn-explainer", own_model, "planted:train=30,dev=5,test=5", "--json", *QUICKLY, *HARDWARE)
    assert whyword(*words).json[0]["texts"] >= 27


def test_too_few_texts_are_refused_in_a_sentence_and_the_model_stays(refused, own_model):
    Path("few.csv").write_text("text\n" + "a superb film\n" * 5, encoding="utf-8")
    before = (own_model / "config.json").read_bytes()
    message = refused("learn-explainer", own_model, "few.csv", "--quiet", *QUICKLY, *HARDWARE)
    assert "5 texts are too few to learn contributions from: give at least 20." in message
    assert (own_model / "config.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--set", "pears=3"), "pairs"),
        (("--set", "pairs=0"), "pairs"),
        (("--set", "pairs"), "pairs"),
        (("-o", "photos"), "photos exists and is not a whyword model"),
    ],
)
def test_what_cannot_be_is_refused(refused, own_model, data, words, complaint):
    Path("photos").mkdir()
    Path("photos/one.jpg").write_bytes(b"x")
    assert complaint in refused("learn-explainer", own_model, data, *words)


def test_a_missing_model_is_refused(refused, data):
    assert "There is no model folder nowhere" in refused("learn-explainer", "nowhere", data)


def write_rules(folder: Path) -> None:
    """Write a model that counts letters."""
    lines = [
        "classes = ('bad', 'good')",
        "def predict(texts):",
        "    return [[1 - p, p] for p in (0.1 + 2 * text.count('e') / (len(text) + 3) for text in texts)]",
        "predict.classes = classes",
    ]
    (folder / "rules.py").write_text("\n".join(lines), encoding="utf-8")


def test_a_model_that_is_not_whyword_s_gets_an_explainer_of_its_own(whyword, data, tmp_path, monkeypatch):
    write_rules(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = "python:rules:predict"
    done = whyword("learn-explainer", model, data, "-o", "explainer", "--judged", 2, *QUICKLY, *HARDWARE)
    assert done.code == 0, done.err
    assert "of their comprehensiveness" in done.out
    assert "Explainer in explainer" in done.out
    (explained,) = whyword("explain", model, "It was superb.", "--learned", "explainer", "--json").json
    assert explained["explainer"] == "own"
    assert explained["base_value"] + sum(explained["scores"]) == pytest.approx(explained["probability"], abs=1e-4)
    (facts,) = whyword("learn-explainer", model, data, "-o", "explainer", "--judged", 0, "--json", *QUICKLY).json
    assert facts["explainer"] == "explainer"
    assert "r" not in facts


def test_what_is_missing_or_wrong_is_one_sentence(whyword, data, own_model, tmp_path, monkeypatch):
    write_rules(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = "python:rules:predict"
    for words, sentence in (
        (("learn-explainer", model, data), "-o EXPLAINER"),
        (("learn-explainer", model, data, "--learned", "x"), "leave it out"),
        (("explain", model, "It was superb.", "--learned", "nowhere"), "no learned explainer"),
        (("explain", own_model, "It was superb.", "--learned", "nowhere"), "model of whyword"),
    ):
        done = whyword(*words)
        assert done.code == 2
        assert sentence in done.err
        assert len(done.err.strip().splitlines()) == 1


def test_a_linear_model_has_nothing_to_learn(whyword, data):
    assert whyword("train", data, "-o", "linear", "--encoder", "tfidf", "--no-contributions", "--quiet").code == 0
    done = whyword("learn-explainer", "linear", data, "-o", "taught")
    assert done.code == 0, done.err
    assert "nothing had to be learned" in done.out
    assert (whyword("explain", "taught", "so superb", "--json")).json[0]["signed"]
