"""The command line: parse, call experiments, show."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
