"""Import paths that the documentation once showed: they work for one more release, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import MutableSequence
from importlib import import_module
from types import ModuleType
from typing import Any

MOVED = {  # old module: its names, and where each is now; a package that is gone has no names
    "experiments": {},
    "experiments.adversarial_attention": {"jsd_tvd_curve": "analysis.adversarial_model:jsd_tvd_curve"},
    "experiments.belief": {"examine_attention": "analysis.attention_tests:run_attention_tests"},
    "experiments.config": {"make_config": "models.config:make_config"},
    "experiments.difference": {"diff_models": "diffs.diff:diff_models"},
    "experiments.iterations": {
        "dev_accuracy_by_iteration": "analysis.vat_iterations:dev_accuracy_by_iteration",
        "train_by_iteration": "analysis.vat_iterations:train_by_iteration",
    },
    "experiments.measuring": {"measure_explanations": "explaining.measure:measure_explanations"},
    "experiments.model_folder": {"load_model": "models.folder:load_model"},
    "experiments.text_pick": {"pick_texts": "explaining.words:pick_texts"},
    "experiments.text_vectors": {"panel": "analysis.tsne:panel"},
    "experiments.word_information": {"word_information": "analysis.probing:word_information"},
    "maths.bootstrap": {"paired_difference": "maths.stats.comparisons:paired_difference"},
    "plots.accuracy_by_iteration": {"accuracy_by_iteration": "plots.curves:accuracy_by_iteration"},
    "plots.jsd_tvd": {"jsd_tvd": "plots.curves:jsd_tvd"},
    "probing": {},
    "probing.agreement": {
        "rank_agreement": "evaluation.measure:rank_agreement",
        "top_agreement": "evaluation.measure:top_agreement",
    },
    "probing.attention": {
        "uniform_attention": "analysis.replaced_attention:uniform_attention",
        "permuted_attention": "analysis.replaced_attention:permuted_attention",
        "borrowed_attention": "analysis.replaced_attention:swapped_attention",
    },
}


class MovedModule(ModuleType):
    """A module whose names live elsewhere now."""

    __file__: str | None = __file__  # for those who look through all modules
    __path__: MutableSequence[str] = []  # noqa: RUF012 - a package: modules can be imported from it

    def __getattr__(self, name: str) -> Any:
        """Import a name from its new place."""
        homes = MOVED[self.__name__.partition(".")[2]]
        if name not in homes:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        module, _, new = homes[name].partition(":")
        sentence = f"{self.__name__}.{name} is whyword.{module}.{new} now: the old path works until the next release."
        warnings.warn(sentence, DeprecationWarning, stacklevel=2)
        return getattr(import_module(f"whyword.{module}"), new)


for _old in MOVED:
    sys.modules.setdefault(f"whyword.{_old}", MovedModule(f"whyword.{_old}"))
