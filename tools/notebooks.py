"""Run the notebooks of docs/tutorials: write their outputs anew, or check that those which are saved are not stale.

    python tools/notebooks.py [NAME …]            run, and save with outputs
    python tools/notebooks.py --check [NAME …]    run, and compare with what is saved

Numbers may differ between processors and versions, so outputs are compared by their kinds and by their words. A
notebook also holds a digest of the code that its outputs come from (metadata, "ran"): code that was edited since is
found without running it.
"""

import argparse
import hashlib
import os
import re
import sys
import tempfile
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
READ = ("text/html", "text/markdown", "text/plain")  # the richest first
ALIKE = 0.7  # least share of words that saved and new outputs of a cell have in common


def digest(notebook: Any) -> str:
    """Give a digest of the code of a notebook."""
    code = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def run(path: Path) -> Any:
    """Run a notebook in an empty folder, as a reader would, and give it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
    os.environ |= {"COLUMNS": "100", "HF_HUB_OFFLINE": "1", "NO_COLOR": "1", "TERM": "dumb"}
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        quiet = ["--IPKernelApp.log_level=40"]  # it warns of the local connection that it is always started with
        NotebookClient(notebook, timeout=600, resources=resources, extra_arguments=quiet).execute()
    for cell in notebook.cells:
        cell.metadata.clear()  # times
        if cell.cell_type == "code":
            cell.outputs = merged(cell.outputs)
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "ran": digest(notebook)}
    return notebook


def merged(outputs: list[Any]) -> list[Any]:
    """Join printed pieces, and leave out what is written to standard error, such as progress."""
    kept: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and output.name == "stderr":
            continue
        if output.output_type == "stream" and kept and kept[-1].output_type == "stream":
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


def words(output: Any) -> list[str]:
    """Give the words of an output, without tags, numbers and pictures."""
    data = output.get("data", {})
    text = output.get("text") or next((data[kind] for kind in READ if kind in data), "")
    return re.findall(r"[A-Za-z]+", re.sub(r"<[^>]*>|0x[0-9a-f]+", " ", text))


def stale(saved: Any, new: Any) -> list[str]:
    """Say which outputs of a notebook are not those of its code."""
    found = ["its code was edited after it ran"] if saved.metadata.get("ran") != digest(saved) else []
    for number, (before, after) in enumerate(zip(saved.cells, new.cells, strict=True), 1):
        if before.cell_type != "code":
            continue
        kinds = [[sorted(output.get("data", {"text": ""})) for output in cell.outputs] for cell in (before, after)]
        said = [[word for output in cell.outputs for word in words(output)] for cell in (before, after)]
        if kinds[0] != kinds[1]:
            found.append(f"cell {number} shows other kinds of outputs")
        elif SequenceMatcher(None, *said, autojunk=False).ratio() < ALIKE:
            found.append(f"cell {number} says {' '.join(said[1])[:200]!r}, but saved is {' '.join(said[0])[:200]!r}")
    return found


def main() -> None:
    """Run or check notebooks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="such as audit; all if left out")
    parser.add_argument("--check", action="store_true", help="compare with what is saved, and save nothing")
    options = parser.parse_args()
    paths = [FOLDER / f"{name}.ipynb" for name in options.names] or sorted(FOLDER.glob("*.ipynb"))
    complaints = []
    for path in paths:
        notebook = run(path)
        if options.check:
            complaints += [f"{path.name}: {each}" for each in stale(nbformat.read(path, as_version=4), notebook)]
        else:
            nbformat.write(notebook, path)
    if complaints:
        sys.exit("\n".join([*complaints, "Run  python tools/notebooks.py  to write the outputs anew."]))


if __name__ == "__main__":
    main()
