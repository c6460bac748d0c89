"""What became of a paper's claims: the same seeds compared, and whether the difference is beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...maths.stats.intervals import Estimate, mean_over_runs
from .paper import Claim

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
EVERYWHERE, REPEATED = "all data sets", "data sets with several seeds"
NO_SPREAD = 1e-9  # on small test sets a few seeds may differ by as many texts: that says nothing of their spread

Values = Mapping[tuple[str, str, str], Mapping[int, float]]  # by data set, row and column, then by seed


@dataclass(frozen=True)
class Finding:
    """What became of a claim on a data set, or over several of them."""

    claim: Claim
    dataset: str  # or EVERYWHERE or REPEATED
    effect: Estimate  # difference with the same seed, over seeds
    seeds: int
    verdict: str


def findings(claims: Sequence[Claim], values: Values) -> Iterator[Finding]:
    """Judge each claim on every data set; if there are several, also on all of them that have more than one seed."""
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in values))
    for claim in claims:
        told = {dataset: found for dataset in datasets if (found := _differences(claim, values, dataset))}
        for dataset, found in told.items():
            yield _finding(claim, dataset, list(found.values()))
        repeated = [found for found in told.values() if len(found) > 1] or list(told.values())
        common = [seed for seed in repeated[0] if all(seed in found for found in repeated)] if repeated else []
        if len(told) > 1 and common:
            means = [float(np.mean([found[seed] for found in repeated])) for seed in common]
            yield _finding(claim, EVERYWHERE if len(repeated) == len(told) else REPEATED, means)


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
