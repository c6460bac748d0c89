import subprocess
import sys

import pytest

import whyword

PUBLIC = [
    "Audit",
    "Comparison",
    "Explanation",
    "TextClassifier",
    "WordImportance",
    "__version__",
    "audit",
    "compare",
    "diff",
    "explain",
    "load",
]


def test_the_public_names_are_these():
    assert whyword.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_can_be_imported(name):
    assert getattr(whyword, name) is not None
    assert name in dir(whyword)


def test_public_names_are_known_before_they_are_imported():
    code = "import whyword; print(sorted(set(whyword.__all__) - set(dir(whyword))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'whyword' has no attribute 'nope'"):
        _ = whyword.nope
