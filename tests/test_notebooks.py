"""The notebooks of the tutorials hold the outputs of their code; `make docs` runs them."""

import copy
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))


@pytest.fixture(scope="module")
def tool():
    pytest.importorskip("nbclient")
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_has_the_outputs_of_its_code(path, tool):
    notebook = tool.nbformat.read(path, as_version=4)
    assert path.stat().st_size < 300_000
    assert notebook.metadata["ran"] == tool.digest(notebook)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert len(outputs) >= 3
    assert all(output.output_type != "error" for output in outputs)


def test_stale_outputs_are_found(tool):
    saved = tool.nbformat.read(ROOT / "docs" / "tutorials" / "wrong-reason.ipynb", as_version=4)
    assert tool.stale(saved, saved) == []
    said, kind, edited = (copy.deepcopy(saved) for _ in range(3))
    place = next(number for number, cell in enumerate(saved.cells) if cell.get("outputs"))
    said.cells[place].outputs = [{"output_type": "stream", "name": "stdout", "text": "something else entirely"}]
    kind.cells[place].outputs = []
    edited.cells[place].source += "\nprint(1)"
    assert "something else" in tool.stale(saved, said)[0]
    assert "other kinds" in tool.stale(saved, kind)[0]
    assert "edited" in tool.stale(edited, saved)[0]
