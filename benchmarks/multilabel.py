"""Texts of several labels with known reasons: whether each label is explained by its own words.

python benchmarks/multilabel.py --out results/multilabel --datasets "planted:multilabel;planted:multilabel,hard"
python benchmarks/multilabel.py --out results/multilabel_topics --datasets "combined;targets" --encoders tfidf,lstm \
    --embeddings glove.6B.100d.txt --data-dir FOLDER

A model is trained beside scikit-learn's one logistic regression per label on TF-IDF, with its defaults and with
thresholds tuned on the same dev texts as ours. For every label, over the test
texts that have it, scores are compared with the known reasons of that label: average precision, the share of texts
whose highest word is a reason, and the share of the scores' size that lies on the reasons of other labels, where there
is nothing to be found.

- own: the model's contributions to the label;
- one-vs-rest: coefficient times TF-IDF of scikit-learn's model;
- lime: LIME's scores of the label's own probability;
- lime-softmax: LIME as it is usually run, on a softmax of the labels' logits, as if they excluded each other;
- likeliest: contributions to the text's likeliest label taken for every label, as from a tool of one answer a text;
- random: random words.

`combined` are the topics of combined_topics.py, `targets` the posts of hatexplain_targets.py, whose marked words are of
a post and not of each label.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer

import combined_topics
import hatexplain_targets
from commands import versions
from whyword.data.dataset import Dataset, load_dataset
from whyword.data.words import split
from whyword.evaluation.top_words import marked_words
from whyword.explainers import Lime, Own, Random
from whyword.inference.black_box import BlackBox
from whyword.inference.fitted import FittedClassifier
from whyword.inference.one_label import as_one_label, for_label
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.maths.stats.intervals import mean_over_runs
from whyword.maths.stats.labels import tune_thresholds
from whyword.metrics import RationaleAuprc
from whyword.models.config import make_config
from whyword.models.train import train_model

WAYS = ("own", "one-vs-rest", "lime", "lime-softmax", "likeliest", "random")
METRICS = ("auprc", "first", "astray")
MADE = {"combined": combined_topics.write, "targets": hatexplain_targets.write}
FEWEST = 20  # texts of a label that is measured
SOLVED = ("tfidf",)  # encoders without vectors, of which one run says it all
LIME_SAMPLES = 300  # sub-texts of a text
LEAST = torch.finfo(torch.float32).eps


@dataclass(frozen=True)
class OneVsRest:
    """Scikit-learn's model of several labels, with its defaults, and with thresholds that dev chose."""

    vectorizer: TfidfVectorizer
    model: OneVsRestClassifier
    labels: list[Any]
    thresholds: np.ndarray  # (label,) of probability

    @classmethod
    def fit(cls, documents: Sequence[Document], dev: Sequence[Document]) -> OneVsRest:
        """Learn from labelled texts."""
        binarizer, vectorizer = MultiLabelBinarizer(), TfidfVectorizer()
        indicators = binarizer.fit_transform([document.labels for document in documents])
        features = vectorizer.fit_transform([document.words.texts[0] for document in documents])
        model = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(features, indicators)
        plain = cls(vectorizer, model, list(binarizer.classes_), np.full(len(binarizer.classes_), 0.5))
        return replace(plain, thresholds=tune_thresholds(plain.probabilities(dev), plain.truth(dev)))

    def probabilities(self, documents: Sequence[Document]) -> np.ndarray:
        """Give the probability of each label, (text, label)."""
        table: np.ndarray = self.model.predict_proba(self.vectorizer.transform([d.words.texts[0] for d in documents]))
        return table

    def truth(self, documents: Sequence[Document]) -> np.ndarray:
        """Say which labels texts have, (text, label) bool."""
        table: np.ndarray = MultiLabelBinarizer(classes=self.labels).fit_transform([d.labels for d in documents])
        return table.astype(bool)

    def f1(self, documents: Sequence[Document]) -> dict[str, dict[str, float]]:
        """Give macro- and micro-F1, of both thresholds."""
        truth, table = self.truth(documents), self.probabilities(documents)
        decided = {"defaults": table > 0.5, "tuned": table >= self.thresholds}
        return {
            name: {kind: float(f1_score(truth, labels, average=kind, zero_division=0.0)) for kind in ("macro", "micro")}
            for name, labels in decided.items()
        }

    def scores(self, document: Document, label: Any) -> np.ndarray:
        """Give coefficient times TF-IDF to each word, (word,); 0 to words that are not in the vocabulary."""
        values = self.vectorizer.transform([document.words.texts[0]]).toarray()[0]
        weights = values * self.model.estimators_[self.labels.index(label)].coef_[0]
        known, analyze = self.vectorizer.vocabulary_, self.vectorizer.build_analyzer()
        columns = ([known[part] for part in analyze(word) if part in known] for word in document.words.strings)
        return np.array([weights[found].sum() for found in columns])


def measure(dataset: Dataset, seed: int, encoder: str, sample: int, embeddings: str | None) -> dict[str, Any]:
    """Train on a data set, and explain test texts."""
    vectors = None if encoder in SOLVED else embeddings
    config = make_config({"encoder": encoder, "contributions": True, "embeddings": vectors, "seed": seed})
    model = train_model(config, dataset, baseline=True)
    rival = OneVsRest.fit(dataset.train, dataset.dev)
    classifier, documents = model.classifier, list(dataset.test[:sample])
    explained = _explain(classifier, documents)
    by_label = {}
    for number, label in enumerate(classifier.classes):
        having = [i for i, document in enumerate(documents) if _has_reason(document, label)]
        if len(having) < FEWEST:
            continue
        own = explained["own"]
        ways = {name: [as_one_label(for_label(rows[i], number)) for i in having] for name, rows in explained.items()}
        ones = ways["own"]
        ways["likeliest"] = [_with_scores(one, _likeliest(own[i])) for one, i in zip(ones, having, strict=True)]
        ways["one-vs-rest"] = [_with_scores(one, rival.scores(one.document, label)) for one in ones]
        ways["random"] = Random(seed=seed).explain(classifier, [one.document for one in ones])
        others = [_reasons_of_others(documents[i], label) for i in having]
        by_label[str(label)] = {way: _measure(ways[way], others) for way in WAYS}
    return {
        "encoder": encoder,
        "embeddings": None if vectors is None else Path(vectors).name,
        "seed": seed,
        "explained_texts": len(documents),
        "figures": model.metrics["figures"],
        "one_vs_rest_f1": rival.f1(dataset.test),
        "labels": by_label,
    }


def _has_reason(document: Document, label: Any) -> bool:
    return label in (document.labels or ()) and any(document.for_label(label).rationale_words or ())


def _explain(classifier: FittedClassifier, documents: Sequence[Document]) -> dict[str, list[Explanation]]:
    lime = Lime(samples=LIME_SAMPLES, start=None)
    softmax = BlackBox(lambda texts: _softmax(classifier, texts), classifier.classes)
    return {
        "own": Own().explain(classifier, documents),
        "lime": lime.explain(classifier, documents),
        "lime-softmax": lime.explain(softmax, documents),
    }


def _softmax(classifier: FittedClassifier, texts: Sequence[str]) -> np.ndarray:
    answers: np.ndarray = classifier.probabilities([split(text) for text in texts]).logit(LEAST).softmax(1).numpy()
    return answers


def _likeliest(explanation: Explanation) -> np.ndarray:
    scores = explanation.scores_for(int(explanation.probabilities.argmax()))
    assert scores is not None
    return scores


def _with_scores(one: Explanation, scores: np.ndarray) -> Explanation:
    return replace(one, scores=scores, all_scores=None)


def _measure(explanations: Sequence[Explanation], others: Sequence[np.ndarray]) -> dict[str, float | None]:
    auprc, first, astray = [], [], []
    for explanation, elsewhere in zip(explanations, others, strict=True):
        marked = marked_words(explanation)
        assert marked is not None
        auprc.append(RationaleAuprc().values(explanation, np.zeros(0), ())[0])
        first.append(marked[explanation.ranking[0]])
        if elsewhere.any():
            size = np.abs(explanation.scores)
            astray.append(size[elsewhere & ~marked].sum() / max(size.sum(), LEAST))
    measured = zip(METRICS, (auprc, first, astray), strict=True)
    return {name: float(np.mean(values)) if values else None for name, values in measured}


def _reasons_of_others(document: Document, label: Any) -> np.ndarray:
    """Mark the words that are the reason of another label of the text, (word,)."""
    others = [] if document.rationales is None else [other for other in document.labels or () if other != label]
    masks = [document.for_label(other).rationale_words for other in others]
    marked = [np.array(mask, dtype=bool) for mask in masks if mask is not None]
    return np.logical_or.reduce([np.zeros(len(document.words), dtype=bool), *marked])


def table(runs: list[dict[str, Any]]) -> str:
    """Write a line for each way to explain each kind of model: means over seeds, with their 95 % intervals."""
    lines = [
        "| data | encoder | seeds | macro-F1 | micro-F1 | scikit-learn's one-vs-rest: macro-F1 | thresholds tuned "
        "| explanation | AUPRC: least label | mean | highest word right | size on other labels' reasons |",
        "|---|---|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|",
    ]
    for data, encoder in dict.fromkeys((run["data"], run["encoder"]) for run in runs):
        alike = [run for run in runs if (run["data"], run["encoder"]) == (data, encoder)]
        ours = [_figures(run) for run in alike]
        rivals = [run["one_vs_rest_f1"] for run in alike]
        facts = [_shown([row[kind][0] for row in ours]) for kind in ("macro_f1", "micro_f1")]
        facts += [_shown([row[thresholds]["macro"] for row in rivals]) for thresholds in ("defaults", "tuned")]
        about = f"| {data} | {encoder} | {len(alike)} | {' | '.join(facts)} "
        for way in WAYS:
            by_run = [[row[way] for row in run["labels"].values()] for run in alike]
            cells = [_shown([min((row["auprc"] for row in rows), default=float("nan")) for rows in by_run])]
            cells += [_shown([_mean([row[metric] for row in rows]) for rows in by_run]) for metric in METRICS]
            lines.append(f"{about}| {way} | {' | '.join(cells)} |")
            about = "| | | | | | | "
    return "\n".join(lines) + "\n"


def _figures(run: dict[str, Any]) -> dict[str, Any]:
    figures: dict[str, Any] = next(row for row in run["figures"]["models"] if row["model"] == "this model")
    return figures


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")


def _shown(values: list[float]) -> str:
    if np.isnan(values).any():
        return "–"
    mean = mean_over_runs(values)
    return f"{mean.value:.3f}" if len(set(values)) == 1 else f"{mean.value:.3f} ± {mean.high - mean.value:.3f}"


def _load(name: str, data_dir: Path | None) -> Dataset:
    if name not in MADE:
        return load_dataset(name, data_dir=data_dir)
    if data_dir is None:
        raise SystemExit(f"{name} is made from other data sets: give --data-dir.")
    with tempfile.TemporaryDirectory() as folder:
        MADE[name](Path(folder), data_dir)
        return load_dataset(folder)


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda text: text.split(";"), default=["planted:multilabel"])
    parser.add_argument("--encoders", type=lambda text: text.split(","), default=["lstm"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sample", type=int, default=200, help="test texts that are explained")
    parser.add_argument("--embeddings", help="word vectors of the encoders that are not solved")
    parser.add_argument("--data-dir", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    runs: list[dict[str, Any]] = []
    for name in arguments.datasets:
        dataset = _load(name, arguments.data_dir)
        for encoder in arguments.encoders:
            for seed in range(1 if encoder in SOLVED else arguments.seeds):
                runs.append({"data": name, **measure(dataset, seed, encoder, arguments.sample, arguments.embeddings)})
                record = json.dumps({"versions": versions(), "runs": runs}, indent=1)
                (arguments.out / "results.json").write_text(record + "\n", encoding="utf-8")
                (arguments.out / "table.md").write_text(table(runs), encoding="utf-8")
    print(table(runs))


if __name__ == "__main__":
    main()
