"""Word-level objectives on real data: whether attention over states that keep their words deserves more belief.

python benchmarks/word_level.py --data-dir DATA --embeddings GLOVE --out results/word_level \
    --datasets sst2,trec --variants base,concat,tying,mlm --seeds 3

A cell is written once, and inside it each adversary once, so that the grid can be stopped and resumed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from cells import mean_and_half, versions, write_cell

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {"tying": 0.0},
    "concat": {"tying": 0.0, "concat": True},
    "tying": {"tying": 1.0},
    "mlm": {"tying": 0.0, "mlm": 1.0},
    "tying-mlm": {"tying": 1.0, "mlm": 1.0},
}
WEIGHTS = (0.0, 1e-3, 1.5e-3, 2e-3, 3e-3, 1e-2)  # λ: attention turns away somewhere between 1e-3 and 1e-2
HALF = 50  # states of both directions are as wide as the 100-d vectors, so that they can be tied
GRID = 20  # values of JSD at which two curves are compared


@dataclass(frozen=True)
class Cell:
    """One model with its tests."""

    dataset: str
    variant: str
    seed: int

    @property
    def name(self) -> str:
        """Name the file of the cell."""
        return "-".join(map(str, asdict(self).values()))


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    for seed, dataset, variant in product(range(arguments.seeds), arguments.datasets, arguments.variants):
        yield Cell(dataset, variant, seed)


def run(job: tuple[Cell, argparse.Namespace]) -> str:
    """Train and test one cell in a process of its own, on one core, and write its file in one piece."""
    cell, arguments = job
    place = arguments.out / "cells" / f"{cell.name}.json"
    if place.exists():
        return f"{cell.name}: done before"
    import torch

    from whyword.data.dataset import load_dataset
    from whyword.experiments.adversarial_attention import jsd_tvd_curve
    from whyword.experiments.belief import examine_attention
    from whyword.experiments.config import make_config, overlay
    from whyword.experiments.model_folder import load_model
    from whyword.experiments.run import train_model
    from whyword.experiments.sampling import draw
    from whyword.experiments.word_information import word_information
    from whyword.training.imitation import Patience

    torch.set_num_threads(1)
    values: dict[str, Any] = {
        "method": {"name": "word-regularized", **VARIANTS[cell.variant]},
        "encoder": {"name": "lstm", "hidden": HALF, "bidirectional": True, "frozen": arguments.frozen},
        "vocabulary": {"from_vectors": False},
        "embeddings": arguments.embeddings,
        "seed": cell.seed,
    }
    config = make_config(overlay(values, arguments.set))
    data = load_dataset(cell.dataset, data_dir=arguments.data_dir)
    if arguments.rows is not None:
        data = replace(data, train=data.train[: arguments.rows], test=data.test[: arguments.rows])
    seconds: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        result = work()
        seconds[name] = round(time.perf_counter() - started, 1)
        return result

    folder = arguments.out / "models" / cell.name
    if (folder / "config.json").exists():
        model = load_model(folder)
    else:
        model = timed("training", lambda: train_model(config, data, folder=folder))
    sample = draw(data.test, arguments.sample, 0)
    belief = timed("belief", lambda: examine_attention(model.classifier, sample))
    information = timed("information", lambda: word_information(model.classifier, data.test))
    patience = Patience(arguments.epochs, arguments.stale)
    curve_folder = arguments.out / "curves" / cell.name
    curve = timed(
        "curve",
        lambda: jsd_tvd_curve(model, data, arguments.weights, curve_folder, patience, seed=1_000 + cell.seed),
    )
    seconds |= {"training": model.metrics["seconds"], "curve": sum(point.seconds for point in curve)}  # also if resumed
    settings = config.to_dict()
    settings["embeddings"] = Path(arguments.embeddings).name
    record = {
        **asdict(cell),
        **model.metrics,
        "belief": belief.to_dict(),
        "information": information.to_dict(),
        "curve": [point.to_dict() for point in curve],
        "patience": asdict(patience),
        "wall_seconds": seconds,
        "settings": settings,
        "versions": versions(),
    }
    write_cell(record, place)
    return f"{cell.name}: test {100 * record['test_accuracy']:.1f} after {sum(seconds.values()):.0f} s {seconds}"


def read_cells(out: Path) -> dict[tuple[str, str], dict[int, dict[str, Any]]]:
    """Give the records by data set and variant, then by seed."""
    found: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    for path in sorted((out / "cells").glob("*.json")):
        record = json.loads(path.read_text())
        found.setdefault((record["dataset"], record["variant"]), {})[record["seed"]] = record
    return found


MEASURES: dict[str, Callable[[dict[str, Any]], float]] = {
    "accuracy": lambda record: 100 * record["test_accuracy"],
    "conicity": lambda record: record["health"]["conicity"],
    "MI (nats)": lambda record: record["information"]["information"],
    "MI above chance": lambda record: record["information"]["share"],
    "probe": lambda record: record["information"]["probe_accuracy"],
    "permuted TVD": lambda record: record["belief"]["permuted"]["value"],
    "uniform TVD": lambda record: record["belief"]["uniform"]["value"],
    "adversarial JSD": lambda record: record["belief"]["adversarial"]["value"],
    "imitation TVD": lambda record: floor(record),
    "capped": lambda record: np.mean([p["epochs"] == record["patience"]["epochs"] for p in record["curve"]]),
    "tau gradient": lambda record: record["belief"]["gradient"]["value"],
    "tau occlusion": lambda record: record["belief"]["occlusion"]["value"],
}


def floor(record: dict[str, Any]) -> float:
    """TVD of the adversary only asked to imitate (λ = 0): what is hard to imitate, or was trained too little."""
    return next((point["tvd"] for point in record["curve"] if point["weight"] == 0), float("nan"))


def harder(record: dict[str, Any], base: dict[str, Any], above_floor: bool) -> float:
    """Mean difference in TVD between two curves where both have the JSD; NaN where they share none."""
    lines = []
    for model in (record, base):
        ground = floor(model) if above_floor else 0.0
        lines.append(np.array(sorted((point["jsd"], point["tvd"] - ground) for point in model["curve"])).T)
    low, high = max(line[0, 0] for line in lines), min(line[0, -1] for line in lines)
    if low >= high:
        return float("nan")
    grid = np.linspace(low, high, GRID)
    mine, theirs = (np.interp(grid, *line) for line in lines)
    return float((mine - theirs).mean())


def interval(values: list[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval (Student's t); values that are NaN are left out."""
    mean, half = mean_and_half(values)
    return mean, mean - half, mean + half


def table(out: Path) -> str:
    """All measures, then the three claims: differences from base with the same seed, and what they come to."""
    found = read_cells(out)
    lines = [f"| data | variant | seeds | {' | '.join(MEASURES)} | minutes |", "|---" * (len(MEASURES) + 4) + "|"]
    for (dataset, variant), records in sorted(found.items()):
        shown = []
        for measure in MEASURES.values():
            mean, low, _ = interval([measure(record) for record in records.values()])
            shown.append(f"{mean:.3g} ±{mean - low:.2g}")
        minutes = np.mean([sum(record["wall_seconds"].values()) / 60 for record in records.values()])
        lines.append(f"| {dataset} | {variant} | {len(records)} | {' | '.join(shown)} | {minutes:.1f} |")
    lines += ["", "Against base with the same seed; mean over seeds, 95 % interval (Student's t).", ""]
    lines += ["| data | variant | claim | difference | interval | verdict |", "|---|---|---|---|---|---|"]
    for (dataset, variant), records in sorted(found.items()):
        base = found.get((dataset, "base"), {})
        pairs = [(record, base[seed]) for seed, record in records.items() if seed in base]
        if variant == "base" or not pairs:
            continue
        accuracy = interval([MEASURES["accuracy"](record) - MEASURES["accuracy"](other) for record, other in pairs])
        told = interval(
            [MEASURES["MI above chance"](record) - MEASURES["MI above chance"](other) for record, other in pairs]
        )
        cost, excess = (interval([harder(*pair, above) for pair in pairs]) for above in (False, True))
        for claim, (mean, low, high), verdict in (
            ("(i) accuracy within 2 points", accuracy, _within(accuracy, 2.0)),
            ("(ii) states tell more about words", told, _above(told)),
            ("(iii) at equal JSD a larger TVD", cost, _above(cost)),
            ("(iii) the same above the TVD of imitation alone", excess, _above(excess)),
        ):
            lines.append(f"| {dataset} | {variant} | {claim} | {mean:+.3f} | [{low:+.3f}, {high:+.3f}] | {verdict} |")
    return "\n".join(lines) + "\n"


def _within(found: tuple[float, float, float], points: float) -> str:
    _, low, high = found
    if low > -points and high < points:
        return "confirmed"
    return "refuted" if low > points or high < -points else "open"


def _above(found: tuple[float, float, float]) -> str:
    _, low, high = found
    return "confirmed" if low > 0 else "refuted" if high < 0 else "open"


def draw_curves(out: Path) -> None:
    """Write one picture of all variants per data set, from the cells of the first seed."""
    from whyword.plots.jsd_tvd import jsd_tvd

    found = read_cells(out)
    for dataset in sorted({dataset for dataset, _ in found}):
        curves = {variant: found[name, variant][0]["curve"] for name, variant in found if name == dataset}
        jsd_tvd(curves, f"{dataset}, LSTM").savefig(out / f"jsd-tvd-{dataset}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--embeddings", required=True, help="100-d vectors")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda words: words.split(","), default=["sst2", "trec"])
    parser.add_argument("--variants", type=lambda words: words.split(","), default=["base", "concat", "tying", "mlm"])
    parser.add_argument("--weights", type=lambda words: tuple(map(float, words.split(","))), default=WEIGHTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=40, help="of an adversary, at most")
    parser.add_argument("--stale", type=int, default=5, help="epochs without a lower loss before it stops")
    parser.add_argument("--sample", type=int, default=500, help="test texts on which attention is replaced")
    parser.add_argument("--frozen", action=argparse.BooleanOptionalAction, default=True, help="keep word vectors")
    parser.add_argument("--rows", type=int, help="training and test texts at most, to try the benchmark out")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    jobs = [(cell, arguments) for cell in cells(arguments)]
    with multiprocessing.get_context("spawn").Pool(arguments.processes, maxtasksperchild=4) as pool:
        for line in pool.imap_unordered(run, jobs):
            print(line, flush=True)
    (arguments.out / "table.md").write_text(table(arguments.out))
    draw_curves(arguments.out)
    print(table(arguments.out))


if __name__ == "__main__":
    main()
