"""The rules by which an explanation is trusted: data in a TOML file, ours (rules.toml) or the user's."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from ..interfaces.errors import OptionError, unknown_name

DEFAULT = "default"
KINDS = ("attention", "mask", "open", "black box")  # of models
OVER_RANDOM, AGREEMENT, ATTENTION_TESTS, MASK = " over random", "agreement with ", "attention_tests ", "mask "
CONVERGED, TEXTS = "converged", "texts"
MASK_FACTS = ("keep_min", "keep_mean", "keep_max", "keep_sd")


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

    def is_for(self, explainer: str, kind: str) -> bool:
        """Say whether it asks about this explainer of this kind of model; nobody is compared with themselves."""
        return (
            (not self.explainers or explainer in self.explainers)
            and (not self.kinds or kind in self.kinds)
            and self.quantity != AGREEMENT + explainer
        )


@dataclass(frozen=True)
class Rules:
    """Rules in the order of their importance."""

    rules: tuple[Rule, ...]
    source: str  # "default", or the file they come from


def read_rules(
    file: Path | None, metrics: Iterable[str], explainers: Iterable[str], attention_tests: Iterable[str]
) -> Rules:
    """Read the rules of a file, or ours; the names are those that a rule may speak of."""
    explainers = list(explainers)
    known = [
        CONVERGED,
        TEXTS,
        *(MASK + fact for fact in MASK_FACTS),
        *(ATTENTION_TESTS + test for test in attention_tests),
    ]
    known += [AGREEMENT + name for name in explainers]
    known += [name for metric in metrics for name in (metric, metric + OVER_RANDOM)]
    where = "rules.toml" if file is None else str(file)
    tables = _tables(file, where)
    if not tables:
        raise OptionError(f'{where} holds no rules: write at least one table, such as ["beats random words"].')
    return Rules(
        tuple(_rule(name, table, where, known, explainers) for name, table in tables.items()),
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
        raise OptionError(f"The rules {where} are not written in TOML ({error}): mend that place.") from None


def _rule(name: str, table: Any, where: str, quantities: Iterable[str], explainers: Iterable[str]) -> Rule:
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
