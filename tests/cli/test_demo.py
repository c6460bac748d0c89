import json
from pathlib import Path

import pytest

from whyword import demo


@pytest.fixture
def small(monkeypatch):
    """A demo that takes a second."""
    run = demo.run_demo
    tiny = {"pairs": 2, "steps": 10, "epochs": 1, "least_texts": 10}
    monkeypatch.setattr(demo, "MODELS", {**demo.MODELS, "default": {**demo.MODELS["default"], "contributions": tiny}})
    monkeypatch.setattr(
        demo, "run_demo", lambda *given: run(*given, data="planted:train=40,dev=10,test=12", encoder="bag", epochs=2)
    )


@pytest.mark.usefixtures("small")
def test_the_demo_shows_texts_and_what_to_try_next(whyword):
    done = whyword("demo", "-o", "here", "--threads", "1")
    assert done.code == 0
    assert "test accuracy" in done.out
    assert "What attention says:" in done.out
    assert "The truth, the words planted for" in done.out
    assert "whyword explain here/" in done.out
    assert "whyword train your.csv -o model" in done.out
    assert Path("here/vmask.html").exists()
    assert Path("here/attention.json").exists()
    assert "Training vmask" in done.err


@pytest.mark.usefixtures("small")
def test_the_demo_can_be_quiet_and_speak_json(whyword):
    done = whyword("demo", "-o", "here", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    values = json.loads(whyword("demo", "-o", "here", "--json").out)
    assert set(values["models"]) == {"default", "attention", "vmask"}
    assert values["pages"] == {name: f"here/{name}.html" for name in ("default", "attention", "vmask")}
    assert set(values["verdicts"]["vmask"]) == {"own", "occlusion"}


def test_a_file_in_the_place_of_the_folder_is_left_alone(refused):
    Path("here").write_text("mine", encoding="utf-8")
    assert "here cannot be written" in refused("demo", "-o", "here")
    assert Path("here").read_text(encoding="utf-8") == "mine"
