"""Which words decide over many texts? Local scores summed word by word, as VMASK does with SP-LIME."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...explaining.stream import make_explainer
from ...explaining.words import word_importance
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class SpLime(Question):
    """The words of the largest summed scores on test texts."""

    sample: int
    samples: int  # of LIME, for each text
    top: int = 10

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Sum LIME's scores for the predicted classes."""
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        explainer = make_explainer("lime", model.classifier, trial.seed, {"samples": self.samples})
        found = word_importance(model.classifier, documents, explainer)
        return {"texts": len(documents), "top": list(found.top(self.top).rows())}
