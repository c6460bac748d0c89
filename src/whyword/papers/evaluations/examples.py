"""What do its explanations look like? A few test texts with their words' scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...explaining.stream import explain_documents, make_explainer
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.folder import TrainedModel

KEPT = ("text", "text_pair", "label", "probability", "words", "scores")


@dataclass(frozen=True)
class Examples(Question):
    """The same few texts for all models."""

    explainer: str = "own"
    explainer_settings: Mapping[str, Any] = field(default_factory=dict)
    texts: int = 3
    top: int = 3

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Explain the predicted class of each."""
        documents = draw(dataset.test or dataset.dev, self.texts, seed=0)
        explainer = make_explainer(self.explainer, model.classifier, trial.seed, self.explainer_settings)
        found = []
        for explanation in explain_documents(model.classifier, documents, explainer):
            values = {name: value for name, value in explanation.to_dict().items() if name in KEPT}
            found.append({**values, "gold": explanation.document.label, "top": explanation.top(self.top)})
        return {"texts": found}
