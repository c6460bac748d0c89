"""Plain values in and out: settings made of them (TOML, JSON, --set words), and results that leave as JSON or frames.

Settings are the fields of frozen dataclasses.

A class checks the ranges of its own settings in `__post_init__`:

    check_above_zero(self, "samples", "budget")
"""

from __future__ import annotations

import inspect
import json
import math
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import MissingExtraError, OptionError, SettingError, unknown_name

if TYPE_CHECKING:
    import pandas


T = TypeVar("T")

_WANTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
_COMMENTED = re.compile(r"\s+(\w+): [^#]*#\s*(.*)")  # a field with a comment behind it


def build(cls: type[T], values: Mapping[str, Any], where: str) -> T:
    """Make a settings dataclass; where names it to the user ("method vmask", "training")."""
    if not isinstance(values, Mapping):
        raise OptionError(f"{where} is {values!r}: give a table of settings.")
    hints = get_type_hints(cls)
    known = set(setting_names(cls))
    for name in values:
        if not known:
            raise OptionError(f"The {where} has no settings: leave {name} out.")
        if name not in known:
            raise unknown_name(name, f"the settings of {where}", known)
    converted = {name: convert(value, hints[name], f"{where}.{name}") for name, value in values.items()}
    try:
        return cls(**converted)
    except SettingError as error:
        raise OptionError(f"{where}.{error.problem}") from None


def setting_names(cls: type[Any]) -> list[str]:
    """List the settings of a class; the name under which an explainer or metric is shown is none of them."""
    return [field.name for field in fields(cls) if field.name not in getattr(cls, "not_settings", ())]


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
    if origin is dict:
        return _convert_table(value, get_args(kind)[1], where)
    return _convert_plain(value, kind, where)


def _convert_table(value: Any, kind: Any, where: str) -> dict[str, Any]:
    """Read a table, or name=value,name=value."""
    if isinstance(value, str):
        parts = [part.rpartition("=") for part in value.split(",")]
        if not all(name and equals for name, equals, _ in parts):
            raise OptionError(f"{where} is {value!r}: write name=value,name=value.")
        value = {name.strip(): number for name, _, number in parts}
    if not isinstance(value, Mapping):
        raise OptionError(f"{where} is {value!r}: give a table of names and values.")
    return {str(name): convert(number, kind, f"{where}.{name}") for name, number in value.items()}


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
        if field.name in setting_names(cls)
    ]


def comments(cls: type[Any]) -> dict[str, str]:
    """Read what is said of each setting in the comment behind it."""
    names = setting_names(cls)
    bases = [base for base in reversed(cls.__mro__) if is_dataclass(base)]
    matches = (_COMMENTED.match(line) for base in bases for line in inspect.getsource(base).splitlines())
    return {match[1]: match[2] for match in matches if match and match[1] in names}


def _kind(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " | ".join(map(str, get_args(kind)))
    if get_origin(kind) in (Union, types.UnionType):
        return " | ".join(_kind(part) for part in get_args(kind))
    if get_origin(kind) is tuple:
        return f"{_kind(get_args(kind)[0])}, …"
    if get_origin(kind) is dict:
        return "a number for each class, such as rare=5,common=1"
    return "none" if kind is type(None) else str(getattr(kind, "__name__", kind))


def hyphenated(cls: type[Any]) -> str:
    """Give the catalog name of a class: IntegratedGradients is integrated-gradients, Vmask.Config is vmask."""
    outer, _, inner = cls.__qualname__.rpartition(".")
    name = outer.rpartition(".")[2] if inner == "Config" and outer else inner
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


class Named:
    """Something that has a name of its own: a field `name`, by default the catalog name of its class.

    So two settings of one class can be used side by side: Lime(samples=200, name="lime-200").
    """

    not_settings: ClassVar[tuple[str, ...]] = ("name",)
    name: str

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Give every class the field, also one that only writes `name = "mine"`, or nothing."""
        super().__init_subclass__(**arguments)
        cls.name = vars(cls).get("name", hyphenated(cls))
        cls.__annotations__.setdefault("name", str)


def refuse(settings: Any, name: str, expected: str) -> NoReturn:
    """Raise the error for a setting out of range: what came, and what to give."""
    value = getattr(settings, name)
    shown = repr(value) if isinstance(value, str) else str(value)
    raise SettingError(hyphenated(type(settings)), f"{name} is {shown}: give {expected}.")


def check_above_zero(settings: Any, *names: str) -> None:
    """Refuse numbers, or tuples of numbers, that are not above 0; None and words such as auto pass."""
    for name in names:
        if not all(0 < number < math.inf for number in _numbers(settings, name)) or getattr(settings, name) == ():
            refuse(settings, name, "a number above 0")


def check_from(settings: Any, smallest: int, *names: str) -> None:
    """Refuse numbers below the smallest that makes sense; None and words such as auto pass."""
    for name in names:
        if not all(smallest <= number < math.inf for number in _numbers(settings, name)):
            refuse(settings, name, f"a number from {smallest} up")


def check_between_zero_and_one(settings: Any, *names: str) -> None:
    """Refuse numbers that are not above 0 and below 1."""
    for name in names:
        if not all(0 < number < 1 for number in _numbers(settings, name)):
            refuse(settings, name, "a number between 0 and 1")


def check_share_below_one(settings: Any, *names: str) -> None:
    """Refuse shares below 0, or of all."""
    for name in names:
        if not all(0 <= number < 1 for number in _numbers(settings, name)):
            refuse(settings, name, "a share from 0 up to, but not including, 1")


def _numbers(settings: Any, name: str) -> list[float]:
    value = getattr(settings, name)
    values = value if isinstance(value, tuple) else (value,)
    return [number for number in values if isinstance(number, int | float)]


def json_ready(value: Any) -> Any:
    """Make a value fit for strict JSON: NaN and infinity become None, NumPy's numbers Python's, tuples lists."""
    if isinstance(value, Mapping):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Iterator):
        return [json_ready(item) for item in value]
    value = value.item() if hasattr(value, "dtype") and hasattr(value, "item") else value  # one of NumPy's
    return None if isinstance(value, float) and not math.isfinite(value) else value


def strict_json(value: Any, **layout: Any) -> str:
    """Write JSON that every program reads: NaN and infinity, which JSON does not have, become null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)
    except ValueError:
        return json.dumps(json_ready(value), ensure_ascii=False, allow_nan=False, **layout)


def data_frame(rows: Any) -> pandas.DataFrame:
    """Make a pandas frame of a list of rows or a mapping of columns."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("A data frame", "frames") from None
    return pandas.DataFrame(rows)
