"""The sample plug-in, installed as anyone would install it, does everything that a built-in does."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "plugin"
SEARCH = """
from sklearn.model_selection import GridSearchCV
from whyword import TextClassifier, audit, explain, load
from whyword.explainers import Lime

good, bad = ["a good film", "so good", "good fun"] * 6, ["a bad film", "so bad", "bad fun"] * 6
texts, labels = good + bad, ["good"] * 18 + ["bad"] * 18
small = TextClassifier("smooth-labels", "max-bag", epochs=3, contributions=False)
grid = {"method__smoothing": [0.05, 0.2], "encoder__dim": [8]}
search = GridSearchCV(small, grid, cv=2).fit(texts, labels)
model = search.best_estimator_
assert model.model_.config.method_settings.smoothing in (0.05, 0.2)
assert model.model_.config.encoder_settings.dim == 8
print(explain(model, texts[:1], "first-words")[0].explainer)
short = Lime(samples=16, name="lime-16")
print(*audit(model, texts, labels, explainers=["first-words", short], metrics=["concentration"]).scores.explainers)
model.save("searched")
print(load("searched").predict(["good"])[0] in ("good", "bad"))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Install the example, offline and without its dependencies, into a folder."""
    pytest.importorskip("setuptools")
    pytest.importorskip("pip")
    source = tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(EXAMPLE, source)  # building leaves files beside the source
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", place, source], capture_output=True, text=True, check=True)
    return place


@pytest.fixture(scope="module")
def run(site, tmp_path_factory):
    """Run Python with the plug-in installed."""
    folder = tmp_path_factory.mktemp("work")
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run_python(*words):
        command = [sys.executable, *map(str, words)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_python


def test_the_page_on_plug_ins_shows_the_code_of_the_sample():
    page = (EXAMPLE.parents[1] / "docs" / "plugins.md").read_text(encoding="utf-8")
    code, settings = ((EXAMPLE / name).read_text(encoding="utf-8") for name in ("whyword_example.py", "pyproject.toml"))
    shown = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "    def " in block]
    assert len(shown) == 5
    assert all(block in code for block in shown)
    (points,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert points in settings


def test_the_python_of_the_page_on_plug_ins_runs(run):
    page = (EXAMPLE.parents[1] / "docs" / "plugins.md").read_text(encoding="utf-8")
    (usage,) = [
        block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "TextClassifier(method" in block
    ]
    data = "texts, labels = ['a good film', 'a bad film'] * 12, ['good', 'bad'] * 12"
    run("-c", f"from whyword_example import *\n{data}\n{usage}")


def test_a_plug_in_is_listed_with_where_it_comes_from_and_its_settings(run):
    offered = {"methods": "smooth-labels", "encoders": "max-bag", "explainers": "first-words"}
    for kind, name in offered.items():
        rows = {row["name"]: row for row in json.loads(run("-m", "whyword", "list", kind, "--json"))}
        assert rows[name]["from"] == "whyword-example 0.1.0"
        assert rows[name]["about"].endswith(".")
    assert "whyword-example 0.1.0" in run("-m", "whyword", "list", "metrics")
    (row,) = json.loads(run("-m", "whyword", "list", "metrics", "concentration", "--json"))
    assert row == {"setting": "k", "kind": "int", "default": "5", "about": "top words"}


def test_a_plug_in_is_trained_explained_and_audited_from_the_command_line(run):
    data = "planted:train=60,dev=20,test=20"
    choice = ["--method", "smooth-labels", "--encoder", "max-bag", "--set", "method.smoothing=0.2", "--epochs", "1"]
    quick = {"pairs": 2, "steps": 20, "epochs": 1, "least_texts": 50}
    choice += [word for name, value in quick.items() for word in ("--set", f"contributions.{name}={value}")]
    run("-m", "whyword", "train", data, *choice, "-o", "model")
    assert json.loads(run("-m", "whyword", "explain", "model", "a fine film", "--json"))["explainer"] == "own"
    shown = run("-m", "whyword", "explain", "model", "a fine film", "--explainer", "first-words", "--json")
    assert json.loads(shown)["explainer"] == "first-words"
    chosen = ["--explainers", "first-words,occlusion", "--metrics", "concentration,sufficiency"]
    facts = json.loads(run("-m", "whyword", "audit", "model", data, *chosen, "--json"))
    assert {score["metric"] for score in facts["scores"]} == {"concentration", "sufficiency"}


def test_an_adapter_opens_its_kind_of_model(run):
    run("-c", "open('film.count', 'w').write('2')")
    row = json.loads(run("-m", "whyword", "explain", "film.count", "one two three", "--json"))
    assert row["label"] == "long"
    assert min(row["scores"]) > 0
    assert "word-count" in run("-m", "whyword", "list", "adapters")


def test_a_plug_in_is_searched_over_as_scikit_learn_does(run):
    assert run("-c", SEARCH).splitlines() == ["first-words", "first-words lime-16 random", "True"]


def test_the_parts_of_the_plug_in_keep_their_contracts(run):
    code = (
        "from whyword_example import *\n"
        "from whyword.checks import check_encoder, check_explainer, check_method, check_metric\n"
        "def encoder(tokenizer):\n"
        "    return MaxBag(MaxBag.Config(dim=16, dropout=0.0), tokenizer.size, tokenizer.padding)\n"
        "check_encoder(encoder)\n"
        "settings = SmoothLabels.Config(dropout=0.0)\n"
        "check_method(lambda tokenizer, classes: SmoothLabels(encoder(tokenizer), classes, settings))\n"
        "check_explainer(FirstWords())\n"
        "check_metric(Concentration())\n"
        "print('kept')"
    )
    assert run("-c", code) == "kept\n"
