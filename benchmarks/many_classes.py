"""What 1,000 classes cost beside 10: training, explaining and an audit, each in a process of its own, on one thread.

python benchmarks/many_classes.py --out results/many_classes [--classes 10,1000]

Texts are generated: every class has three words of its own, of which a text holds two among fillers; of models of
several labels, a text holds two words of each of its labels. An LSTM with contributions is trained for three epochs.
Peak memory and CPU seconds are what the system measured of the command `whyword train`, `explain` or `audit`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from commands import run, versions

TEXTS = {"train": 3000, "dev": 300, "test": 50}
WORDS, OWN_WORDS, FILLERS = 13, 3, 400
AUDITED = 20  # texts
TRAINING = ("--encoder", "lstm", "--epochs", 3, "--no-baseline")
STEPS = {
    "own": ("--explainer", "own"),
    "lime": ("--explainer", "lime", "--samples", 500),
    "shapley": ("--explainer", "shapley", "--set", "limit=500"),
}


def texts(count: int, classes: int, several: bool, rng: Random) -> Iterator[dict[str, Any]]:
    """Write texts of one label, or of one to three."""
    for number in range(count):
        labels = {number % classes}
        if several:
            labels |= {rng.randrange(classes) for _ in range(rng.randrange(3))}
        words = [
            f"w{label}x{n}" for label in sorted(labels) for n in rng.sample(range(OWN_WORDS), 2)
        ]  # two of its words each
        words += [f"filler{rng.randrange(FILLERS)}" for _ in range(WORDS - len(words))]
        rng.shuffle(words)
        names = [f"class {label:04}" for label in sorted(labels)]
        yield {"text": " ".join(words), "label": names if several else names[0]}


def measure(classes: int, several: bool) -> Iterator[dict[str, Any]]:
    """Run every command on a model of so many classes."""
    with tempfile.TemporaryDirectory() as name:
        folder, rng = Path(name), Random(0)
        (folder / "data").mkdir()
        for split, count in TEXTS.items():
            rows = texts(count, classes, several, rng)
            lines = "".join(f"{json.dumps(row)}\n" for row in rows)
            (folder / "data" / f"{split}.jsonl").write_text(lines, encoding="utf-8")
        model, test = folder / "model", folder / "data" / "test.jsonl"
        about = {"classes": classes, "labels": "several" if several else "one"}
        yield _row(about, "train", TEXTS["train"], run("train", folder / "data", "-o", model, *TRAINING))
        for step, words in STEPS.items():
            used = run("explain", model, test, *words, "-o", folder / f"{step}.jsonl")
            size = (folder / f"{step}.jsonl").stat().st_size
            yield _row(about, f"explain by {step}", TEXTS["test"], used, output_megabytes=round(size / 1e6, 2))
        yield _row(about, "audit", AUDITED, run("audit", model, test, "--sample", AUDITED, "-o", folder / "page.html"))


def _row(about: dict[str, Any], step: str, count: int, used: tuple[float, float], **more: float) -> dict[str, Any]:
    return {**about, "step": step, "texts": count, "peak_megabytes": used[0], "cpu_seconds": used[1], **more}


def table(rows: list[dict[str, Any]]) -> str:
    """Put the numbers of classes side by side."""
    sizes = list(dict.fromkeys(row["classes"] for row in rows))
    head = " | ".join(f"{n:,} classes: CPU s | peak MB" for n in sizes)
    lines = [f"| labels a text | step | texts | {head} |", f"|---|---|--:|{'--:|--:|' * len(sizes)}"]
    for labels, step, count in dict.fromkeys((row["labels"], row["step"], row["texts"]) for row in rows):
        of_step = {row["classes"]: row for row in rows if (row["labels"], row["step"]) == (labels, step)}
        cells = " | ".join(f"{of_step[n]['cpu_seconds']:,.1f} | {of_step[n]['peak_megabytes']:,.0f}" for n in sizes)
        lines.append(f"| {labels} | {step} | {count:,} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write figures and table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--labels", choices=["one", "several"], nargs="+", default=["one", "several"])
    parser.add_argument("--classes", type=lambda words: list(map(int, words.split(","))), default=[10, 1000])
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for labels in arguments.labels:
        for classes in arguments.classes:
            for row in measure(classes, labels == "several"):
                print(row, flush=True)
                rows.append(row)
    arguments.out.mkdir(parents=True, exist_ok=True)
    record = json.dumps({"versions": versions(), "results": rows}, indent=1)
    (arguments.out / "results.json").write_text(record + "\n", encoding="utf-8")
    (arguments.out / "table.md").write_text(table(rows), encoding="utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
