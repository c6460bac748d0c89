"""Hook of MkDocs: make the page reference/http.md, and the file beside it, from the OpenAPI document of the server."""

import json
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from whyword.web.app import make_app

PAGE, DOCUMENT = "reference/http.md", "reference/openapi.json"
INTRODUCTION = f"""# HTTP

What `whyword serve MODEL` answers, from its own [OpenAPI document]({DOCUMENT.rpartition("/")[2]}), which a running
server gives as `/openapi.json`. How to start one, with tokens, limits and examples:
[Serving models over HTTP](../serve.md).
"""


def name_of(schema: dict[str, Any]) -> str:
    """Say of what type a value is, with links to the schemas below."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(name_of, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        items = [name_of(each) for each in schema.get("prefixItems", [])] or [name_of(schema.get("items", {}))]
        return "list of " + ", ".join(items)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return "object of " + name_of(schema["additionalProperties"])
    return str(kind)


def content_of(value: dict[str, Any]) -> str:
    """Say what a request or an answer holds."""
    return " or ".join(
        name_of(each["schema"]) if each.get("schema") else f"`{kind}`"
        for kind, each in value.get("content", {}).items()
    )


def route(path: str, verb: str, operation: dict[str, Any]) -> str:
    """Write one route: what it does, what it takes and what it answers."""
    lines = [f"### `{verb.upper()} {path}`", operation.get("description") or operation.get("summary", "")]
    given = [
        f"| `{each['name']}` ({each['in']}) | {name_of(each['schema'])} | {each.get('description', '')} |"
        for each in operation.get("parameters", [])
    ]
    if body := operation.get("requestBody"):
        given.append(f"| body | {content_of(body)} | {body.get('description', '')} |")
    if given:
        lines.append("| takes | | |\n|---|---|---|\n" + "\n".join(given))
    answers = [
        f"| {status} | {content_of(each)} | {each['description']} |" for status, each in operation["responses"].items()
    ]
    lines.append("| answers | | |\n|---|---|---|\n" + "\n".join(answers))
    return "\n\n".join(lines)


def schema_of(name: str, schema: dict[str, Any]) -> str:
    """Write one schema: its fields, their types and what they mean."""
    rows = []
    for field, each in schema.get("properties", {}).items():
        needed = field in schema.get("required", [])
        default = f" Left out: `{json.dumps(each['default'])}`." if "default" in each else ""
        optional = "" if needed or default else " May be missing."
        about = " ".join((each.get("description", "") + default + optional).split()).replace("|", "\\|")
        rows.append(f"| `{field}` | {name_of(each)} | {about} |")
    lines = [f"### {name}", schema.get("description", "")]
    lines += ["| field | | |\n|---|---|---|\n" + "\n".join(rows)] if rows else [name_of(schema)]
    return "\n\n".join(lines)


def page(document: dict[str, Any]) -> str:
    """Write the page."""
    routes = [
        route(path, verb, operation) for path, verbs in document["paths"].items() for verb, operation in verbs.items()
    ]
    schemas = [schema_of(name, schema) for name, schema in document["components"]["schemas"].items()]
    return "\n\n".join([INTRODUCTION, "## Routes", *routes, "## Schemas", *schemas]) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page and the document."""
    document = make_app([]).openapi()
    files.append(File.generated(config, PAGE, content=page(document)))
    files.append(File.generated(config, DOCUMENT, content=json.dumps(document, indent=1)))
    return files
