"""The demo: train on texts whose true reasons are known, explain, and see how well the words were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from ..data.dataset import load_dataset
from ..interfaces.document import Document
from ..interfaces.explanation import Explanation
from ..views.page import page
from .config import make_config
from .explaining import explain_documents, make_explainer
from .model_folder import TrainedModel
from .run import Watch, train_model

METHODS = ("attention",)
EXPLAINERS = ("own", "occlusion", "random")
SHOWN = 3  # texts shown in the terminal


@dataclass(frozen=True)
class DemoResult:
    """What the demo shows."""

    shown: Sequence[Explanation]
    summary: str


def run_demo(folder: Path, seed: int, watch: Watch) -> DemoResult:
    """Train each method on `planted`, explain the test texts, write a page, sum up."""
    dataset = load_dataset("planted:medium")
    folder.mkdir(parents=True, exist_ok=True)
    models = {
        method: train_model(
            make_config({"method": method, "encoder": "lstm", "seed": seed}),
            dataset,
            folder=folder / method,
            watch=watch,
        )
        for method in METHODS
    }
    explained = {
        f"{method}, {name}": _explain(model, dataset.test, name, seed)
        for method, model in models.items()
        for name in EXPLAINERS
    }
    fragments = [
        f"<h2>{number + 1}. {dataset.test[number].label}</h2>\n"
        + "\n".join(e[number].to_html() for e in explained.values())
        for number in range(10)
    ]
    place = folder / "explanations.html"
    place.write_text("".join(page(fragments)), encoding="utf-8")
    shown = [explanations[number] for number in range(SHOWN) for explanations in list(explained.values())[:2]]
    return DemoResult(shown, _summary(models, explained, place))


def _explain(model: TrainedModel, documents: Sequence[Document], name: str, seed: int) -> list[Explanation]:
    explainer = make_explainer(name, model.classifier, seed)
    return list(explain_documents(model.classifier, documents, explainer))


def agreement_with_truth(explanations: Sequence[Explanation]) -> float:
    """Average over texts the area under precision-recall of the scores against the true reason words."""
    areas = []
    for explanation in explanations:
        truth = explanation.document.rationale_words
        if truth is not None and any(truth):
            areas.append(average_precision_score(truth, explanation.scores))
    return float(np.mean(areas))


def _summary(models: dict[str, TrainedModel], explained: dict[str, list[Explanation]], place: Path) -> str:
    lines = [f"{method}: test accuracy {model.metrics['test_accuracy']:.1%}" for method, model in models.items()]
    lines.append("\nHow well the scores find the true reason words (area under precision-recall, 1 is perfect):")
    lines += [f"  {name:<24} {agreement_with_truth(explanations):.2f}" for name, explanations in explained.items()]
    first = place.parent / next(iter(models))
    lines += [
        f"\nTen texts, every explainer: {place}",
        "Try next:",
        f'  whyword explain {first} "The plot was dreadful but the cast was superb and the ending moving."',
        f'  whyword explain {first} --explainer occlusion --json "A text of yours"',
        "  whyword train your.csv -o model      (columns text and label)",
    ]
    return "\n".join(lines)
