"""Contributions beside the own weights of every other method, with differences paired by seed.

python benchmarks/contributions_claim.py results/contributions results/contributions_methods --out CLAIM.md

Reads the records of benchmarks/contributions.py. Intervals are Student's t over seeds, 95 %; a difference is that of
contributions minus the method, each on its own model of the same seed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from whyword.grids.runner import RECORDS, read_records
from whyword.grids.variant import Result
from whyword.maths.stats.intervals import mean_over_runs

OURS = "lstm-contributions"
SEEDS = 5  # fewer carry no claim
NORMALIZED = "own normalized-comprehensiveness"
COLUMNS = (
    "accuracy",
    "own comprehensiveness",
    "own sufficiency",
    NORMALIZED,
    "own direction",
    "own rationale-auprc",
    "predictions",
    "cpu_seconds",
)


def runs(folder: Path) -> dict[tuple[str, str], dict[int, Result]]:
    """Give the results of each data set and variant, by seed."""
    found: dict[tuple[str, str], dict[int, Result]] = {}
    for record in read_records(folder / RECORDS):
        data = record.settings["data"] if record.dataset == "planted" else record.dataset
        found.setdefault((data, record.variant), {})[record.seed] = record.result
    return found


def written(values: list[float | None], signed: bool = False) -> str:
    """Write the mean with its interval."""
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    mean = mean_over_runs(known)
    if signed:
        return f"{mean.value:+.3f} [{mean.low:+.3f}, {mean.high:+.3f}]"
    return f"{mean.value:.3f} ± {mean.high - mean.value:.3f}"


def value(result: Result, name: str) -> float | None:
    """Give a figure of a run."""
    found = result["explained"].get(name, result.get(name))
    return None if found is None else float(found)


def table(ours: dict[tuple[str, str], dict[int, Result]], others: dict[tuple[str, str], dict[int, Result]]) -> str:
    """Put contributions and all methods below each other, data set by data set."""
    names = [*(name.removeprefix("own ") for name in COLUMNS), "difference of accuracy", "of normalized"]
    lines = ["| " + " | ".join(["data", "method", "seeds", *names]) + " |", "|---" * (len(names) + 3) + "|"]
    complete = {key: seeds for key, seeds in others.items() if len(seeds) >= SEEDS}
    for data in dict.fromkeys(data for data, _ in complete):
        base = ours[data, OURS]
        for (_, variant), seeds in [((data, OURS), base), *((key, s) for key, s in complete.items() if key[0] == data)]:
            figures = [written([value(seeds[seed], name) for seed in sorted(seeds)]) for name in COLUMNS]
            apart = [
                written([value(base[s], name) - value(seeds[s], name) for s in sorted(seeds)], signed=True)  # type: ignore[operator]
                if variant != OURS
                else ""
                for name in ("accuracy", NORMALIZED)
            ]
            method = variant.removeprefix("lstm-")
            lines.append("| " + " | ".join([data, method, str(len(seeds)), *figures, *apart]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours", type=Path)
    parser.add_argument("others", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.write_text(table(runs(arguments.ours), runs(arguments.others)), encoding="utf-8")


if __name__ == "__main__":
    main()
