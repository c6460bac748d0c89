"""Can a whole model be trained to answer the same and attend elsewhere? The JSD–TVD curve of Wiegreffe & Pinter."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..data.dataset import Dataset
from ..interfaces.errors import OptionError
from ..maths.stats.bootstrap import mean_interval
from ..maths.tensors.divergences import jensen_shannon, total_variation
from ..models.assemble import assemble
from ..models.folder import TrainedModel
from ..storage.atomic import write_text
from ..training.corpus import Corpus
from ..training.loop import copy_weights
from .adversarial_model import Outputs, Patience, outputs_of, train_adversarial_model
from .replaced_attention import attending

WEIGHTS = (0.0, 1e-3, 1.5e-3, 2e-3, 3e-3, 1e-2)  # λ, how much attending elsewhere is worth


@dataclass(frozen=True, eq=False)
class AdversarialModel:
    """How one trained adversary compares with the model it imitates, on the test texts."""

    weight: float  # λ
    jsd: np.ndarray  # (text,) between the attention of the two, 0 to ln 2
    tvd: np.ndarray  # (text,) between their probabilities, 0 to 1
    accuracy: float
    epochs: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON, each mean with its 95 % interval."""
        values: dict[str, Any] = {"weight": self.weight, "accuracy": self.accuracy}
        for name, per_text in (("jsd", self.jsd), ("tvd", self.tvd)):
            low, high = mean_interval(per_text)
            values |= {name: float(per_text.mean()), f"{name}_low": low, f"{name}_high": high}
        return values | {"epochs": self.epochs, "seconds": self.seconds}


def jsd_tvd_curve(
    model: TrainedModel,
    dataset: Dataset,
    weights: Sequence[float] = WEIGHTS,
    folder: Path | None = None,
    patience: Patience | None = None,
    seed: int = 1,
    on_event: Callable[[str], None] = lambda _: None,
) -> list[AdversarialModel]:
    """Train one adversary per λ, all from the same fresh weights, on the training texts; compare on the test texts.

    With a folder, adversaries found there are not trained again. A model whose attention can be anything has
    adversaries with a JSD near ln 2 at a TVD near 0. λ = 0 asks for imitation alone: its TVD is not due to attention.
    """
    attending(model.classifier)
    patience = patience or Patience()
    if folder is not None:
        _claim(folder, {"model": model.config.to_dict(), "patience": asdict(patience), "seed": seed})
    found = {w: _read(_place(folder, w)) for w in weights if folder is not None and _place(folder, w).exists()}
    waiting = [weight for weight in weights if weight not in found]
    for point in _adversaries(model, dataset, waiting, patience, seed) if waiting else ():
        found[point.weight] = point
        if folder is not None:
            _write(point, _place(folder, point.weight))
        on_event(f"λ = {point.weight:g}: JSD {point.jsd.mean():.3f}, TVD {point.tvd.mean():.3f}")
    return [found[weight] for weight in weights]


def _adversaries(
    model: TrainedModel, dataset: Dataset, weights: Sequence[float], patience: Patience, seed: int
) -> Iterator[AdversarialModel]:
    fitted, device = model.classifier, model.classifier.device
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        texts = [document.words for document in dataset.train]
        parts = assemble(replace(model.config, seed=seed), len(fitted.classes), texts)
    if parts.tokenizer.to_json() != fitted.tokenizer.to_json():
        raise OptionError(f"The model was not trained on {dataset.name}: give the data it was trained on.")
    adversary = parts.method.to(device)
    fresh = copy_weights(adversary)
    splits = (dataset.train, dataset.test or dataset.dev)
    train, test = (Corpus.read(documents, fitted.classes, fitted.tokenizer) for documents in splits)
    shown, wanted = (outputs_of(fitted.method, corpus, device) for corpus in (train, test))
    for weight in weights:
        started = time.perf_counter()
        adversary.load_state_dict(fresh)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            history = train_adversarial_model(adversary, shown, train, weight, model.config.training, patience, seed)
        seconds = round(time.perf_counter() - started, 1)
        yield _compare(weight, wanted, outputs_of(adversary, test, device), test, len(history), seconds)


def tvd_at(curve: Sequence[AdversarialModel], jsd: np.ndarray) -> np.ndarray:
    """Read mean TVD off the curve at some mean JSD, on straight lines between its points; NaN beyond its ends."""
    points = sorted((float(point.jsd.mean()), float(point.tvd.mean())) for point in curve)
    x, y = np.array(points).T
    read: np.ndarray = np.interp(jsd, x, y, left=np.nan, right=np.nan)
    return read


def _compare(
    weight: float, one: Outputs, other: Outputs, corpus: Corpus, epochs: int, seconds: float
) -> AdversarialModel:
    jsd = [float(jensen_shannon(a.double(), b.double())) for a, b in zip(one.weights, other.weights, strict=True)]
    tvd = total_variation(one.probabilities.double(), other.probabilities.double()).numpy()
    accuracy = float((other.probabilities.argmax(-1).numpy() == corpus.labels).mean())
    return AdversarialModel(weight, np.array(jsd), tvd, accuracy, epochs, seconds)


def _place(folder: Path, weight: float) -> Path:
    return folder / f"lambda-{weight:g}.json"


def _claim(folder: Path, settings: dict[str, Any]) -> None:
    """Refuse a folder with adversaries of another model or other settings."""
    place, now = folder / "settings.json", json.dumps(settings, indent=1)
    if place.exists() and place.read_text(encoding="utf-8") != now:
        raise OptionError(f"{folder} holds adversaries of another model or other settings: name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    write_text(place, now)


def _write(point: AdversarialModel, place: Path) -> None:
    per_text = {"jsd_of_texts": point.jsd.round(6).tolist(), "tvd_of_texts": point.tvd.round(6).tolist()}
    write_text(place, json.dumps({**point.to_dict(), **per_text}))


def _read(place: Path) -> AdversarialModel:
    values = json.loads(place.read_text(encoding="utf-8"))
    jsd, tvd = (np.array(values[name]) for name in ("jsd_of_texts", "tvd_of_texts"))
    return AdversarialModel(values["weight"], jsd, tvd, values["accuracy"], values["epochs"], values["seconds"])
