"""How much faster are two Ray workers than one: the same texts explained by each, the bytes compared.

python benchmarks/ray_scaling.py --out results/ray_scaling --minutes 4

The number of texts is chosen so that one worker takes about that many minutes. Ray is started for each run anew, on
this machine, and its start counts. Run it on a machine with two free cores: what else runs there is written down as
the load, in processes, before each run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from whyword import TextClassifier
from whyword.data.planted import planted

LEARNED = 500  # texts that the model is trained on
TRIED = 64  # texts that are explained to see how long one takes
SAMPLES = 1_000  # of LIME


def main() -> None:
    """Choose the number of texts, explain them with each number of workers, and write what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=4, help="that one worker is to take")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--part-size", type=int, default=64)
    arguments = parser.parse_args()
    with TemporaryDirectory() as scratch:
        result = measure(Path(scratch), 60 * arguments.minutes, arguments.workers, arguments.part_size)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "ray_scaling.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


def measure(folder: Path, seconds: float, workers: list[int], part_size: int) -> dict[str, Any]:
    """Give the wall time of each run, how many times faster than the first it is, and whether all bytes are equal."""
    documents = planted(f"easy,train={LEARNED},dev=0,test=0").train
    texts = [document.words.texts[0] for document in documents]
    labels = [document.label for document in documents]
    TextClassifier("attention", "lstm", epochs=1, contributions=False).fit(texts, labels).save(folder / "model")
    write_texts(folder / "tried.jsonl", texts, TRIED)
    started = explain(folder, "tried.jsonl", "started", ["--part-size", str(TRIED)])[0]  # with all that is loaded
    write_texts(folder / "tried.jsonl", texts, 3 * TRIED)
    tried = explain(folder, "tried.jsonl", "tried", ["--part-size", str(TRIED)])[0]
    count = max(part_size, round(2 * TRIED * seconds / max(0.1, tried - started)))
    write_texts(folder / "texts.jsonl", texts, count)
    runs = []
    for number in workers:
        load = os.getloadavg()[0]
        options = ["--engine", "ray", "--workers", str(number), "--part-size", str(part_size)]
        wall, digest = explain(folder, "texts.jsonl", f"workers-{number}", options)
        runs.append(
            {"workers": number, "wall_seconds": round(wall, 1), "load_before": round(load, 1), "sha256": digest}
        )
    alone, digest = explain(folder, "texts.jsonl", "local", ["--part-size", str(part_size)])
    return {
        "texts": count,
        "cores": os.cpu_count(),
        "local_seconds": round(alone, 1),
        "runs": [run | {"faster": round(runs[0]["wall_seconds"] / run["wall_seconds"], 2)} for run in runs],
        "same_bytes": {digest} == {run["sha256"] for run in runs},
    }


def write_texts(file: Path, texts: list[str], count: int) -> None:
    """Write texts, over and over, each with a number so that none is like another."""
    lines = (json.dumps({"text": f"{texts[number % len(texts)]} {number}"}) + "\n" for number in range(count))
    file.write_text("".join(lines), encoding="utf-8")


def explain(folder: Path, texts: str, output: str, options: list[str]) -> tuple[float, str]:
    """Give the wall time of a command, and the digest of all that it wrote."""
    words = ["explain", "model", texts, "-o", output, "--explainer", "lime", "--samples", str(SAMPLES), "-q", *options]
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "whyword", *words], cwd=folder, check=True, env=environment)
    seconds = time.perf_counter() - started
    digest = sha256()
    for file in sorted((folder / output).iterdir()):
        digest.update(file.name.encode() + file.read_bytes())
    return seconds, digest.hexdigest()


if __name__ == "__main__":
    main()
