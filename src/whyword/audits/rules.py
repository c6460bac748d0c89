"""The rules by which an explainer is judged, data in a TOML file (rules.toml or the user's), and what they measure."""

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
from .data import Agreement, AuditData, ModelInfo, RankRow, ScoreRow, Share

DEFAULT = "default"
KINDS = ("attention", "mask", "open", "black box")  # of models
OVER_RANDOM, AGREEMENT, ATTENTION_TESTS, MASK = " over random", "agreement with ", "attention_tests ", "mask "
CONVERGED, TEXTS, SHARE_OF_BEST, SHARE_OF_AGREEMENT = "converged", "texts", "share of best", "share of best agreement"
FORBIDDEN = "forbidden words"  # a question about the model, not about an explainer
STATISTICS = ("keep_min", "keep_mean", "keep_max", "keep_sd")  # of a mask
TRUE, HUMAN_LIKE = VERDICTS = ("true", "human-like")  # to the model, and to what people marked
MARKED = "rationale-"  # begins the names of the metrics that compare with marked words
RANDOM = "random"  # the floor is not judged


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
    verdict: str = ""  # that it belongs to; left out, what it measures decides

    def __post_init__(self) -> None:
        """Let what people marked decide whether an explainer is human-like, and all else whether it is true."""
        if not self.verdict:
            of_people = self.quantity == SHARE_OF_AGREEMENT or self.quantity.startswith(MARKED)
            object.__setattr__(self, "verdict", HUMAN_LIKE if of_people else TRUE)

    @property
    def compares(self) -> bool:
        """Whether it asks about the best of the explainers audited, and so about nothing where there is only one."""
        return self.quantity in (SHARE_OF_BEST, SHARE_OF_AGREEMENT)

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
    p: float | None = 0.0  # of a difference from random words: chance of as much between equals
    unit: str = "texts"  # that were measured

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
        SHARE_OF_AGREEMENT,
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
        ([values["verdict"]] if "verdict" in values else (), VERDICTS, "verdict"),
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


def measurement(data: AuditData, quantity: str, explainer: str) -> Measured:
    """Find the number that a rule asks for."""
    if quantity == TEXTS:
        return _certain(data.data.texts, data)
    if quantity == SHARE_OF_BEST:
        rows = [row for row in data.ranking if row.explainer != RANDOM]
        return _estimate(next((row for row in rows if row.explainer == explainer and len(rows) > 1), None))
    if quantity == SHARE_OF_AGREEMENT:
        return _estimate(data.human_shares.get(explainer))
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
        return replace(_estimate(row), unit=data.unit)
    value, low, high = row.over_random_value, row.over_random_low, row.over_random_high
    return Measured(value, low, high, row.texts, row.over_random_p, data.unit)


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
