"""Public packages import what they offer when it is first used, so that importing whyword stays instant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, str], modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and `__dir__` of a package from where its names live.

    A home is a module, relative to the package, or module:name for a name that is another one there; the modules are
    public as they are.
    """

    def get(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        home, _, inner = homes[name].partition(":")
        return getattr(import_module(home, package), inner or name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *modules})

    return get, names
