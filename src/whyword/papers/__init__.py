"""The papers' tables and figures, one file per paper."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from ..interfaces.errors import unknown_name
from .reproduction.paper import Paper


def paper_names() -> list[str]:
    """Name the papers: papers/sun_lu.py is sun-lu."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if not module.ispkg)


def load_paper(name: str) -> Paper:
    """Import a paper by its name; its file offers it as PAPER."""
    if name not in paper_names():
        raise unknown_name(name, "the papers", paper_names())
    paper: Paper = import_module(f"{__name__}.{name.replace('-', '_')}").PAPER
    return paper
