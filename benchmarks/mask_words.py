"""What the masks of benchmarks/accuracy.py learned: correlation with frequency, and the words they keep.

python benchmarks/mask_words.py results/masks
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from whyword.grids.runner import RECORDS, read_records
from whyword.grids.variant import Result
from whyword.maths.stats.intervals import mean_over_runs
from whyword.report.tables import with_interval

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
    return with_interval(mean_over_runs(values, (-1.0, 1.0)))


def most_chosen(results: list[Result]) -> str:
    """Name the words that most seeds have among their top 20; equal counts in the order of their mean score."""
    scores: dict[str, list[float]] = defaultdict(list)
    for result in results:
        for row in result["top_words"]:
            scores[row["word"]].append(row["score"])
    ranked = sorted(scores, key=lambda word: (-len(scores[word]), -np.mean(scores[word]), word))
    return ", ".join(f"{word} ({len(scores[word])})" for word in ranked[:20])


def main(out: Path) -> None:
    groups: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for record in read_records(out / RECORDS):
        if "top_words" in record.result:
            groups[record.dataset, record.encoder, record.method].append(record.result)
    lines = [
        "Frequency and importance over the vocabulary: mean over seeds with its 95 % interval; sd of the scores.",
        "",
        "| data | encoder | method | seeds | Pearson | published | Spearman | sd of the scores |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (dataset, encoder, method), results in sorted(groups.items()):
        pearson, spearman = ([r["frequency"][kind]["value"] for r in results] for kind in ("pearson", "spearman"))
        printed = PUBLISHED.get((dataset, encoder)) if method == "vmask" else None
        deviations = [result["health"]["keep_sd"] for result in results if "keep_sd" in result["health"]]
        deviation = np.mean(deviations or [np.nan])
        lines.append(
            f"| {dataset} | {encoder} | {method} | {len(results)} | {mean_and_interval(pearson)} "
            f"| {'–' if printed is None else printed} | {mean_and_interval(spearman)} | {deviation:.2f} |"
        )
    lines += [
        "",
        "The 20 words that most seeds have among their top 20 (words seen at least 5 times), with the number of seeds.",
        "",
        "| data | encoder | method | words |",
        "|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(key)} | {most_chosen(results)} |" for key, results in sorted(groups.items())]
    (out / "words.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
