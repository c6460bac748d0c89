"""What a trained model attends to, whether that is faithful, and what its states and texts look like inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from .adversarial_model import Patience, jsd_tvd_curve
    from .attention_tests import run_attention_tests
    from .polarity_report import attention_report
    from .probing import word_information
    from .replaced_attention import (
        Search,
        adversarial_attention,
        permuted_attention,
        swapped_attention,
        uniform_attention,
    )
    from .tsne import panel, text_vectors
    from .vat_iterations import dev_accuracy_by_iteration, train_by_iteration

_HOMES = {
    "Patience": ".adversarial_model",
    "Search": ".replaced_attention",
    "adversarial_attention": ".replaced_attention",
    "attention_report": ".polarity_report",
    "dev_accuracy_by_iteration": ".vat_iterations",
    "jsd_tvd_curve": ".adversarial_model",
    "panel": ".tsne",
    "permuted_attention": ".replaced_attention",
    "run_attention_tests": ".attention_tests",
    "swapped_attention": ".replaced_attention",
    "text_vectors": ".tsne",
    "train_by_iteration": ".vat_iterations",
    "uniform_attention": ".replaced_attention",
    "word_information": ".probing",
}

__all__ = [
    "Patience",
    "Search",
    "adversarial_attention",
    "attention_report",
    "dev_accuracy_by_iteration",
    "jsd_tvd_curve",
    "panel",
    "permuted_attention",
    "run_attention_tests",
    "swapped_attention",
    "text_vectors",
    "train_by_iteration",
    "uniform_attention",
    "word_information",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
