"""Which models can be trained in the time there is: a few timed steps of each, and what the next better one costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from ..data.dataset import Dataset, labels
from ..training.head_only import head_phase
from ..training.timing import estimate_seconds, time_steps
from .assemble import assemble
from .config import RunConfig, make_config
from .train import start_run

TFIDF, LSTM, HEAD_ONLY, MINILM = "tfidf", "lstm", "minilm with a linear head", "minilm"  # by what they can learn
TIMED_TEXTS = 16  # of a timed step of a pretrained encoder, which takes as long per token as a larger one
ROOM = 1.2  # a budget that is suggested is so much more than the estimate
LEAST_TAUGHT = 0.2  # share of the sub-texts that contributions are fitted to at least, where time is short


@dataclass(frozen=True)
class Candidate:
    """A model that may be trained, and what that takes on this machine."""

    name: str
    config: RunConfig
    seconds: float = 0.0  # of training, estimated; 0 for the baseline, which takes seconds
    threads: int | None = None  # None: as many as torch would use
    teaching: float = 0.0  # seconds of fitting contributions to all the sub-texts that one would like to ask about
    taught: float = 1.0  # share of these sub-texts that there is time for
    epochs: int | None = None  # that there is time for; None: as the config says

    @property
    def shortened(self) -> RunConfig:
        """The config with the epochs that there is time for."""
        if self.epochs is None:
            return self.config
        return replace(self.config, training=replace(self.config.training, epochs=self.epochs))

    @property
    def least_seconds(self) -> float:
        """What the model takes with contributions fitted to the fewest sub-texts."""
        return self.seconds + LEAST_TAUGHT * self.teaching


@dataclass(frozen=True)
class Plan:
    """What is trained after the baseline, and why, in sentences."""

    candidates: tuple[Candidate, ...]
    sentences: tuple[str, ...]


def estimate(
    configs: Mapping[str, RunConfig], dataset: Dataset, device: torch.device, choosing_threads: bool
) -> dict[str, Candidate]:
    """Time steps of every model but the baseline, and count what its training would take, contributions included."""
    found: dict[str, Candidate] = {}
    for name in (LSTM, MINILM):
        if name not in configs:
            continue
        whole = make_config({**configs[name].to_dict(), "contributions": True})
        if name == MINILM:
            few = min(TIMED_TEXTS, whole.training.batch_size)
            whole = replace(whole, training=replace(whole.training, batch_size=few))
        classes = labels(dataset.train)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(whole.seed)
            parts = assemble(whole, len(classes), [document.words for document in dataset.train])
            run = start_run(parts, dataset, classes, device, lambda _: None)
            most = torch.get_num_threads()
            timing = time_steps(run, (1, most) if choosing_threads and most > 1 and device.type == "cpu" else (most,))
        threads = timing.threads if choosing_threads else None
        seconds = estimate_seconds(run, timing, [phase for phase in run.plan if phase.refinement is None])
        teaching = estimate_seconds(run, timing, [phase for phase in run.plan if phase.refinement is not None])
        found[name] = Candidate(name, configs[name], seconds, threads, teaching)
        if name == MINILM and HEAD_ONLY in configs:
            seconds = estimate_seconds(run, timing, [head_phase(run.method)])
            found[HEAD_ONLY] = Candidate(HEAD_ONLY, configs[HEAD_ONLY], seconds, threads, teaching)
    return found


def decide(estimates: Mapping[str, Candidate], dataset: Dataset, seconds: float, budget: float) -> Plan:
    """Take the most able model that fits into the seconds left of the budget, and a linear head before it if both do.

    A pretrained encoder is trained for as many of its epochs as fit. Where not even one does, the LSTM is trained
    beside its linear head. What is left goes to the contributions of the model that will be kept.
    """
    pretrained = _fitting(estimates.get(MINILM), seconds)
    whole = pretrained is not None and pretrained.epochs is None
    able = pretrained or estimates.get(LSTM)
    taken = [able] if able is not None and able.least_seconds <= seconds else []
    left = seconds - sum(candidate.seconds for candidate in taken)
    if HEAD_ONLY in estimates and estimates[HEAD_ONLY].least_seconds <= left:
        taken.insert(0, estimates[HEAD_ONLY])
        left -= estimates[HEAD_ONLY].seconds
    taken = [replace(candidate, taught=_share(left, candidate.teaching)) for candidate in taken]
    sentences = [_why(taken, dataset, budget)]
    better = [] if whole else [estimates[name] for name in (LSTM, MINILM) if name in estimates]
    if pretrained is not None:
        better = [candidate for candidate in better if candidate.name == MINILM]
    names = [candidate.name for candidate in taken if candidate.epochs is None]
    for candidate in [candidate for candidate in better if candidate.name not in names]:
        needed = math.ceil((candidate.least_seconds * ROOM + budget * 60 - seconds) / 60)
        what = candidate.name if pretrained is None else f"All epochs of {candidate.name}"
        sentences.append(f"{what} would take about {duration(candidate.least_seconds)}: --budget {needed}.")
    return Plan(tuple(taken), tuple(sentences))


def _fitting(candidate: Candidate | None, seconds: float) -> Candidate | None:
    """Give a candidate with all epochs, or as many of a fixed number as fit; None if not even one does."""
    if candidate is None or candidate.least_seconds <= seconds:
        return candidate
    planned = candidate.config.training.epochs or 1
    for epochs in range(planned - 1, 0, -1):
        shorter = replace(candidate, seconds=candidate.seconds * epochs / planned, epochs=epochs)
        if shorter.least_seconds <= seconds:
            return shorter
    return None


def _share(left: float, teaching: float) -> float:
    """Give the share of the sub-texts that there is time for."""
    return 1.0 if teaching <= left else round(max(LEAST_TAUGHT, left / teaching), 3)


def _why(taken: list[Candidate], dataset: Dataset, budget: float) -> str:
    words = float(np.mean([len(document.words) for document in dataset.train]))
    names = " and ".join(f"{_named(c)}, about {duration(c.least_seconds)}," for c in taken) or "nothing more"
    verb = "fit" if len(taken) > 1 else "fits"
    return (
        f"Encoder auto: with {len(dataset.train):,} training texts of {words:.0f} words, {names} {verb} into "
        f"{budget:g} minutes here."
    )


def _named(candidate: Candidate) -> str:
    if candidate.epochs is None:
        return candidate.name
    return f"{candidate.name} for {candidate.epochs} of {candidate.config.training.epochs} epochs"


def duration(seconds: float) -> str:
    """Say how long something takes, in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
