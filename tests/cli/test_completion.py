"""What the shell offers, asked as the shell asks."""

import json
import os
import subprocess
import sys

import pytest

from whyword.cli.completion import class_names


@pytest.fixture
def model(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps({"whyword": "0.2.0", "labels": ["billing", "Bug", 3]}))
    return tmp_path / "model"


def offered(*words):
    code = "import sys, atexit, whyword.cli as cli\n"
    code += "atexit.register(lambda: print('torch' in sys.modules or 'numpy' in sys.modules, file=sys.stderr))\n"
    asked = {"_WHYWORD_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", f"{code}sys.argv = ['whyword']\ncli.main()"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip() == "False"  # nothing heavy is imported between two key strokes
    return done.stdout.split()


def test_the_classes_of_the_model_are_offered_as_target(model):
    assert offered("whyword", "explain", str(model), "text", "--target", "b") == ["billing"]
    assert offered("whyword", "explain", str(model), "text", "--target", "all", "--against", "B") == ["Bug"]


def test_what_is_no_class_is_offered_too(model):
    assert offered("whyword", "explain", str(model), "text", "--target", "a") == ["all"]


@pytest.mark.parametrize(
    ("config", "names"),
    [({"id2label": {"0": "no", "1": "yes"}}, ["no", "yes"]), ({}, []), ({"id2label": None}, []), ([], [])],
)
def test_a_folder_of_hugging_face_names_its_labels_and_a_damaged_one_none(tmp_path, config, names):
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert class_names(f"hf:{tmp_path}") == names


def test_no_folder_has_no_classes(tmp_path):
    assert class_names("") == class_names(str(tmp_path / "nowhere")) == []
