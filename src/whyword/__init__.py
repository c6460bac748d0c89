"""Text classifiers that show which words decided, and prove it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .audits.audit import Audit, audit
    from .diffs.diff import diff
    from .estimator import TextClassifier, explain, load
    from .grids.compare import compare
    from .grids.comparison import Comparison
    from .interfaces.explanation import Explanation, WordImportance

_HOMES = {
    "Audit": "audits.audit",
    "Comparison": "grids.comparison",
    "Explanation": "interfaces.explanation",
    "TextClassifier": "estimator",
    "WordImportance": "interfaces.explanation",
    "audit": "audits.audit",
    "compare": "grids.compare",
    "diff": "diffs.diff",
    "explain": "estimator",
    "load": "estimator",
}

__all__ = [
    "Audit",
    "Comparison",
    "Explanation",
    "TextClassifier",
    "WordImportance",
    "__version__",
    "audit",
    "compare",
    "diff",
    "explain",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing whyword stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'whyword' has no attribute '{name}'")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return [*globals(), *(name for name in __all__ if name not in globals())]
