"""A closed loader: what a model folder says is checked before anything is built of it, whoever wrote it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from ..interfaces.errors import ModelError

SPARE_NUMBERS = 2**26  # that building a network may draw beyond eight times those that are stored
SPARE_TENSORS = 10_000


def check_config(values: Mapping[str, Any], path: Path) -> None:
    """Refuse a config.json whose entries are not of their kind; settings are checked by the classes that have them."""
    labels = values.get("labels")
    many = len(labels) if isinstance(labels, list) else 0
    for name, expected, fits in (
        ("labels", "a list of different labels", lambda value: _are_labels(value) and len(set(value)) == many > 0),
        ("method", "a table with a name", _is_named),
        ("encoder", "a table with a name", _is_named),
        ("vocabulary", "a table", _is_table),
        ("training", "a table", _is_table),
        ("architecture", "a table or null", lambda value: value is None or _is_table(value)),
        ("seed", "a whole number", lambda value: type(value) is int),
    ):
        if name not in values:
            raise ModelError(f"{path} is damaged (it has no {name}): train the model again or copy the folder anew.")
        _check(path, name, values[name], expected, fits)
    for name, expected, fits in (
        ("offsets", f"{many} numbers or null", lambda value: value is None or _are_numbers(value, many)),
        ("thresholds", f"{many} numbers or null", lambda value: value is None or _are_numbers(value, many)),
        ("multi_label", "true or false", lambda value: isinstance(value, bool)),
        ("columns", "a table of names or null", _are_columns),
    ):
        if name in values:
            _check(path, name, values[name], expected, fits)


def _check(path: Path, name: str, value: Any, expected: str, fits: Callable[[Any], bool]) -> None:
    if not fits(value):
        shown = repr(value)
        raise ModelError(
            f"{path} is damaged ({name} is {shown if len(shown) <= 60 else shown[:57] + '…'}, not {expected}): train "
            "the model again or copy the folder anew."
        )


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def _are_labels(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(label, str | int) for label in value)


def _are_numbers(value: Any, many: int) -> bool:
    numbers = isinstance(value, list) and len(value) == many and all(type(item) in (int, float) for item in value)
    return numbers and all(math.isfinite(item) for item in value)


def _are_columns(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not _are_labels(value.get("labels", [])):
        return False
    names = (item for name, item in value.items() if name not in ("labels", "several"))
    return isinstance(value.get("several", False), bool) and all(
        item is None or isinstance(item, str) for item in names
    )


def check_finite(tensors: Mapping[str, Tensor], holder: Path | str) -> None:
    """Refuse weights with NaN or infinity, which would answer NaN to every text."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise ModelError(
                f"{holder} holds a number that is not finite (in {name}), so every answer could be NaN: train the "
                "model again, with a lower learning rate if its training diverged."
            )


class NoLargerThan(TorchDispatchMode):
    """Stop building a network that is far larger than the weights that are to fill it, before it takes memory or time.

    So a config.json with a billion layers or units is refused at once, whatever the network, those of plug-ins too.
    """

    def __init__(self, tensors: Mapping[str, Tensor], folder: Path) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.folder = folder
        self.numbers = 8 * sum(tensor.numel() for tensor in tensors.values()) + SPARE_NUMBERS
        self.tensors = 100 * len(tensors) + SPARE_TENSORS

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Count what is made from nothing."""
        if not any(isinstance(item, Tensor) for item in args):
            self.tensors -= 1
            self.numbers -= _numbers(args)
            if self.tensors < 0 or self.numbers < 0:
                raise ModelError(
                    f"{self.folder / 'config.json'} describes a network that is far larger than the weights in "
                    "model.safetensors: copy the folder anew or train the model again."
                )
        return func(*args, **(kwargs or {}))


def _numbers(args: Sequence[Any]) -> int:
    """Say how many numbers a call such as empty([3, 4]) or arange(0, 9) gives, or more."""
    sizes = [item for item in args if isinstance(item, list | tuple)]
    if sizes:
        return max(math.prod(item for item in size if isinstance(item, int)) for size in sizes)
    return max((abs(item) for item in args if isinstance(item, int)), default=0)
