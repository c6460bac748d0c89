"""Ordered classes: cumulative logits beside plain softmax, on the same data, encoders and seeds.

python benchmarks/ordinal.py --out results/ordinal --data-dir DATA --datasets sst1 --seeds 3

Each model is trained with the defaults of `whyword train`. Plain softmax knows no order: it is measured as it predicts,
by the likeliest class, and also by the median of its probabilities, which costs the least error.

Where the words that raise and lower the stars are known (`planted:ordinal`), the sizes of the contributions to the
expected score are compared with them: average precision over test texts, beside that of random words.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from whyword.data.dataset import load_dataset
from whyword.data.labels import numbered
from whyword.data.order import ordered_classes, values_of
from whyword.explainers import Own, Random
from whyword.explaining.stream import explain_documents
from whyword.explaining.targets import read_target
from whyword.grids.leaderboard import BOUNDS
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.classifier import class_values
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.maths.stats.intervals import SHARE, mean_over_runs
from whyword.maths.stats.ordered import decided, estimate_ordered
from whyword.metrics import RationaleAuprc
from whyword.models.config import make_config, with_defaults
from whyword.models.train import train_model
from whyword.report.tables import with_interval

SCORES = ("accuracy", "absolute_error", "kappa")
EXPLAINED = 200  # test texts with known reasons
SOLVED = ("tfidf",)  # encoders that are solved: one run says it all


def measure(data: str, data_dir: Path | None, encoder: str, task: str | None, seed: int) -> list[dict[str, Any]]:
    """Train a model and measure it on test, in one way or in two."""
    dataset = load_dataset(data, data_dir=data_dir)
    planted = task is not None and dataset.test[0].rationale is not None
    values = {"encoder": encoder, "task": task, "seed": seed, "rationales": False}
    values |= {} if planted else {"contributions": False}
    model = train_model(make_config(with_defaults(values)), dataset)
    reasons = find_reasons(model.classifier, dataset.test[:EXPLAINED]) if planted else {}
    known = model.classifier.classes
    order = ordered_classes(known)
    table = model.classifier.probabilities([document.words for document in dataset.test]).double().numpy()
    table = table[:, [known.index(label) for label in order]]
    gold, values = numbered(dataset.test, order), np.array(values_of(order))
    ways = {"cumulative logits": True} if task else {"softmax, likeliest": False, "softmax, median": True}
    rows = []
    for name, ordered in ways.items():
        scores = estimate_ordered(decided(table, ordered), gold, values)
        measured = {score: getattr(scores, score).value for score in SCORES}
        facts = {"data": data, "encoder": encoder, "model": name, "seed": seed, **measured}
        rows.append({**facts, **reasons, "cpu_seconds": model.metrics["cpu_seconds"]})
    return rows


def find_reasons(classifier: FittedClassifier, documents: Sequence[Document]) -> dict[str, float]:
    """Compare what raises and lowers the expected score with the words that are known to."""
    target = read_target(classifier.classes, "score", None, class_values(classifier))
    explanations = list(explain_documents(classifier, documents, Own(), target))
    chosen = [replace(one, scores=np.abs(one.scores)) for one in explanations]
    scores = {"reasons": chosen, "random": Random().explain(classifier, documents)}
    return {f"auprc_{name}": float(np.mean([_auprc(one) for one in ones])) for name, ones in scores.items()}


def _auprc(explanation: Explanation) -> float:
    return float(RationaleAuprc().values(explanation, np.zeros(0), ())[0])


def table(rows: list[dict[str, Any]]) -> str:
    """Write a line for each model: the mean over seeds with its 95 % interval."""
    kinds = dict.fromkeys((row["data"], row["encoder"], row["model"]) for row in rows)
    lines = [
        "| data | encoder | model | seeds | accuracy | mean absolute error | weighted kappa "
        "| AUPRC of reasons (random words) | CPU s |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for kind in kinds:
        runs = [row for row in rows if (row["data"], row["encoder"], row["model"]) == kind]
        cells = [_shown([run[score] for run in runs], BOUNDS.get(score, SHARE)) for score in SCORES]
        found = [[run[f"auprc_{name}"] for run in runs if f"auprc_{name}" in run] for name in ("reasons", "random")]
        cells.append(f"{_shown(found[0])} ({np.mean(found[1]):.3f})" if found[0] else "")
        seconds = f"{np.mean([run['cpu_seconds'] for run in runs]):.0f}"
        lines.append(f"| {' | '.join([*kind, str(len(runs)), *cells, seconds])} |")
    return "\n".join(lines) + "\n"


def _shown(values: list[float], bounds: tuple[float, float] = SHARE) -> str:
    return with_interval(mean_over_runs(values, bounds))


def write(rows: list[dict[str, Any]], folder: Path) -> None:
    """Write what is known so far."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    (folder / "table.md").write_text(table(rows), encoding="utf-8")


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--datasets", type=lambda text: text.split(";"), default=["sst1"])
    parser.add_argument("--encoders", type=lambda text: text.split(","), default=["tfidf", "lstm"])
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows: list[dict[str, Any]] = []
    for data in arguments.datasets:
        for encoder in arguments.encoders:
            for seed in range(1 if encoder in SOLVED else arguments.seeds):
                for task in (None, "ordinal"):
                    rows += measure(data, arguments.data_dir, encoder, task, seed)
                    write(rows, arguments.out)
    print(table(rows))


if __name__ == "__main__":
    main()
