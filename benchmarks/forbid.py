"""Words that must not decide, where it is known which: a word that goes with a class in training, and not in use.

python benchmarks/forbid.py --out results/forbid --seeds 3

In `planted:spurious`, 95 % of the training and dev texts mention a word that goes with their class, and half of the
test texts. Accuracy is measured on the test texts that mention the word of their class and on those that mention the
word of another, before and after the words are forbidden, and how far taking them out moves the answers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from whyword.audits.forbidden import without_forbidden
from whyword.data.dataset import load_dataset
from whyword.data.planted import SPURIOUS
from whyword.data.splits import Dataset
from whyword.models.config import make_config
from whyword.models.train import train_model

CLASSES = ("positive", "negative", "neutral")  # in the order of their spurious words


def measure(dataset: Dataset, encoder: str, how: str, values: dict[str, Any], seed: int) -> dict[str, Any]:
    """Train once; measure on the texts whose spurious word agrees with their class, and on the others."""
    model = train_model(make_config({"encoder": encoder, "seed": seed, **values}), dataset)
    classifier = model.classifier
    texts = [document.words for document in dataset.test]
    predicted = classifier.probabilities(texts).argmax(1).tolist()
    right = np.array([classifier.classes[n] == d.label for n, d in zip(predicted, dataset.test, strict=True)])
    agrees = np.array([SPURIOUS[CLASSES.index(str(d.label))] in d.words.strings for d in dataset.test])
    moved = without_forbidden(classifier, list(dataset.test), SPURIOUS)
    assert moved is not None
    assert moved.mean is not None
    return {
        "data": dataset.name,
        "encoder": encoder,
        "how": how,
        "seed": seed,
        "with_its_class": float(right[agrees].mean()),
        "with_another": float(right[~agrees].mean()),
        "texts_with_another": int((~agrees).sum()),
        "mean_movement": moved.mean.value,
        "largest_movement": moved.largest,
        "cpu_seconds": model.metrics["cpu_seconds"],
    }


def table(runs: list[dict[str, Any]]) -> str:
    """Write a line for each way, the mean over the seeds, with the lowest and the highest."""
    lines = [
        "| data | encoder | forbidden | accuracy, word of its class | word of another class | moved by removal, mean "
        "| largest | CPU seconds |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for key in dict.fromkeys((run["data"], run["encoder"], run["how"]) for run in runs):
        group = [run for run in runs if (run["data"], run["encoder"], run["how"]) == key]
        shares = (_over(group, name, "{:.1%}") for name in ("with_its_class", "with_another"))
        moved = (_over(group, name, "{:.3f}") for name in ("mean_movement", "largest_movement"))
        seconds = f"{np.mean([run['cpu_seconds'] for run in group]):.0f}"
        lines.append(f"| {' | '.join((*key, *shares, *moved, seconds))} |")
    return "\n".join(lines) + "\n"


def _over(runs: list[dict[str, Any]], name: str, form: str) -> str:
    values = [run[name] for run in runs]
    mean, low, high = (form.format(value) for value in (np.mean(values), min(values), max(values)))
    return mean if low == high else f"{mean} [{low}, {high}]"


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda text: text.split(";"), default=["planted:spurious"])
    parser.add_argument("--encoders", type=lambda text: text.split(","), default=["tfidf", "lstm"])
    parser.add_argument("--weights", type=lambda text: [float(w) for w in text.split(",")], default=[1.0])
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    words = list(SPURIOUS)
    ways: dict[str, dict[str, Any]] = {"nothing": {}, "not read": {"forbid": words}}
    soft = {
        f"softly, weight {weight:g}": {"forbid_soft": words, "training": {"forbid_weight": weight}}
        for weight in arguments.weights
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    runs: list[dict[str, Any]] = []
    for name in arguments.datasets:
        dataset = load_dataset(name)
        for encoder in arguments.encoders:
            solved = encoder == "tfidf"
            for seed in range(1 if solved else arguments.seeds):
                for how, values in (ways if solved else {**ways, **soft}).items():
                    runs.append(measure(dataset, encoder, how, values, seed))
                    (arguments.out / "results.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
                    (arguments.out / "table.md").write_text(table(runs), encoding="utf-8")
    print(table(runs))


if __name__ == "__main__":
    main()
