"""How a pretrained model reads, seen from what it does with a few tokens rather than from its name."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, Literal

import torch
from torch import Tensor, nn

from ..interfaces.errors import ModelError

Pooling = Literal["first", "last", "mean"]

TOKENS = 9  # of the text a model is tried on: odd, so that states of a model that halves its texts are told apart
CLOSE = 1e-3  # how far states may be apart, as a share of the largest, to be the same but for rounding


@dataclass(frozen=True)
class Reader:
    """Calls a model on word vectors and gives the states that are one per token."""

    options: frozenset[str]  # arguments of its forward that are given, besides the word vectors
    scale: float  # of word vectors, which some models apply to token ids only
    layers: tuple[int, ...]  # those with one state per token
    layer_dims: tuple[int, ...]
    padded: bool  # whether padding leaves the states of a text alone; else texts of equal length are read together
    causal: bool  # whether a token sees only those before it
    shortest: int  # fewest tokens it can read; shorter texts are padded to as many

    def __call__(self, model: Any, embedded: Tensor, mask: Tensor, segments: Tensor) -> tuple[Tensor, ...]:
        """Give (batch, time, dim) states of each layer, the top last."""
        if self.padded:
            return self._read(model, embedded, mask, segments)
        lengths = mask.sum(1)
        layers: list[Tensor] = []
        for length in lengths.unique().tolist():
            rows = (lengths == length).nonzero().squeeze(1)
            read = self._read(model, embedded[rows, :length], mask[rows, :length], segments[rows, :length])
            layers = layers or [states.new_zeros(*mask.shape, states.shape[-1]) for states in read]
            padding = (0, 0, 0, mask.shape[1] - length)
            layers = [
                whole.index_copy(0, rows, nn.functional.pad(states, padding))
                for whole, states in zip(layers, read, strict=True)
            ]
        return tuple(layers)

    def _read(self, model: Any, embedded: Tensor, mask: Tensor, segments: Tensor) -> tuple[Tensor, ...]:
        time = embedded.shape[1]
        if time < self.shortest:
            more = self.shortest - time
            embedded = nn.functional.pad(embedded, (0, 0, 0, more))
            mask, segments = (nn.functional.pad(table, (0, more)) for table in (mask, segments))
        states = _states(model, self.options, mask, segments, inputs_embeds=embedded)
        return tuple(states[layer][:, :time] for layer in self.layers)


def text_encoder(model: Any) -> Any:
    """Give the half that reads, of a model that reads and writes such as T5 or BART; any other model as it is."""
    return model.get_encoder() if "decoder_input_ids" in _arguments(model) else model


def settle(model: Any) -> None:
    """Take off what would never learn, and what would make an answer depend on the texts before."""
    if getattr(model, "pooler", None) is not None:
        model.pooler = nn.Identity()  # nothing here reads it; some models call it all the same
    if hasattr(model, "set_attention_type"):
        model.set_attention_type("original_full")  # BigBird changes to it for good at the first short text


def position_limit(model: nn.Module) -> int | None:
    """Give the most tokens that a model has positions for; None where positions are relative."""
    limits = [
        table.num_embeddings - _first_position(table)
        for name, table in model.named_modules()
        if isinstance(table, nn.Embedding) and _is_position_table(name.rpartition(".")[2])
    ]
    config: Any = model.config
    stated = getattr(config, "max_position_embeddings", None) or 0
    if stated > 0 and (limits or not getattr(config, "relative_attention", False)):
        limits.append(stated)  # Nyströmformer skips rows of its table and does not say so
    if not limits:
        return None
    window = getattr(config, "attention_window", None) or 1  # Longformer fills its texts up to whole windows
    widest = max(window) if isinstance(window, list | tuple) else window
    return int(min(limits) // widest * widest)


def _is_position_table(name: str) -> bool:
    return name in ("wpe", "position_embeddings", "position_embedding", "embed_positions")


def _first_position(table: nn.Embedding) -> int:
    """Give the row of the first token: RoBERTa begins after the row of padding, BART and OPT skip two rows."""
    return table.padding_idx + 1 if table.padding_idx is not None else int(getattr(table, "offset", 0))


def natural_pooling(model: Any, reader: Reader, half: bool) -> Pooling:
    """Say where a model of this kind gathers what a text means; half: it is the encoder of an encoder-decoder."""
    if reader.causal or getattr(model.config, "summary_type", None) == "last":  # XLNet puts its token last
        return "last"
    if half or getattr(model.config, "classifier_pooling", None) == "mean":
        return "mean"
    return "first"


def examine(model: Any, name: str) -> Reader:
    """Find out how a model reads; one that cannot be read word by word is refused."""
    arguments = _arguments(model)
    if "inputs_embeds" not in arguments:
        raise ModelError(
            f"The encoder '{name}' ({_kind(model)}) cannot be given word vectors, which explanations need: choose an "
            "encoder of texts whose forward takes inputs_embeds, such as BERT, RoBERTa, T5 or Llama."
        )
    training = model.training
    model.eval()
    try:
        with torch.enable_grad():
            return _try(model, arguments, name)
    except ModelError:
        raise
    except Exception as error:  # whatever a network of another kind makes torch raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(
            f"The encoder '{name}' ({_kind(model)}) does not read a text of {TOKENS} tokens ({reason}): choose another "
            "encoder."
        ) from error
    finally:
        model.train(training)


def _try(model: Any, arguments: set[str], name: str) -> Reader:
    options = frozenset(arguments & {"attention_mask", "global_attention_mask", "use_cache", "token_type_ids"})
    if not _has_segments(model.config):
        options -= {"token_type_ids"}
    table = model.get_input_embeddings()
    count = min(TOKENS, position_limit(model) or TOKENS)
    padding = {getattr(model.config, "pad_token_id", None), getattr(table, "padding_idx", None)}
    usable = (number for number in range(table.weight.shape[0] - 1, -1, -1) if number not in padding)
    tokens = torch.tensor([list(islice(cycle(islice(usable, count)), count))], device=table.weight.device)
    mask, segments = torch.ones_like(tokens, dtype=torch.bool), torch.zeros_like(tokens)
    with torch.no_grad():
        expected = _states(model, options, mask, segments, input_ids=tokens)[-1]
        embedded = table(tokens)
    scales = (1.0, float(getattr(model, "embed_scale", 1.0)))
    for scale in scales:
        vectors = (embedded * scale).requires_grad_()
        states = _states(model, options, mask, segments, inputs_embeds=vectors)
        if _same(states[-1], expected):
            break
    else:
        raise ModelError(
            f"The encoder '{name}' ({_kind(model)}) reads word vectors differently from token ids, so its words cannot "
            "be explained: choose another encoder."
        )
    layers = tuple(layer for layer, there in enumerate(states) if there.shape[:2] == tokens.shape)
    return Reader(
        options=options,
        scale=scale,
        layers=layers,
        layer_dims=tuple(states[layer].shape[-1] for layer in layers),
        padded=_ignores_padding(model, options, vectors, states[-1]),
        causal=_hears_nothing_later(model, options, vectors, states[-1])
        if torch.is_inference_mode_enabled()  # where there are no gradients
        else _is_causal(states[-1], vectors, name, _kind(model)),
        shortest=next(length for length in range(1, count + 1) if _can_read(model, options, vectors, length)),
    )


def _states(
    model: Any, options: frozenset[str], mask: Tensor, segments: Tensor, **inputs: Tensor
) -> tuple[Tensor, ...]:
    """Call a model and give the states of all its layers, without the word vectors below them."""
    given: dict[str, Any] = {}
    if "attention_mask" in options:
        given["attention_mask"] = mask.long()
    if "token_type_ids" in options:
        given["token_type_ids"] = segments
    if "use_cache" in options:
        given["use_cache"] = False
    if "global_attention_mask" in options:  # Longformer's first token sees the whole text, as in its own classifier
        given["global_attention_mask"] = torch.zeros_like(segments).index_fill(1, segments.new_zeros(1), 1)
    output = model(**inputs, **given, output_hidden_states=True, return_dict=True)
    return (*output.hidden_states[1:-1], output.last_hidden_state)


@torch.no_grad()
def _can_read(model: Any, options: frozenset[str], vectors: Tensor, length: int) -> bool:
    """Whether a text of so few tokens is read; Funnel, which halves a text, fails on the shortest."""
    mask = torch.ones(1, length, dtype=torch.bool, device=vectors.device)
    try:
        _states(model, options, mask, torch.zeros_like(mask, dtype=torch.long), inputs_embeds=vectors[:, :length])
    except RuntimeError:
        return False
    return True


def _ignores_padding(model: Any, options: frozenset[str], vectors: Tensor, expected: Tensor) -> bool:
    """Whether two padded tokens behind a text change nothing; without room for them the question does not arise."""
    if "attention_mask" not in options:
        return False
    limit = position_limit(model)
    if limit is not None and vectors.shape[1] + 2 > limit:
        return True
    with torch.no_grad():
        longer = torch.cat([vectors, vectors[:, :2]], 1)
        mask = torch.arange(longer.shape[1], device=longer.device).unsqueeze(0) < vectors.shape[1]
        states = _states(model, options, mask, torch.zeros_like(mask, dtype=torch.long), inputs_embeds=longer)[-1]
    return _same(states[:, : expected.shape[1]], expected)


def _is_causal(states: Tensor, vectors: Tensor, name: str, kind: str) -> bool:
    """Whether the first state hears of no later token; every token must be heard of by some state."""
    weights = torch.cos(torch.arange(states.shape[-1], dtype=states.dtype, device=states.device))
    values = states @ weights  # a plain sum would be constant behind a layer norm
    (heard_at_all,) = torch.autograd.grad(values.sum(), vectors, retain_graph=True)
    (heard_first,) = torch.autograd.grad(values[0, 0], vectors)
    if not bool((heard_at_all != 0).any(-1).all()):
        raise ModelError(
            f"The gradients of the encoder '{name}' ({kind}) do not reach its words, so they cannot be explained: "
            "choose another encoder."
        )
    return vectors.shape[1] > 1 and not bool((heard_first[0, 1:] != 0).any())


def _hears_nothing_later(model: Any, options: frozenset[str], vectors: Tensor, states: Tensor) -> bool:
    """Whether the first state stays as it is when all later tokens change."""
    others = torch.cat([vectors[:, :1], vectors[:, 1:].roll(1, -1)], 1)
    mask = torch.ones(others.shape[:2], dtype=torch.bool, device=others.device)
    changed = _states(model, options, mask, torch.zeros_like(mask, dtype=torch.long), inputs_embeds=others)[-1]
    return vectors.shape[1] > 1 and _same(changed[:, :1], states[:, :1])


def _same(states: Tensor, expected: Tensor) -> bool:
    return bool((states - expected).abs().max() <= CLOSE * expected.abs().max())


def _has_segments(config: Any) -> bool:
    """Whether token_type_ids tell two texts apart; GPT-2 would add them as if they were words."""
    return getattr(config, "type_vocab_size", 0) > 1 or getattr(config, "model_type", "") in ("xlnet", "funnel")


def _arguments(model: Any) -> set[str]:
    return set(inspect.signature(model.forward).parameters)


def _kind(model: Any) -> str:
    return str(getattr(model.config, "model_type", type(model).__name__))
