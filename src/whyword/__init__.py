"""Text classifiers that show which words decided, and prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import moved as moved
from .interfaces.lazy import lazy

__version__ = "0.2.0"

if TYPE_CHECKING:
    from . import adapters, analysis, checks, data, encoders, errors, explainers, loggers, methods, metrics
    from .audits.audit import Audit
    from .audits.run import audit
    from .data.doctor import check
    from .diffs.diff import diff
    from .estimator import TextClassifier, explain, load
    from .evaluation.measure import Scores
    from .explaining.learned import learn_explainer, load_explainer
    from .explaining.measure import measure_explanations as measure
    from .explaining.write import write_explanations, write_predictions
    from .grids.compare import compare
    from .grids.comparison import Comparison
    from .interfaces.explanation import Explanation, WordImportance
    from .models.from_file import train
    from .models.verify import verify
    from .storage.signature import sign

_HOMES = {
    "Audit": ".audits.audit",
    "Comparison": ".grids.comparison",
    "Explanation": ".interfaces.explanation",
    "Scores": ".evaluation.measure",
    "TextClassifier": ".estimator",
    "WordImportance": ".interfaces.explanation",
    "audit": ".audits.run",
    "check": ".data.doctor",
    "compare": ".grids.compare",
    "diff": ".diffs.diff",
    "explain": ".estimator",
    "learn_explainer": ".explaining.learned",
    "load": ".estimator",
    "load_explainer": ".explaining.learned",
    "measure": ".explaining.measure:measure_explanations",
    "sign": ".storage.signature",
    "train": ".models.from_file",
    "verify": ".models.verify",
    "write_explanations": ".explaining.write",
    "write_predictions": ".explaining.write",
}
_MODULES = (
    "adapters",
    "analysis",
    "checks",
    "data",
    "encoders",
    "errors",
    "explainers",
    "loggers",
    "methods",
    "metrics",
)

__all__ = [
    "Audit",
    "Comparison",
    "Explanation",
    "Scores",
    "TextClassifier",
    "WordImportance",
    "__version__",
    "adapters",
    "analysis",
    "audit",
    "check",
    "checks",
    "compare",
    "data",
    "diff",
    "encoders",
    "errors",
    "explain",
    "explainers",
    "learn_explainer",
    "load",
    "load_explainer",
    "loggers",
    "measure",
    "methods",
    "metrics",
    "sign",
    "train",
    "verify",
    "write_explanations",
    "write_predictions",
]

__getattr__, __dir__ = lazy(__name__, _HOMES, _MODULES)
