"""Rare classes: 97:3 cuts of real data, models with and without class weights beside scikit-learn's own.

python benchmarks/imbalance.py --data-dir DATA --out results/imbalance --datasets sst2,subj --seeds 3
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword.data.dataset import Dataset, labels, load_dataset
from whyword.interfaces.classifier import predicted_classes
from whyword.maths.stats.classes import class_estimates
from whyword.maths.stats.intervals import Estimate
from whyword.models.config import make_config, with_defaults
from whyword.models.train import train_model
from whyword.report.tables import Entry, markdown

RARE = 0.03  # share of the rare class in train and dev; test is left as it is, for recall does not depend on shares
SCIKIT_LEARN = "scikit-learn, balanced"
MODELS = {
    "tfidf": {"encoder": "tfidf"},
    "tfidf, balanced": {"encoder": "tfidf", "training": {"class_weight": "balanced"}},
    "tfidf, threshold auto": {"encoder": "tfidf", "training": {"threshold": "auto"}},
    "lstm": {"encoder": "lstm"},
    "lstm, balanced": {"encoder": "lstm", "training": {"class_weight": "balanced"}},
}


def cut(dataset: Dataset, rows: int, seed: int) -> Dataset:
    """Give a data set whose last class has 3 % of so many training texts, and of a fifth as many dev texts."""
    rare = labels(dataset.train)[-1]
    documents = [*dataset.train, *dataset.dev]
    Random(seed).shuffle(documents)
    few = [document for document in documents if document.label == rare]
    many = [document for document in documents if document.label != rare]
    splits = []
    for count in (rows, rows // 5):
        share = round(RARE * count)
        splits.append((*few[:share], *many[: count - share]))
        few, many = few[share:], many[count - share :]
    return replace(dataset, train=splits[0], dev=splits[1])


def predict_by_scikit_learn(dataset: Dataset, seed: int) -> np.ndarray:
    """Fit scikit-learn's TF-IDF and balanced logistic regression, both as they come but for pairs of words."""
    pipeline = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(class_weight="balanced", max_iter=1_000)
    )
    pipeline.fit([d.words.texts[0] for d in dataset.train], [d.label for d in dataset.train])
    predicted: np.ndarray = pipeline.predict([d.words.texts[0] for d in dataset.test])
    return np.searchsorted(labels(dataset.train), predicted)


def predict_by(settings: dict[str, object], dataset: Dataset, seed: int) -> np.ndarray:
    """Train a model of ours."""
    classifier = train_model(
        make_config(with_defaults({**settings, "contributions": False, "seed": seed})), dataset
    ).classifier
    return predicted_classes(classifier, classifier.probabilities([d.words for d in dataset.test]))


def main() -> None:
    """Measure every model on every cut, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--datasets", default="sst2,subj")
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", default=";".join([SCIKIT_LEARN, *MODELS]), help="separated by semicolons")
    parser.add_argument("--out", type=Path, default=Path("results/imbalance"))
    arguments = parser.parse_args()
    models: dict[str, Callable[[Dataset, int], np.ndarray]] = {SCIKIT_LEARN: predict_by_scikit_learn}
    models |= {name: lambda data, seed, s=settings: predict_by(s, data, seed) for name, settings in MODELS.items()}
    head = ["data", "model", "recall of the rare class", "precision at 97:3", "recall of the other", "texts"]
    table = [[Entry(text, right=i > 1) for i, text in enumerate(head)]]
    for name in arguments.datasets.split(","):
        whole = load_dataset(name, data_dir=arguments.data_dir)
        classes = labels(whole.train)
        gold = np.array([classes.index(d.label) for d in whole.test if d.label is not None])
        for model in arguments.models.split(";"):
            answers = []
            for seed in range(arguments.seeds):
                answers.append(models[model](cut(whole, arguments.rows, seed), seed))
                print(name, model, seed, float((answers[-1] == gold).mean()), file=sys.stderr, flush=True)
            every = np.tile(gold, arguments.seeds)
            *_, other, rare = class_estimates(np.concatenate(answers), every, len(classes))
            precision = at_share(rare.recall, other.recall)
            cells = [name, model, shown(rare.recall), f"{precision:.1%}", shown(other.recall), f"{len(every):,}"]
            table.append([Entry(text, right=i > 1) for i, text in enumerate(cells)])
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "table.md").write_text(page(arguments, markdown(table)), encoding="utf-8")


def at_share(rare: Estimate | None, other: Estimate | None) -> float:
    """Give the precision of the rare class where it has 3 % of the texts, from what is found of both classes."""
    assert rare is not None
    assert other is not None
    found, mistaken = RARE * rare.value, (1 - RARE) * (1 - other.value)
    return found / (found + mistaken) if found + mistaken else 0.0


def shown(estimate: Estimate | None) -> str:
    """Write a share with its 95 % interval."""
    return "–" if estimate is None else f"{estimate.value:.1%} [{estimate.low:.1%}, {estimate.high:.1%}]"


def page(arguments: argparse.Namespace, table: str) -> str:
    """Write the page, with the command that repeats it."""
    command = f"python benchmarks/imbalance.py --data-dir DATA --datasets {arguments.datasets} --rows {arguments.rows}"
    return (
        "# Rare classes\n\n"
        f"{arguments.rows:,} training texts and a fifth as many dev texts, 3 % of them of the rare class; "
        f"{arguments.seeds} cuts, each measured on the whole test set. Recall with Wilson's 95 % intervals over the "
        f"answers of all cuts.\n\n{table}\n    {command} --seeds {arguments.seeds}\n"
    )


if __name__ == "__main__":
    main()
