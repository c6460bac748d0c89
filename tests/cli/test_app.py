import subprocess
import sys

import pytest

import whyword as package
from whyword.cli.app import app

COMMANDS = [command.name for command in app.registered_commands]
HEAVY = ["torch", "transformers", "numpy", "sklearn", "pyarrow", "rich.markdown"]


def test_help_names_every_command(whyword):
    done = whyword("--help")
    assert done.code == 0
    assert all(f"\n  {name} " in done.out for name in COMMANDS)
    assert "whyword demo" in done.out


def test_without_a_command_help_is_shown(whyword):
    assert whyword() == whyword("--help")


def test_the_version_is_printed(whyword):
    assert whyword("--version").out == f"whyword {package.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_fits_its_line(whyword, name):
    done = whyword(name, "-h")
    assert done.code == 0
    assert done.out.startswith(f"Usage: whyword {name} ")
    assert "..." not in whyword("--help").out.split(f"  {name} ")[1].splitlines()[0]


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"]])
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys, atexit, whyword.cli as cli\n"
        f"sys.argv = ['whyword', *{words}]\n"
        f"atexit.register(lambda: print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr))\n"
        "cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
