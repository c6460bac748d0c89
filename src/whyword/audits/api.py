"""Audit any model from Python: ours, scikit-learn's, or a function from strings to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..explaining.any_model import as_classifier, trained_model
from ..explaining.cache import ExplanationCache
from ..explaining.inputs import draw, read_labels, read_rationales, read_texts
from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError, OptionError
from ..interfaces.explainer import Explainer
from ..interfaces.metric import Metric
from ..models.folder import model_fingerprint, named_fingerprint
from .audit import Audit
from .run import gather_audit, load_rules

SAMPLE = 500


def audit(
    model: Any,
    texts: Any,
    labels: Any = None,
    *,
    rationales: Any = None,
    explainers: Sequence[str | type[Explainer] | Explainer] | None = None,
    metrics: Sequence[str | type[Metric] | Metric] | None = None,
    judge: Any = None,
    sample: int | None = SAMPLE,
    seed: int = 0,
    rules: str | Path | None = None,
    cache: str | Path | None = None,
    fingerprint: str | None = None,
    classes: Sequence[Label] | None = None,
    model_name: str | None = None,
    data_name: str = "texts",
) -> Audit:
    """Say which explanations of a model can be trusted, and why; print the result, or save it as a page.

    Labels make accuracy known, rationales (per text a list of (start, end) character spans) whether the words that
    people marked are found. So many texts are drawn from those given; None takes all. Rules are a TOML file. With a
    cache, what that folder holds is not computed again; a model that is not ours needs a fingerprint then, a name that
    changes whenever the model does.
    """
    documents = _documents(texts, labels, rationales)
    if not documents:
        raise DataError("There are no texts to audit the model on: give at least two.")
    trained = trained_model(model)
    kept = None
    if cache is not None and trained is not None:
        kept = ExplanationCache(Path(cache), model_fingerprint(trained))
    elif cache is not None:
        if fingerprint is None:
            raise OptionError(
                "A cache cannot see when a model that is not whyword's changes: give fingerprint, a name for this very "
                "model, such as its version."
            )
        names = as_classifier(model, [documents[0].words], classes).classes
        kept = ExplanationCache(Path(cache), named_fingerprint(fingerprint, names))
    return gather_audit(
        model,
        documents if sample is None else draw(documents, sample, seed),
        explainers,
        metrics,
        judge=judge,
        seed=seed,
        rules=load_rules(None if rules is None else Path(rules), metrics or (), explainers or ()),
        cache=kept,
        classes=classes,
        model_name=model_name,
        data_name=data_name,
        of=len(documents),
    )


def _documents(texts: Any, labels: Any, rationales: Any) -> list[Document]:
    """Join texts with what is known of them; texts that are documents already keep what they have."""
    given = list(texts) if not isinstance(texts, str) and hasattr(texts, "__iter__") else texts
    if isinstance(given, list) and all(isinstance(text, Document) for text in given):
        documents = given
    else:
        documents = [Document(words) for words in read_texts(texts)]
    if labels is not None:
        known = read_labels(labels)
        if len(known) != len(documents):
            raise DataError(f"There are {len(documents)} texts and {len(known)} labels: give one label per text.")
        documents = [replace(document, label=label) for document, label in zip(documents, known, strict=True)]
    if rationales is not None:
        marked = read_rationales(rationales, [document.words for document in documents])
        documents = [replace(document, rationale=spans) for document, spans in zip(documents, marked, strict=True)]
    return documents
