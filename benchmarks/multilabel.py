"""Texts of several labels with known reasons: whether each label is explained by its own words.

python benchmarks/multilabel.py --out results/multilabel --datasets "planted:multilabel;planted:multilabel,hard"

An LSTM is trained beside TF-IDF. For every label, over the test texts that have it, contributions are
compared with the planted reasons of that label (average precision), and so are the scores for the likeliest label taken
for every label, as a tool gives them that knows one answer a text.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from whyword.catalog import make_explainer
from whyword.data.dataset import load_dataset
from whyword.explaining.measure import measure_explanations
from whyword.inference.one_label import OneLabel, as_one_label, for_label
from whyword.interfaces.explanation import Explanation
from whyword.models.config import make_config
from whyword.models.train import train_model

METRIC = "rationale-auprc"
FEWEST = 20  # texts of a label that is measured


def measure(name: str, seed: int, encoder: str) -> dict[str, Any]:
    """Train on one data set, and explain its test texts."""
    dataset = load_dataset(name)
    model = train_model(make_config({"encoder": encoder, "contributions": True, "seed": seed}), dataset, baseline=True)
    classifier = model.classifier
    explanations = make_explainer("own", classifier).explain(classifier, list(dataset.test))
    by_label = {}
    for number, label in enumerate(classifier.classes):
        having = [e for e in explanations if e.document.labels is not None and label in e.document.labels]
        if len(having) < FEWEST:
            continue
        right = [as_one_label(for_label(explanation, number)) for explanation in having]
        wrong = [_as_if_for(one, explanation) for one, explanation in zip(right, having, strict=True)]
        scores = measure_explanations(OneLabel(classifier, number), {"own": right, "likeliest": wrong}, [METRIC])
        by_label[str(label)] = {name: float(np.nanmean(scores[METRIC, name].per_text)) for name in ("own", "likeliest")}
    return {"data": name, "seed": seed, "figures": model.metrics["figures"], "auprc": by_label}


def _as_if_for(one: Explanation, explanation: Explanation) -> Explanation:
    """Take the scores for the likeliest label as those for this one."""
    assert explanation.all_scores is not None
    return replace(one, scores=explanation.all_scores[int(explanation.probabilities.argmax())], all_scores=None)


def table(runs: list[dict[str, Any]]) -> str:
    """Write a line for each run."""
    lines = [
        "| data | seed | macro-F1 | TF-IDF's | average precision of own, by label | of the likeliest label's scores |",
        "|---|--:|--:|--:|---|---|",
    ]
    for run in runs:
        own, wrong = (", ".join(f"{v[k]:.3f}" for v in run["auprc"].values()) for k in ("own", "likeliest"))
        f1 = [f"{row['macro_f1'][0]:.3f}" for row in run["figures"]["models"]]  # majority, TF-IDF, this model
        lines.append(f"| {run['data']} | {run['seed']} | {f1[2]} | {f1[1]} | {own} | {wrong} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda text: text.split(";"), default=["planted:multilabel"])
    parser.add_argument("--encoder", default="lstm")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    runs = [measure(name, seed, arguments.encoder) for name in arguments.datasets for seed in range(arguments.seeds)]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    (arguments.out / "table.md").write_text(table(runs), encoding="utf-8")
    print(table(runs))


if __name__ == "__main__":
    main()
