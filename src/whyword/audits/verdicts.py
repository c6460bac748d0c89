"""Apply the rules to what was measured of each explainer: trust, use with care, or do not trust.

An explainer for which a needed rule says no is not to be trusted. If a wanted rule says no, or any rule is undecided,
it is to be used with care. If all hold, it is to be trusted. A wanted rule that could not be measured does not count; a
needed one is undecided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .rules import AGREEMENT, ATTENTION_TESTS, CONVERGED, MASK, OVER_RANDOM, TEXTS, Rule, Rules

TRUST, CARE, DISTRUST = "trust", "use with care", "do not trust"
RANDOM = "random"  # the floor is not judged
ALPHA = 0.05  # a difference from random words must not be chance, after Holm's correction


@dataclass(frozen=True)
class Measured:
    """A number that a rule asks for."""

    value: float | None
    low: float | None
    high: float | None
    texts: int
    p: float | None = 0.0  # of a difference from random words: corrected chance of as much between equals

    @property
    def shown(self) -> str:
        """The number and its interval."""
        if self.value is None:
            return "not measured"
        if self.low == self.high == self.value or self.low is None or self.high is None:
            return f"{self.value:z.3f}".rstrip("0").rstrip(".")
        return f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"


NOTHING = Measured(None, None, None, 0)


def verdicts(facts: Mapping[str, Any], rules: Rules) -> list[dict[str, Any]]:
    """Judge every explainer but random words by the facts of an audit."""
    explainers = dict.fromkeys(score["explainer"] for score in facts["scores"])
    return [_verdict(name, facts, rules) for name in explainers if name != RANDOM]


def _verdict(explainer: str, facts: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    answers = []
    for rule in rules.rules:
        measured = measurement(facts, rule.quantity, explainer)
        if rule.is_for(explainer, facts["model"]["kind"]) and (rule.needed or measured.value is not None):
            answers.append(_answer(rule, measured))
    against = [answer for answer in answers if answer["needed"] and answer["holds"] is False]
    doubts = [answer for answer in answers if answer["holds"] is not True]
    if against:
        verdict, because = DISTRUST, _because(min(against, key=_reaches_threshold))
    elif doubts:
        verdict, because = (
            CARE,
            _because(min(doubts, key=lambda answer: (not answer["needed"], answer["holds"] is None))),
        )
    elif answers:
        verdict, because = TRUST, f"All {len(answers)} rules hold."
    else:
        verdict, because = CARE, "No rule could be measured."
    return {"explainer": explainer, "verdict": verdict, "because": because, "rules": answers}


def _reaches_threshold(answer: Mapping[str, Any]) -> bool:
    """Say whether it was doubt that counted as a no: a plain no is the better reason to give."""
    low, high, above = answer["low"], answer["high"], answer["must_be"] == "above"
    return bool(high > answer["threshold"] if above else low < answer["threshold"])


def _because(answer: Mapping[str, Any]) -> str:
    numbers = Measured(answer["value"], answer["low"], answer["high"], 0).shown
    chance = "" if answer["p"] is None or answer["p"] < ALPHA else f", p = {answer['p']:.2f} after Holm's correction"
    wanted = f"must be {answer['must_be']} {answer['threshold']:g}"
    return f"{answer['answer'].removesuffix('.')} ({answer['quantity']}: {numbers}{chance}; {wanted})."


def _answer(rule: Rule, measured: Measured) -> dict[str, Any]:
    holds = decide(rule, measured)
    sentence = rule.yes if holds else rule.no if holds is False else _undecided(rule, measured)
    return {
        "rule": rule.name,
        "needed": rule.needed,
        "holds": holds,
        "value": measured.value,
        "low": measured.low,
        "high": measured.high,
        "p": measured.p if rule.quantity.endswith(OVER_RANDOM) else None,
        "threshold": rule.threshold,
        "must_be": rule.must_be,
        "quantity": rule.quantity,
        "question": rule.question,
        "answer": sentence,
    }


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
        return f"It cannot be told from {measured.texts:,} texts."
    return "It may be chance, given how many comparisons were made."


def measurement(facts: Mapping[str, Any], quantity: str, explainer: str) -> Measured:
    """Find what a rule asks for among the facts."""
    if quantity == TEXTS:
        return _certain(facts["data"]["texts"], facts)
    if quantity == CONVERGED:
        return _estimate((facts["converged"] or {}).get(explainer))
    if quantity.startswith(AGREEMENT):
        pair = {explainer, quantity.removeprefix(AGREEMENT)}
        return _estimate(next((row for row in facts["agreement"] if {row["one"], row["other"]} == pair), None), "tau")
    if quantity.startswith(ATTENTION_TESTS):
        return _estimate(
            (facts["attention_tests"] or {}).get(quantity.removeprefix(ATTENTION_TESTS)) if explainer == "own" else None
        )
    if quantity.startswith(MASK):
        return _certain((facts["mask"] or {}).get(quantity.removeprefix(MASK)) if explainer == "own" else None, facts)
    metric = quantity.removesuffix(OVER_RANDOM)
    names = (metric, explainer)
    row = next((row for row in facts["scores"] if (row["metric"], row["explainer"]) == names), None)
    if row is None or metric == quantity:
        return _estimate(row)
    value, low, high, p = (row[f"over_random_{name}"] for name in ("value", "low", "high", "p_holm"))
    return Measured(value, low, high, row["texts"], p)


def _certain(value: float | None, facts: Mapping[str, Any]) -> Measured:
    return Measured(value, value, value, facts["data"]["texts"])


def _estimate(row: Mapping[str, Any] | None, value: str = "value") -> Measured:
    return NOTHING if row is None else Measured(row[value], row["low"], row["high"], row["texts"])
