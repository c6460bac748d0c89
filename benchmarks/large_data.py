"""Training, predicting and explaining take the same memory for a hundred times the rows: peak memory and speed.

python benchmarks/large_data.py make --rows 5000000 --folder SCRATCH
python benchmarks/large_data.py train --rows 5000000 --folder SCRATCH --out results/large_data
python benchmarks/large_data.py predict --rows 5000000 --folder SCRATCH --out results/large_data
python benchmarks/large_data.py explain --rows 5000000 --folder SCRATCH --out results/large_data
python benchmarks/large_data.py table --out results/large_data

The rows are generated: about 200 bytes of CSV each, 20 to 44 words with the frequencies of a language (Zipf) over
30,000 words, three of them of one of four topics, which is the label; in every tenth row a word that no other row has.
Each command runs in a process of its own on one thread; peak memory is what the system measured of it. A step is a
command of its own, so that they can be run one at a time; `--model-rows 50000` lets one model answer files of any size.
`train-in-memory` is `train --no-stream`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from commands import MEGABYTE, run, versions

WORDS, TOPICS, TOPIC_WORDS, UNIQUE = 30_000, 4, 200, 10
SHORTEST, LONGEST = 20, 44
CHUNK = 10_000
TRAINING = ("--encoder", "bag", "--epochs", 1, "--no-baseline", "--set", "encoder.dim=50")
TRAINING += ("--set", "training.batch_size=1024", "--set", "training.batch_tokens=65536")
SETTINGS = {
    "train": "train --stream",
    "train-in-memory": "train --no-stream",
    "predict": "predict",
    "explain": "explain",
}


def vocabulary(rng: Random) -> list[str]:
    """Make words of two to four syllables, the shorter ones first."""
    syllables = [first + last for first in "bdfgklmnprstvz" for last in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(rng.choices(syllables, k=2 + (len(words) > 500) + (len(words) > 10_000)))] = None
    return list(words)


def write_rows(path: Path, rows: int, seed: int = 0) -> None:
    """Write a file of so many rows; a shorter file is the beginning of a longer one."""
    words = np.array(vocabulary(Random(seed)))
    shares = 1 / (np.arange(WORDS - TOPICS * TOPIC_WORDS) + 5.0)
    common = np.cumsum(shares / shares.sum())
    generator = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        for start in range(0, rows, CHUNK):
            lengths = generator.integers(SHORTEST, LONGEST + 1, CHUNK)
            topics = generator.integers(0, TOPICS, CHUNK)
            drawn = np.minimum(np.searchsorted(common, generator.random(int(lengths.sum()))), len(common) - 1)
            drawn += TOPICS * TOPIC_WORDS
            ends = np.cumsum(lengths)
            for _ in range(3):
                own = topics * TOPIC_WORDS + generator.integers(0, TOPIC_WORDS, CHUNK)
                drawn[ends - lengths + generator.integers(0, lengths)] = own
            strings = words[drawn].tolist()
            begin = 0
            for number, (end, topic) in enumerate(zip(ends.tolist(), topics.tolist(), strict=True), start):
                if number >= rows:
                    break
                text = " ".join(strings[begin:end])
                begin = end
                text = f"{text} user{number}" if number % UNIQUE == 0 else text
                file.write(f"{text},topic {topic}\n")


def measure(step: str, folder: Path, rows: int, model_rows: int) -> dict[str, Any]:
    """Run a command on a file of so many rows."""
    source, model = folder / f"rows{rows}.csv", folder / f"model{model_rows}"
    if step.startswith("train"):
        how = "--no-stream" if step == "train-in-memory" else "--stream"
        place = folder / f"model{rows}" if step == "train" else folder / f"in-memory{rows}"
        peak, seconds = run("train", source, "-o", place, "--overwrite", how, *TRAINING)
        metrics = json.loads((place / "metrics.json").read_text(encoding="utf-8"))
        more = {"test_accuracy": metrics["test_accuracy"], "train_texts": metrics["train_texts"]}
    else:
        output = folder / f"{step}{rows}.jsonl"
        output.unlink(missing_ok=True)
        peak, seconds = run(step, model, source, "-o", output)
        with output.open("rb") as file:
            assert sum(1 for _ in file) == rows
        more = {"output_megabytes": round(output.stat().st_size / MEGABYTE)}
        output.unlink()
    return {
        "step": step,
        "rows": rows,
        "input_megabytes": round(source.stat().st_size / MEGABYTE),
        "peak_megabytes": round(peak, 1),
        "cpu_seconds": round(seconds, 1),
        "rows_per_cpu_second": round(rows / seconds),
        **more,
    }


def table(results: list[dict[str, Any]]) -> str:
    """Put the steps below each other, each by rising numbers of rows, beside the smallest."""
    lines = ["| step | rows | CSV | peak memory | times the smallest | CPU time | rows per CPU second |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for step, name in SETTINGS.items():
        of_step = sorted((row for row in results if row["step"] == step), key=lambda row: int(row["rows"]))
        for row in of_step:
            ratio = row["peak_megabytes"] / of_step[0]["peak_megabytes"]
            lines.append(
                f"| {name} | {row['rows']:,} | {row['input_megabytes']:,} MB | {row['peak_megabytes']:,.0f} MB | "
                f"{ratio:.2f} | {row['cpu_seconds']:,.0f} s | {row['rows_per_cpu_second']:,} |"
            )
    return "\n".join(lines) + "\n"


def read_results(out: Path) -> list[dict[str, Any]]:
    """Read every result, one file each, so that steps can run on their own."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(out.glob("*-*.json"))]


def main() -> None:
    """Make the rows, measure a step, or write the table of all that was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["make", *SETTINGS, "table"])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--model-rows", type=int, help="the model that predicts or explains; left out: of --rows")
    parser.add_argument("--folder", type=Path, help="where rows, models and outputs lie, about 15 GB for 5,000,000")
    parser.add_argument("--out", type=Path, help="where results are kept")
    arguments = parser.parse_args()
    if arguments.step == "table":
        (arguments.out / "table.md").write_text(table(read_results(arguments.out)), encoding="utf-8")
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.step == "make":
        write_rows(arguments.folder / f"rows{arguments.rows}.csv", arguments.rows)
        return
    model_rows = arguments.model_rows or arguments.rows
    result = {**measure(arguments.step, arguments.folder, arguments.rows, model_rows), "versions": versions()}
    print(result, flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"{arguments.step}-{arguments.rows}.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
