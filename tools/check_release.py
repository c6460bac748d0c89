"""Build the archives of a release, look into them, and try the wheel in an environment that has nothing else.

python tools/check_release.py [--dist DIST] [--environment FOLDER] [--python python3.12] [--extras web,excel]

Needs build and twine (pip install build twine). Archives that are in DIST already are taken as they are; an environment
that exists is used again. With torch and all it depends on, the first installation takes minutes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
FOLDERS = ("src", "tests", "docs", "benchmarks", "tools", "examples", "docker")  # of the source archive
FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "constraints.txt", "PKG-INFO")
RUBBISH = ("__pycache__", ".pyc", ".venv", "_cache/", "/results/", ".coverage", ".egg-info")
SHELLS = {"bash": "complete", "zsh": "compdef", "fish": "complete --command"}


def run(*command: object, **variables: str) -> str:
    """Run a command and give what it printed; stop with its words if it fails."""
    words = [str(word) for word in command]
    environment = {**os.environ, **variables}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def data_files(folder: Path = SOURCES) -> set[str]:
    """Name what the package reads beside its modules: templates, styles, scripts, rules."""
    found = {path for path in folder.rglob("*") if path.is_file()}
    return {path.relative_to(folder).as_posix() for path in found if "__pycache__" not in path.parts}


def missing_in_wheel(names: set[str], sources: set[str]) -> list[str]:
    """Name the files of the sources that a wheel lacks, and its files that are neither sources nor metadata."""
    inside = {name for name in names if ".dist-info/" not in name}
    return sorted(inside ^ sources)


def wrong_in_sdist(names: set[str]) -> list[str]:
    """Name what a source archive lacks or should not have; names are relative to its one folder."""
    tops = {name.partition("/")[0] for name in names}
    lacking = [name for name in (*FOLDERS, *FILES) if name not in tops]
    extra = [name for name in names if any(part in f"/{name}" for part in RUBBISH)]
    return sorted(lacking + extra)


def check_archives(dist: Path) -> Path:
    """Build what is not there, check metadata and contents, and give the wheel."""
    if not list(dist.glob("*.whl")):
        run(sys.executable, "-m", "build", "-o", dist, ROOT)
    (wheel,), (source,) = list(dist.glob("*.whl")), list(dist.glob("*.tar.gz"))
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    if wrong := missing_in_wheel(names, data_files()):
        raise SystemExit(f"{wheel.name} and src differ in {wrong}.")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if "/" in name}
    if wrong := wrong_in_sdist(names):
        raise SystemExit(f"{source.name} lacks, or should not have, {wrong}.")
    print(f"{wheel.name}, {source.name}: metadata and contents are as they should be.")
    return wheel


def write_reviews(path: Path) -> None:
    """Write reviews that a word decides."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label"])
        for number in range(120):
            word, label = (("superb", "good"), ("dreadful", "bad"))[number % 2]
            rows.writerow([f"Dish {number} of the evening was {word}, said guest {number // 2}.", label])


def try_commands(program: Path, folder: Path) -> None:
    """Train, explain and predict with what was installed, and ask for completion in three shells."""
    version = run(program, "--version").strip()
    print(f"{version}: {len(run(program, '--help').splitlines())} lines of help.")
    for shell, word in SHELLS.items():
        if word not in run(program, "--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"):
            raise SystemExit(f"--show-completion {shell} gave no completion.")
    home = folder / "home"
    home.mkdir()
    names = {"HOME": str(home), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    run(program, "--install-completion", "bash", **names)
    if "whyword" not in (home / ".bashrc").read_text(encoding="utf-8"):
        raise SystemExit("--install-completion bash changed no .bashrc.")
    data, text = folder / "reviews.csv", "The soup was superb."
    write_reviews(data)
    for encoder in ("tfidf", "bag"):
        model = folder / encoder
        run(
            program,
            "train",
            data,
            "-o",
            model,
            "--encoder",
            encoder,
            "--epochs",
            "5",
            "--quiet",
            CUDA_VISIBLE_DEVICES="",
        )
        (found,) = map(json.loads, run(program, "predict", model, text, "--json", "--quiet").splitlines())
        run(program, "explain", model, text, "-o", folder / f"{encoder}.html", "--quiet")
        page = (folder / f"{encoder}.html").read_text(encoding="utf-8")
        if "good" not in json.dumps(found) or "superb" not in page:
            raise SystemExit(f"{encoder} answered {found}.")
        print(f"{encoder}: trained, predicted and explained.")


def main() -> None:
    """Check everything, or stop with a sentence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--environment", type=Path, help="a folder for the new environment, which is kept")
    parser.add_argument("--python", default=sys.executable, help="that makes the environment")
    parser.add_argument("--extras", default="", help="of whyword, with commas")
    parser.add_argument("--constraints", type=Path, default=ROOT / "constraints.txt")
    arguments = parser.parse_args()
    wheel = check_archives(arguments.dist)
    with tempfile.TemporaryDirectory() as scratch:
        place = arguments.environment or Path(scratch) / "environment"
        if not (place / "pyvenv.cfg").exists():
            run(arguments.python, "-m", "venv", place)
        pip = (place / "bin" / "python", "-m", "pip", "install", "-q", "-c", arguments.constraints)
        run(*pip, f"{wheel}[{arguments.extras}]" if arguments.extras else wheel)
        run(*pip, "--no-deps", "--force-reinstall", wheel)  # an environment used again may have an older build
        try_commands(place / "bin" / "whyword", Path(scratch))


if __name__ == "__main__":
    main()
