"""A page that lists what the server answers, made from its OpenAPI document; it asks nothing of other servers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any


def documentation(openapi: Mapping[str, Any]) -> str:
    """Write the page."""
    schemas = openapi["components"]["schemas"]
    routes = "".join(
        _route(method.upper(), path, operation, schemas)
        for path, operations in openapi["paths"].items()
        for method, operation in operations.items()
    )
    title = escape(openapi["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"></head>'
        f"<body><main><h1>{title}</h1><p>{escape(openapi['info']['description'])} "
        f'The same as an OpenAPI document: <a href="/openapi.json">/openapi.json</a>.</p>{routes}</main></body></html>'
    )


def _route(method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    fields = [(p["name"], p.get("description", ""), p.get("required", False)) for p in operation.get("parameters", [])]
    if body is not None:
        schema = schemas[body["$ref"].rpartition("/")[2]]
        required = schema.get("required", [])
        fields += [
            (name, value.get("description", ""), name in required) for name, value in schema["properties"].items()
        ]
    rows = "".join(
        f"<li><code>{escape(name)}</code>{' (needed)' if needed else ''}: {escape(about)}</li>"
        for name, about, needed in fields
    )
    answers = "".join(
        f"<li>{escape(code)}: {escape(answer['description'])}</li>" for code, answer in operation["responses"].items()
    )
    return (
        f"<section><h2><code>{method} {escape(path)}</code></h2><p>{escape(operation.get('summary', ''))}</p>"
        f"{'<h3>Takes</h3><ul>' + rows + '</ul>' if rows else ''}<h3>Answers</h3><ul>{answers}</ul></section>"
    )
