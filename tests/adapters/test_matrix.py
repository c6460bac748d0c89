"""Every kind of model in every command: each cell runs, or refuses in one sentence."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from reference import foreign_models
from whyword import catalog
from whyword.cli.app import main
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.web.app import make_app
from whyword.web.models import load_models

KINDS = (
    "hugging-face",
    "scikit-learn",
    "scikit-learn-pickle",
    "fasttext",
    "spacy",
    "onnx",
    "python",
    "http",
    "set-fit",
)
GRADIENTS, WEIGHTS = {"gradient", "integrated-gradients"}, {"own", "attention", "gate"}
OPEN = {"hugging-face"}  # kinds with gradients
EXPLAINERS = catalog.built_in_names("explainers")

MODULE = """
def predict(texts):
    shares = [(1 + text.count("e")) / (2 + len(text)) for text in texts]
    return [[1 - share, share] for share in shares]

predict.classes = ["negative", "positive"]
"""

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def endpoint():
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, _):
        yield url


@pytest.fixture(scope="module")
def models(tmp_path_factory, endpoint):
    """Make each kind of model when it is first asked for: the words that name it on a command line."""
    folder = tmp_path_factory.mktemp("foreign")
    made: dict[str, list[str]] = {}

    def words_of(kind: str) -> list[str]:
        if kind not in made:
            made[kind] = _make(kind, folder / kind, endpoint)
        return made[kind]

    return words_of


def _make(kind: str, folder: Path, endpoint: str) -> list[str]:
    folder.mkdir(exist_ok=True)
    if kind == "hugging-face":
        return [str(foreign_models.save_hugging_face(folder / "bert"))]
    if kind == "scikit-learn":
        skops = pytest.importorskip("skops.io")
        skops.dump(foreign_models.scikit_learn(), folder / "model.skops")
        return [str(folder / "model.skops")]
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
    return [{"python": "python:planted_model:predict", "http": endpoint}[kind]]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder with a module, a file of texts, and nothing of the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "planted_model.py").write_text(MODULE, encoding="utf-8")
    with (tmp_path / "texts.csv").open("w", newline="", encoding="utf-8") as file:
        rows = zip(foreign_models.TEXTS[:6], foreign_models.LABELS[:6], strict=True)
        csv.writer(file).writerows([("text", "label"), *rows])

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
        assert sum(row["probabilities"].values()) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("explainer", EXPLAINERS)
@pytest.mark.parametrize("kind", KINDS)
def test_explain_scores_words_or_says_which_explainers_do(kind, explainer, models, run):
    model, *allowed = models(kind)
    code, out, err = run("explain", model, "a film full of trees", "--explainer", explainer, "--json", *allowed)
    if explainer in WEIGHTS or (explainer in GRADIENTS and kind not in OPEN):
        assert (code, out) == (2, "")
        assert err.startswith("whyword: ")
        assert err.count("\n") == 1
        assert "choose " in err
        assert "occlusion" in err
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
    assert report["accuracy"]["texts"] == 6
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_put_together_by_an_explainer(kind, models, run):
    model, *allowed = models(kind)
    code, out, err = run("words", model, "texts.csv", "--explainer", "occlusion", "--json", *allowed)
    assert code == 0, err
    assert set(json.loads(out)["classes"]) <= set(foreign_models.CLASSES)
    code, out, err = run("words", model, "texts.csv", *allowed)
    assert (code, out) == (2, "")
    assert "--explainer occlusion" in err


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_does_not_differ_from_itself_and_can_be_held_against_another_kind(kind, models, run):
    model, *allowed = models(kind)
    for other in (model, "python:planted_model:predict"):
        code, out, err = run("diff", model, other, "texts.csv", "--json", *allowed)
        assert code == 0, err
        if other == model:
            difference = json.loads(out)
            assert difference["predictions_changed"]["value"] == 0
            assert difference["reasons_changed"]["value"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_predicts_and_explains(kind, models, run):
    model, *allowed = models(kind)
    access = Access("cpu", allow_pickle="--allow-pickle" in allowed)
    served = load_models([open_model(model, access)])
    with TestClient(make_app(served, log=lambda _: None)) as client:
        (about,) = client.get("/v1/models").json()["models"]
        assert about["method"] == kind.removesuffix("-pickle")
        assert GRADIENTS.isdisjoint(about["explainers"]) == (kind not in OPEN)
        assert WEIGHTS.isdisjoint(about["explainers"])
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
