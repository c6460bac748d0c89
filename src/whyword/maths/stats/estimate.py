"""A number and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

Z = 1.959963984540054  # 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float
