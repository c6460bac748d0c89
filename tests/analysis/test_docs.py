"""The Python of the documentation of this package runs."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import whyword.analysis
from whyword import load
from whyword.data import load_dataset
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.train import train_model

DOCS = Path(__file__).parents[2] / "docs"
DATA = "planted:train=40,dev=20,test=20"
QUICK = {"encoder": {"name": "bag", "dim": 8}, "training": {"epochs": 1}}


def snippets(page):
    """Give the examples of a page as one program."""
    return "\n".join(re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL))


def save(method, folder, seed=0):
    train_model(make_config({"method": method, "seed": seed, **QUICK}), load_dataset(DATA), folder=folder)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


def test_every_public_name_is_there_and_none_is_a_module():
    for name in whyword.analysis.__all__:
        assert callable(getattr(whyword.analysis, name)), name


def test_the_attention_tests_run_as_documented(here, capsys):
    save("attention", here / "model")
    save("attention", here / "other-seed", seed=1)
    code = snippets("attention-tests.md").replace("reviews/", DATA)
    code = code.replace("data, folder=", "data, weights=(0.0,), patience=whyword.analysis.Patience(1, 1), folder=")
    names = {"whyword": whyword}
    exec(code, names)
    assert names["tests"]["permuted"].per_text.shape == (20,)
    assert [point.weight for point in names["curve"]] == [0.0]
    assert "nats about their words" in capsys.readouterr().out


def test_the_figures_of_vat_are_drawn_as_documented(here):
    save("vat", here / "model")
    code = snippets("vat.md").partition("from whyword import load\n")[2].replace("reviews.csv", DATA)
    code = code.replace('"iterations": 5}}', f'"iterations": 2}}, **{QUICK}}}')
    names = {"load": load}
    exec(code, names)
    assert len(names["models"]) == 3
    assert {path.name for path in here.glob("*.png")} == {"iterations.png", "text-vectors.png"}


def test_the_texts_of_two_masks_are_drawn_as_documented(here):
    for name in ("mask", "full"):
        save("evarm", here / name)
    exec(snippets("evarm.md").replace("reviews.csv", DATA), {})
    assert (here / "text-vectors.png").exists()


@pytest.mark.parametrize(
    "analyze", [whyword.analysis.run_attention_tests, whyword.analysis.word_information, whyword.analysis.jsd_tvd_curve]
)
def test_a_model_that_cannot_be_looked_into_is_refused(analyze):
    with pytest.raises(OptionError, match=r"function cannot be .*: give a model that whyword trained"):
        analyze(lambda texts: [[0.5, 0.5]] * len(texts), load_dataset(DATA))
