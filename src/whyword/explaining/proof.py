"""An explainer with its proof: its explanations are checked, sampled on, or searched for words that act together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation
from .check import check
from .interactions import find_interactions
from .tolerance import check_tolerance, refine


@dataclass(frozen=True)
class Proved(Explainer):
    """What an explainer says, and then what the options ask for."""

    explainer: Explainer
    kind: str  # class of the explainer: two that have the same settings are not the same
    check: bool = False
    tolerance: float | None = None
    interactions: bool = False
    name: str = "proved"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        explanations = self.explainer.explain(classifier, documents, targets)
        seed: int = getattr(self.explainer, "seed", 0)
        removal: Removal = getattr(self.explainer, "removal", "delete")
        if self.tolerance is not None:
            explanations = refine(classifier, explanations, self.tolerance, seed=seed, removal=removal)
        elif self.check:
            explanations = check(classifier, explanations, seed=seed, removal=removal)
        return find_interactions(classifier, explanations, removal=removal) if self.interactions else explanations

    def scoring(self, classes: tuple[int, ...] | Literal["all"]) -> Self:
        """Let the explainer score these classes."""
        return replace(self, explainer=self.explainer.scoring(classes))


def prove(
    explainer: Explainer,
    check: bool = False,
    tolerance: float | None = None,
    interactions: bool = False,
    against: Label | None = None,
    score: bool = False,
) -> Explainer:
    """Give an explainer that also does what is asked for; the same one if nothing is."""
    if tolerance is not None:
        check_tolerance(tolerance)
    if not (check or tolerance is not None or interactions):
        return explainer
    if against is not None or score:
        raise OptionError(
            f"{'An expected score' if score else 'A contrast'} is neither checked nor searched for words that act "
            f"together: leave out {'the target score' if score else 'against'}, or check, tolerance and interactions."
        )
    kind = f"{type(explainer).__module__}.{type(explainer).__qualname__}"
    return Proved(explainer, kind, check, tolerance, interactions)
