"""Hadamard matrices: rows of 1 and -1 of which any two agree in as many places as they differ."""

from __future__ import annotations

import numpy as np


def hadamard(least: int) -> np.ndarray:
    """Give a matrix of the smallest order from least on that quadratic residues (Paley 1933) and doubling reach."""
    starts = [1, *(prime + 1 for prime in range(3, 2 * least, 4) if _is_prime(prime))]
    doublings = [max(0, -(-least // start) - 1).bit_length() for start in starts]
    _, start, doubled = min((start << times, start, times) for start, times in zip(starts, doublings, strict=True))
    matrix = np.ones((1, 1), dtype=np.int64) if start == 1 else _paley(start - 1)
    for _ in range(doubled):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _paley(prime: int) -> np.ndarray:
    """Give the matrix of order prime + 1, for a prime that leaves 3 when divided by 4."""
    numbers = np.arange(prime)
    residue = np.full(prime, -1)
    residue[numbers**2 % prime] = 1
    residue[0] = 0
    matrix = np.pad(residue[(numbers[:, None] - numbers) % prime], (1, 0), constant_values=1)
    matrix[1:, 0] = -1
    matrix[np.diag_indices(prime + 1)] = 1
    return matrix
