"""Record what the main commands write on fixed seeds, and compare two such records: a guard for refactoring.

usage: python tools/same_outputs.py record FOLDER        (about five minutes; only planted data, nothing downloaded)
       python tools/same_outputs.py compare BEFORE AFTER [OLD=NEW ...]

Weights are compared byte by byte, JSON value by value with keys renamed as told, other files by the numbers in them.
Times, dates and versions differ between any two runs and are left out, as are pictures.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = """text,label
the food was great but the service was terrible,negative
a wonderful quiet room,positive
"not good at all, the bed was dirty",negative
"""
EXPLAINERS = ("own", "occlusion", "lime", "shapley", "gradient", "integrated-gradients", "random")
PAPERS = ("vmask", "vat", "tutek", "sun-lu", "evarm")
TIMES = re.compile(r"second|time|hours|when|version|whyword|python|torch|numpy|command|^again$|^cost$|^facts$|^cell$")
PRINTED_TIMES = re.compile(r"\d+ (s|seconds|hours|minutes)\b|\b20\d\d-\d\d-\d\d\b|\d\d:\d\d|\d+(\.\d+)+\+?\w*")
SKIPPED = {".png", ".err"}  # pictures, and progress
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


def record(folder: Path) -> None:
    """Run the commands in the folder; each leaves its files, and what it printed."""
    folder.mkdir(parents=True)
    (folder / "texts.csv").write_text(TEXTS)
    generator = np.random.default_rng(0)
    words = sorted(set(re.findall(r"\w+", TEXTS)))
    vectors = (" ".join([word, *(f"{x:.3f}" for x in generator.normal(size=100))]) for word in words)
    (folder / "vectors.txt").write_text("\n".join(vectors) + "\n")
    run = _runner(folder)
    run("demo", "demo", "-o", "demo")
    run("train", "train", "planted", "--method", "vmask", "--encoder", "lstm", "--epochs", "3", "-o", "model")
    for name in EXPLAINERS:
        run(f"explain-{name}", "explain", "model", "texts.csv", "--explainer", name, "-o", f"{name}.jsonl")
    run("explain-html", "explain", "model", "texts.csv", "-o", "own.html")
    run("audit", "audit", "model", "planted", "--sample", "20", "-o", "audit.html")
    run("audit-json", "audit", "model", "texts.csv", "--json")
    grid = ("--methods", "base,vmask", "--encoders", "bag,cnn", "--seeds", "2", "--rows", "200", "--epochs", "2")
    run("compare", "compare", "planted", *grid, "--sample", "10", "-o", "comparison")
    for paper in PAPERS:
        smoke = ("--scale", "smoke", "--embeddings", "vectors.txt")
        run(f"reproduce-{paper}", "reproduce", paper, *smoke, "-o", f"reproduce-{paper}")


def _runner(folder: Path) -> Callable[..., None]:
    def run(name: str, *words: str) -> None:
        done = subprocess.run([sys.executable, "-m", "whyword", *words], cwd=folder, capture_output=True, text=True)
        (folder / f"{name}.txt").write_text(done.stdout)
        print(f"{name}: exit {done.returncode}", *([done.stderr[-500:]] if done.returncode else []))

    return run


def compare(before: Path, after: Path, names: dict[str, str]) -> int:
    """Print every file that differs; give their number."""
    different = 0
    for file in sorted(path for path in before.rglob("*") if path.is_file()):
        name = file.relative_to(before)
        other = after / name
        if (
            name.suffix in {".png", ".err"}
            or {"cells", "models", "records"} & {*name.parts}
            or name.name == "times.txt"
        ):
            continue
        reason = "is missing" if not other.exists() else _difference(file, other, names)
        if reason:
            different += 1
            print(f"{name}: {reason}")
    return different


def _difference(one: Path, other: Path, names: dict[str, str]) -> str | None:
    if one.suffix == ".safetensors":
        return None if one.read_bytes() == other.read_bytes() else "other weights"
    first, second = one.read_text(), other.read_text()
    if one.suffix in {".json", ".jsonl"}:
        rows = zip(*([json.loads(line) for line in _rows(text, one)] for text in (first, second)), strict=True)
        found = (difference for a, b in rows for difference in _unlike(_renamed(a, names), b, "$"))
        return next(found, None)
    counts = [Counter(NUMBER.findall(PRINTED_TIMES.sub("", text))) for text in (first, second)]
    gone, new = counts[0] - counts[1], counts[1] - counts[0]
    return f"numbers gone {dict(gone)}, new {dict(new)}" if gone or new else None


def _rows(text: str, file: Path) -> list[str]:
    return text.splitlines() if file.suffix == ".jsonl" else [text]


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


def _unlike(one: Any, other: Any, where: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if TIMES.search(key):
                continue
            if key not in one or key not in other:
                yield f"{where}.{key} is {'new' if key in other else 'gone'}"
            else:
                yield from _unlike(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _unlike(a, b, f"{where}[{i}]")
    elif one != other and not (isinstance(one, str) and isinstance(other, str)):
        yield f"{where} was {str(one)[:80]}, is {str(other)[:80]}"


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(Path(sys.argv[2]))
    else:
        renamed = dict(pair.split("=", 1) for pair in sys.argv[4:])
        sys.exit(f"{count} files differ" if (count := compare(Path(sys.argv[2]), Path(sys.argv[3]), renamed)) else 0)
