"""The training loop: a generator that yields after every update, stops early, and resumes exactly."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..data.batching import Corpus, training_batches
from ..inference.fitted import BATCH_TOKENS
from ..interfaces.document import Batch
from ..interfaces.method import Method, Phase, Texts
from ..maths.stats.calibration import fit_scale
from ..maths.stats.labels import label_scales
from ..maths.tensors.ordered import scale_odds
from .dev_score import Best, DevScore, evaluate, read_best
from .device_batches import on_device
from .divergence import check_epochs, check_loss
from .ignored_words import with_ignored_words
from .marked_words import agreement_of_weights, with_marked_words
from .optimizer import ObjectiveOptimizer, Processes, Training, selection
from .stopping import is_over, most_epochs, schedule_epochs
from .sub_texts import with_sub_texts

ABSOLUTE_ERROR = "dev_absolute_error"  # mean distance of the predicted class from the true one, in classes
STEPS_UNREAD = 50  # on a GPU: its losses are read that seldom, because reading waits for it
SELECTED = ("dev_macro_f1", "dev_balanced_loss", ABSOLUTE_ERROR)  # what may decide between epochs but accuracy


@dataclass(frozen=True)
class Step:
    """What one update did; the last of an epoch carries that epoch's record."""

    phase: str
    epoch: int
    step: int  # within the epoch, from 1
    steps: int  # in the epoch
    tokens: int
    record: dict[str, Any] | None = None  # a line of training.jsonl
    epochs: int = 1  # of the phase, at most; 0 before the first, while texts are asked about: steps are texts then


@dataclass
class Position:
    """Where in the plan a run is, and what it has seen of the present epoch."""

    phase: int = 0
    epoch: int = 0
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    sums: dict[str, float] = field(default_factory=dict)  # of each loss over the epoch


def copy_weights(method: nn.Module) -> dict[str, Tensor]:
    """Copy all weights."""
    return {name: tensor.detach().clone() for name, tensor in method.state_dict().items()}


class TrainingRun:
    """All that changes while a method is trained; snapshot and restore let it resume exactly where it stopped."""

    def __init__(
        self,
        method: Method,
        settings: Training,
        train: Corpus,
        dev: Corpus,
        seed: int,
        device: torch.device,
        plan: Sequence[Phase] | None = None,  # None: the method's own
    ) -> None:
        self.method, self.settings, self.train, self.seed, self.device = method, settings, train, seed, device
        self.dev = dev
        self.dev_batches: list[Batch] = dev.batches(min(settings.batch_tokens, BATCH_TOKENS))
        plan = plan or method.plan(settings.epochs or method.encoder.epochs)
        plan = [with_marked_words(phase, settings.rationale_weight, method) for phase in plan]
        plan = [with_sub_texts(phase, settings.subtexts, method.unknown_token) for phase in plan]
        self.plan = [with_ignored_words(phase, settings.forbid_weight, method) for phase in plan]
        self.selection = selection(settings, train.labels, method.ordered)
        self.processes = Processes()
        self.learning_rate = settings.learning_rate or method.encoder.learning_rate
        self.position = Position()
        self.unread: list[tuple[str, Tensor]] = []  # losses on the device
        self.read_losses = 1 if device.type == "cpu" else STEPS_UNREAD
        self.history: list[dict[str, Any]] = []
        self.best: Best | None = None  # of the present phase
        self.best_weights: dict[str, Tensor] = {}
        self.chosen: Best | None = None  # of all finished phases
        self.chosen_weights: dict[str, Tensor] = {}
        self.optimizers = self._start_phase()

    def _start_phase(self) -> list[ObjectiveOptimizer]:
        phase = self.plan[self.position.phase]
        settings = self.settings if phase.refinement is None else Training()  # the user's are the classifier's
        return [ObjectiveOptimizer(objective, settings, self.learning_rate) for objective in phase.objectives]

    def steps(self) -> Iterator[Step]:
        """Train to the end of the plan; the best weights on dev are in place afterwards."""
        self.method.train()
        while self.position.phase < len(self.plan):
            phase = self.plan[self.position.phase]
            yield from self._prepare(phase)
            if phase.start_counts and self.best is None and (self.position.epoch, self.position.step) == (0, 0):
                self._measure_start(phase)
            while not self._is_over(phase):
                yield from self._epoch(phase) if phase.solve is None else self._solve(phase)
            self._end_phase(phase)
        if self.chosen_weights:
            self.method.load_state_dict(self.chosen_weights)
        if all(phase.refinement is None for phase in self.plan):
            self._calibrate()
        self.method.eval()

    def _calibrate(self) -> None:
        """Scale the logits of the chosen classifier by the temperature that dev asks for."""
        if not self.settings.calibrate or self.chosen is None:
            return
        self.method.eval()
        logits, labels = [], []
        with torch.inference_mode():
            for cpu_batch in self.dev_batches:
                batch = cpu_batch.to(self.device)
                assert batch.labels is not None
                known = self.method.known(batch).any(1)  # the others are answered by the prior
                logits.append(self.method(batch).logits[known].double().cpu())
                labels.append(batch.labels[known].cpu())
        table, gold = torch.cat(logits).numpy(), torch.cat(labels).numpy()
        if gold.ndim == 2:
            scale: Any = label_scales(table, gold > 0)
        elif self.method.ordered:
            scale = fit_scale(table, gold, lambda rows, by: scale_odds(torch.from_numpy(rows), by).numpy())
        else:
            scale = fit_scale(table, gold)
        self.method.logit_scale.mul_(torch.as_tensor(scale))
        self.chosen_weights["logit_scale"] = self.method.logit_scale.detach().clone()

    def _prepare(self, phase: Phase) -> Iterator[Step]:
        """Let a refinement look at the chosen classifier before its first step, or when it resumes."""
        if phase.refinement is None:
            return
        if self.chosen_weights and (self.position.epoch, self.position.step) == (0, 0):
            self.method.load_state_dict(self.chosen_weights)
            if bool((self.method.logit_scale == 1).all()):  # the first refinement: a later one finds it done
                self._calibrate()
        self.method.eval()
        for done, texts in phase.refinement.prepare():
            yield Step(f"{phase.name}: asking", self.position.epoch, done, texts, 0, epochs=0)
        self.method.train()

    def _is_over(self, phase: Phase) -> bool:
        done = self.position.epoch
        records = self.history[len(self.history) - done :]
        by_loss = self.train.labels.ndim == 2 or self.method.ordered  # few texts are all right: the loss tells more
        accuracies = [-record["dev_loss"] if by_loss else record["dev_accuracy"] for record in records]
        return is_over(phase, self.settings, accuracies, self.best.epochs_since_best if self.best else 0)

    def _epoch(self, phase: Phase) -> Iterator[Step]:
        at = self.position
        texts: Texts = self.train if phase.refinement is None else phase.refinement.texts
        size = self.settings.batch_size if phase.refinement is None else phase.refinement.batch_size
        seed = [self.seed, at.phase, at.epoch]
        batches = training_batches(texts.lengths, size, self.settings.batch_tokens, seed)
        moved = self._moved(texts, batches[at.step :], self.settings.accumulate if phase.refinement is None else 1)
        while at.step < len(batches):
            started = time.perf_counter()
            progress = min(1.0, (at.epoch + at.step / len(batches)) / schedule_epochs(phase, self.settings))
            chosen = batches[at.step]
            parts = next(moved)
            for optimizer in self.optimizers:
                losses = optimizer.step_on(parts, self.method, progress, self.processes)
                self.unread.extend(losses.items())
            at.step += 1
            if at.step % self.read_losses == 0 or at.step == len(batches):
                self._read_losses(phase)
            at.tokens += int(texts.lengths[chosen].sum())
            at.seconds += time.perf_counter() - started
            record = self._end_epoch(phase, len(batches)) if at.step == len(batches) else None
            epochs = most_epochs(phase, self.settings)
            yield Step(phase.name, at.epoch, at.step, len(batches), at.tokens, record, epochs)

    def _moved(self, texts: Texts, batches: Sequence[np.ndarray], count: int) -> Iterator[list[tuple[Batch, float]]]:
        """Give the parts of each batch that this process reads, on the device, each with its share of the batch."""

        def parts(chosen: np.ndarray) -> list[tuple[Batch, float]]:
            mine = self.processes.share(chosen)
            pieces = np.array_split(mine, min(count, len(mine))) if len(mine) else [mine]
            return [(texts.batch(one if len(one) else chosen[:1]), len(one) / len(chosen)) for one in pieces]

        yield from on_device(map(parts, batches), self.device)

    def _read_losses(self, phase: Phase) -> None:
        """Add up the losses of the last steps; on a GPU this waits until it has come so far."""
        at = self.position
        for name, loss in self.unread:
            at.sums[name] = at.sums.get(name, 0.0) + check_loss(float(loss), name, phase, at.epoch)
        self.unread.clear()

    def _solve(self, phase: Phase) -> Iterator[Step]:
        """Run a phase that is solved at once; one that was stopped starts again."""
        assert phase.solve is not None
        started = time.perf_counter()
        for done, parts in phase.solve(self.train, self.dev, self.selection):
            if done < parts:
                yield Step(phase.name, 0, done, parts, 0)
        at = self.position
        at.tokens, at.seconds = int(self.train.lengths.sum()), time.perf_counter() - started
        yield Step(phase.name, 0, parts, parts, at.tokens, self._end_epoch(phase, 1))

    def _end_epoch(self, phase: Phase, steps: int) -> dict[str, Any]:
        at = self.position
        score = self._score(phase)
        best = Best(score, phase.name, at.epoch) if self.best is None else self.best.next(score, phase.name, at.epoch)
        if best.epochs_since_best == 0:
            self.best_weights = copy_weights(self.method)
        self.best = best
        losses = {name: total / steps for name, total in at.sums.items()}
        record = self._record(phase, score, at.epoch + 1, losses)
        self.history.append(record)
        check_epochs(self.history, phase, most_epochs(phase, self.settings), self._guessing, self.learning_rate)
        self.position = Position(at.phase, at.epoch + 1)
        return record

    def _measure_start(self, phase: Phase) -> None:
        """Take the weights that a phase starts from for those of an epoch 0."""
        score = self._score(phase)
        self.best, self.best_weights = Best(score, phase.name, -1), copy_weights(self.method)
        self.history.append(self._record(phase, score, 0, {}))

    def _record(self, phase: Phase, score: DevScore, epoch: int, losses: dict[str, float]) -> dict[str, Any]:
        """Write down an epoch, counted from 1."""
        assert self.best is not None
        return {
            "phase": phase.name,
            "epoch": epoch,
            "losses": losses,
            "dev_accuracy": score.accuracy,
            **self._selected(phase, score),
            "dev_loss": -score.negative_loss,
            "best": self.best.epochs_since_best == 0,
            "health": self._health() if phase.refinement is None else phase.refinement.health(-score.negative_loss),
            "seconds": round(self.position.seconds, 3),
            "tokens": self.position.tokens,
        }

    def _selected(self, phase: Phase, score: DevScore) -> dict[str, float]:
        """Name what decides, where it is not accuracy."""
        by_accuracy = self.selection == "accuracy" or phase.refinement is not None
        if by_accuracy:
            return {}
        if self.selection == "macro-f1":
            return {"dev_macro_f1": score.score}
        return {ABSOLUTE_ERROR if self.selection == "absolute-error" else "dev_balanced_loss": -score.score}

    @property
    def _guessing(self) -> float:
        """The loss of a model that finds all classes, or each label and its absence, equally likely."""
        several = self.train.labels.ndim == 2
        return math.log(2 if several else max(2, int(self.train.labels.max(initial=0)) + 1))

    def _score(self, phase: Phase) -> DevScore:
        """Measure on dev; a refinement leaves the accuracy of the chosen classifier as it is."""
        if phase.refinement is None:
            return evaluate(self.method, self.dev_batches, self.device, phase.logits, self.selection)
        self.method.eval()
        loss = check_loss(phase.refinement.dev_loss(), "on dev", phase, self.position.epoch)
        self.method.train()
        return DevScore(self.chosen.score.accuracy if self.chosen else 0.0, -loss)

    def _health(self) -> dict[str, float]:
        self.method.eval()
        with torch.inference_mode():
            batches = [batch.to(self.device) for batch in self.dev_batches]
            health = self.method.health(batches)
            if self.settings.rationale_weight:
                health |= agreement_of_weights(self.method, batches)
        self.method.train()
        return health

    def _end_phase(self, phase: Phase) -> None:
        if self.best is not None:
            self.method.load_state_dict(self.best_weights)
            if phase.refinement is not None:
                self.chosen_weights = self.best_weights
            elif phase.eligible and (self.chosen is None or self.best.score > self.chosen.score):
                self.chosen, self.chosen_weights = self.best, self.best_weights
        self.best, self.best_weights = None, {}
        self.position = Position(self.position.phase + 1)
        if self.position.phase < len(self.plan):
            self.optimizers = self._start_phase()

    def snapshot(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Give everything needed to resume later: tensors, and values ready for JSON."""
        if self.unread:
            self._read_losses(self.plan[self.position.phase])
        tensors = {f"method.{name}": tensor for name, tensor in self.method.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.best_weights.items()}
        tensors |= {f"chosen.{name}": tensor for name, tensor in self.chosen_weights.items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.device)
        for number, optimizer in enumerate(self.optimizers):
            for parameter, values in optimizer.torch_optimizer.state_dict()["state"].items():
                for name, value in values.items():
                    if isinstance(value, Tensor):
                        tensors[f"optimizer.{number}.{parameter}.{name}"] = value
        scales = [one.scaler.state_dict() for one in self.optimizers if one.scaler is not None]
        values = {
            **({"scales": scales} if scales else {}),
            "position": asdict(self.position),
            "history": self.history,
            "best": asdict(self.best) if self.best else None,
            "chosen": asdict(self.chosen) if self.chosen else None,
        }
        return tensors, values

    def restore(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
        """Resume from a snapshot of a run with the same settings."""
        self.position = Position(**values["position"])
        self.unread.clear()
        self.history = values["history"]
        self.best, self.chosen = (read_best(values[name]) for name in ("best", "chosen"))
        self.method.load_state_dict(_with_prefix("method.", tensors))
        self.best_weights, self.chosen_weights = _with_prefix("best.", tensors), _with_prefix("chosen.", tensors)
        torch.set_rng_state(tensors["random.cpu"].cpu())
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(tensors["random.cuda"].cpu(), self.device)
        if self.position.phase < len(self.plan):
            self.optimizers = self._start_phase()
        for number, optimizer in enumerate(self.optimizers):
            state: dict[int, dict[str, Tensor]] = {}
            for name, value in _with_prefix(f"optimizer.{number}.", tensors).items():
                parameter, _, entry = name.partition(".")
                state.setdefault(int(parameter), {})[entry] = value
            groups = optimizer.torch_optimizer.state_dict()["param_groups"]
            optimizer.torch_optimizer.load_state_dict({"state": state, "param_groups": groups})
        scaled = [one.scaler for one in self.optimizers if one.scaler is not None]
        for scaler, scale in zip(scaled, values.get("scales", ()), strict=False):
            scaler.load_state_dict(scale)


def _with_prefix(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
