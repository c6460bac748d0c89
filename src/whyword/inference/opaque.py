"""A network that is asked with token ids and answers with logits: nothing inside it can be looked at."""

from __future__ import annotations

from typing import NoReturn

from torch import Tensor

from ..interfaces.document import Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder


class OpaqueEncoder(Encoder):
    """Stands where an encoder would be; explainers that need word vectors are refused."""

    token_kind = "pieces"
    embedding_dim = 0
    layer_dims = (0,)

    def __init__(self, label: str = "") -> None:
        super().__init__()
        self.label = label  # what people call the network; nothing if that is not known

    def embed(self, batch: Batch) -> Tensor:
        """Refuse."""
        refuse_gradients()

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Refuse."""
        refuse_gradients()

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Refuse."""
        refuse_gradients()


def refuse_gradients() -> NoReturn:
    """Say that there are no gradients, and what there is instead."""
    raise OptionError("This model takes token ids only, so it has no gradients: choose lime, shapley or occlusion.")
