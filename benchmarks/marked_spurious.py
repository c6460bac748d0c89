"""Fifty marked texts instead of a list of forbidden words, where it is known which words must not decide.

python benchmarks/marked_spurious.py --out results/marked_spurious --seeds 3

As benchmarks/forbid.py, on the same data: instead of naming the spurious words, people mark the reason words of some
training texts, and the gates or the attention of a method are drawn to the marks (training.rationale_weight).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from forbid import measure, table
from whyword.data.dataset import load_dataset
from whyword.data.splits import Dataset

METHODS = ("vmask", "attention")


def with_marks(dataset: Dataset, texts: int) -> Dataset:
    """Leave the marks of the first training texts, and none of the others."""
    train = tuple(
        document if number < texts else replace(document, rationale=None)
        for number, document in enumerate(dataset.train)
    )
    return replace(dataset, train=train)


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda text: text.split(";"), default=["planted:spurious"])
    parser.add_argument("--marked", type=int, default=50)
    parser.add_argument("--weight", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    runs: list[dict[str, Any]] = []
    for name in arguments.datasets:
        dataset = with_marks(load_dataset(name), arguments.marked)
        for seed in range(arguments.seeds):
            for method in METHODS:
                for weight in (0.0, arguments.weight):
                    marks = f"{arguments.marked} marked texts, weight {weight:g}" if weight else "no marks"
                    values = {"method": method, "training": {"rationale_weight": weight}}
                    runs.append(measure(dataset, "lstm", f"{method}, {marks}", values, seed))
                    (arguments.out / "results.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
                    (arguments.out / "table.md").write_text(table(runs), encoding="utf-8")
    print(table(runs))


if __name__ == "__main__":
    main()
