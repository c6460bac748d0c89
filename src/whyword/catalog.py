"""The folders are the registry: a file methods/vmask.py offers the class Vmask under the name vmask."""

from __future__ import annotations

import ast
import pkgutil
from importlib import import_module, resources
from typing import Any

from .interfaces.errors import unknown_name

ROOMS = ("methods", "encoders", "explainers", "metrics")


def names(room: str) -> list[str]:
    """List what a room offers, without importing it."""
    folder = resources.files(f"whyword.{room}")
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules([str(folder)]))


def load(room: str, name: str) -> Any:
    """Import the class that a file offers."""
    if name not in names(room):
        raise unknown_name(name, room, names(room))
    module = name.replace("-", "_")
    class_name = "".join(part.capitalize() for part in module.split("_"))
    return getattr(import_module(f"whyword.{room}.{module}"), class_name)


def summary(room: str, name: str) -> str:
    """Read the first sentence of a file, without importing it."""
    source = (resources.files(f"whyword.{room}") / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]
