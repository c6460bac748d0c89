"""Inference in bfloat16 or 8-bit integers: what either saves on this machine, and how far it is from float32."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from ..interfaces.classifier import Classifier
from ..interfaces.document import Batch, Words
from ..interfaces.errors import OptionError, first_line, unknown_name
from ..interfaces.method import Encoder
from .fitted import FittedClassifier
from .opaque import OpaqueEncoder

Precision = Literal["float32", "bfloat16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
FULL, AUTO = "float32", "auto"
BOUND = 0.01  # largest difference of any probability from float32 that auto accepts
LEAST_GAIN = 0.95  # of float32's time: for less it is not worth another digit
SAMPLE = 64  # texts that are measured
ROUNDS = 3  # the fastest counts: other processes only ever slow one down


@dataclass(frozen=True)
class Measured:
    """A precision on the sample."""

    error: float  # largest difference of any probability from float32
    seconds: float


@dataclass(frozen=True)
class PrecisionChoice:
    """The precision that is used, and what was measured for it."""

    precision: Precision
    measured: Mapping[Precision, Measured]
    unavailable: list[str]  # those that this model or machine does not have
    texts: int
    bound: float

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        return asdict(self)

    def __str__(self) -> str:
        """Say in one line what was chosen and why."""
        seconds = self.measured["float32"].seconds
        others = [
            f"{name} {one.seconds / seconds:.2f} of its time, probabilities at most {one.error:.1g} apart"
            for name, one in self.measured.items()
            if name != "float32"
        ]
        missing = [f"{name} not to be had here" for name in self.unavailable]
        chosen = self.measured[self.precision]
        over = f", more than the bound of {self.bound:g}" if chosen.error > self.bound else ""
        return (
            f"Precision {self.precision}{over}; measured on {self.texts} texts against float32: "
            f"{'; '.join([*others, *missing])} (bound {self.bound:g})."
        )


def choose_precision(
    classifier: Classifier, texts: Sequence[Words], wanted: str = AUTO, bound: float = BOUND
) -> PrecisionChoice:
    """Measure the wanted precision, or all, on some texts; auto takes the fastest of those within the bound."""
    names = _wanted(wanted)
    if not texts:
        raise OptionError("A precision is measured on the first texts, and there are none: give some.")
    lowered, unavailable = _available(classifier, names, forced=wanted != AUTO)
    measured = _measure(lowered, texts[:SAMPLE])
    chosen: Precision = "float32"
    if wanted != AUTO:
        chosen = names[-1]
    else:
        limit = LEAST_GAIN * measured["float32"].seconds
        quick = [name for name in lowered if measured[name].error <= bound and measured[name].seconds < limit]
        chosen = min(quick, key=lambda name: measured[name].seconds, default="float32")
    return PrecisionChoice(chosen, measured, unavailable, len(texts[:SAMPLE]), bound)


def in_precision(classifier: Classifier, precision: str) -> Classifier:
    """Give the same model with an encoder that computes in another precision; its head stays in float32."""
    name = _wanted(precision)[-1]
    if name == "float32":
        return classifier
    if not isinstance(classifier, FittedClassifier) or isinstance(classifier.method.encoder, OpaqueEncoder):
        raise OptionError(
            f"The precision {name} needs a model whose network torch runs, such as one of whyword: leave it out."
        )
    make = _in_bfloat16 if name == "bfloat16" else _in_int8
    method = copy(classifier.method)
    method._modules = dict(method._modules)  # what is replaced here stays in the other
    method.encoder = make(classifier.method.encoder.eval())
    return replace(classifier, method=method)


def _wanted(name: str) -> list[Precision]:
    if name == AUTO:
        return list(PRECISIONS)
    if name not in PRECISIONS:
        raise unknown_name(name, "the choices of precision", [AUTO, *PRECISIONS])
    return [precision for precision in PRECISIONS if precision in ("float32", name)]


def _available(
    classifier: Classifier, names: Sequence[Precision], forced: bool
) -> tuple[dict[Precision, Classifier], list[str]]:
    lowered: dict[Precision, Classifier] = {}
    unavailable: list[str] = []
    for name in names:
        try:
            lowered[name] = in_precision(classifier, name)
        except OptionError:
            if forced:
                raise
            unavailable.append(name)
    return lowered, unavailable


def _measure(lowered: dict[Precision, Classifier], texts: Sequence[Words]) -> dict[Precision, Measured]:
    """Answer the texts in each precision in turn, some rounds after one that warms up."""
    exact = lowered["float32"].probabilities(texts)
    errors = {name: float((one.probabilities(texts) - exact).abs().max()) for name, one in lowered.items()}
    seconds: dict[Precision, float] = {}
    for _ in range(ROUNDS):
        for name, one in lowered.items():
            started = time.perf_counter()
            one.probabilities(texts)
            seconds[name] = min(seconds.get(name, float("inf")), time.perf_counter() - started)
    return {name: Measured(errors[name], seconds[name]) for name in lowered}


def _in_bfloat16(encoder: Encoder) -> Encoder:
    lower = copy(encoder)
    encode: Callable[[Tensor, Batch], tuple[Tensor, ...]] = encoder.encode
    object.__setattr__(lower, "encode", partial(_coarsely, encode))
    return lower


def _coarsely(
    encode: Callable[[Tensor, Batch], tuple[Tensor, ...]], embedded: Tensor, batch: Batch
) -> tuple[Tensor, ...]:
    with torch.autocast(embedded.device.type, torch.bfloat16):
        layers = encode(embedded, batch)
    return tuple(states.to(embedded.dtype) for states in layers)


def _in_int8(encoder: Encoder) -> Encoder:
    """Put 8-bit weights in place of those of the linear layers; inputs are rounded text by text."""
    if not any(isinstance(part, nn.Linear) for part in encoder.modules()):
        raise OptionError("The precision int8 is for linear layers, and this encoder has none: choose another.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says that it will offer this elsewhere
            lower: Encoder = torch.ao.quantization.quantize_dynamic(encoder, {nn.Linear}, torch.qint8)
    except Exception as error:  # whatever torch says where it has no such products
        raise OptionError(f"The precision int8 is not to be had here ({first_line(error)}): choose another.") from error
    return lower
