"""Old import paths that the documentation once showed: they work for one more release, with a warning."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

MOVED = {  # old module: its names, and where each is now
    "belief": {"examine_attention": "analysis.attention_tests:run_attention_tests"},
    "config": {"make_config": "models.config:make_config"},
    "difference": {"diff_models": "diffs.diff:diff_models"},
    "iterations": {
        "dev_accuracy_by_iteration": "analysis.vat_iterations:dev_accuracy_by_iteration",
        "train_by_iteration": "analysis.vat_iterations:train_by_iteration",
    },
    "measuring": {"measure_explanations": "explaining.measure:measure_explanations"},
    "model_folder": {"load_model": "models.folder:load_model"},
    "text_pick": {"pick_texts": "explaining.words:pick_texts"},
    "text_vectors": {"panel": "analysis.tsne:panel"},
}


class MovedModule(ModuleType):
    """A module whose names live elsewhere now."""

    def __getattr__(self, name: str) -> Any:
        """Import a name from its new place."""
        old = self.__name__.rpartition(".")[2]
        if name not in MOVED[old]:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        module, _, new = MOVED[old][name].partition(":")
        warnings.warn(
            f"{self.__name__}.{name} is whyword.{module}.{new} now: the old path works until the next release.",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(f"whyword.{module}"), new)


for _old in MOVED:
    sys.modules[f"{__name__}.{_old}"] = MovedModule(f"{__name__}.{_old}")
