"""What became of a paper's claims: the same seeds compared, and whether the difference is beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..maths.estimate import Estimate
from ..maths.student import mean_over_runs
from .paper import Claim

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
EVERYWHERE = "all data sets"
NO_SPREAD = 1e-9  # on small test sets a few seeds may differ by as many texts: that says nothing of their spread

Values = Mapping[tuple[str, str, str], Mapping[int, float]]  # by data set, row and column, then by seed


@dataclass(frozen=True)
class Finding:
    """What became of a claim on a data set, or over all of them."""

    claim: Claim
    dataset: str
    effect: Estimate  # difference with the same seed, over seeds
    seeds: int
    verdict: str


def findings(claims: Sequence[Claim], values: Values) -> Iterator[Finding]:
    """Judge each claim on every data set, and on all of them if there are several."""
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in values))
    for claim in claims:
        over_seeds: dict[int, list[float]] = {}
        told = 0
        for dataset in datasets:
            differences = _differences(claim, values, dataset)
            if not differences:
                continue
            told += 1
            for seed, difference in differences.items():
                over_seeds.setdefault(seed, []).append(difference)
            yield _finding(claim, dataset, list(differences.values()))
        whole = [float(np.mean(found)) for found in over_seeds.values() if len(found) == told]
        if told > 1 and whole:
            yield _finding(claim, EVERYWHERE, whole)


def _differences(claim: Claim, values: Values, dataset: str) -> dict[int, float]:
    """Give the claim's number for each seed that has it."""
    mine = values.get((dataset, claim.row, claim.column), {})
    its = dict.fromkeys(mine, 0.0) if claim.other is None else values.get((dataset, claim.other, claim.column), {})
    differences = {seed: mine[seed] - its[seed] for seed in mine if seed in its}
    return {seed: difference for seed, difference in differences.items() if not np.isnan(difference)}


def _finding(claim: Claim, dataset: str, values: Sequence[float]) -> Finding:
    effect = mean_over_runs(values)
    return Finding(claim, dataset, effect, len(values), verdict(claim, effect))


def verdict(claim: Claim, effect: Estimate) -> str:
    """Say whether a claim holds at 95 %; nothing is decided by one seed, nor by chance agreement to the last digit."""
    if not (claim.bounded or effect.high - effect.low > NO_SPREAD):  # also of NaN
        return UNDECIDED
    if claim.within:
        if -claim.margin < effect.low and effect.high < claim.margin:
            return HOLDS
        return FAILS if effect.low > claim.margin or effect.high < -claim.margin else UNDECIDED
    return HOLDS if effect.low > claim.margin else FAILS if effect.high < claim.margin else UNDECIDED
