"""Plain values (TOML, JSON, --set words) become frozen dataclasses, with one clear sentence where they cannot."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ..interfaces.errors import OptionError, unknown_name

T = TypeVar("T")

_WANTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
_COMMENTED = re.compile(r"\s+(\w+): [^#]*#\s*(.*)")  # a field with a comment behind it


def build(cls: type[T], values: Mapping[str, Any], where: str) -> T:
    """Make a settings dataclass; where names it to the user ("method vmask", "training")."""
    if not isinstance(values, Mapping):
        raise OptionError(f"{where} is {values!r}: give a table of settings.")
    hints = get_type_hints(cls)
    known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
    for name in values:
        if not known:
            raise OptionError(f"The {where} has no settings: leave {name} out.")
        if name not in known:
            raise unknown_name(name, f"the settings of {where}", known)
    return cls(**{name: convert(value, hints[name], f"{where}.{name}") for name, value in values.items()})


def convert(value: Any, kind: Any, where: str) -> Any:
    """Turn a value, perhaps a string from the command line, into the kind a setting has."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _convert_union(value, get_args(kind), where)
    if origin is Literal:
        if value not in get_args(kind):
            raise unknown_name(str(value), f"the choices of {where}", map(str, get_args(kind)))
        return value
    if origin is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise OptionError(f"{where} is {value!r}: give values separated by commas.")
        return tuple(convert(part, get_args(kind)[0], where) for part in parts)
    return _convert_plain(value, kind, where)


def _convert_union(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    if type(None) in kinds and (value is None or value in ("none", "null", "None")):
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    if len(others) == 1:
        return convert(value, others[0], where)
    for kind in others:
        try:
            return convert(value, kind, where)
        except OptionError:
            continue
    raise OptionError(f"{where} is {value!r}: give {' or '.join(map(_wanted, others))}.")


def _wanted(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    return _WANTED.get(kind, _kind(kind))


def _convert_plain(value: Any, kind: Any, where: str) -> Any:
    wanted = _WANTED[kind]
    if kind is bool and value in (True, False, "true", "false", "True", "False"):
        return value in (True, "true", "True")
    try:
        if kind is str and isinstance(value, str):
            return value
        if kind in (int, float) and not isinstance(value, bool):
            number = kind(value)
            if isinstance(value, str) or number == value:
                return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise OptionError(f"{where} is {value!r}: give {wanted}.")


def describe(cls: type[Any]) -> list[tuple[str, str, str]]:
    """List a settings dataclass as (name, kind, default)."""
    hints = get_type_hints(cls)
    return [
        (field.name, _kind(hints[field.name]), "" if field.default is MISSING else str(field.default).lower())
        for field in fields(cls)
    ]


def comments(cls: type[Any]) -> dict[str, str]:
    """Read what is said of each setting in the comment behind it."""
    names = {field.name for field in fields(cls)}
    bases = [base for base in reversed(cls.__mro__) if is_dataclass(base)]
    found = (_COMMENTED.match(line) for base in bases for line in inspect.getsource(base).splitlines())
    return {match[1]: match[2] for match in found if match and match[1] in names}


def _kind(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " | ".join(map(str, get_args(kind)))
    if get_origin(kind) in (Union, types.UnionType):
        return " | ".join(_kind(part) for part in get_args(kind))
    if get_origin(kind) is tuple:
        return f"{_kind(get_args(kind)[0])}, …"
    return "none" if kind is type(None) else str(getattr(kind, "__name__", kind))
