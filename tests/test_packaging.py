import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import whyword

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
HEAVY = ["torch", "transformers", "matplotlib", "sklearn", "rich"]
# A slash that starts a path (no word before it), a folder that only a particular machine has, and something in it.
MACHINE_PATH = re.compile(
    r"(?<![\w.~)}\]-])(?:/(?:home|Users|root|work|tmp|opt|mnt|srv|media)|[A-Z]:[\\/]+Users)[\\/]+\w"
)


def test_the_version_is_the_one_in_pyproject():
    assert whyword.__version__ == PROJECT["version"]


def test_importing_whyword_imports_nothing_heavy():
    code = f"import sys, whyword; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_license_is_apache_2():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["license"] == "Apache-2.0"


def test_every_constraint_is_one_name_and_one_version():
    assert [pin for pin in PINS if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", pin)] == []
    names = [pin.partition("==")[0] for pin in PINS]
    assert names == sorted(set(names))


def test_every_dependency_is_pinned_to_a_version_it_allows():
    pinned = dict(pin.split("==") for pin in PINS)
    for requirement in map(Requirement, chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see {}home/ann/data.csv", True),
        ("file:{0}{0}{0}opt/wheels", True),
        ("C:{}Users/ann", True),
        ("#!{}usr/bin/env bash", False),
        ("docs{}home/page.md", False),
        ("..{}work/plan", False),
    ],
)
def test_a_path_of_a_machine_is_told_from_others(text, found):
    assert bool(MACHINE_PATH.search(text.format("/"))) == found


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository, not an unpacked archive")
def test_no_file_of_the_repository_names_a_path_of_a_machine():
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    assert "pyproject.toml" in listed
    found = []
    for name in filter(None, listed):
        path = ROOT / name
        if not path.is_file():
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [f"{name}:{number}: {line}" for number, line in enumerate(lines, 1) if MACHINE_PATH.search(line)]
    assert found == []
