"""The rules by which an explainer is trusted, data in a TOML file (rules.toml or the user's), and the verdicts.

An explainer for which a needed rule says no is not to be trusted. If a wanted rule says no, or any rule is undecided,
it is to be used with care. If all hold, it is to be trusted. A wanted rule that could not be measured does not count; a
needed one is undecided.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.settings import json_ready
from .data import Agreement, AuditData, ForbiddenWords, ModelInfo, RankRow, RuleResult, ScoreRow, Share, Verdict

DEFAULT = "default"
KINDS = ("attention", "mask", "open", "black box")  # of models
OVER_RANDOM, AGREEMENT, ATTENTION_TESTS, MASK = " over random", "agreement with ", "attention_tests ", "mask "
CONVERGED, TEXTS, SHARE_OF_BEST = "converged", "texts", "share of best"
FORBIDDEN = "forbidden words"  # a question about the model, not about an explainer
STATISTICS = ("keep_min", "keep_mean", "keep_max", "keep_sd")  # of a mask
TRUST, CARE, DISTRUST = "trust", "use with care", "do not trust"
RANDOM = "random"  # the floor is not judged
ALPHA = 0.05  # a difference from random words must not be chance, after Holm's correction


@dataclass(frozen=True)
class Rule:
    """One question about an explainer; the fields are explained in rules.toml."""

    name: str
    question: str
    quantity: str
    must_be: Literal["above", "below"]
    threshold: float
    needed: bool
    yes: str = "Yes."
    no: str = "No."
    explainers: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    proof_from: int | None = None

    def is_for(self, explainer: str, model: ModelInfo) -> bool:
        """Say whether it asks about this explainer of this model; no explainer is compared with itself."""
        return (
            self.quantity != FORBIDDEN
            and (not self.explainers or explainer in self.explainers)
            and (not self.kinds or model.kind in self.kinds)
            and self.quantity != AGREEMENT + explainer
            and (not self.quantity.startswith((ATTENTION_TESTS, MASK)) or explainer in model.weights_explainers)
        )


@dataclass(frozen=True)
class Rules:
    """Rules in the order of their importance."""

    rules: tuple[Rule, ...]
    source: str  # "default", or the file they come from


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


def read_rules(
    file: Path | None, metrics: Iterable[str], explainers: Iterable[str], attention_tests: Iterable[str]
) -> Rules:
    """Read the rules of a file, or ours; the names are those that a rule may speak of."""
    explainers = list(explainers)
    quantities = [
        CONVERGED,
        TEXTS,
        SHARE_OF_BEST,
        FORBIDDEN,
        *(MASK + statistic for statistic in STATISTICS),
        *(ATTENTION_TESTS + test for test in attention_tests),
        *(AGREEMENT + name for name in explainers),
        *(name for metric in metrics for name in (metric, metric + OVER_RANDOM)),
    ]
    where = "rules.toml" if file is None else str(file)
    tables = _tables(file, where)
    if not tables:
        raise OptionError(f'{where} holds no rules: write at least one table, such as ["beats random words"].')
    return Rules(
        tuple(_rule(name, table, where, quantities, explainers) for name, table in tables.items()),
        DEFAULT if file is None else str(file),
    )


def _tables(file: Path | None, where: str) -> dict[str, Any]:
    try:
        text = (resources.files(__package__) / "rules.toml" if file is None else file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OptionError(f"The rules {where} cannot be read ({reason}): name a TOML file.") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"The rules {where} are not written in TOML ({error}): fix that place.") from None


def _rule(name: str, table: object, where: str, quantities: Iterable[str], explainers: Iterable[str]) -> Rule:
    if not isinstance(table, Mapping):
        raise OptionError(f"{where}: '{name}' is {table!r} and no rule: write a table, [\"{name}\"], with its fields.")
    whose = f"the rule '{name}' in {where}"
    by_name = {field.name: field for field in fields(Rule) if field.name != "name"}
    for field in table:
        if field not in by_name:
            raise unknown_name(field, f"the fields of {whose}", by_name)
    for field in by_name.values():
        if field.default is MISSING and field.name not in table:
            raise OptionError(f"{where}: the rule '{name}' has no '{field.name}': add that field.")
    values = {field: _value(value, field, f"The field '{field}' of {whose}") for field, value in table.items()}
    values["quantity"] = _current_name(values["quantity"])
    for chosen, known, kind in (
        ([values["must_be"]], ("above", "below"), "must_be"),
        ([values["quantity"]], quantities, "quantity"),
        (values.get("explainers", ()), explainers, "explainers"),
        (values.get("kinds", ()), KINDS, "kinds"),
    ):
        for word in chosen:
            if word not in known:
                raise unknown_name(word, f"what '{kind}' of {whose} can be", known)
    return Rule(name, **values)


def _current_name(quantity: str) -> str:
    """Read quantities by the names that earlier versions gave them."""
    if quantity == "settled":
        return CONVERGED
    return ATTENTION_TESTS + quantity.removeprefix("belief ") if quantity.startswith("belief ") else quantity


def _value(value: Any, field: str, where: str) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match field:
        case "threshold":
            fits, wanted = number and math.isfinite(value), "a number"
        case "proof_from":
            fits, wanted = number and value >= 1 and value == int(value), "a whole number above 0"
        case "needed":
            fits, wanted = isinstance(value, bool), "true or false"
        case "explainers" | "kinds":
            fits = isinstance(value, list) and all(isinstance(word, str) for word in value)
            value, wanted = tuple(value) if fits else value, "a list of names"
        case _:
            fits, wanted = isinstance(value, str), "text"
    if not fits:
        raise OptionError(f"{where} is {value!r}: give {wanted}.")
    return value


def verdicts(data: AuditData, rules: Rules) -> tuple[Verdict, ...]:
    """Judge every explainer but random words."""
    explainers = dict.fromkeys(score.explainer for score in data.scores)
    return tuple(_verdict(name, data, rules) for name in explainers if name != RANDOM)


def judge_forbidden(words: ForbiddenWords, rules: Rules) -> ForbiddenWords:
    """Judge how far answers move without forbidden words: that of every text must not."""
    if words.largest is None:
        return words
    measured = Measured(words.largest, words.largest, words.largest, words.texts)
    return replace(words, rules=tuple(_result(rule, measured) for rule in rules.rules if rule.quantity == FORBIDDEN))


def _verdict(explainer: str, data: AuditData, rules: Rules) -> Verdict:
    results = []
    for rule in rules.rules:
        measured = measurement(data, rule.quantity, explainer)
        if rule.is_for(explainer, data.model) and (rule.needed or measured.value is not None):
            results.append(_result(rule, measured))
    against = [result for result in results if result.needed and result.holds is False]
    doubts = [result for result in results if result.holds is not True]
    if against:
        verdict, because = DISTRUST, _because(min(against, key=_reaches_threshold))
    elif doubts:
        strongest = min(doubts, key=lambda result: (not result.needed, result.holds is None))
        verdict, because = CARE, _because(strongest)
    elif results:
        verdict, because = TRUST, f"All {len(results)} rules hold."
    else:
        verdict, because = CARE, "No rule could be measured."
    return Verdict(explainer, verdict, because, tuple(results))


def _reaches_threshold(result: RuleResult) -> bool:
    """Say whether it was doubt that counted as a no: a plain no is the better reason to give."""
    end = result.high if result.must_be == "above" else result.low
    assert end is not None  # else the rule were undecided
    return end > result.threshold if result.must_be == "above" else end < result.threshold


def _because(result: RuleResult) -> str:
    numbers = Measured(result.value, result.low, result.high, 0).shown
    chance = "" if result.p is None or result.p < ALPHA else f", p = {result.p:.2f} after Holm's correction"
    wanted = f"must be {result.must_be} {result.threshold:g}"
    return f"{result.answer.removesuffix('.')} ({result.quantity}: {numbers}{chance}; {wanted})."


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
        return f"It cannot be told from {measured.texts:,} texts."
    return "It may be chance, given how many comparisons were made."


def measurement(data: AuditData, quantity: str, explainer: str) -> Measured:
    """Find the number that a rule asks for."""
    if quantity == TEXTS:
        return _certain(data.data.texts, data)
    if quantity == SHARE_OF_BEST:
        rows = [row for row in data.ranking if row.explainer != RANDOM]
        return _estimate(next((row for row in rows if row.explainer == explainer and len(rows) > 1), None))
    if quantity == CONVERGED:
        return _estimate(data.converged.get(explainer))
    if quantity.startswith(AGREEMENT):
        pair = {explainer, quantity.removeprefix(AGREEMENT)}
        return _estimate(next((row for row in data.agreement if {row.one, row.other} == pair), None))
    if quantity.startswith((ATTENTION_TESTS, MASK)):
        return _of_weights(data, quantity) if explainer in data.model.weights_explainers else _estimate(None)
    metric = quantity.removesuffix(OVER_RANDOM)
    row = next((row for row in data.scores if (row.metric, row.explainer) == (metric, explainer)), None)
    if row is None or metric == quantity:
        return _estimate(row)
    value, low, high = row.over_random_value, row.over_random_low, row.over_random_high
    return Measured(value, low, high, row.texts, row.over_random_p_holm)


def _of_weights(data: AuditData, quantity: str) -> Measured:
    """Find what was measured of attention or of a mask."""
    if quantity.startswith(MASK):
        statistics = {} if data.mask is None else data.mask.statistics
        return _certain(json_ready(statistics.get(quantity.removeprefix(MASK))), data)
    tests = () if data.attention_tests is None else data.attention_tests.scores
    test = next((score for score in tests if score.metric == quantity.removeprefix(ATTENTION_TESTS)), None)
    if test is None:
        return _estimate(None)
    value, low, high = json_ready([test.value, *test.interval])
    return Measured(value, low, high, test.texts)


def _certain(value: float | None, data: AuditData) -> Measured:
    return Measured(value, value, value, data.data.texts)


def _estimate(row: Share | Agreement | RankRow | ScoreRow | None) -> Measured:
    return Measured(None, None, None, 0) if row is None else Measured(row.value, row.low, row.high, row.texts)
