"""Information that passes when a vector is mixed with noise (IBA, Schulz et al. 2020)."""

from __future__ import annotations

from torch import Tensor


def kl_of_mixture(share: Tensor, standardized: Tensor) -> Tensor:
    """KL per dimension from z = λ x + (1 − λ) ε to ε, in nats: −½ [1 + ln (1−λ)² − λ² x̂² − (1−λ)²].

    share is λ in [0, 1); standardized is x̂ = (x − mean of ε) / standard deviation of ε.
    """
    rest = (1 - share) ** 2
    return -0.5 * (1 + rest.log() - share**2 * standardized**2 - rest)
