"""Can a model be trained to answer like another and attend elsewhere? Wiegreffe & Pinter, EMNLP 2019, section 4."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from ..data.batching import Corpus, training_batches
from ..data.dataset import Dataset
from ..data.padding import by_token_budget
from ..explaining.any_model import trained_model
from ..interfaces.errors import OptionError
from ..interfaces.method import Method, Prediction
from ..maths.stats.intervals import mean_interval
from ..maths.tensors.distances import jensen_shannon, kullback_leibler, total_variation
from ..models.assemble import assemble
from ..models.folder import TrainedModel
from ..storage.atomic import write_text
from ..training.loop import copy_weights
from ..training.optimizer import Training
from .replaced_attention import attending

WEIGHTS = (0.0, 1e-3, 1.5e-3, 2e-3, 3e-3, 1e-2)  # λ, how much attending elsewhere is worth


@dataclass(frozen=True)
class Patience:
    """How long an adversarial model is trained; as in the authors' code the training loss decides, not dev."""

    epochs: int = 80  # at most
    epochs_since_best: int = 10  # epochs without a lower training loss before it stops


@dataclass(frozen=True, eq=False)
class Outputs:
    """Probabilities and attention of a model on the texts of a corpus."""

    probabilities: Tensor  # (text, class)
    weights: Sequence[Tensor]  # (token,) per text

    def of(self, chosen: np.ndarray, device: torch.device) -> tuple[Tensor, Tensor]:
        """Give (batch, class) probabilities and (batch, time) weights of some texts."""
        padded = pad_sequence([self.weights[i] for i in chosen], batch_first=True)
        return self.probabilities[torch.from_numpy(chosen)].to(device), padded.to(device)


@torch.inference_mode()
def outputs_of(method: Method, corpus: Corpus, device: torch.device) -> Outputs:
    """Run a model with attention on every text of a corpus."""
    method.eval()
    probabilities: dict[int, Tensor] = {}
    weights: dict[int, Tensor] = {}
    for chosen in by_token_budget(corpus.lengths, 16_384):
        prediction = method(corpus.batch(chosen).to(device))
        assert prediction.token_weights is not None
        for row, i in enumerate(chosen.tolist()):
            probabilities[i] = prediction.logits[row].softmax(-1).cpu()
            weights[i] = prediction.token_weights[row, : corpus.lengths[i]].cpu()
    every = range(len(corpus))
    return Outputs(torch.stack([probabilities[i] for i in every]), [weights[i].clone() for i in every])


def train_adversarial_model(
    method: Method, target: Outputs, corpus: Corpus, weight: float, settings: Training, patience: Patience, seed: int
) -> list[float]:
    """Minimize TVD of the answers − weight · KL of the attention, and what else the method minimizes but its task.

    So the adversarial model is held to the same rules as the original. Gradients are not clipped: where another term
    is large, that would leave little of this loss. The weights of the lowest training loss are in place afterwards;
    gives the loss of each epoch.
    """
    device = next(method.parameters()).device
    trained = [parameter for parameter in method.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=settings.learning_rate or method.encoder.learning_rate, fused=True)
    history: list[float] = []
    best: dict[str, Tensor] = {}
    while len(history) < patience.epochs and _still_improving(history, patience.epochs_since_best):
        method.train()
        total = 0.0
        for chosen in training_batches(
            corpus.lengths, settings.batch_size, settings.batch_tokens, [seed, len(history)]
        ):
            batch = corpus.batch(chosen).to(device)
            prediction, terms = method.predict_with_terms(batch)
            loss = adversarial_loss(prediction, *target.of(chosen, device), weight)
            loss = torch.stack([loss, *terms.values()]).sum()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(chosen)
        history.append(total / len(corpus))
        if history[-1] <= min(history):
            best = copy_weights(method)
    method.load_state_dict(best)
    method.eval()
    return history


def adversarial_loss(prediction: Prediction, probabilities: Tensor, weights: Tensor, weight: float) -> Tensor:
    """TVD(answers, the target's) − weight · KL(attention ‖ the target's), averaged over the texts of a batch."""
    assert prediction.token_weights is not None
    tvd = total_variation(prediction.logits.softmax(-1), probabilities)
    kl = kullback_leibler(prediction.token_weights, weights)
    return (tvd - weight * kl).mean()


def _still_improving(history: list[float], epochs_since_best: int) -> bool:
    return not history or len(history) - 1 - int(np.argmin(history)) < epochs_since_best


@dataclass(frozen=True, eq=False)
class AdversarialModel:
    """How one adversarial model compares with the original, on the test texts."""

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
    model: Any,
    dataset: Dataset,
    weights: Sequence[float] = WEIGHTS,
    folder: Path | None = None,
    patience: Patience | None = None,
    seed: int = 1,
    on_event: Callable[[str], None] = lambda _: None,
) -> list[AdversarialModel]:
    """Train one adversary per λ, all from the same fresh weights, on the training texts; compare on the test texts.

    With a folder, adversaries found there are not trained again. A model whose attention can be anything has
    adversaries with a JSD near ln 2 at a TVD near 0. λ = 0 asks for the same
    answers alone: its TVD is not due to attention.
    """
    trained = trained_model(model)
    if trained is None:
        raise OptionError(f"{type(model).__name__} cannot be trained anew: give a model that whyword trained.")
    attending(trained.classifier)
    patience = patience or Patience()
    if folder is not None:
        _check_folder(folder, {"model": trained.config.to_dict(), "patience": asdict(patience), "seed": seed})
    points = {w: _read(_place(folder, w)) for w in weights if folder is not None and _place(folder, w).exists()}
    waiting = [weight for weight in weights if weight not in points]
    for point in _adversaries(trained, dataset, waiting, patience, seed) if waiting else ():
        points[point.weight] = point
        if folder is not None:
            _write(point, _place(folder, point.weight))
        on_event(f"λ = {point.weight:g}: JSD {point.jsd.mean():.3f}, TVD {point.tvd.mean():.3f}")
    return [points[weight] for weight in weights]


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
    train_target, test_target = (outputs_of(fitted.method, corpus, device) for corpus in (train, test))
    for weight in weights:
        started = time.perf_counter()
        adversary.load_state_dict(fresh)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            history = train_adversarial_model(
                adversary, train_target, train, weight, model.config.training, patience, seed
            )
        seconds = round(time.perf_counter() - started, 1)
        yield _compare(weight, test_target, outputs_of(adversary, test, device), test, len(history), seconds)


def tvd_at(curve: Sequence[AdversarialModel], jsd: np.ndarray) -> np.ndarray:
    """Read mean TVD off the curve at some mean JSD, on straight lines between its points; NaN beyond its ends."""
    points = sorted((float(point.jsd.mean()), float(point.tvd.mean())) for point in curve)
    x, y = np.array(points).T
    tvd: np.ndarray = np.interp(jsd, x, y, left=np.nan, right=np.nan)
    return tvd


def _compare(
    weight: float, one: Outputs, other: Outputs, corpus: Corpus, epochs: int, seconds: float
) -> AdversarialModel:
    jsd = [float(jensen_shannon(a.double(), b.double())) for a, b in zip(one.weights, other.weights, strict=True)]
    tvd = total_variation(one.probabilities.double(), other.probabilities.double()).numpy()
    accuracy = float((other.probabilities.argmax(-1).numpy() == corpus.labels).mean())
    return AdversarialModel(weight, np.array(jsd), tvd, accuracy, epochs, seconds)


def _place(folder: Path, weight: float) -> Path:
    return folder / f"lambda-{weight:g}.json"


def _check_folder(folder: Path, settings: dict[str, Any]) -> None:
    """Refuse a folder with adversaries of another model or other settings."""
    place, now = folder / "settings.json", json.dumps(settings, indent=1)
    before = place.read_text(encoding="utf-8").replace('"stale"', '"epochs_since_best"') if place.exists() else now
    if before != now:  # "stale" in folders of older versions
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
