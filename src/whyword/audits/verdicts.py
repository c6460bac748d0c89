"""Two verdicts on an explainer, each by rules of its own: whether it is true to the model, and whether human-like.

If a needed rule says no, the verdict is the worst. If a wanted rule says no, or any rule is undecided, it is the middle
one; if all hold, the best. A wanted rule that could not be measured does not count; a needed one is undecided, unless
it compares with the best explainer where only one was audited. Holm's correction is over the differences from random
words that one verdict rests on, so that what else is measured changes no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..maths.stats.comparisons import holm
from .data import AuditData, ForbiddenWords, RuleResult, Verdict
from .rules import FORBIDDEN, HUMAN_LIKE, OVER_RANDOM, RANDOM, TRUE, Measured, Rule, Rules, measurement

TRUST, CARE, DISTRUST = "trust", "use with care", "do not trust"
LIKE, PARTLY_LIKE, UNLIKE, OPEN, NOT_MEASURED = (
    "human-like", "partly human-like", "not human-like", "undecided", "not measured",
)  # fmt: skip
NO_MARKS = "No text says which words people marked."
OF_PEOPLE = "It says what people would mark, whatever the model does."
ALPHA = 0.05  # a difference from random words must not be chance, after Holm's correction


@dataclass(frozen=True)
class Scale:
    """The words of a verdict, from all rules hold to a needed one does not."""

    best: str
    middle: str
    undecided: str  # whether a needed rule holds
    worst: str
    unmeasured: str  # there is nothing to judge by


SCALES = {
    TRUE: Scale(TRUST, CARE, CARE, DISTRUST, CARE),
    HUMAN_LIKE: Scale(LIKE, PARTLY_LIKE, OPEN, UNLIKE, NOT_MEASURED),
}


def with_verdicts(data: AuditData, rules: Rules) -> AuditData:
    """Judge every explainer but random words, and warn of those that persuade without being true."""
    true, human_like = (verdicts(data, rules, of) for of in SCALES)
    true = tuple(
        replace(one, verdict=DISTRUST, because=OF_PEOPLE) if one.explainer in data.of_people else one for one in true
    )
    return replace(data, verdicts=true, human_like=human_like, warnings=tuple(warnings(true, human_like)))


def verdicts(data: AuditData, rules: Rules, of: str = TRUE) -> tuple[Verdict, ...]:
    """Give one of the two verdicts on every explainer."""
    names = [name for name in dict.fromkeys(score.explainer for score in data.scores) if name != RANDOM]
    own = [rule for rule in rules.rules if rule.verdict == of]
    if of == HUMAN_LIKE and not data.data.has_rationales:
        return tuple(Verdict(name, NOT_MEASURED, NO_MARKS, ()) for name in names)
    alone = len({*names, *(row.explainer for row in data.ranking if row.explainer != RANDOM)}) == 1
    return tuple(_verdict(name, alone, data, own, SCALES[of]) for name in names)


def warnings(true: Sequence[Verdict], human_like: Sequence[Verdict]) -> Iterator[str]:
    """Warn of explainers that people would believe more than the model gives reason to."""
    for one, other in zip(true, human_like, strict=True):
        if one.verdict == DISTRUST and other.verdict in (LIKE, PARTLY_LIKE):
            yield (
                f"{one.explainer} is convincing, but not the model's reason: it finds words that people marked, and "
                f"yet it is not to be trusted. {one.because}"
            )
        elif one.verdict == CARE and other.verdict == LIKE and any(result.holds is False for result in one.rules):
            yield (
                f"{one.explainer} is convincing, but may not be the model's reason: that it finds the words people "
                f"marked says nothing of what the model does. {one.because}"
            )


def judge_forbidden(words: ForbiddenWords, rules: Rules) -> ForbiddenWords:
    """Judge how far answers move without forbidden words: that of every text must not."""
    if words.largest is None:
        return words
    measured = Measured(words.largest, words.largest, words.largest, words.texts)
    return replace(words, rules=tuple(_result(rule, measured) for rule in rules.rules if rule.quantity == FORBIDDEN))


def _verdict(explainer: str, alone: bool, data: AuditData, rules: Sequence[Rule], scale: Scale) -> Verdict:
    measured = {
        rule: number
        for rule in rules
        if rule.is_for(explainer, data.model)
        and ((number := measurement(data, rule.quantity, explainer)).value is not None or rule.needed)
        and not (alone and rule.compares)
    }
    chance = _corrected(measured)
    results = [
        _result(rule, replace(number, p=chance.get(rule.quantity, number.p))) for rule, number in measured.items()
    ]
    against = [result for result in results if result.needed and result.holds is False]
    doubts = [result for result in results if result.holds is not True]
    if all(result.value is None for result in results):
        word, because = scale.unmeasured, results[0].answer if results else "No rule could be measured."
    elif against:
        word, because = scale.worst, _because(min(against, key=_reaches_threshold))
    elif doubts:
        strongest = min(doubts, key=lambda result: (not result.needed, result.holds is None))
        word, because = scale.undecided if strongest.needed else scale.middle, _because(strongest)
    else:
        word, because = scale.best, _all_hold(results, alone and any(rule.compares for rule in rules))
    return Verdict(explainer, word, because, tuple(results))


def _corrected(measured: Mapping[Rule, Measured]) -> dict[str, float | None]:
    """Correct the chances of differences from random words, by quantity, for their number."""
    p = {rule.quantity: number.p for rule, number in measured.items() if rule.quantity.endswith(OVER_RANDOM)}
    adjusted = holm(np.array([math.nan if chance is None else chance for chance in p.values()], dtype=np.float64))
    return {name: None if math.isnan(chance) else float(chance) for name, chance in zip(p, adjusted, strict=True)}


def _all_hold(results: Sequence[RuleResult], uncompared: bool) -> str:
    count = "Both" if len(results) == 2 else f"All {len(results)}"
    answer = results[0].answer if len(results) == 1 else f"{count} rules hold."
    return answer + " No other explainer was audited to compare it with." * uncompared


def _reaches_threshold(result: RuleResult) -> bool:
    """Say whether it was doubt that counted as a no: a plain no is the better reason to give."""
    end = result.high if result.must_be == "above" else result.low
    assert end is not None  # else the rule were undecided
    return end > result.threshold if result.must_be == "above" else end < result.threshold


def _because(result: RuleResult) -> str:
    numbers = Measured(result.value, result.low, result.high, 0).shown
    chance = "" if result.p is None or result.p < ALPHA else f", p = {result.p:.2f} after Holm's correction"
    wanted = f"must be {result.must_be} {result.threshold:g}"
    answer = f"{result.question} {result.answer}" if result.holds is None else result.answer
    return f"{answer.removesuffix('.')} ({result.quantity}: {numbers}{chance}; {wanted})."


def _result(rule: Rule, measured: Measured) -> RuleResult:
    holds = decide(rule, measured)
    return RuleResult(
        rule=rule.name,
        needed=rule.needed,
        holds=holds,
        value=measured.value,
        low=measured.low,
        high=measured.high,
        p=measured.p if rule.quantity.endswith(OVER_RANDOM) else None,
        threshold=rule.threshold,
        must_be=rule.must_be,
        quantity=rule.quantity,
        question=rule.question,
        answer=rule.yes if holds else rule.no if holds is False else _undecided(rule, measured),
    )


def decide(rule: Rule, measured: Measured) -> bool | None:
    """Say whether the whole interval lies on the right side of the threshold, on the wrong one, or neither."""
    if measured.value is None or measured.low is None or measured.high is None:
        return None
    above = rule.must_be == "above"
    right = measured.low > rule.threshold if above else measured.high < rule.threshold
    wrong = measured.high <= rule.threshold if above else measured.low >= rule.threshold
    if right and measured.p is not None and measured.p < ALPHA:
        return True
    doubt_counts = rule.proof_from is not None and measured.texts >= rule.proof_from
    return False if wrong or doubt_counts else None


def _undecided(rule: Rule, measured: Measured) -> str:
    if measured.value is None:
        return f"This was not measured, but '{rule.name}' is needed."
    if measured.low is None or measured.high is None:
        return "One text cannot tell."
    if measured.low <= rule.threshold <= measured.high:
        return f"It cannot be told from {measured.texts:,} {measured.unit}."
    return "It may be chance, given how many comparisons were made."
