"""What became of a paper's claims: effects with intervals, and verdicts corrected over all claims of the paper.

A claim holds if the effect lies where the paper says, and fails if it lies elsewhere, or is surely smaller than what
would matter (`Claim.relevant`). All else is not tested: one seed decides nothing, nor do runs that tell too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...maths.stats.comparisons import holm
from ...maths.stats.effects import Effect, effect_over_runs, effect_over_runs_and_texts, mean_of_effects
from ...maths.stats.intervals import Estimate
from .paper import Claim

HOLDS, FAILS, NOT_TESTED = "holds", "fails", "not tested"
LEVEL = 0.05  # of Holm's correction
NO_SPREAD = 1e-9  # on small test sets a few seeds may differ by as many texts: that says nothing of their spread

Values = Mapping[tuple[str, str, str], Mapping[int, float]]  # by data set, row and column, then by seed
TextValues = Mapping[tuple[str, str, str], Mapping[int, np.ndarray]]  # the same for each test text


@dataclass(frozen=True)
class DatasetEffect:
    """The difference that a claim is about, on one data set."""

    effect: Estimate  # between runs of the same seed
    seeds: int
    with_texts: bool = False  # whether the interval is also for other test texts, not for other seeds alone
    at_floor: bool = False  # a row is no better than TF-IDF: left out of the verdict


@dataclass(frozen=True)
class ClaimResult:
    """What became of a claim, over the data sets on which several seeds were run."""

    claim: Claim
    by_dataset: Mapping[str, DatasetEffect]
    effect: Estimate
    p_holds: float  # two-sided, not corrected; NaN where no data set has several seeds
    p_fails: float
    p: float = float("nan")  # the smaller of the two, by Holm over all claims of the paper
    verdict: str = NOT_TESTED

    @property
    def tested_on(self) -> list[str]:
        """The data sets that the verdict rests on."""
        return [name for name, found in self.by_dataset.items() if found.seeds > 1 and not found.at_floor]


@dataclass(frozen=True)
class Measured:
    """The numbers of a table's rows, and which row is the floor."""

    values: Values
    texts: TextValues = field(default_factory=dict)
    floor: str | None = None


def measure_claims(claims: Iterable[Claim], measured: Measured) -> list[ClaimResult]:
    """Measure the effect of each claim by itself, none where nothing was run; correct() gives the verdicts."""
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in measured.values))
    results = []
    for claim in claims:
        effects = {name: effect for name in datasets if (effect := _effect(claim, measured, name)) is not None}
        if effects:
            results.append(_result(claim, effects))
        else:  # the claim stays on the list
            nan = float("nan")
            results.append(ClaimResult(claim, {}, Estimate(nan, nan, nan), nan, nan))
    return results


def correct(results: Sequence[ClaimResult]) -> list[ClaimResult]:
    """Give the verdicts on all claims of a paper, by Holm's correction over those with several seeds."""
    smaller = np.array([min(result.p_holds, result.p_fails) for result in results])
    judged = []
    for result, p, adjusted in zip(results, smaller, holm(smaller), strict=True):
        factor = adjusted / p if p > 0 else 1.0
        verdict = HOLDS if result.p_holds * factor < LEVEL else FAILS if result.p_fails * factor < LEVEL else NOT_TESTED
        judged.append(replace(result, p=float(adjusted), verdict=verdict))
    return judged


def _result(claim: Claim, effects: Mapping[str, tuple[Effect, DatasetEffect]]) -> ClaimResult:
    by_dataset = {name: shown for name, (_, shown) in effects.items()}
    tested = [effect for effect, shown in effects.values() if shown.seeds > 1 and not shown.at_floor]
    whole = mean_of_effects(tested or [effect for effect, _ in effects.values()])
    if claim.obstacle or not tested or (whole.standard_error <= NO_SPREAD and not claim.bounded):
        return ClaimResult(claim, by_dataset, whole.estimate, float("nan"), float("nan"))
    return ClaimResult(claim, by_dataset, whole.estimate, *p_values(claim, whole))


def p_values(claim: Claim, effect: Effect) -> tuple[float, float]:
    """Give the two-sided p-values of a claim holding, and of its failing."""
    margin = claim.margin
    if claim.within:
        holds = max(effect.p_above(-margin), effect.p_below(margin))
        return holds, min(effect.p_above(margin), effect.p_below(-margin))
    return effect.p_above(margin), effect.p_below(margin + claim.relevant)


def _effect(claim: Claim, measured: Measured, dataset: str) -> tuple[Effect, DatasetEffect] | None:
    """Give the claim's number on a data set over the seeds that both rows have; None where there is none."""
    mine = measured.values.get((dataset, claim.row, claim.column), {})
    its = (
        dict.fromkeys(mine, 0.0)
        if claim.other is None
        else measured.values.get((dataset, claim.other, claim.column), {})
    )
    differences = {seed: mine[seed] - its[seed] for seed in mine if seed in its}
    seeds = [seed for seed, difference in differences.items() if not np.isnan(difference)]
    if not seeds:
        return None
    effect = effect_over_runs([differences[seed] for seed in seeds])
    by_text = _by_text(claim, measured.texts, dataset, seeds)
    if by_text is not None and len(seeds) > 1:
        effect = effect_over_runs_and_texts(by_text)
    at_floor = measured.floor is not None and _at_floor(claim, measured, dataset)
    return effect, DatasetEffect(effect.estimate, len(seeds), by_text is not None and len(seeds) > 1, at_floor)


def _by_text(claim: Claim, texts: TextValues, dataset: str, seeds: Sequence[int]) -> np.ndarray | None:
    """Give (seed, text) differences, where every run tells of each text; of texts for which all runs have a number."""
    rows = [texts.get((dataset, row, claim.column), {}) for row in (claim.row, claim.other) if row is not None]
    if not all(seed in row for row in rows for seed in seeds):
        return None
    stacked = [np.stack([row[seed] for seed in seeds]) for row in rows]
    differences: np.ndarray = stacked[0] - (stacked[1] if len(stacked) > 1 else 0.0)
    known = differences[:, ~np.isnan(differences).any(0)]
    return known if known.shape[1] > 1 else None


def _at_floor(claim: Claim, measured: Measured, dataset: str) -> bool:
    """Whether a row of the claim is no better than the floor, on average over its seeds."""
    floor = measured.values.get((dataset, str(measured.floor), claim.column))
    if not floor:
        return False
    rows = (measured.values.get((dataset, row, claim.column), {}) for row in (claim.row, claim.other) if row)
    return any(np.mean([*row.values()]) <= np.mean([*floor.values()]) for row in rows)
