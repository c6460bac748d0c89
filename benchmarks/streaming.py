"""Explaining a file takes the same memory for ten times the rows: peak memory and speed, from a file to a file.

python benchmarks/streaming.py [--rows 10000,100000] [--out results/benchmarks/streaming.json]

A small LSTM with attention is trained on `planted`; then each file is explained by its own scores in a process of its
own (`whyword explain MODEL FILE -o OUT.jsonl`), on one thread. Peak memory is what the system measured of that process.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from commands import MEGABYTE, run, versions
from whyword.data.planted import planted

NOTE = """Every row holds a word that no other row has, and how the last 131,072 distinct strings are cut into words is
remembered, which takes up to 40 MB."""


def write_texts(path: Path, texts: list[str], rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(islice(cycle(texts), rows)):
            file.write(json.dumps({"text": f"{text} {number}"}) + "\n")


def measure(sizes: list[int]) -> list[dict[str, Any]]:
    texts = [document.words.texts[0] for document in planted("medium,train=2000,dev=0,test=0").train]
    small = ["--method", "attention", "--epochs", 1, "--set", "encoder.dim=50", "--set", "encoder.hidden=50"]
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("train", "planted:medium,train=500", "-o", folder / "model", *small)
        write_texts(folder / "one.jsonl", texts, 1)
        start_memory, start_seconds = run("explain", folder / "model", folder / "one.jsonl", "-o", folder / "out.jsonl")
        results.append({"rows": 1, "peak_megabytes": start_memory, "cpu_seconds": start_seconds})
        for rows in sizes:
            source, output = folder / "texts.jsonl", folder / "out.jsonl"
            write_texts(source, texts, rows)
            peak, seconds = run("explain", folder / "model", source, "-o", output)
            with output.open("rb") as file:
                assert sum(1 for _ in file) == rows
            results.append(
                {
                    "rows": rows,
                    "peak_megabytes": peak,
                    "cpu_seconds": seconds,
                    "rows_per_cpu_second": rows / (seconds - start_seconds),  # without the start of the process
                    "input_megabytes": source.stat().st_size / MEGABYTE,
                    "output_megabytes": output.stat().st_size / MEGABYTE,
                }
            )
    return results


def as_markdown(results: list[dict[str, Any]]) -> str:
    lines = ["| rows | peak memory | CPU time | rows per CPU second | output |", "|--:|--:|--:|--:|--:|"]
    for row in results:
        rate = f"{row['rows_per_cpu_second']:,.0f}" if "rows_per_cpu_second" in row else ""
        size = f"{row['output_megabytes']:,.0f} MB" if "output_megabytes" in row else ""
        lines.append(
            f"| {row['rows']:,} | {row['peak_megabytes']:,.0f} MB | {row['cpu_seconds']:,.1f} s | {rate} | {size} |"
        )
    return "\n".join([*lines, "", NOTE]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=lambda words: list(map(int, words.split(","))), default=[10_000, 100_000])
    parser.add_argument("--out", type=Path, help="write the figures here as JSON, and a table beside it as Markdown")
    arguments = parser.parse_args()
    results = measure(arguments.rows)
    print(as_markdown(results), end="")
    if arguments.out:
        arguments.out.write_text(json.dumps({"versions": versions(), "results": results}, indent=1), encoding="utf-8")
        arguments.out.with_suffix(".md").write_text(as_markdown(results), encoding="utf-8")


if __name__ == "__main__":
    main()
