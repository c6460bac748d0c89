"""Draw docs/images/architecture.svg and the table of docs/architecture.md from the import graph of the package.

usage: python tools/architecture.py [--check]
"""

from __future__ import annotations

import ast
import sys
import tomllib
from html import escape
from pathlib import Path

import grimp
import networkx

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src/whyword"
PICTURE = ROOT / "docs/images/architecture.svg"
PAGE = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- packages -->", "<!-- end of packages -->"
LETTER, BOX, GAP, ROW, EDGE = 8.2, 30, 18, 78, 24  # pixels: width of a letter, height of a box, spaces, margin


def layers() -> list[list[str]]:
    """Read the layers, top to bottom, from the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rows = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip() for name in row.split("|")] for row in rows]


def imports(packages: list[str]) -> networkx.DiGraph:
    """Give the imports between packages, without those that follow from others."""
    graph = grimp.build_graph("whyword")
    edges = networkx.DiGraph()
    edges.add_nodes_from(packages)
    for module in graph.modules:
        importer = module.split(".")[1] if "." in module else None
        for imported in graph.find_modules_directly_imported_by(module):
            target = imported.split(".")[1] if "." in imported else None
            if importer in edges and target in edges and importer != target:
                edges.add_edge(importer, target)
    return networkx.transitive_reduction(edges)


def describe(package: str) -> tuple[str, int, int]:
    """Give a package's docstring, and how many files and lines it has."""
    place = PACKAGE / package
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    first = place / "__init__.py" if place.is_dir() else files[0]
    sentence = (ast.get_docstring(ast.parse(first.read_text())) or "").split("\n")[0]
    return sentence, len(files), sum(len(file.read_text().splitlines()) for file in files)


def draw(rows: list[list[str]], edges: networkx.DiGraph) -> str:
    """Draw a row of boxes for each layer, and a line for each import."""
    widths = {name: LETTER * len(name) + 22 for row in rows for name in row}
    width = max(sum(widths[name] + GAP for name in row) for row in rows) + 2 * EDGE
    middle = {}
    for y, row in enumerate(rows):
        x = (width - sum(widths[name] + GAP for name in row) + GAP) / 2
        for name in row:
            middle[name] = (x + widths[name] / 2, EDGE + y * ROW)
            x += widths[name] + GAP
    lines, boxes = [], []
    for importer, imported in sorted(edges.edges):
        (x1, y1), (x2, y2) = middle[importer], middle[imported]
        y1 += BOX
        bend = (y2 - y1) / 2
        lines.append(f'<path d="M{x1:.0f},{y1} C{x1:.0f},{y1 + bend:.0f} {x2:.0f},{y2 - bend:.0f} {x2:.0f},{y2}"/>')
    for name, (x, y) in middle.items():
        left = x - widths[name] / 2
        boxes.append(f'<rect x="{left:.0f}" y="{y}" width="{widths[name]:.0f}" height="{BOX}" rx="6"/>')
        boxes.append(f'<text x="{x:.0f}" y="{y + 20}">{escape(name)}</text>')
    height = EDGE * 2 + (len(rows) - 1) * ROW + BOX
    style = (
        "path{fill:none;stroke:#7a8794;stroke-width:1.1;opacity:.55}rect{fill:#eef4fb;stroke:#31618f}"
        "text{font:14px ui-monospace,monospace;text-anchor:middle;fill:#16324c}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        f'aria-label="Packages of whyword, each importing only those below it"><style>{style}</style>'
        f'<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>\n'
        + "\n".join([*lines, *boxes])
        + "\n</svg>\n"
    )


def table(rows: list[list[str]]) -> str:
    """List the packages, top to bottom."""
    lines = ["| package | holds | files | lines |", "|---|---|--:|--:|"]
    for name in (name for row in rows for name in row):
        sentence, files, length = describe(name)
        lines.append(f"| `{name}` | {sentence} | {files} | {length:,} |")
    return "\n".join(lines)


def main() -> None:
    """Write both files, or with --check fail where they are not what the code says."""
    rows = layers()
    picture = draw(rows, imports([name for row in rows for name in row]))
    before, rest = PAGE.read_text().split(BEGIN)
    page = f"{before}{BEGIN}\n{table(rows)}\n{END}{rest.split(END)[1]}"
    if "--check" in sys.argv[1:]:
        stale = [file.name for file, text in ((PICTURE, picture), (PAGE, page)) if file.read_text() != text]
        sys.exit(f"{' and '.join(stale)} no longer shows the code: run  make architecture." if stale else 0)
    PICTURE.write_text(picture)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
