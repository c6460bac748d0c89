"""Every kind of model in every command: each cell runs, or refuses in one sentence."""

import csv
import io
import json
import math
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from reference import foreign_models
from reference.contributions import QUICK
from whyword import (
    TextClassifier,
    audit,
    catalog,
    diff,
    explain,
    learn_explainer,
    measure,
    write_explanations,
    write_predictions,
)
from whyword.blocks.contributions import ContributionHead
from whyword.cli.app import main
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.web.app import make_app
from whyword.web.models import load_models

KINDS = {  # and the name of the method that a server states
    "whyword": "attention",
    "hugging-face": "hugging-face",
    "hugging-face-labels": "hugging-face",  # that do not exclude each other
    "learned": "scikit-learn",  # with an explainer that was learned for it
    "scikit-learn": "scikit-learn",
    "scikit-learn-pickle": "scikit-learn",
    "fasttext": "fasttext",
    "spacy": "spacy",
    "onnx": "onnx",
    "python": "python",
    "http": "http",
    "http-template": "http",
    "set-fit": "set-fit",
}
GRADIENTS = {"gradient", "integrated-gradients"}
OWN = {"own", "attention", "gate", "rationale"}
OPEN = {"whyword", "hugging-face", "hugging-face-labels"}  # kinds with gradients
WITH_OWN = {"whyword": {"own", "attention"}, "learned": {"own"}}  # scores of their own
NO_PAIRS = {  # kinds that read single texts only, and what they say of pairs
    **dict.fromkeys(("fasttext", "spacy", "set-fit"), "This model reads single texts"),
    **dict.fromkeys(("learned", "scikit-learn", "scikit-learn-pickle"), "The model failed on"),
}
EXPLAINERS = catalog.built_in_names("explainers")
PAIR = ["is it a good film", "it is"]


def runs(kind: str, explainer: str) -> bool:
    """Say whether a model of this kind can be explained so."""
    if explainer in OWN:
        return explainer in WITH_OWN.get(kind, ())
    return explainer not in GRADIENTS or kind in OPEN


MODULE = """
def predict(texts):
    texts = [text if isinstance(text, str) else " ".join(text) for text in texts]
    shares = [(1 + text.count("e")) / (2 + len(text)) for text in texts]
    return [[1 - share, share] for share in shares]

predict.classes = ["negative", "positive"]
"""

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def one_question(_, body):
    """Answer as a language model that is asked for the name of a class."""
    (positive,) = foreign_models.share_of_e([body["prompt"].removeprefix("Positive or negative? ")])[:, 1]
    chances = zip(("pos", "neg"), (positive, 1 - positive), strict=True)
    return 200, {"logprobs": [{"token": token, "logprob": math.log(chance)} for token, chance in chances]}


@pytest.fixture(scope="module")
def endpoints():
    by_label, by_token = foreign_models.probabilities_by_label, one_question
    with foreign_models.server(by_label) as (usual, _), foreign_models.server(by_token) as (other, _):
        yield {"http": usual, "http-template": other}


@pytest.fixture(scope="module")
def models(tmp_path_factory, endpoints):
    """Make each kind of model when it is first asked for: the words that name it on a command line."""
    folder = tmp_path_factory.mktemp("foreign")
    made: dict[str, list[str]] = {}

    def words_of(kind: str) -> list[str]:
        if kind not in made:
            made[kind] = _make(kind, folder / kind, endpoints)
        return made[kind]

    return words_of


def _make(kind: str, folder: Path, endpoints: dict[str, str]) -> list[str]:
    folder.mkdir(exist_ok=True)
    if kind == "whyword":
        ours = TextClassifier("attention", "bag", epochs=2, contributions=False)
        ours.fit(foreign_models.TEXTS, foreign_models.LABELS).save(folder / "model")
        return [str(folder / "model")]
    if kind == "hugging-face":
        return [str(foreign_models.save_hugging_face(folder / "bert"))]
    if kind == "hugging-face-labels":
        settings = {"problem_type": "multi_label_classification"}
        return [f"hf:{foreign_models.save_hugging_face(folder / 'bert', **settings)}"]
    if kind in ("scikit-learn", "learned"):
        skops = pytest.importorskip("skops.io")
        skops.dump(foreign_models.scikit_learn(), folder / "model.skops")
        words = [str(folder / "model.skops")]
        if kind == "scikit-learn":
            return words
        config = ContributionHead.Config(**QUICK)
        learn_explainer(words[0], foreign_models.TEXTS, folder / "explainer", config=config, judged=0)
        return [*words, "--learned", str(folder / "explainer")]
    if kind == "scikit-learn-pickle":
        import joblib

        joblib.dump(foreign_models.scikit_learn(), folder / "model.joblib")
        return [str(folder / "model.joblib"), "--allow-pickle"]
    if kind == "fasttext":
        foreign_models.fasttext(folder).save_model(str(folder / "model.bin"))
        return [str(folder / "model.bin")]
    if kind == "spacy":
        foreign_models.spacy().to_disk(folder / "pipeline")
        return [str(folder / "pipeline")]
    if kind == "onnx":
        pytest.importorskip("onnxruntime")
        return [str(foreign_models.onnx(folder))]
    if kind == "set-fit":
        foreign_models.set_fit().save_pretrained(folder / "model")
        return [str(folder / "model"), "--allow-pickle"]
    if kind == "http-template":
        template = {"request": {"prompt": "Positive or negative? $text $text_pair"}, "response": "logprobs"}
        values = {**template, "classes": foreign_models.CLASSES}
        (folder / "template.json").write_text(json.dumps(values), encoding="utf-8")
        return [endpoints[kind], "--http-template", str(folder / "template.json")]
    return ["python:planted_model:predict" if kind == "python" else endpoints[kind]]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder with a module, a file of texts, and nothing of the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "planted_model.py").write_text(MODULE, encoding="utf-8")
    with (tmp_path / "texts.csv").open("w", newline="", encoding="utf-8") as file:
        rows = zip(foreign_models.TEXTS[:6], foreign_models.LABELS[:6], strict=True)
        csv.writer(file).writerows([("text", "label"), *rows])
    with (tmp_path / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [(*PAIR, foreign_models.CLASSES[0]), (*reversed(PAIR), foreign_models.CLASSES[1])]
        csv.writer(file).writerows([("text", "text_pair", "label"), *rows])

    def whyword(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["whyword", *words, "--quiet"])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return whyword


@pytest.mark.parametrize("kind", KINDS)
def test_predict_gives_a_class_and_probabilities(kind, models, run):
    model, *allowed = models(kind)
    code, out, err = run("predict", model, "a film full of trees", "dull", "--json", *allowed)
    assert code == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 2
    for row in rows:
        assert row["label"] in foreign_models.CLASSES
        assert list(row["probabilities"]) == foreign_models.CLASSES
        total = sum(row["probabilities"].values())
        assert (abs(total - 1) < 1e-4) == (kind != "hugging-face-labels")
        assert ("labels" in row) == (kind == "hugging-face-labels")


@pytest.mark.parametrize("explainer", EXPLAINERS)
@pytest.mark.parametrize("kind", KINDS)
def test_explain_scores_words_or_says_which_explainers_do(kind, explainer, models, run):
    model, *allowed = models(kind)
    code, out, err = run("explain", model, "a film full of trees", "--explainer", explainer, "--json", *allowed)
    if not runs(kind, explainer):
        assert (code, out) == (2, "")
        assert err.startswith("whyword: ")
        assert err.count("\n") == 1
        assert "choose " in err or "choose: " in err
        return
    assert code == 0, err
    row = json.loads(out)
    assert row["words"] == ["a", "film", "full", "of", "trees"]
    assert len(row["scores"]) == 5
    if explainer in ("occlusion", "lime", "shapley"):
        assert list(row["all_scores"]) == foreign_models.CLASSES


@pytest.mark.parametrize("kind", KINDS)
def test_audit_ranks_the_explainers_and_writes_a_page(kind, models, run, tmp_path):
    model, *allowed = models(kind)
    chosen = ["--explainers", "occlusion", "--metrics", "comprehensiveness,accuracy-drop", "--draws", "2"]
    code, _, err = run("audit", model, "texts.csv", "-o", "report.html", *chosen, *allowed)
    assert code == 0, err
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert {row["explainer"] for row in report["scores"]} == {"occlusion", "random"}
    if kind == "hugging-face-labels":
        assert {row["label"] for row in report["labels"]} == set(foreign_models.CLASSES)
    else:
        assert report["accuracy"]["texts"] == 6
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_put_together_by_an_explainer(kind, models, run):
    model, *allowed = models(kind)
    code, out, err = run("words", model, "texts.csv", "--explainer", "occlusion", "--json", *allowed)
    assert code == 0, err
    assert set(json.loads(out)["classes"]) <= set(foreign_models.CLASSES)
    code, out, err = run("words", model, "texts.csv", *allowed)
    if kind in WITH_OWN:
        assert code == 0, err
    else:
        assert (code, out) == (2, "")
        assert "--explainer occlusion" in err


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_does_not_differ_from_itself_and_can_be_held_against_another_kind(kind, models, run):
    model, *allowed = models(kind)
    for other in (model, "python:planted_model:predict"):
        code, out, err = run("diff", model, other, "texts.csv", "--json", *allowed)
        if kind == "hugging-face-labels" and other != model:
            assert (code, err.count("\n")) == (2, 1)
            assert "give two models that both give several labels, or both one" in err
            continue
        assert code == 0, err
        if other == model:
            difference = json.loads(out)
            assert difference["predictions_changed"]["value"] == 0
            assert difference["reasons_changed"]["value"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_are_read_or_refused(kind, models, run, tmp_path):
    model, *allowed = models(kind)
    explaining = ("explain", model, "pairs.csv", "--explainer", "occlusion", "--json")
    auditing = ("audit", model, "pairs.csv", "--explainers", "occlusion", "--metrics", "comprehensiveness", "--json")
    for words in (("predict", model, "pairs.csv", "--json"), explaining, auditing):
        code, out, err = run(*words, *allowed)
        if kind in NO_PAIRS:
            assert (code, out) == (2, "")
            assert err.startswith(f"whyword: {NO_PAIRS[kind]}")
            assert err.count("\n") == 1
        else:
            assert code == 0, err
            assert "explain" not in words or json.loads(out.splitlines()[0])["words"] == " ".join(PAIR).split()


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_predicts_and_explains(kind, models, run):
    model, *allowed = models(kind)
    named = dict(pairwise(allowed))
    template = Path(named["--http-template"]) if "--http-template" in named else None
    access = Access("cpu", None, False, "--allow-pickle" in allowed, template, named.get("--learned"))
    served = load_models([open_model(model, access)])
    with TestClient(make_app(served, log=lambda _: None)) as client:
        (about,) = client.get("/v1/models").json()["models"]
        assert about["method"] == KINDS[kind]
        assert set(about["explainers"]) == {name for name in EXPLAINERS if runs(kind, name)}
        predicted = client.post("/v1/predict", json={"texts": ["a film full of trees"]}).json()["predictions"]
        explained = client.post("/v1/explain", json={"texts": ["a film full of trees"]}).json()["explanations"]
        assert explained[0]["label"] == predicted[0]["label"]
        assert len(explained[0]["scores"]) == 5


@pytest.mark.parametrize("kind", ["hugging-face", "scikit-learn"])
def test_parts_are_shared_by_workers_that_open_the_model_themselves(kind, models, run, tmp_path):
    model, *allowed = models(kind)
    options = ["--workers", "2", "--part-size", "3"]
    code, _, err = run("predict", model, "texts.csv", "-o", "parts", *options, *allowed)
    assert code == 0, err
    lines = [line for file in sorted((tmp_path / "parts").glob("*.jsonl")) for line in file.read_text().splitlines()]
    code, out, _ = run("predict", model, "texts.csv", "--json", *allowed)
    assert [json.loads(line)["label"] for line in lines] == [json.loads(line)["label"] for line in out.splitlines()]


OBJECTS = ("pipeline", "model and tokenizer", "scikit-learn", "fasttext", "spacy", "set-fit", "function", "whyword")


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """Make each kind of object when it is first asked for."""
    folder = tmp_path_factory.mktemp("objects")

    def pipeline():
        transformers = pytest.importorskip("transformers")
        model, tokenizer = foreign_models.hugging_face()
        return transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)

    def ours():
        unfitted = TextClassifier("attention", "bag", epochs=2, contributions=False)
        return unfitted.fit(foreign_models.TEXTS, foreign_models.LABELS)

    def named_function():
        def predict(texts):
            return foreign_models.share_of_e(texts)

        predict.classes = foreign_models.CLASSES
        return predict

    makers = {
        "pipeline": pipeline,
        "model and tokenizer": foreign_models.hugging_face,
        "scikit-learn": foreign_models.scikit_learn,
        "fasttext": lambda: foreign_models.fasttext(folder),
        "spacy": foreign_models.spacy,
        "set-fit": foreign_models.set_fit,
        "function": named_function,
        "whyword": ours,
    }
    return cache(lambda kind: makers[kind]())


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_can_be_handed_over_wherever_a_model_is_taken(kind, objects, tmp_path):
    model = objects(kind)
    texts, labels = foreign_models.TEXTS[:4], foreign_models.LABELS[:4]
    explained = explain(model, texts, "occlusion")
    assert list(explained[0].classes) == foreign_models.CLASSES
    report = audit(model, texts, labels, explainers=["occlusion"], metrics=["comprehensiveness"], draws=2)
    assert set(report.verdicts) == {"occlusion"}
    assert diff(model, model, texts, explainer="occlusion").predictions_changed.value == 0
    assert measure(model, {"occlusion": explained}, ["comprehensiveness"])["comprehensiveness", "occlusion"].value
    (tmp_path / "texts.csv").write_text("text\n" + "\n".join(texts), encoding="utf-8")
    writing = {"texts": tmp_path / "texts.csv", "fingerprint": "first"}
    write_explanations(model, output=tmp_path / "explained.jsonl", explainer="occlusion", **writing)
    write_predictions(model, output=tmp_path / "predicted.jsonl", **writing)
    rows = [json.loads(line) for line in (tmp_path / "explained.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["label"] for row in rows] == [explanation.label for explanation in explained]
    assert len((tmp_path / "predicted.jsonl").read_text(encoding="utf-8").splitlines()) == len(texts)
