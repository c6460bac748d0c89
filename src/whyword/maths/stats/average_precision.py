"""Average precision: how well scores put some entries before the others, over all cuts."""

from __future__ import annotations

import numpy as np


def average_precision(ranks: np.ndarray, wanted: np.ndarray) -> float:
    """Sum precision times gain in recall, down the (entry,) ranks; entries of one rank are taken together.

    At least one entry must be wanted.
    """
    order = np.argsort(ranks, kind="stable")
    found = np.cumsum(wanted[order])
    last_of_ties = np.append(np.diff(ranks[order]) != 0, True)
    precision = (found / np.arange(1, len(order) + 1))[last_of_ties]
    gain = np.diff(found[last_of_ties], prepend=0) / wanted.sum()
    return float(precision @ gain)
