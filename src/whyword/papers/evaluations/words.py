"""Which words decide: a few explained texts, summed scores of words, and the scores of a mask, with their Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...catalog import make_explainer
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...explaining.stream import explain_documents
from ...explaining.words import frequency_link, importance_in, word_importance
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant
from ...interfaces.explanation import WordImportance
from ...maths.stats.intervals import Estimate
from ...models.folder import TrainedModel
from ...views.characters import showable
from ..reproduction.paper import Results

FIELDS = ("text", "text_pair", "label", "probability", "words", "scores")


@dataclass(frozen=True)
class Examples(Evaluation):
    """The same few texts for all models."""

    name: ClassVar[str] = "examples"

    explainer: str = "own"
    explainer_settings: Settings = field(default_factory=dict)
    texts: int = 3
    top: int = 3

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Explain the predicted class of each."""
        documents = draw(dataset.test or dataset.dev, self.texts, seed=0)
        explainer = make_explainer(self.explainer, model.classifier, trained.seed, self.explainer_settings)
        texts = []
        for explanation in explain_documents(model.classifier, documents, explainer):
            values = {name: value for name, value in explanation.to_dict().items() if name in FIELDS}
            texts.append({**values, "gold": explanation.document.label, "top": explanation.top(self.top)})
        return {"texts": texts}


@dataclass(frozen=True)
class SpLime(Evaluation):
    """The words of the largest summed scores on test texts."""

    name: ClassVar[str] = "sp-lime"

    sample: int
    samples: int  # of LIME, for each text
    top: int = 10

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Sum LIME's scores for the predicted classes."""
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        explainer = make_explainer("lime", model.classifier, trained.seed, {"samples": self.samples})
        explanations = explain_documents(model.classifier, documents, explainer)
        importance = importance_in(explanations, model.classifier, "sum", per_class=False)
        return {"texts": len(documents), "top": list(importance.top(self.top).rows())}


@dataclass(frozen=True)
class WordScores(Evaluation):
    """The mask's score of every word, its correlation with frequency, and the words it keeps most surely."""

    name: ClassVar[str] = "word-scores"

    least: int = 5  # occurrences of a word that is named
    top: int = 20
    drawn: int = 3_000  # words in the picture of the first seed: the most frequent ones, and some of the others

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give correlations, top words, and words for a picture; of transformers, averaged over the training texts."""
        alone = model.classifier.method.encoder.token_kind == "words"
        importance = word_importance(model.classifier, None if alone else dataset.train)
        words = self._picture(importance) if trained.seed == 0 else None
        top = list(importance.at_least(self.least).top(self.top).rows())
        return {**frequency_link(importance).to_dict(), "top": top, "words": words}

    def _picture(self, importance: WordImportance) -> list[tuple[str, float, int]]:
        order = np.argsort(-importance.frequencies, kind="stable")
        frequent, rest = np.split(order, [self.drawn // 2])
        chosen = np.concatenate([frequent, rest[:: max(1, 2 * len(rest) // self.drawn)]])
        return [
            (importance.words[i], round(float(importance.scores[i]), 4), int(importance.frequencies[i])) for i in chosen
        ]


def pearson_of_frequency(result: Result) -> dict[str, float]:
    """Read Pearson's correlation of frequency and score."""
    return {} if result["pearson"] is None else {"value": result["pearson"]["value"]}


def pictured(result: Result) -> tuple[WordImportance, Estimate | None, Estimate | None]:
    """Give back what a picture of the first seed shows, with the correlations over all words."""
    words, scores, frequencies = zip(*result["words"], strict=True)
    importance = WordImportance(words, np.array(scores), np.array(frequencies), "keep probability")
    known = (None if result[name] is None else Estimate(**result[name]) for name in ("pearson", "spearman"))
    return importance, next(known), next(known)


def texts_with_words(results: Results) -> str:
    """Write each text of Examples once, and below it what each row's first seed says of it."""
    parts = []
    for dataset, rows in _by_dataset(results):
        for number, text in enumerate(next(iter(rows.values()))["texts"]):
            whole = " / ".join(_plain(text[part]) for part in ("text", "text_pair") if part in text)
            lines = (f"- {row}: {_line(result['texts'][number])}" for row, result in rows.items())
            parts.append("\n".join([f"{_plain(dataset)}, gold {_plain(text['gold'])}: {whole}\n", *lines]))
    return "\n\n".join(parts)


def word_lists(results: Results) -> str:
    """Write the top words of each row's first seed, as SpLime gives them."""
    parts = []
    for dataset, rows in _by_dataset(results):
        lists = (f"- {row}: {', '.join(_plain(top['word']) for top in result['top'])}" for row, result in rows.items())
        parts.append("\n".join([f"{_plain(dataset)}\n", *lists]))
    return "\n\n".join(parts)


def _by_dataset(results: Results) -> Iterator[tuple[str, dict[str, Result]]]:
    for dataset in dict.fromkeys(dataset for dataset, _ in results):
        yield dataset, {row: by_seed[0] for (name, row), by_seed in results.items() if name == dataset}


def _line(text: Result) -> str:
    words = ", ".join(_plain(word) for word, _ in text["top"])
    return f"{_plain(text['label'])} ({text['probability']:.0%}): {words}"


def _plain(text: object) -> str:
    """Keep a stranger's text on one line, and from steering a terminal or being read as Markdown or HTML."""
    return re.sub(r"([\\`*_\[\]<|])", r"\\\1", " ".join(showable(str(text)).split()))
