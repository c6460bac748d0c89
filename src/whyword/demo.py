"""The demo: train on texts whose true reasons are known, explain, and audit which explanations can be trusted."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from .audits.audit import Audit
from .audits.run import gather_audit
from .data.dataset import load_dataset
from .explainers.own import Own
from .interfaces.document import Document
from .interfaces.explanation import Explanation
from .models.config import make_config, overlay, with_contributions
from .models.folder import TrainedModel
from .models.train import OnEvent, train_model
from .storage.lock import owned

MODELS: Mapping[str, Mapping[str, Any]] = {  # the default, and two methods as published: attention, a word mask
    "default": with_contributions({}),
    "attention": {"method": "attention"},
    "vmask": {"method": "vmask"},
}
EXPLAINERS = ("own", "occlusion")
SHOWN = 2  # texts shown in the terminal
AUDITED = 120  # texts: enough for a verdict, and done in seconds


@dataclass(frozen=True)
class DemoResult:
    """What the demo found out."""

    accuracy: Mapping[str, float]  # on test, by model
    audits: Mapping[str, Audit]  # by model
    shown: Sequence[Mapping[str, Explanation]]  # per text: what each model says of it
    folder: Path

    @property
    def agreement(self) -> dict[str, dict[str, float]]:
        """How well the scores find the true reason words, by model and explainer."""
        return {
            model: {name: audit.scores["rationale-auprc", name].value for name in audit.scores.explainers}
            for model, audit in self.audits.items()
        }

    def page(self, model: str) -> Path:
        """Say where the report on a model is."""
        return self.folder / f"{model}.html"

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {
            "models": {model: str(self.folder / model) for model in self.accuracy},
            "test_accuracy": dict(self.accuracy),
            "agreement_with_truth": self.agreement,
            "verdicts": {model: audit.verdicts for model, audit in self.audits.items()},
            "pages": {model: str(self.page(model)) for model in self.audits},
        }

    @property
    def summary(self) -> str:
        """Say what was found and what to try next."""
        agreement = self.agreement
        names = list(next(iter(agreement.values())))
        model = shlex.quote(str(self.folder / next(iter(agreement))))
        lines = ["How well the scores find the true reason words (area under precision-recall, 1 is perfect):", ""]
        lines.append("model      test accuracy" + "".join(f"{name:>11}" for name in names))
        for name, values in agreement.items():
            lines.append(f"{name:<11}{self.accuracy[name]:>13.1%}" + "".join(f"{values[n]:>11.2f}" for n in names))
        lines += ["", "What the audit says:"]
        for name, audit in self.audits.items():
            verdicts = ", ".join(f"{explainer}: {verdict}" for explainer, verdict in audit.verdicts.items())
            lines.append(f"  {name:<11}{verdicts}   ({self.page(name)})")
        lines += [
            "",
            "Try next:",
            f'  whyword explain {model} "The plot was dreadful but the cast was superb and the ending moving."',
            f"  whyword serve {model}      (a page to try sentences on)",
            "  whyword train your.csv -o model      (a column of texts and one of labels)",
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
    """Train each model, explain and audit on the test texts, write the reports, sum up."""
    dataset = load_dataset(data)
    with owned(folder, inside=True):
        accuracy: dict[str, float] = {}
        audits: dict[str, Audit] = {}
        trained: dict[str, TrainedModel] = {}
        for name, settings in MODELS.items():
            on_event(f"Training {name} on {len(dataset.train):,} texts.")
            values = overlay({**settings, "encoder": encoder, "seed": seed}, [f"training.epochs={epochs}"])
            model = trained[name] = train_model(make_config(values), dataset, device, folder / name, on_event=on_event)
            dataset = replace(dataset, notes=())  # they were told with the first model
            accuracy[name] = model.metrics["test_accuracy"]
            audited = dataset.test[:AUDITED]
            on_event(f"Auditing {name} on {len(audited):,} texts.")
            audits[name] = gather_audit(
                model,
                audited,
                EXPLAINERS,
                seed=seed,
                model_name=f"{name} on {encoder}",
                data_name=f"{len(audited):,} texts of the test split of {data}",
            )
            audits[name].save(folder / f"{name}.html")
    first = next(iter(trained.values()))
    documents = most_divided(Own().explain(first.classifier, dataset.test), SHOWN)
    explained = {name: Own().explain(model.classifier, documents) for name, model in trained.items()}
    shown = [{name: explained[name][i] for name in trained} for i in range(len(documents))]
    return DemoResult(accuracy, audits, shown, folder)


def most_divided(explanations: Sequence[Explanation], count: int) -> list[Document]:
    """Choose the texts that hold the strongest words of both sides: where the weaker side is strongest."""

    def weaker_side(explanation: Explanation) -> float:
        return float(min(explanation.scores.max(initial=0.0), -explanation.scores.min(initial=0.0)))

    return [explanation.document for explanation in sorted(explanations, key=weaker_side, reverse=True)[:count]]


def planted_words(document: Document) -> str:
    """Name the words that were planted for the label of a text."""
    marked = document.rationale_words or ()
    words = [word for word, planted in zip(document.words.strings, marked, strict=False) if planted]
    return f"The truth, the words planted for {document.label}: {', '.join(words)}."
