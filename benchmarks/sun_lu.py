"""Table 2 and the claims of Sun & Lu (ACL 2020) on real data: cells that are written once, so that it can be resumed.

python benchmarks/sun_lu.py --data-dir DATA --out results/sun_lu --parts table,penalty,skew --seeds 3

table:   DP, DP-L, DP-A and AD with λ from 0.001 to 10000, beside the published accuracies
penalty: DP and DP-A with a penalty on |V·W|, at the authors' weights
skew:    DP trained on texts of unequal classes (ratios of the second class to the first)
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from cells import mean_and_half, versions, write_cell

SCALES = (0.001, 1.0, 10.0, 20.0, 50.0, 100.0, 10000.0)
MODELS: dict[str, dict[str, Any]] = {  # encoder and kind of attention; all states are 100 wide
    "DP": {"encoder": {"name": "bag", "dim": 100}, "kind": "dot"},
    "DP-L": {"encoder": {"name": "lstm", "dim": 100, "hidden": 50, "bidirectional": True}, "kind": "dot"},
    "DP-A": {"encoder": {"name": "affine", "dim": 100, "hidden": 100}, "kind": "dot"},
    "AD": {"encoder": {"name": "bag", "dim": 100}, "kind": "additive"},
}
PUBLISHED = {  # test accuracy, per λ: DP, DP-L, DP-A, AD; one run each
    "sst2": {
        0.001: (55.3, 79.8, 67.9, 62.8),
        1.0: (74.4, 81.2, 73.4, 73.4),
        10.0: (82.2, 81.7, 80.8, 80.3),
        20.0: (81.4, 80.9, 81.0, 81.2),
        50.0: (80.8, 82.0, 81.5, 79.9),
        100.0: (81.2, 81.1, 80.7, 80.8),
        10000.0: (79.6, 81.4, 79.3, 80.8),
    },
    "20ng_sports": {  # their 20News I; their split differs
        0.001: (54.8, 88.6, 78.6, 49.4),
        1.0: (88.4, 93.0, 85.3, 87.6),
        10.0: (92.8, 91.2, 92.8, 92.0),
        20.0: (93.5, 92.2, 93.5, 91.2),
        50.0: (93.3, 92.3, 92.2, 91.7),
        100.0: (92.8, 91.2, 92.8, 93.3),
        10000.0: (92.8, 92.0, 93.0, 92.0),
    },
    "20ng_three": {  # their 20News II; their split differs
        0.001: (31.8, 90.1, 64.6, 59.2),
        1.0: (85.4, 92.3, 88.3, 86.7),
        10.0: (93.4, 93.4, 91.7, 90.0),
        20.0: (94.9, 94.2, 93.3, 92.1),
        50.0: (94.9, 92.3, 92.9, 93.8),
        100.0: (94.9, 93.1, 92.9, 92.9),
        10000.0: (94.5, 93.8, 92.5, 92.9),
    },
}
SYNTHETIC = "planted:sun-lu-1"
REAL_TRAINING = {"optimizer": "adagrad", "learning_rate": 0.02, "batch_size": 100, "epochs": 40}
SYNTHETIC_TRAINING = {"optimizer": "sgd", "learning_rate": 0.015, "batch_size": 200, "epochs": 500}
RATIOS = ("1:1", "1:2", "1:5", "2:1", "2:5")
GAP = "a gap between classes follows V·W"
SKEW_SEEDS = 4  # as in the paper


@dataclass(frozen=True)
class Cell:
    """One training run."""

    dataset: str
    model: str
    scale: float
    penalty: float = 0.0
    ratio: str = "all"  # second class : first class, or all texts
    seed: int = 0

    @property
    def name(self) -> str:
        """Name the file of the cell."""
        return "_".join(f"{value:g}" if isinstance(value, float) else str(value) for value in asdict(self).values())

    @property
    def file(self) -> str:
        """Give a name that every file system takes."""
        return f"{self.name.replace(':', '-')}.json"


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    """List all cells, those of the first seed first."""
    for seed in range(arguments.seeds):
        if "table" in arguments.parts:
            for grid in product(arguments.datasets, arguments.models, arguments.scales):
                yield Cell(*grid, seed=seed)
        if "penalty" in arguments.parts:
            for dataset, model, scale in product([*arguments.datasets, SYNTHETIC], ("DP", "DP-A"), (10.0, 10000.0)):
                for weight in (0.0, 1e-3 if dataset == SYNTHETIC else 1e-4):
                    yield Cell(dataset, model, scale, weight, seed=seed)
    if "skew" in arguments.parts:
        for seed, dataset, ratio in product(range(SKEW_SEEDS), ("sst2", SYNTHETIC), RATIOS):
            yield Cell(dataset, "DP", 10.0, 0.0, ratio, seed)


def config_of(cell: Cell) -> dict[str, Any]:
    """Give the settings of the paper and its code, as far as they are told; the rate does not decay as theirs does."""
    synthetic = cell.dataset == SYNTHETIC
    training = SYNTHETIC_TRAINING if synthetic else REAL_TRAINING
    model = MODELS[cell.model]
    method = {"name": "polarity-attention", "kind": model["kind"], "scale": cell.scale, "penalty": cell.penalty}
    return {
        "method": {**method, "start": "wide" if synthetic else "linear"},
        "encoder": {**model["encoder"], "dropout": 0.5},
        "training": {**training, "patience": None, "clip": None},
        "seed": cell.seed,
    }


def run(job: tuple[Cell, argparse.Namespace]) -> str:
    """Train one cell in a process of its own, on one core, and write its file in one piece."""
    cell, arguments = job
    place = Path(arguments.out) / "cells" / cell.file
    if place.exists():
        return f"{cell.name}: done before"
    import torch

    from whyword.data.dataset import load_dataset
    from whyword.experiments.attention_report import attention_report
    from whyword.experiments.config import make_config
    from whyword.experiments.run import train_model

    torch.set_num_threads(1)
    started = time.perf_counter()
    dataset = skewed(load_dataset(cell.dataset, data_dir=arguments.data_dir), cell.ratio, cell.seed)
    longest = arguments.longest if cell.model == "DP-L" else None
    dataset = dataset if longest is None else cut(dataset, longest)
    config = make_config(config_of(cell))
    model = train_model(config, dataset)
    report = attention_report(model.classifier, dataset.train)
    record = {
        **asdict(cell),
        **model.metrics,
        "longest": longest,
        "report": report.to_dict(),
        "wall_seconds": round(time.perf_counter() - started, 1),
        "settings": config.to_dict(),
        "versions": versions(),
    }
    write_cell(record, place)
    return f"{cell.name}: test {100 * record['test_accuracy']:.1f} after {record['wall_seconds']:.0f} s"


def skewed(dataset: Any, ratio: str, seed: int) -> Any:
    """Drop training texts at random until the classes stand in a ratio; all ratios keep equally many."""
    if ratio == "all":
        return dataset
    second, first = map(int, ratio.split(":"))
    by_class: dict[Any, list[int]] = {}
    for place, document in enumerate(dataset.train):
        by_class.setdefault(document.label, []).append(place)
    parts = dict(zip(sorted(by_class), (first, second), strict=True))
    largest = 5  # times the smaller class, in the most unequal ratio
    fewest = min(map(len, by_class.values()))
    total = fewest * (largest + 1) // largest
    generator = np.random.default_rng(seed)
    kept: set[int] = set()
    for label, places in by_class.items():
        kept |= set(generator.permutation(places)[: round(total * parts[label] / (first + second))].tolist())
    return replace(dataset, train=tuple(d for place, d in enumerate(dataset.train) if place in kept))


def cut(dataset: Any, longest: int) -> Any:
    """Keep the first words of every text: some posts have ten thousand, which an LSTM reads one after the other."""

    def short(documents: Sequence[Any]) -> tuple[Any, ...]:
        words = (replace(d.words, spans=tuple(spans[:longest] for spans in d.words.spans)) for d in documents)
        return tuple(replace(d, words=kept) for d, kept in zip(documents, words, strict=True))

    return replace(dataset, train=short(dataset.train), dev=short(dataset.dev), test=short(dataset.test))


def read(out: Path) -> list[dict[str, Any]]:
    """Read all finished cells."""
    return [json.loads(path.read_text()) for path in sorted((out / "cells").glob("*.json"))]


def accuracy_table(records: Sequence[dict[str, Any]]) -> str:
    """Put ours beside the published numbers, per data set, λ and model."""
    lines = [f"| data | λ | {' | '.join(f'{model} ours | {model} paper' for model in MODELS)} |"]
    lines.append("|" + "---|" * (2 + 2 * len(MODELS)))
    for dataset, rows in PUBLISHED.items():
        for scale, published in rows.items():
            row = [dataset, f"{scale:g}"]
            for number, model in enumerate(MODELS):
                found = select(records, dataset=dataset, model=model, scale=scale, penalty=0.0, ratio="all")
                mean, half = mean_and_half([100 * r["test_accuracy"] for r in found]) if found else (None, None)
                row += ["–" if mean is None else f"{mean:.1f} ±{half:.1f} ({len(found)})", f"{published[number]}"]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def select(records: Sequence[dict[str, Any]], **wanted: Any) -> list[dict[str, Any]]:
    return [r for r in records if all(r[name] == value for name, value in wanted.items())]


def claim(name: str) -> Callable[[dict[str, Any]], float | None]:
    """Make the function that reads one claim's number from a cell."""

    def value(record: dict[str, Any]) -> float | None:
        return next((c["value"] for c in record["report"]["claims"] if c["name"] == name), None)

    return value


def spread(record: dict[str, Any]) -> float:
    """Difference of the mean attention scores of the most and the least attended group."""
    means = [group["attention"] for group in record["report"]["groups"] if group["attention"] is not None]
    return float(max(means) - min(means))


def gap(record: dict[str, Any]) -> float | None:
    """Size of Cliff's delta between classes; its sign is that of V·W, which differs from seed to seed."""
    value = claim(GAP)(record)
    return None if value is None else abs(value)


def overlap(record: dict[str, Any]) -> float:
    """Size of V·W; the mean over classes if there are more than two."""
    return float(np.abs(record["report"]["overlap"]).mean())


COLUMNS: dict[str, Callable[[dict[str, Any]], float | None]] = {
    "accuracy": lambda record: 100 * float(record["test_accuracy"]),
    "polarity names the class": claim("polarity follows the class"),
    "attention: class over neutral (δ)": claim("class words are attended to"),
    "attention: gap of classes (abs δ)": gap,
    "spread of group means": spread,
    "abs V·W": overlap,
    "weights follow scores (ρ)": claim("weights follow scores"),
}


def claims_table(records: Sequence[dict[str, Any]]) -> str:
    """Give effect sizes of the claims for every kind of cell: the mean over seeds and its interval."""
    keys = sorted({tuple(r[n] for n in ("dataset", "model", "scale", "penalty", "ratio")) for r in records})
    lines = [f"| data | model | λ | penalty | ratio | seeds | {' | '.join(COLUMNS)} |"]
    lines.append("|" + "---|" * (6 + len(COLUMNS)))
    for dataset, model, scale, penalty, ratio in keys:
        found = select(records, dataset=dataset, model=model, scale=scale, penalty=penalty, ratio=ratio)
        row = [dataset, model, f"{scale:g}", f"{penalty:g}", ratio, str(len(found))]
        for column in COLUMNS.values():
            values = [value for value in map(column, found) if value is not None]
            row.append("–" if not values else "{:.3g} ±{:.2g}".format(*mean_and_half(values)))
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def paired(ones: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]], column: str) -> list[float]:
    """Differences between cells of the same seed."""
    by_seed = {record["seed"]: COLUMNS[column](record) for record in others}
    pairs = ((COLUMNS[column](record), by_seed.get(record["seed"])) for record in ones)
    return [mine - its for mine, its in pairs if mine is not None and its is not None]


def verdicts(records: Sequence[dict[str, Any]]) -> str:
    """Test each claim by paired differences over seeds, with 95 % intervals."""
    lines = []

    def tell(text: str, values: Sequence[float]) -> None:
        if values:
            mean, half = mean_and_half(values)
            lines.append(f"- {text}: {mean:+.3g} [{mean - half:+.3g}, {mean + half:+.3g}] ({len(values)} seeds)")

    for dataset in dict.fromkeys(record["dataset"] for record in records):
        here = select(records, dataset=dataset, ratio="all")
        for model in MODELS:
            plain = select(here, model=model, penalty=0.0)
            usual = select(plain, scale=10.0)
            if usual:
                attended = [v for v in map(COLUMNS["attention: class over neutral (δ)"], usual) if v is not None]
                tell(f"1. {dataset}, {model}, λ = 10: class words against neutral words, δ of attention", attended)
            for scale in (0.001, 1.0, 10000.0):
                difference = paired(select(plain, scale=scale), usual, "accuracy")
                tell(f"2. {dataset}, {model}: accuracy at λ = {scale:g} minus λ = 10", difference)
            judged = [c["holds"] for r in plain for c in r["report"]["claims"] if c["name"] == GAP]
            judged = [holds for holds in judged if holds is not None]
            if judged:
                lines.append(
                    f"- 2. {dataset}, {model}: the gap has the sign of V·W in {sum(judged)} of {len(judged)} runs"
                )
            for scale in (10.0, 10000.0):
                free = select(plain, scale=scale)
                for weight in sorted({r["penalty"] for r in select(here, model=model) if r["penalty"]}):
                    held = select(here, model=model, scale=scale, penalty=weight)
                    for column in ("abs V·W", "attention: gap of classes (abs δ)", "spread of group means", "accuracy"):
                        text = f"3. {dataset}, {model}, λ = {scale:g}: {column}, penalty {weight:g} minus none"
                        tell(text, paired(held, free, column))
        even = select(records, dataset=dataset, ratio="1:1")
        for ratio in RATIOS[1:]:
            tell(
                f"4. {dataset}, DP: |V·W| at {ratio} minus 1:1",
                paired(select(records, dataset=dataset, ratio=ratio), even, "abs V·W"),
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def words(text: str) -> list[str]:
        return text.split(",")

    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", type=words, default=["table"])
    parser.add_argument("--datasets", type=words, default=list(PUBLISHED))
    parser.add_argument("--models", type=words, default=list(MODELS))
    parser.add_argument("--scales", type=lambda text: [float(word) for word in words(text)], default=list(SCALES))
    parser.add_argument("--longest", type=int, default=256, help="words of a text that DP-L reads; the others read all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    jobs = [(cell, arguments) for cell in dict.fromkeys(cells(arguments))]
    with multiprocessing.get_context("spawn").Pool(arguments.processes, maxtasksperchild=8) as pool:
        for line in pool.imap_unordered(run, jobs):
            print(line, flush=True)
    records = read(arguments.out)
    (arguments.out / "table.md").write_text(accuracy_table(records))
    (arguments.out / "claims.md").write_text(claims_table(records))
    (arguments.out / "verdicts.md").write_text(verdicts(records))
    print(accuracy_table(records), claims_table(records), verdicts(records), sep="\n")


if __name__ == "__main__":
    main()
