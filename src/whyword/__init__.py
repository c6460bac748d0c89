"""Text classifiers that show which words decided, and prove it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .audits.api import audit
    from .audits.audit import Audit
    from .estimator import TextClassifier, explain, load
    from .explaining.write import write_explanations, write_predictions
    from .grids.compare import compare
    from .grids.comparison import Comparison
    from .interfaces.explanation import Explanation, WordImportance

_HOMES = {
    "Audit": "audits.audit",
    "Comparison": "grids.comparison",
    "Explanation": "interfaces.explanation",
    "TextClassifier": "estimator",
    "WordImportance": "interfaces.explanation",
    "audit": "audits.api",
    "compare": "grids.compare",
    "explain": "estimator",
    "load": "estimator",
    "write_explanations": "explaining.write",
    "write_predictions": "explaining.write",
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
    "explain",
    "load",
    "write_explanations",
    "write_predictions",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing whyword stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'whyword' has no attribute '{name}'")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return [*globals(), *(name for name in __all__ if name not in globals())]
