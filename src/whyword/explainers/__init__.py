"""Explainers, one file each, and what an explainer of your own is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..attribution.groups.watch import LongText, watch_long_texts
    from ..interfaces.classifier import Classifier, OpenClassifier, Removal
    from ..interfaces.document import Document, Words
    from ..interfaces.explanation import Explainer, Explanation
    from .attention import Attention
    from .gate import Gate
    from .gradient import Gradient
    from .integrated_gradients import IntegratedGradients
    from .lime import Lime
    from .occlusion import Occlusion
    from .own import Own
    from .random import Random
    from .rationale import Rationale
    from .shapley import Shapley

_HOMES = {
    "Attention": ".attention",
    "Classifier": "..interfaces.classifier",
    "Document": "..interfaces.document",
    "Explainer": "..interfaces.explanation",
    "Explanation": "..interfaces.explanation",
    "Gate": ".gate",
    "Gradient": ".gradient",
    "IntegratedGradients": ".integrated_gradients",
    "Lime": ".lime",
    "LongText": "..attribution.groups.watch",
    "Occlusion": ".occlusion",
    "OpenClassifier": "..interfaces.classifier",
    "Own": ".own",
    "Random": ".random",
    "Rationale": ".rationale",
    "Removal": "..interfaces.classifier",
    "Shapley": ".shapley",
    "Words": "..interfaces.document",
    "watch_long_texts": "..attribution.groups.watch",
}

__all__ = [
    "Attention",
    "Classifier",
    "Document",
    "Explainer",
    "Explanation",
    "Gate",
    "Gradient",
    "IntegratedGradients",
    "Lime",
    "LongText",
    "Occlusion",
    "OpenClassifier",
    "Own",
    "Random",
    "Rationale",
    "Removal",
    "Shapley",
    "Words",
    "watch_long_texts",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
