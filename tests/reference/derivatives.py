"""How functions of named weights change along a direction."""

from collections.abc import Callable

import torch


def change_along(
    function: Callable[[dict[str, torch.Tensor]], tuple[torch.Tensor, ...]],
    start: dict[str, torch.Tensor],
    direction: dict[str, torch.Tensor],
) -> tuple[torch.Tensor, ...]:
    """Differentiate each output at the start along the direction."""
    names = list(start)

    def of_tensors(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return function(dict(zip(names, tensors, strict=True)))

    tensors, tangents = tuple(start.values()), tuple(direction[name] for name in names)
    return torch.autograd.functional.jvp(of_tensors, tensors, tangents)[1]
