"""Audit a model: explain texts in several ways, measure the explanations against random words, and judge them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import catalog
from ..analysis.attention_tests import TESTS, AttentionTests, run_attention_tests
from ..explaining.any_model import as_classifier, class_number, trained_model
from ..explaining.cache import ExplanationCache
from ..explaining.measure import RANDOM, measure_explanations
from ..explaining.stream import explain_documents, make_explainer
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError, OptionError
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from ..interfaces.settings import setting_names
from ..interfaces.values import json_ready
from ..models.folder import TrainedModel
from . import data as audit_facts
from . import model_views
from .audit import Audit
from .gallery import gallery
from .rules import Rules, read_rules
from .verdicts import verdicts

OnEvent = Callable[[str, int, int], object]  # told the stage, and how many texts are done of how many (0: not counted)

FORMAT = 1  # of the facts; raised when their meaning changes
LIMIT = 1_000  # most forward passes of a text for explainers that sample until they have converged


def load_rules(
    file: Path | None = None,
    metrics: Iterable[str | type[Metric] | Metric] = (),
    explainers: Iterable[str | type[Explainer] | Explainer] = (),
) -> Rules:
    """Read the rules of a file, or ours; they may speak of metrics and explainers of the catalog and of those given."""
    given = {"metrics": metrics, "explainers": explainers}
    known = {
        kind: [*catalog.names(kind), *(part.name for part in parts if not isinstance(part, str | type))]
        for kind, parts in given.items()
    }
    return read_rules(file, known["metrics"], known["explainers"], TESTS)


def gather_audit(
    model: Any,
    documents: Sequence[Document],
    explainers: Sequence[str | type[Explainer] | Explainer] | None = None,
    metrics: Sequence[str | type[Metric] | Metric] | None = None,
    *,
    judge: Any = None,
    seed: int = 0,
    rules: Rules | None = None,
    cache: ExplanationCache | None = None,
    classes: Sequence[Label] | None = None,
    model_name: str | None = None,
    data_name: str = "texts",
    of: int | None = None,
    command: str | None = None,
    on_event: OnEvent | None = None,
) -> Audit:
    """Audit a model on documents, whose labels and rationales are used where they have any.

    By default the explainers are lime and occlusion, and the model's own scores where it has any; random words always
    stand beside them. All metrics share their questions to the model. Of is the number of texts that the documents were
    drawn from.
    """
    started = time.perf_counter()
    if not documents:
        raise DataError(f"{data_name} holds no texts: give some to explain.")
    trained = trained_model(model)
    classifier = as_classifier(model, [documents[0].words], classes)
    documents = [_known_label(document, classifier.classes) for document in documents]
    chosen = _explainers(explainers, classifier, seed)
    measures = _metrics(metrics)
    rules = rules or load_rules(None, measures or (), chosen.values())
    on_event = on_event or (lambda what, done, total: None)
    explained = {name: _explain(classifier, documents, e, cache, name, on_event) for name, e in chosen.items()}
    scores = measure_explanations(
        classifier,
        explained,
        measures,
        judge=judge,
        seed=seed,
        on_event=lambda done: on_event("metrics", done, len(documents)),
    )
    judged = {name: found for name, found in explained.items() if name != RANDOM}
    first = explained[RANDOM]
    attention_tests = _attention_tests(classifier, documents, explained, seed, on_event)
    settings = None if trained is None else trained.config.to_dict()
    used = measures or [catalog.make_metric(name) for name in scores.metrics]
    facts: dict[str, Any] = {
        "format": FORMAT,
        "model": audit_facts.model_facts(classifier, model_name or _name(model, trained), settings),
        "data": audit_facts.data_facts(documents, data_name, len(documents) if of is None else of),
        **audit_facts.answer_facts(first),
        "verdicts": [],
        "scores": audit_facts.score_facts(scores),
        "agreement": audit_facts.agreement_facts(judged),
        "converged": audit_facts.converged_facts(judged, chosen),
        "gallery": gallery(judged or explained),
        "words": model_views.word_facts(classifier, judged or explained),
        "attention_tests": None if attention_tests is None else attention_tests.to_dict(),
        "mask": model_views.mask_facts(classifier, documents),
        "map": model_views.map_facts(classifier, first, seed),
    }
    facts["cost"] = audit_facts.cost_facts(explained, used, scores, time.perf_counter() - started)
    facts["again"] = {
        "command": command,
        "seed": seed,
        "sample": len(documents),
        "rules": rules.source,
        "versions": audit_facts.versions(),
        "when": datetime.now(UTC).date().isoformat(),
    }
    facts = json_ready(facts)
    facts["verdicts"] = verdicts(facts, rules)
    return Audit(facts, scores)


def _name(model: Any, trained: TrainedModel | None) -> str:
    if trained is not None:
        return f"{trained.config.method} on {trained.config.encoder}"
    return str(getattr(model, "__name__", type(model).__name__))


def _known_label(document: Document, classes: Sequence[Label]) -> Document:
    """Give the label as the model spells it; a class that it does not know is refused."""
    if document.label is None:
        return document
    return replace(document, label=classes[class_number(classes, document.label)])


def _explainers(
    given: Sequence[str | type[Explainer] | Explainer] | None, classifier: Classifier, seed: int
) -> dict[str, Explainer]:
    """Make the explainers by their names, random words last."""
    own = isinstance(classifier, OpenClassifier) and classifier.method.own_score is not None
    wanted = given if given is not None else ["own", "lime", "occlusion"] if own else ["lime", "occlusion"]
    chosen: dict[str, Explainer] = {}
    for explainer in wanted:
        made = _sampling_briefly(explainer, classifier, seed)
        if made.name in chosen and not isinstance(explainer, str):
            raise OptionError(
                f"Two explainers are called '{made.name}': give each a name of its own, as in name='mine'."
            )
        if made.needs_open and not isinstance(classifier, OpenClassifier):
            raise OptionError(f"The explainer '{made.name}' must look into the model: for this one choose lime.")
        chosen[made.name] = made
    chosen.setdefault(RANDOM, make_explainer(RANDOM, classifier, seed))
    return {name: chosen[name] for name in sorted(chosen, key=lambda name: name == RANDOM)}


def _sampling_briefly(item: str | type[Explainer] | Explainer, classifier: Classifier, seed: int) -> Explainer:
    """Bound the samples of a text where the caller does not: an audit wants many texts, not the last digit of each."""
    if not isinstance(item, str):
        return make_explainer(item, classifier, seed)
    limited = "limit" in setting_names(catalog.load("explainers", item))
    return make_explainer(item, classifier, seed, {"limit": LIMIT} if limited else None)


def _metrics(given: Sequence[str | type[Metric] | Metric] | None) -> list[Metric] | None:
    """Load metrics by their names; a misspelled one is refused before anything is explained."""
    if given is None:
        return None
    metrics = [catalog.make_metric(metric) for metric in given]
    catalog.check_distinct("metrics", metrics)
    return metrics


def _explain(
    classifier: Classifier,
    documents: Sequence[Document],
    explainer: Explainer,
    cache: ExplanationCache | None,
    name: str,
    on_event: OnEvent,
) -> list[Explanation]:
    explanations = []
    for explanation in explain_documents(classifier, documents, explainer, cache=cache):
        explanations.append(explanation)
        on_event(name, len(explanations), len(documents))
    return explanations


def _attention_tests(
    classifier: Classifier,
    documents: Sequence[Document],
    explained: Mapping[str, Sequence[Explanation]],
    seed: int,
    on_event: OnEvent,
) -> AttentionTests | None:
    """Put other attention in the place of the model's own, if that is what is explained."""
    if "own" not in explained or not isinstance(classifier, OpenClassifier):
        return None
    if model_views.kind_of(classifier) != "attention":
        return None
    on_event("Replacing the attention by other attention", 0, 0)
    return run_attention_tests(classifier, documents, seed, explained=explained)
