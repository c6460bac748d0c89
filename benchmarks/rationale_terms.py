"""Attention and gates drawn to marked words, beside a reader that is detached from its classifier.

python benchmarks/rationale_terms.py --data-dir DATA --embeddings GLOVE --models MODELS --out results/rationale_terms \
    --rows 4000 --seeds 3

LSTM on HateXplain, with the splits and all the marks of rationales.py. Of each weight of the term stand the accuracy on
the posts that chose the epoch (dev), which is what a weight is chosen by, and accuracy and agreement on the test posts.
Runs that are recorded are not run again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from rationales import METRICS, RECORDS, agreement, fit, is_marked, settings, split, written
from whyword.catalog import make_explainer
from whyword.data.splits import Dataset
from whyword.models.config import make_config, overlay, with_defaults
from whyword.models.folder import TrainedModel
from whyword.models.train import train_once

SCORES = {"attention": "attention", "vmask": "gate"}  # what the term draws to the marks
WEIGHTS = (0.0, 0.1, 1.0)
READER = "base"  # with a detached reader
Run = dict[str, Any]


def variants() -> Iterator[tuple[str, float]]:
    """Name the methods, each with the weights of its term."""
    yield READER, 0.0
    for method in SCORES:
        for weight in WEIGHTS:
            yield method, weight


def measure(model: TrainedModel, dataset: Dataset, method: str, seed: int) -> Run:
    """Measure the scores that have seen the marks, and the accuracy of the model."""
    if method == READER:
        found = fit(model, dataset, None, seed)
    else:
        marked = [document for document in dataset.test if is_marked(document)]
        found = agreement(
            model.classifier, make_explainer(SCORES[method], model.classifier).explain(model.classifier, marked)
        )
    accuracies = {"dev": model.metrics["dev_accuracy"], "accuracy": model.metrics["test_accuracy"]}
    return {**{name: found[name] for name in METRICS}, **accuracies}


def table(runs: Sequence[Mapping[str, Any]]) -> str:
    """Write the mean over seeds of every weight, and of the one that dev chooses at each seed."""
    names = ["dev", "accuracy", *METRICS]
    lines = ["| scores | weight | seeds | " + " | ".join(names) + " |", "|---" * (3 + len(names)) + "|"]

    def add(method: str, weight: str, group: Sequence[Mapping[str, Any]]) -> None:
        columns = [written([run[name] for run in group]) for name in names]
        scores = f"{method}, {SCORES.get(method, 'detached reader')}"
        lines.append("| " + " | ".join([scores, weight, str(len(group)), *columns]) + " |")

    for method, weight in variants():
        add(method, f"{weight:g}", [run for run in runs if (run["method"], run["weight"]) == (method, weight)])
        if weight == WEIGHTS[-1]:
            of_seed = {
                run["seed"]: [r for r in runs if (r["method"], r["seed"]) == (method, run["seed"])] for run in runs
            }
            complete = [group for group in of_seed.values() if len(group) == len(WEIGHTS)]
            add(method, "chosen on dev", [max(group, key=lambda run: run["dev"]) for group in complete])
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is not recorded yet, and write the table of all records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--embeddings", required=True)
    parser.add_argument("--models", type=Path, required=True, help="where trained classifiers are kept")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, help="training texts, all marked ones among them")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    arguments.encoder = "lstm"
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    records = arguments.out / RECORDS
    runs = [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []
    dataset = split("hatexplain", arguments.data_dir, arguments.rows, None)
    for seed in range(arguments.seeds):
        for method, weight in variants():
            run: Run = {"method": method, "weight": weight, "rows": len(dataset.train), "seed": seed}
            if any({name: done[name] for name in run} == run for done in runs):
                continue
            values = overlay({**settings(arguments, seed), "method": method}, [f"training.rationale_weight={weight}"])
            place = arguments.models / f"{method}-{weight:g}-{seed}"
            model = train_once(make_config(with_defaults(values)), dataset, place)
            runs.append(run | measure(model, dataset, method, seed))
            with records.open("a") as file:
                file.write(json.dumps(runs[-1]) + "\n")
            print(json.dumps(runs[-1]), flush=True)
            (arguments.out / "table.md").write_text(table(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
