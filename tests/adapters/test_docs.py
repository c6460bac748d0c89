"""What the pages about models of others say is run."""

import json
import re
from pathlib import Path

import pytest

from reference import foreign_models
from whyword.inference.template import read_template

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "any-model.md").read_text(encoding="utf-8")


def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    transformers = pytest.importorskip("transformers")
    model, tokenizer = foreign_models.hugging_face()
    names = {
        "model": model,
        "tokenizer": tokenizer,
        "pipeline": transformers.pipeline("text-classification", model=model, tokenizer=tokenizer),
        "texts": foreign_models.TEXTS[:4],
        "labels": foreign_models.LABELS[:4],
    }
    ask, learn = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(ask, names)
    assert len(names["explanation"].top(5)) == 5
    assert set(names["report"].verdicts) == {"gradient", "occlusion"}
    exec(learn, {**names, "texts": foreign_models.TEXTS})
    assert (tmp_path / "my-explainer" / "explainer.json").is_file()


def test_the_template_of_the_page_can_be_read(tmp_path):
    (template,) = re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "template.json").write_text(template, encoding="utf-8")
    assert read_template(tmp_path / "template.json").one_by_one
    assert json.loads(template)["response"].startswith("choices.0")
