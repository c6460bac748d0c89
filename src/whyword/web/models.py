"""The models that a server holds, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import catalog
from ..data.words import split
from ..explaining.opened import OpenedModel
from ..interfaces.classifier import Classifier, OpenClassifier, class_values
from ..interfaces.document import Document
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.explanation import WordImportance


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under the name of its folder, or another that tells it apart."""

    name: str
    model: OpenedModel
    signs: Mapping[str, bool]  # the explainers that work for it, and whether their scores have a sign

    @property
    def predictor(self) -> Classifier:
        """Give the classifier that predicts."""
        return self.model.classifier

    @cached_property
    def explained(self) -> Classifier:
        """Give the classifier that is explained: the same weights; tokenizers serve one thread at a time."""
        return self._twin or self.predictor

    @cached_property
    def _twin(self) -> Classifier | None:
        make: Callable[[], Classifier | None] | None = getattr(self.predictor, "twin", None)
        return None if make is None else make()

    @property
    def serves_two_threads(self) -> bool:
        """Whether it can predict and be explained at the same time: accelerators and models of others may not."""
        return self._twin is not None

    @cached_property
    def words(self) -> WordImportance:
        """Score the words of the training texts, where the model can do so without a text."""
        if not isinstance(self.predictor, OpenClassifier):
            raise OptionError("Only a model of whyword scores words without texts.")
        from ..explaining.words import word_importance

        return word_importance(self.predictor)

    @cached_property
    def about(self) -> dict[str, str]:
        """Say of each explainer what a score is and what it costs."""
        return {name: _about(name) for name in self.signs}

    def without(self, explainer: str) -> OptionError:
        """Say that it has no explainer of that name, and what it has."""
        if getattr(self.predictor, "takes_arrays", False) and explainer in catalog.names("explainers"):
            return OptionError(
                f"'{explainer}' needs torch, without which the ONNX file '{self.name}' is served: choose "
                f"{' or '.join(self.signs)}, or start the server with --torch or on the model folder."
            )
        return unknown_name(explainer, f"the explainers of the model '{self.name}'", self.signs)

    def describe(self) -> dict[str, Any]:
        """Say what it is, in plain values."""
        trained = self.model.trained
        return {
            "name": self.name,
            "method": self.model.kind if trained is None else trained.config.method,
            "encoder": self.model.name if trained is None else trained.config.encoder,
            "classes": list(self.predictor.classes),
            "scale": self._scale(),
            "precision": self.model.access.precision,
            "explainers": list(self.signs),
            "unsigned": [name for name, signed in self.signs.items() if not signed],
            "about": self.about,
            "default_explainer": catalog.make_explainer(None, self.predictor).name,
            "pairs": None,  # a model folder does not say whether its texts were pairs
        }

    def _scale(self) -> dict[str, float] | None:
        values = class_values(self.predictor)
        return None if values is None else dict(zip(map(str, self.predictor.classes), values, strict=True))


def _about(explainer: str) -> str:
    cost = catalog.load("explainers", explainer).cost
    return catalog.summary("explainers", explainer) + (f" Forward passes of a text: {cost}." if cost else "")


def load_models(models: Sequence[str | Path | OpenedModel]) -> list[ServedModel]:
    """Open models that are not open yet; of two of the same name, the second is called name-2."""
    opened = [model if isinstance(model, OpenedModel) else _open(model) for model in models]
    names = distinct_names(model.name for model in opened)
    return [
        ServedModel(name, model, signs_of_explainers(model.classifier))
        for name, model in zip(names, opened, strict=True)
    ]


def _open(model: str | Path) -> OpenedModel:
    from ..explaining.any_model import open_model  # imports torch, which a model that is open already may do without

    return open_model(model)


def signs_of_explainers(classifier: Classifier) -> dict[str, bool]:
    """Find the explainers that work for a model, and whether their scores have a sign; a text without words tells."""
    signs = {}
    for name in getattr(classifier, "explainers", None) or catalog.names("explainers"):
        with suppress(OptionError):
            (explanation,) = catalog.make_explainer(name, classifier).explain(classifier, [Document(split(""))])
            signs[name] = explanation.signed
    return signs


def distinct_names(names: Iterable[str]) -> list[str]:
    """Give a number to each name that is already taken."""
    taken: list[str] = []
    for name in names:
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}-{number}"
        taken.append(free)
    return taken
