"""The inverse of a positive definite matrix as a product, at less than half the cost of a general inverse."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dtrtri


def inverse_root(matrix: np.ndarray) -> np.ndarray:
    """Give a triangle R such that R.T @ R is the inverse of a symmetric matrix whose eigenvalues are above 0."""
    root: np.ndarray = dtrtri(cholesky(matrix.T, lower=True, check_finite=False), lower=True, overwrite_c=True)[0]
    return root
