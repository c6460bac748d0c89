"""The demo: train on texts whose true reasons are known, explain, and audit which explanations can be trusted."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from .audits.audit import Audit
from .audits.run import gather_audit
from .catalog import make_explainer
from .data.dataset import load_dataset
from .explaining.stream import explain_documents
from .interfaces.explanation import Explanation
from .models.config import make_config
from .models.train import OnEvent, train_model

METHODS = ("attention", "vmask")
EXPLAINERS = ("own", "occlusion")
SHOWN = 2  # texts shown in the terminal


@dataclass(frozen=True)
class DemoResult:
    """What the demo found out."""

    accuracy: Mapping[str, float]  # on test, by method
    audits: Mapping[str, Audit]  # by method
    shown: Sequence[tuple[str, Explanation]]  # method and its explanation
    folder: Path

    @property
    def agreement(self) -> dict[str, dict[str, float]]:
        """How well the scores find the true reason words, by method and explainer."""
        return {
            method: {name: audit.scores["rationale-auprc", name].value for name in audit.scores.explainers}
            for method, audit in self.audits.items()
        }

    def page(self, method: str) -> Path:
        """Say where the report on a method is."""
        return self.folder / f"{method}.html"

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {
            "models": {method: str(self.folder / method) for method in self.accuracy},
            "test_accuracy": dict(self.accuracy),
            "agreement_with_truth": self.agreement,
            "verdicts": {method: audit.verdicts for method, audit in self.audits.items()},
            "pages": {method: str(self.page(method)) for method in self.audits},
        }

    @property
    def summary(self) -> str:
        """Say what was found and what to try next."""
        agreement = self.agreement
        names = list(next(iter(agreement.values())))
        model = shlex.quote(str(self.folder / max(agreement, key=lambda method: agreement[method]["own"])))
        lines = ["How well the scores find the true reason words (area under precision-recall, 1 is perfect):", ""]
        lines.append("model      test accuracy" + "".join(f"{name:>11}" for name in names))
        for method, values in agreement.items():
            lines.append(f"{method:<11}{self.accuracy[method]:>13.1%}" + "".join(f"{values[n]:>11.2f}" for n in names))
        lines += ["", "What the audit says:"]
        for method, audit in self.audits.items():
            verdicts = ", ".join(f"{name}: {verdict}" for name, verdict in audit.verdicts.items())
            lines.append(f"  {method:<11}{verdicts}   ({self.page(method)})")
        lines += [
            "Try next:",
            f'  whyword explain {model} "The plot was dreadful but the cast was superb and the ending moving."',
            f"  whyword serve {model}      (a page to try sentences on)",
            "  whyword train your.csv -o model      (columns text and label)",
        ]
        return "\n".join(lines)


def run_demo(
    folder: Path,
    seed: int,
    device: torch.device | str,
    on_event: OnEvent,
    data: str = "planted:medium",
    encoder: str = "lstm",
    epochs: int = 20,
) -> DemoResult:
    """Train each method, explain and audit on the test texts, write the reports, sum up."""
    dataset = load_dataset(data)
    folder.mkdir(parents=True, exist_ok=True)
    accuracy: dict[str, float] = {}
    audits: dict[str, Audit] = {}
    shown: dict[str, list[Explanation]] = {}
    for method in METHODS:
        on_event(f"Training {method} on {len(dataset.train):,} texts.")
        config = make_config({"method": method, "encoder": encoder, "seed": seed, "training": {"epochs": epochs}})
        model = train_model(config, dataset, device, folder / method, on_event=on_event)
        accuracy[method] = model.metrics["test_accuracy"]
        on_event(f"Auditing {method} on {len(dataset.test):,} texts.")
        name = f"{method} on {encoder}"
        audits[method] = gather_audit(
            model, dataset.test, EXPLAINERS, seed=seed, model_name=name, data_name=f"the test split of {data}"
        )
        audits[method].save(folder / f"{method}.html")
        own = make_explainer("own", model.classifier, seed)
        shown[method] = list(explain_documents(model.classifier, dataset.test[:SHOWN], own))
    return DemoResult(accuracy, audits, [(m, shown[m][number]) for number in range(SHOWN) for m in METHODS], folder)
