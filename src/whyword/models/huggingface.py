"""A trained transformer as an ordinary Hugging Face folder, whose own classification head says what ours says.

Ours is one linear layer on the state of one token. Many heads of Hugging Face put a layer and an activation before
theirs, which are made to let the state through: tanh hardly bends what is close to 0, so the layer shrinks it; ReLU and
GELU leave large numbers alone, so the layer shifts it up. What the last layer reads is undone in its weights.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..blocks.heads import Head, PooledClassifier
from ..data.batching import collate
from ..data.words import split
from ..encoders.transformer import Transformer
from ..inference.fitted import FittedClassifier
from ..inference.onnx_file import MULTI_LABEL
from ..interfaces.errors import ModelError, WhywordError
from .folder import TrainedModel
from .onnx import SAMPLES, thresholds_of

CLOSE = 1e-4  # how far logits may be from ours
SHRINK = 2.0**-16  # tanh is the identity to the last digit of float32 here
SHIFT = 64.0  # more than twice what states behind a layer norm reach; costs two digits
Fill = Callable[[Sequence[nn.Linear], nn.Linear, nn.Linear, nn.Module], None]


def export_huggingface(model: TrainedModel, folder: Path) -> list[Path]:
    """Write a folder that AutoModelForSequenceClassification and AutoTokenizer load, with the same logits."""
    classifier = model.classifier
    method = classifier.method
    if not isinstance(method, PooledClassifier) or not isinstance(method.encoder, Transformer):
        raise _refused(f"the method '{model.config.method}' on '{model.config.encoder}' has no counterpart there")
    encoder = method.encoder
    if method.ordered:
        raise _refused("no classifier there has cut points between ordered classes")
    if encoder.config.pooling == "mean":
        raise _refused("no classifier there averages the states of all tokens (encoder.pooling is mean)")
    theirs = _build(classifier, encoder)
    tokenizer = _tokenizer(classifier)
    texts = [text for text in SAMPLES if text]
    last = _last_layer(method)
    for fill in (_plain, _folded, _shrunk, _shifted):
        if _try(fill, theirs, encoder, last) and _error(classifier, theirs, tokenizer, texts) <= CLOSE:
            break
    else:
        raise _refused(f"the classifier of {encoder.model.config.model_type} there cannot say what this model says")
    theirs.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    import transformers

    again = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    error = _error(classifier, again, transformers.AutoTokenizer.from_pretrained(folder), texts)
    if not error <= CLOSE:
        raise _refused(f"the written folder gives logits that differ by {error:.2g}")
    return sorted(folder.iterdir())


def _last_layer(method: PooledClassifier) -> nn.Linear:
    """Give the last layer with the temperature of its logits in its weights."""
    assert isinstance(method.head, Head)
    last = copy.deepcopy(method.head.linear)
    with torch.no_grad():
        for values in last.parameters():
            values.mul_(method.logit_scale.view(-1, *[1] * (values.dim() - 1)))  # one for all classes, or one a label
    return last


def _refused(reason: str) -> WhywordError:
    return ModelError(f"This model cannot leave as a Hugging Face folder, as {reason}: choose  --to onnx.")


def _build(classifier: FittedClassifier, encoder: Transformer) -> Any:
    """Build the classifier of this architecture around our weights; its head is still to be filled."""
    import transformers

    facts = dict(encoder.architecture)
    names = [str(label) for label in classifier.classes]
    config = transformers.AutoConfig.for_model(
        facts.pop("model_type"),
        **{
            **facts,
            "id2label": dict(enumerate(names)),
            "label2id": {name: number for number, name in enumerate(names)},
            "pad_token_id": classifier.tokenizer.padding,
            **_problem(classifier),
        },
    )
    if hasattr(config, "attention_type"):
        config.attention_type = "original_full"  # as BigBird was trained
    try:
        theirs = transformers.AutoModelForSequenceClassification.from_config(config)
        found = theirs.base_model.load_state_dict(encoder.model.state_dict(), strict=False)
    except (ValueError, KeyError, RuntimeError):
        raise _refused(f"there is no such classifier of {encoder.model.config.model_type}") from None
    if found.unexpected_keys:
        raise _refused(f"the classifier of {encoder.model.config.model_type} reads texts in another way")
    return theirs.eval()


def _problem(classifier: FittedClassifier) -> dict[str, Any]:
    """Say whether classes exclude each other; of several labels, from which probability on a text has each."""
    if not classifier.multi_label:
        return {"problem_type": "single_label_classification"}
    return {"problem_type": MULTI_LABEL, "thresholds": thresholds_of(classifier)}


def _tokenizer(classifier: FittedClassifier) -> Any:
    import tokenizers
    import transformers

    backend = tokenizers.Tokenizer.from_str(classifier.tokenizer.to_json())
    encoder: Any = classifier.method.encoder
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if encoder.takes_segments else [])]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token=backend.id_to_token(classifier.tokenizer.padding),
        model_max_length=classifier.tokenizer.limit,
        model_input_names=inputs,
        padding_side="left" if getattr(encoder.model.config, "summary_type", None) == "last" else "right",  # XLNet
        clean_up_tokenization_spaces=False,
    )


def _try(fill: Fill, theirs: Any, encoder: Transformer, ours: nn.Linear) -> bool:
    """Fill the layers that are not the encoder's; False where they are not of the kind."""
    prefix = f"{theirs.base_model_prefix}."
    filled = {f"{prefix}{name}" for name in encoder.model.state_dict()}
    free = {
        name: part
        for name, part in theirs.named_modules()
        if isinstance(part, nn.Linear) and f"{name}.weight" not in filled
    }
    last = [part for part in free.values() if part.out_features == ours.out_features]
    before = {name: part for name, part in free.items() if part.out_features != ours.out_features}
    dense = [part for name, part in before.items() if not name.startswith(prefix)] or list(before.values())
    if len(last) != 1:
        return False
    with torch.no_grad():
        try:
            fill(dense, last[0], ours, theirs.base_model)
        except (ValueError, RuntimeError):  # layers of other numbers or shapes
            return False
    return True


def _plain(dense: Sequence[nn.Linear], last: nn.Linear, ours: nn.Linear, body: nn.Module) -> None:
    """Fill a head that is like ours."""
    if dense or last.bias is None:
        raise ValueError
    last.weight.copy_(ours.weight)
    last.bias.copy_(ours.bias)


def _folded(dense: Sequence[nn.Linear], last: nn.Linear, ours: nn.Linear, body: nn.Module) -> None:
    """Fill a head without bias: the last layer norm adds a vector that the weights turn into the bias."""
    norms = [part for part in body.modules() if isinstance(part, nn.LayerNorm) and part.bias is not None]
    if dense or last.bias is not None or not norms:
        raise ValueError
    last.weight.copy_(ours.weight)
    norms[-1].bias.add_(torch.linalg.pinv(ours.weight.double()) @ ours.bias.double())


def _shrunk(dense: Sequence[nn.Linear], last: nn.Linear, ours: nn.Linear, body: nn.Module) -> None:
    """Fill a head with a layer and tanh before its last layer."""
    (layer,) = dense
    _through(layer, SHRINK, 0.0)
    last.weight.copy_(ours.weight / SHRINK)
    last.bias.copy_(ours.bias)


def _shifted(dense: Sequence[nn.Linear], last: nn.Linear, ours: nn.Linear, body: nn.Module) -> None:
    """Fill a head with a layer and ReLU or GELU before its last layer."""
    (layer,) = dense
    _through(layer, 1.0, SHIFT)
    last.weight.copy_(ours.weight)
    last.bias.copy_(ours.bias.double() - SHIFT * ours.weight.double().sum(1))


def _through(layer: nn.Linear, scale: float, shift: float) -> None:
    if layer.bias is None:
        raise ValueError
    layer.weight.copy_(scale * torch.eye(layer.out_features))
    layer.bias.fill_(shift)


def _error(classifier: FittedClassifier, theirs: Any, tokenizer: Any, texts: Sequence[str]) -> float:
    """Give the largest difference of logits, each side reading the texts by itself."""
    batch = collate(classifier.tokenizer([split(text) for text in texts]), classifier.tokenizer.padding)
    given = tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        ours: Tensor = classifier.method.cpu().eval()(batch).logits
        return float((theirs(**given).logits - ours).abs().max())
