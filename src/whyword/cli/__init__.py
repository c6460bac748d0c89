"""The command line: parse, call, show."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
