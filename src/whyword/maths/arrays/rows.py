"""Distinct rows of a table of yes and no."""

from __future__ import annotations

import numpy as np


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the distinct rows of a (row, column) bool table and, for each row, the number of its equal."""
    packed = np.packbits(rows, axis=1) if rows.shape[1] else np.zeros((len(rows), 1), dtype=np.uint8)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], inverse.reshape(-1)
