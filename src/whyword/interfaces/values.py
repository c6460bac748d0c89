"""Values that leave whyword: plain ones for strict JSON, and data frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import MissingExtraError

if TYPE_CHECKING:
    import pandas


def json_ready(value: Any) -> Any:
    """Make a value fit for strict JSON: NaN and infinity become None, NumPy's numbers Python's, tuples lists."""
    if isinstance(value, Mapping):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Iterator):
        return [json_ready(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def data_frame(rows: Any) -> pandas.DataFrame:
    """Make a pandas frame of a list of rows or a mapping of columns."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("A data frame", "frames") from None
    return pandas.DataFrame(rows)
