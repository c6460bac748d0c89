"""Several processes train one model: each reads its share of a batch, and gradients are added up."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn


class Processes:
    """The processes of this run: one alone, or those that `torchrun` or `accelerate launch` started."""

    def __init__(self) -> None:
        self._state: Any = None
        self.rank, self.count = 0, 1
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            from accelerate import PartialState

            self._state = PartialState(cpu=not torch.cuda.is_available())  # else it takes a CPU process to be alone
            self.rank, self.count = self._state.process_index, self._state.num_processes

    @property
    def is_first(self) -> bool:
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def share(self, texts: np.ndarray) -> np.ndarray:
        """Give the texts of a batch that this process reads."""
        return texts[self.rank :: self.count]

    def add_up_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Replace every gradient by its sum over the processes."""
        if self.count == 1:
            return
        from accelerate.utils import reduce

        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = parameter.data.new_zeros(parameter.shape)
            parameter.grad.copy_(reduce(parameter.grad, reduction="sum"))

    def wait(self) -> None:
        """Wait until every process has come this far."""
        if self._state is not None:
            self._state.wait_for_everyone()
