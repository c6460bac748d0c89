"""Hook of MkDocs: show each notebook of docs/tutorials, with the outputs that are saved in it, as a page."""

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

COLOR = re.compile(r"\x1b\[[0-9;]*m")


def fenced(text: str, language: str) -> str:
    """Write lines as a block of code."""
    return f"````{language}\n{COLOR.sub('', text).rstrip()}\n````"


def shown(output: dict[str, Any]) -> str:
    """Write an output as Jupyter shows it: the richest of its forms."""
    if output["output_type"] == "stream":
        return fenced("".join(output["text"]), "text")
    forms = {kind: "".join(value) for kind, value in output["data"].items() if isinstance(value, list | str)}
    if "text/html" in forms:
        html = re.sub(r"\n\s*\n", "\n", forms["text/html"])  # an empty line would end the HTML for Markdown
        return f'<div class="shown">\n{html}\n</div>'
    if "text/markdown" in forms:
        return forms["text/markdown"]
    if "image/svg+xml" in forms:
        return f'<div class="shown">\n{forms["image/svg+xml"]}\n</div>'
    if "image/png" in forms:
        return (
            f'<img class="shown" alt="{forms["text/plain"]}" src="data:image/png;base64,{forms["image/png"].strip()}">'
        )
    return fenced(forms["text/plain"], "text")


def page(notebook: dict[str, Any], name: str) -> str:
    """Write a notebook as Markdown."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        shell = source.startswith("!")
        parts.append(fenced(re.sub(r"^!", "", source, flags=re.M) if shell else source, "sh" if shell else "python"))
        parts += map(shown, cell["outputs"])
    heading, *rest = parts
    title, _, introduction = heading.partition("\n")
    download = f"[This page as a notebook]({name}){{ .notebook download }}"
    return "\n\n".join([title, download, introduction.strip(), *rest]) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every notebook; the notebook itself can be downloaded."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        source = Path(config.docs_dir, file.src_uri).read_text(encoding="utf-8")
        content = page(json.loads(source), Path(file.src_uri).name)
        files.append(File.generated(config, file.src_uri.removesuffix(".ipynb") + ".md", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to notebooks to their pages, but for the one that offers the notebook itself."""
    return re.sub(r"(\]\([\w./-]+)\.ipynb\)(?!\{)", r"\1.md)", markdown)
