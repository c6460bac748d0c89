"""What the masks of benchmarks/accuracy.py learned: correlation with frequency, and the words they keep.

python benchmarks/mask_words.py results/masks
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from cells import mean_and_half

PUBLISHED = {  # Pearson's r of frequency and importance printed for VMASK
    ("sst2", "cnn"): -0.067,
    ("sst2", "lstm"): -0.068,
    ("trec", "cnn"): -0.018,
    ("trec", "lstm"): -0.026,
    ("subj", "cnn"): -0.010,
    ("subj", "lstm"): -0.003,
}


def mean_and_interval(values: list[float]) -> str:
    """Write a mean over seeds with its 95 % interval (Student's t)."""
    return "{:.3f} ± {:.3f}".format(*mean_and_half(values))


def most_chosen(records: list[dict[str, Any]]) -> str:
    """Name the words that most seeds have among their top 20; equal counts in the order of their mean score."""
    scores: dict[str, list[float]] = defaultdict(list)
    for record in records:
        for row in record["top_words"]:
            scores[row["word"]].append(row["score"])
    ranked = sorted(scores, key=lambda word: (-len(scores[word]), -np.mean(scores[word]), word))
    return ", ".join(f"{word} ({len(scores[word])})" for word in ranked[:20])


def main(out: Path) -> None:
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for path in sorted((out / "cells").glob("*.json")):
        record = json.loads(path.read_text())
        if "top_words" in record:
            groups[record["dataset"], record["encoder"], record["method"]].append(record)
    lines = [
        "Frequency and importance over the vocabulary: mean over seeds with its 95 % interval; sd of the scores.",
        "",
        "| data | encoder | method | seeds | Pearson | published | Spearman | sd of the scores |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (dataset, encoder, method), records in sorted(groups.items()):
        pearson, spearman = ([r["frequency"][kind]["value"] for r in records] for kind in ("pearson", "spearman"))
        printed = PUBLISHED.get((dataset, encoder)) if method == "vmask" else None
        parallel_map = np.mean(
            [record["health"]["keep_sd"] for record in records if "keep_sd" in record["health"]] or [np.nan]
        )
        lines.append(
            f"| {dataset} | {encoder} | {method} | {len(records)} | {mean_and_interval(pearson)} "
            f"| {'–' if printed is None else printed} | {mean_and_interval(spearman)} | {parallel_map:.2f} |"
        )
    lines += [
        "",
        "The 20 words that most seeds have among their top 20 (words seen at least 5 times), with the number of seeds.",
        "",
        "| data | encoder | method | words |",
        "|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(key)} | {most_chosen(records)} |" for key, records in sorted(groups.items())]
    (out / "words.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
