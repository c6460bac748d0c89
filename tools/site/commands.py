"""Hook of MkDocs: make the page reference/cli.md from the help of the commands."""

import inspect
import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer import Context
from typer.main import get_command

from whyword.cli.app import app

PAGE = "reference/cli.md"
INTRODUCTION = """# Command line

Every command of `whyword`, from its own help: `whyword COMMAND --help` says the same. Exit code 0 is done, 1 a bug,
2 something that you can fix (one sentence says what), 3 more changes than `diff` was allowed, 130 interrupted (work so
far is kept).

Completion of commands, options and the classes of a model: `whyword --install-completion`.
"""


def cell(text: str) -> str:
    """Escape what Markdown would take for markup in a cell of a table."""
    return re.sub(r"([|*_<>\[\]])", r"\\\1", " ".join(text.split()))


def table(heading: str, rows: list[tuple[str, str]]) -> str:
    """Write arguments or options with their help."""
    lines = [f"| `{name.replace('|', chr(0x2502))}` | {cell(about)} |" for name, about in rows]
    return f"| {heading} | |\n|---|---|\n" + "\n".join(lines) + "\n" if rows else ""


def section(name: str, command: Any, context: Context) -> str:
    """Write one command: what it does, how it is called, and its options."""
    records = [(parameter.param_type_name, parameter.get_help_record(context)) for parameter in command.params]
    arguments = [record for kind, record in records if kind == "argument" and record]
    options = [record for kind, record in records if kind == "option" and record]
    about = inspect.cleandoc(command.help or "")
    usage = "\n".join(command.collect_usage_pieces(context))
    call = f"```text\nwhyword {name} {' '.join(usage.split())}\n```"
    return "\n\n".join([f"## whyword {name}", about, call, table("argument", arguments), table("option", options)])


def page() -> str:
    """Write the page."""
    root = get_command(app)
    context = Context(root, info_name="whyword")
    return "\n\n".join([INTRODUCTION, *(section(name, each, context) for name, each in root.commands.items())])


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page."""
    files.append(File.generated(config, PAGE, content=page()))
    return files
