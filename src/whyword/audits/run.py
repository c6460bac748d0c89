"""Audit a model: explain texts in several ways, measure the explanations against random words, and judge them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from .. import catalog
from ..analysis.attention_tests import TESTS, AttentionTests, run_attention_tests
from ..catalog import make_explainer
from ..data.forbidden import as_entries
from ..evaluation.measure import Scores
from ..explainers.own import Own
from ..explaining.any_model import access_for, as_classifier, known_label, open_model, with_tokenizer
from ..explaining.cache import ExplanationCache
from ..explaining.inputs import draw, labelled_documents, with_rationales
from ..explaining.labels import by_label, measure_by_label
from ..explaining.measure import DRAWS, RANDOM, measure_explanations
from ..explaining.stream import explain_documents
from ..interfaces.classifier import Classifier, OpenClassifier, has_contributions, is_multi_label
from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError, OptionError
from ..interfaces.explanation import Explainer, Explanation
from ..interfaces.metric import Metric
from ..interfaces.settings import setting_names
from ..models.folder import TrainedModel
from ..models.forbidden_words import known_proxies
from . import labels, sections
from .audit import Audit
from .data import AuditData, Reproduction
from .forbidden import without_forbidden
from .gallery import gallery
from .ranking import human_shares, rank, recommend
from .rules import Rules, read_rules
from .verdicts import judge_forbidden, with_verdicts

OnEvent = Callable[[str, int, int], object]  # gets the stage, the texts that are done, and all of them (0: not counted)

SAMPLE = 500  # texts that are explained unless another number is given
LIMIT = 1_000  # most forward passes of a text for explainers that sample until they have converged


def audit(
    model: object,
    texts: object,
    labels: object = None,  # a list of each text's labels, or an indicator matrix, where a text may have several
    *,
    rationales: object = None,
    explainers: Sequence[str | type[Explainer] | Explainer] | None = None,
    metrics: Sequence[str | type[Metric] | Metric] | None = None,
    judge: object = None,
    sample: int | None = SAMPLE,
    seed: int = 0,
    draws: int = DRAWS,
    rules: str | Path | None = None,
    cache: str | Path | None = None,
    fingerprint: str | None = None,
    classes: Sequence[Label] | None = None,
    tokenizer: object = None,
    forbid: Sequence[str] | str | Path = (),
    model_name: str | None = None,
    data_name: str = "texts",
) -> Audit:
    """Say which explanations of a model can be trusted, and why; print the result, or save it as a page.

    Labels are needed for accuracy; rationales (per text a list of (start, end) character spans) to measure whether an
    explainer finds the words that people marked. A sample of the texts is drawn; None takes all. Random words are the
    mean of several draws for each text. Rules are a TOML file. Words to forbid, a list or a file of them, are taken out
    to see whether they move answers, as are those that the model was forbidden in training.
    The model is any that explain takes, with its tokenizer if it is a network of Hugging Face. With a cache, what that
    folder holds is not computed anew; a model that whyword cannot see change then needs a fingerprint, a name that
    changes whenever the model does.
    """
    documents = with_rationales(labelled_documents(texts, labels), rationales)
    if not documents:
        raise DataError("There are no texts to audit the model on: give at least two.")
    columns = labels if getattr(labels, "ndim", 1) == 2 and not hasattr(labels, "columns") else None
    access = access_for([documents[0].words], classes)
    opened = open_model(with_tokenizer(model, tokenizer), access, fingerprint)
    if columns is not None and is_multi_label(opened.classifier):
        documents = [_by_position(document, opened.classifier.classes) for document in documents]
    return gather_audit(
        opened,
        documents if sample is None else draw(documents, sample, seed),
        explainers,
        metrics,
        judge=judge,
        seed=seed,
        draws=draws,
        rules=load_rules(None if rules is None else Path(rules), metrics or (), explainers or ()),
        cache=None if cache is None else ExplanationCache(Path(cache), opened.named("A cache")),
        forbid=as_entries(forbid),
        model_name=model_name,
        data_name=data_name,
        of=len(documents),
    )


def load_rules(
    file: Path | None = None,
    metrics: Iterable[str | type[Metric] | Metric] = (),
    explainers: Iterable[str | type[Explainer] | Explainer] = (),
) -> Rules:
    """Read the rules of a file, or ours; they may speak of metrics and explainers of the catalog and of these."""
    return read_rules(file, _names("metrics", metrics), _names("explainers", explainers), TESTS)


def _names(kind: str, parts: Iterable[str | type | Metric | Explainer]) -> list[str]:
    return [*catalog.names(kind), *(part.name for part in parts if not isinstance(part, str | type))]


def gather_audit(
    model: object,
    documents: Sequence[Document],
    explainers: Sequence[str | type[Explainer] | Explainer] | None = None,
    metrics: Sequence[str | type[Metric] | Metric] | None = None,
    *,
    judge: object = None,
    seed: int = 0,
    draws: int = DRAWS,
    rules: Rules | None = None,
    cache: ExplanationCache | None = None,
    forbid: Sequence[str] = (),
    model_name: str | None = None,
    data_name: str = "texts",
    of: int | None = None,
    command: str | None = None,
    on_event: OnEvent = lambda stage, done, total: None,
) -> Audit:
    """Audit a model on documents, whose labels and rationales are used where they have any.

    By default the explainers are lime, shapley and occlusion, and the model's own scores where it has any; random words
    always stand beside them, the mean of several draws a text. All metrics share their forward passes. Of is the number
    of texts that the documents were drawn from.
    """
    started = time.perf_counter()
    if not documents:
        raise DataError(f"{data_name} holds no texts: give some to explain.")
    opened = open_model(model, access_for([documents[0].words]))
    trained, classifier = opened.trained, opened.classifier
    several = is_multi_label(classifier)
    documents = [_with_known_label(document, classifier.classes, several) for document in documents]
    forbidden = without_forbidden(classifier, documents, _forbidden_entries(trained, forbid))
    if forbidden is not None:
        forbidden = replace(forbidden, proxies=known_proxies(trained))
    chosen = _make_explainers(explainers, classifier, seed)
    measures = _make_metrics(metrics)
    rules = rules or load_rules(None, measures or (), chosen.values())
    explained = {name: _explain(classifier, documents, e, cache, name, on_event) for name, e in chosen.items()}
    judged = {name: explanations for name, explanations in explained.items() if name != RANDOM}
    of_labels: dict[int, Scores] = {}
    units: dict[str, list[Explanation]] = {}  # of several labels a text: one of each label that a text is given
    if several:
        of_each = by_label(explained)
        if not of_each:
            raise DataError(f"The model gives no label to any text of {data_name}: there is nothing to explain.")
        units = {name: [one for rows in of_each.values() for one in rows[name]] for name in judged or explained}
        count = len(next(iter(units.values())))
        answering = None if judge is None else as_classifier(judge, [documents[0].words], classifier.classes)
        scores, of_labels = measure_by_label(
            classifier, answering, of_each, measures, seed, draws, lambda done: on_event("metrics", done, count)
        )
    else:
        scores = measure_explanations(
            classifier,
            judged or explained,
            measures,
            judge=judge,
            seed=seed,
            draws=draws,
            on_event=lambda done: on_event("metrics", done, len(documents)),
        )
    baseline = explained[RANDOM]
    quality, confusion = None, None
    if several:
        accuracy, quality, calibration = labels.label_quality(classifier, documents) or (None, None, None)
    else:
        accuracy, confusion, calibration = sections.quality(baseline) or (None, None, None)
    cost = sections.cost(explained, scores, time.perf_counter() - started)
    data = AuditData(
        model=sections.model_info(
            classifier, model_name or opened.name, None if trained is None else trained.config.to_dict()
        ),
        data=sections.data_info(documents, data_name, len(documents) if of is None else of),
        accuracy=accuracy,
        confusion=confusion,
        calibration=calibration,
        ranking=rank(scores, cost.explainers, scores.texts if several else len(documents)),
        label_quality=quality,
        human_shares=human_shares(scores),
        of_people=tuple(name for name, explainer in chosen.items() if explainer.of_people),
        scores=sections.score_rows(scores),
        agreement=sections.agreements({name: rows for name, rows in units.items() if name in judged} or judged),
        converged=sections.converged_shares(judged, chosen),
        gallery=gallery(units or judged or explained),
        words=sections.global_words(classifier, judged or explained),
        attention_tests=_attention_tests(classifier, documents, explained, seed, on_event),
        mask=sections.mask_health(classifier, documents),
        forbidden=None if forbidden is None else judge_forbidden(forbidden, rules),
        map=sections.text_map(classifier, baseline, seed),
        cost=replace(cost, seconds=time.perf_counter() - started),
        reproduce=Reproduction(
            command, seed, len(documents), rules.source, sections.versions(), datetime.now(UTC).date().isoformat()
        ),
    )
    if several:
        own = labels.audit_labels(data, classifier, of_labels, cost.explainers, rules, documents)
        data = replace(data, labels=own, label_means=labels.label_means(of_labels))
    data = with_verdicts(data, rules)
    return Audit(replace(data, best=recommend(data.ranking, data.verdicts)), scores)


def _forbidden_entries(trained: TrainedModel | None, forbid: Sequence[str]) -> tuple[str, ...]:
    """Put the words that a model was forbidden, and was taught to ignore, before those that are forbidden now."""
    trained_without = () if trained is None else trained.config.must_not_decide
    return tuple(dict.fromkeys((*trained_without, *forbid)))


def _by_position(document: Document, classes: Sequence[Label]) -> Document:
    """Name the labels of a row of an indicator matrix: its columns are in the order of the classes."""
    if document.labels is None or any(not isinstance(n, int) or n >= len(classes) for n in document.labels):
        return document
    return replace(document, labels=tuple(classes[number] for number in document.labels if isinstance(number, int)))


def _with_known_label(document: Document, classes: Sequence[Label], several: bool) -> Document:
    """Give the label or labels as the model spells them; a class that it does not know is refused.

    Where a text may have several labels and has a plain one, that is the only one it has.
    """
    if several and document.label is not None:
        document = replace(document, label=None, labels=(document.label,))
    if document.labels is not None:
        return replace(document, labels=tuple(known_label(classes, label) for label in document.labels))
    return document if document.label is None else replace(document, label=known_label(classes, document.label))


def _make_explainers(
    explainers: Sequence[str | type[Explainer] | Explainer] | None, classifier: Classifier, seed: int
) -> dict[str, Explainer]:
    """Make the explainers by their names, random words last."""
    if explainers is None:
        explainers = default_explainers(classifier)
    chosen: dict[str, Explainer] = {}
    for part in explainers:
        explainer = _sampling_briefly(part, classifier, seed)
        if explainer.name in chosen and not isinstance(part, str):
            raise OptionError(
                f"Two explainers are called '{explainer.name}': give each a name of its own, as in name='mine'."
            )
        if explainer.needs_open and not (isinstance(classifier, OpenClassifier) or _is_own(explainer, classifier)):
            raise OptionError(f"The explainer '{explainer.name}' must look into the model: for this one choose lime.")
        chosen[explainer.name] = explainer
    chosen.setdefault(RANDOM, make_explainer(RANDOM, classifier, seed))
    return {name: chosen[name] for name in sorted(chosen, key=lambda name: name == RANDOM)}


def _is_own(explainer: Explainer, classifier: Classifier) -> bool:
    return isinstance(explainer, Own) and has_contributions(classifier)


def default_explainers(classifier: Classifier) -> list[str]:
    """Name the model's own scores, the weights of its attention or mask where those are others, and three that ask."""
    names = sections.weights_explainers(classifier)[:1]
    if has_contributions(classifier):
        names = ("own", *names)
    return [*names, "lime", "shapley", "occlusion"]


def _sampling_briefly(item: str | type[Explainer] | Explainer, classifier: Classifier, seed: int) -> Explainer:
    """Bound the samples of a text where the caller does not: an audit wants many texts, not the last digit of each."""
    if not isinstance(item, str):
        return make_explainer(item, classifier, seed)
    limited = "limit" in setting_names(catalog.load("explainers", item))
    return make_explainer(item, classifier, seed, {"limit": LIMIT} if limited else None)


def _make_metrics(metrics: Sequence[str | type[Metric] | Metric] | None) -> list[Metric] | None:
    """Make metrics by their names; a misspelled one is refused before anything is explained."""
    if metrics is None:
        return None
    measures = [catalog.make_metric(metric) for metric in metrics]
    catalog.check_distinct("metrics", measures)
    return measures


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
    shown = next((name for name in sections.weights_explainers(classifier) if name in explained), None)
    if shown is None or sections.kind_of(classifier) != "attention" or is_multi_label(classifier):
        return None
    on_event("Replacing the attention by other attention", 0, 0)
    return run_attention_tests(classifier, documents, seed, explained={**explained, "attention": explained[shown]})
