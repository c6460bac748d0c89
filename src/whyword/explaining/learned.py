"""Learn contributions for a model that is not whyword's, and say on texts that were held out how good they are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import catalog
from ..blocks.contributions import ContributionHead
from ..inference.fitted import FittedClassifier, choose_device
from ..interfaces.classifier import Classifier
from ..interfaces.document import Document, Label, Words
from ..interfaces.errors import OptionError
from ..models.explainer_folder import (
    LearnedExplainer,
    attach,
    check_explainer_place,
    put_explainer,
    shows_states,
)
from ..models.learn import check_enough, fit_head, learn_reader
from ..models.refinements import contribution_metrics
from ..models.train import OnEvent
from ..storage.lock import owned
from .any_model import OpenedModel, access_for, open_model, with_tokenizer
from .inputs import read_texts
from .measure import measure_explanations

JUDGED = 30  # texts, held out, whose contributions are compared with Shapley values
FEWEST_WORDS = 3  # of those: a correlation over fewer means nothing
COMPREHENSIVENESS = "comprehensiveness"


def learn_explainer(
    model: Any,
    texts: Any,
    output: str | Path,
    *,
    tokenizer: Any = None,
    classes: Sequence[Label] | None = None,
    embeddings: str | Path | None = None,
    config: ContributionHead.Config | None = None,
    judged: int = JUDGED,
    seed: int = 0,
    device: str = "auto",
    on_event: OnEvent = lambda _: None,
) -> OpenedModel:
    """Learn, for a model of any kind, what each word adds to each class, and write the explainer to a folder.

    It learns from the model's own answers to sub-texts, so texts need no labels. What comes back is the model with
    contributions, which explain(), audit(), diff() and the others take as a model; load_explainer gives it again. Of
    judged texts, which it does not learn from, contributions are compared with Shapley values. Embeddings are word
    vectors for a network that reads for a model that shows none of its states.
    """
    place = Path(output)
    check_explainer_place(place)
    words = read_texts(texts)
    check_enough(words)
    opened = open_model(with_tokenizer(model, tokenizer), access_for(words, classes, device))
    vectors = str(embeddings) if embeddings else None
    with owned(place):
        put_explainer(_learn(opened, words, vectors, config, judged, seed, device, on_event), place)
    return load_explainer(place, opened)


def load_explainer(
    folder: str | Path,
    model: Any,
    *,
    tokenizer: Any = None,
    classes: Sequence[Label] | None = None,
    device: str = "auto",
) -> OpenedModel:
    """Give a model with the contributions that learn_explainer wrote to a folder."""
    opened = open_model(with_tokenizer(model, tokenizer), access_for([], classes, device))
    return open_model(opened, replace(opened.access, learned=str(folder)))


def _learn(
    opened: OpenedModel,
    texts: Sequence[Words],
    embeddings: str | None,
    config: ContributionHead.Config | None,
    judged: int,
    seed: int,
    device: str,
    on_event: OnEvent,
) -> LearnedExplainer:
    classifier = opened.classifier
    _refuse(opened, embeddings)
    identity, config = opened.identity, config or ContributionHead.Config()
    held_out, learned_from = _hold_out(texts, judged, seed)
    started = time.process_time()
    explainer = LearnedExplainer(config, tuple(classifier.classes), opened.name, identity)
    if shows_states(classifier):
        assert isinstance(classifier, FittedClassifier)
        metrics = contribution_metrics(fit_head(classifier, learned_from, config, seed, on_event))
        head = classifier.method.contributions
        assert isinstance(head, ContributionHead)
        explainer = replace(explainer, head=head)
    else:
        place = choose_device(device)
        reader = learn_reader(classifier, learned_from, config, seed, embeddings, place, on_event)
        explainer, metrics = replace(explainer, reader=reader), dict(reader.metrics)
    fidelity = {**metrics["contributions"], "cpu_seconds": time.process_time() - started}
    if held_out:
        on_event(f"Comparing the contributions of {len(held_out)} other texts with their Shapley values.")
        fidelity |= judge(attach(classifier, explainer), held_out, fidelity["cpu_seconds"])
    return replace(explainer, fidelity=fidelity)


def _refuse(opened: OpenedModel, embeddings: str | None) -> None:
    """Say what cannot be learned."""
    if opened.trained is not None:
        raise OptionError(
            f"{opened.name} is a model of whyword, which carries its contributions itself: add them with  whyword "
            "learn-explainer MODEL TEXTS,  or learn_contributions."
        )
    if embeddings is not None and shows_states(opened.classifier):
        raise OptionError(f"{opened.name} shows its states, so word vectors have no use: leave embeddings out.")


def _hold_out(texts: Sequence[Words], judged: int, seed: int) -> tuple[list[Words], list[Words]]:
    """Draw the texts that are judged by, at most a tenth of all, and give the others."""
    long_enough = [i for i, text in enumerate(texts) if len(text) >= FEWEST_WORDS]
    chosen = np.random.default_rng([seed, 1]).permutation(long_enough)[: min(judged, len(texts) // 10)]
    kept = set(chosen.tolist())
    return [texts[i] for i in chosen], [text for i, text in enumerate(texts) if i not in kept]


def judge(classifier: Classifier, texts: Sequence[Words], learning: float) -> dict[str, float]:
    """Compare contributions with Shapley values that know nothing of them.

    break_even_texts says from how many texts on learning, in CPU seconds, has paid off.
    """
    documents = [Document(text) for text in texts]
    started = time.process_time()
    own = catalog.make_explainer("own", classifier).explain(classifier, documents)
    once = time.process_time() - started
    started = time.process_time()
    reference = catalog.make_explainer("shapley", classifier, 0, {"start": None}).explain(classifier, documents)
    sampled = time.process_time() - started
    scores = measure_explanations(classifier, {"own": own, "shapley": reference}, [COMPREHENSIVENESS])
    removed = {name: float(np.mean(scores[COMPREHENSIVENESS, name].per_text)) for name in ("own", "shapley")}
    facts = {
        "judged": float(len(documents)),
        "r": float(np.mean([correlation(one.scores, other.scores) for one, other in zip(own, reference, strict=True)])),
        "comprehensiveness": removed["own"],
        "shapley_comprehensiveness": removed["shapley"],
        "shapley_passes": float(np.mean([explanation.forward_passes for explanation in reference])),
        "seconds_of_a_text": once / len(documents),
        "shapley_seconds_of_a_text": sampled / len(documents),
    }
    saved = (sampled - once) / len(documents)
    return facts | ({"break_even_texts": learning / saved} if saved > 0 else {})


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Give Pearson's r; 0 where one of the two says the same of every word."""
    return float(np.corrcoef(one, other)[0, 1]) if one.std() * other.std() > 0 else 0.0
