"""The demo: train on texts whose true reasons are known, explain, and see how well the words were found."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.metrics import average_precision_score

from ..data.dataset import load_dataset
from ..interfaces.document import Document
from ..interfaces.explanation import Explanation
from ..views.page import heading, page
from .config import make_config
from .explaining import explain_documents, make_explainer
from .model_folder import TrainedModel
from .run import Watch, train_model

METHODS = ("attention", "vmask")
EXPLAINERS = ("own", "occlusion", "random")
SHOWN = 2  # texts shown in the terminal
ON_PAGE = 10


@dataclass(frozen=True)
class DemoResult:
    """What the demo found out."""

    accuracy: Mapping[str, float]  # on test, by method
    agreement: Mapping[str, Mapping[str, float]]  # with the true reason words, by method and explainer
    shown: Sequence[tuple[str, Explanation]]  # method and its explanation
    folder: Path
    page: Path

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {
            "models": {method: str(self.folder / method) for method in self.accuracy},
            "test_accuracy": dict(self.accuracy),
            "agreement_with_truth": {method: dict(values) for method, values in self.agreement.items()},
            "page": str(self.page),
        }

    @property
    def summary(self) -> str:
        """Say what was found and what to try next."""
        names = list(next(iter(self.agreement.values())))
        model = shlex.quote(str(self.folder / max(self.agreement, key=lambda method: self.agreement[method]["own"])))
        lines = ["How well the scores find the true reason words (area under precision-recall, 1 is perfect):", ""]
        lines.append("model      test accuracy" + "".join(f"{name:>11}" for name in names))
        for method, values in self.agreement.items():
            lines.append(f"{method:<11}{self.accuracy[method]:>13.1%}" + "".join(f"{values[n]:>11.2f}" for n in names))
        lines += [
            "",
            f"{ON_PAGE} texts, every explainer: {self.page}",
            "Try next:",
            f'  whyword explain {model} "The plot was dreadful but the cast was superb and the ending moving."',
            f'  whyword explain {model} --explainer occlusion --json "A text of yours"',
            "  whyword train your.csv -o model      (columns text and label)",
        ]
        return "\n".join(lines)


def run_demo(
    folder: Path,
    seed: int,
    device: torch.device | str,
    watch: Watch,
    data: str = "planted:medium",
    encoder: str = "lstm",
    epochs: int = 20,
) -> DemoResult:
    """Train each method, explain the test texts, write a page, sum up."""
    dataset = load_dataset(data)
    folder.mkdir(parents=True, exist_ok=True)
    accuracy: dict[str, float] = {}
    explained: dict[str, dict[str, list[Explanation]]] = {}
    for method in METHODS:
        watch(f"Training {method} on {len(dataset.train):,} texts.")
        config = make_config({"method": method, "encoder": encoder, "seed": seed, "training": {"epochs": epochs}})
        model = train_model(config, dataset, device, folder / method, watch=watch)
        accuracy[method] = model.metrics["test_accuracy"]
        explained[method] = {name: _explain(model, dataset.test, name, seed) for name in EXPLAINERS}
    place = folder / "explanations.html"
    place.write_text("".join(page(_fragments(dataset.test, explained))), encoding="utf-8")
    return DemoResult(
        accuracy=accuracy,
        agreement={
            method: {name: agreement_with_truth(explanations) for name, explanations in by_explainer.items()}
            for method, by_explainer in explained.items()
        },
        shown=[(method, by["own"][number]) for number in range(SHOWN) for method, by in explained.items()],
        folder=folder,
        page=place,
    )


def _explain(model: TrainedModel, documents: Sequence[Document], name: str, seed: int) -> list[Explanation]:
    explainer = make_explainer(name, model.classifier, seed)
    return list(explain_documents(model.classifier, documents, explainer))


def _fragments(documents: Sequence[Document], explained: Mapping[str, Mapping[str, list[Explanation]]]) -> list[str]:
    fragments = []
    for number, document in enumerate(documents[:ON_PAGE]):
        fragments.append(heading(f"Text {number + 1}, written as {document.label}"))
        for method, by_explainer in explained.items():
            fragments.append(f"<h3>{method}</h3>")
            fragments += [explanations[number].to_html() for explanations in by_explainer.values()]
    return fragments


def agreement_with_truth(explanations: Sequence[Explanation]) -> float:
    """Average over texts the area under precision-recall of the scores against the true reason words."""
    areas = []
    for explanation in explanations:
        truth = explanation.document.rationale_words
        if truth is not None and any(truth):
            areas.append(average_precision_score(truth, explanation.scores))
    return float(np.mean(areas))
