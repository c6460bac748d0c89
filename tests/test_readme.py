"""What the README says works: its Python is run, its commands exist, its links lead somewhere."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs(tmp_path, monkeypatch):
    from whyword.data.dataset import load_dataset

    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)
    documents = load_dataset("planted:train=120,dev=20,test=20").train
    names = {"texts": [d.words.texts[0] for d in documents], "labels": [d.label for d in documents]}
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(code, names)
    assert len(names["explanation"].top(5)) == 5
    page = (ROOT / "docs" / "contributions.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    names["classifier"] = names["clf"]
    exec(code, names)
    explanation = names["explanation"]
    np.testing.assert_allclose(
        explanation.base_values + explanation.all_scores.sum(1), explanation.probabilities, atol=1e-5
    )
    np.testing.assert_allclose(explanation.all_scores.sum(0), 0, atol=1e-6)
    assert (tmp_path / "model" / "config.json").exists()
    page = (ROOT / "docs" / "model-folders.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(code, names)
    assert names["found"].intact
    assert names["found"].files["config.json"] == "intact"


def test_the_examples_of_the_page_on_training_run():
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, names)
    assert names["rare"].model_.classifier.offsets is not None


def test_the_examples_of_the_page_on_teaching_run():
    page = (ROOT / "docs" / "teach.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, names)
    assert names["explanation"].would_mark.max() <= 1


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_a_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


def test_every_command_of_the_table_exists():
    from whyword.cli.app import app

    named = set(re.findall(r"^\| `whyword ([\w-]+)", README, flags=re.MULTILINE))
    assert named == {command.name for command in app.registered_commands}
