"""whyword beside LIME, SHAP, Captum and explainkit: one model, the same texts, speed and faithfulness in one run.

python benchmarks/beside.py [--data planted:hard] [--data-dir DATA] [--encoder lstm] [--texts 20] --out results/beside

Everyone explains the predicted class of the same test texts with its own defaults, but for what a table cell says.
Whatever works on strings asks one function for probabilities; Captum gets a 0/1 input per word, and vectors for
integrated gradients. Scores are measured by whyword's metrics, which delete words, and compared with Shapley values
from --orders sampled orders of the words. CPU seconds are of one thread; predictions are passes forward.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import captum.attr
import numpy as np
import torch
from scipy.stats import kendalltau

from commands import versions
from explainers import masks_to_probabilities
from whyword.catalog import make_explainer
from whyword.data.dataset import load_dataset
from whyword.data.words import split
from whyword.explaining.inputs import draw
from whyword.explaining.measure import measure_explanations
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Batch, Document
from whyword.interfaces.explanation import Explanation
from whyword.models.config import make_config
from whyword.models.train import train_model

METRICS = ("comprehensiveness", "sufficiency")
PEERS = ("lime", "shap", "captum", "explainkit")
CAPTUM_ORDERS = 25  # the default of ShapleyValueSampling
CAPTUM_SAMPLES = 50  # the default of Lime
LIME_SAMPLES = 5000  # the default of the package lime
STEPS = 50  # the default of IntegratedGradients
Scorer = Callable[[Document, int], np.ndarray]  # a score for each word, for one class


@dataclass
class Row:
    """What one explainer said of all texts, and what it cost."""

    package: str
    explainer: str
    cpu_seconds: float = 0.0
    passes: int = 0
    scores: list[np.ndarray] = field(default_factory=list)


class Passes:
    """Counts the texts that go through a network, forward."""

    def __init__(self, classifier: FittedClassifier) -> None:
        self.count = 0
        classify = classifier.method.classify

        def watched(embedded: torch.Tensor, batch: Batch) -> Any:
            self.count += len(batch)
            return classify(embedded, batch)

        classifier.method.classify = watched  # type: ignore[method-assign]


def ours(classifier: FittedClassifier, name: str) -> Scorer:
    """Explain with an explainer of whyword at its defaults."""
    explainer = make_explainer(name, classifier, 0, {})
    return lambda document, target: next(iter(explainer.explain(classifier, [document], [target]))).scores


def ask_strings(classifier: FittedClassifier) -> Callable[[Any], np.ndarray]:
    """Give the function from strings to probabilities that most packages want."""
    return lambda texts: classifier.probabilities([split(str(text)) for text in texts]).double().numpy()


def of_captum(classifier: FittedClassifier) -> Iterator[tuple[str, Scorer]]:
    """LIME and Shapley values of words that become padding, and gradients of word vectors."""

    def masked(kind: Any, samples: int) -> Scorer:
        def score(document: Document, target: int) -> np.ndarray:
            ask, words = masks_to_probabilities(classifier, " ".join(document.words.strings))
            rows = torch.ones(1, words), torch.zeros(1, words)
            return kind(ask).attribute(*rows, target=target, n_samples=samples)[0].double().numpy()

        return score

    def integrated(document: Document, target: int) -> np.ndarray:
        ((_, batch),) = classifier.batches([document.words])
        embedded = classifier.method.encoder.embed(batch).detach()

        def classify(vectors: torch.Tensor) -> torch.Tensor:
            fields = (batch.tokens, batch.mask, batch.word_of_token, batch.segments)
            rows = (values.expand(len(vectors), -1) for values in fields)
            return classifier.method.classify(vectors, Batch(*rows)).logits.softmax(-1)

        found = captum.attr.IntegratedGradients(classify).attribute(
            embedded, embedded * 0, target=target, n_steps=STEPS
        )
        scores = np.zeros(len(document.words))
        words = batch.word_of_token[0].numpy()
        inside = batch.is_word[0].numpy()
        np.add.at(scores, words[inside], found[0].sum(-1).double().numpy()[inside])
        return scores

    yield f"LIME, {CAPTUM_SAMPLES} samples", masked(captum.attr.Lime, CAPTUM_SAMPLES)
    yield f"Shapley sampling, {CAPTUM_ORDERS} orders", masked(captum.attr.ShapleyValueSampling, CAPTUM_ORDERS)
    yield f"integrated gradients, {STEPS} steps", integrated


def of_lime(classifier: FittedClassifier) -> Iterator[tuple[str, Scorer]]:
    """Run the package lime with a word for each of ours, so that scores fall on the same words."""
    from lime.lime_text import LimeTextExplainer

    ask = ask_strings(classifier)

    def score(document: Document, target: int) -> np.ndarray:
        strings, words = document.words.strings, len(document.words)
        explainer = LimeTextExplainer(random_state=0, bow=False, split_expression=lambda _: list(strings))
        found = explainer.explain_instance(
            " ".join(strings), ask, labels=(target,), num_features=words, num_samples=LIME_SAMPLES
        )
        scores = np.zeros(words)
        for place, value in found.as_map()[target]:
            scores[place] = value
        return scores

    yield f"LIME, {LIME_SAMPLES} samples", score


def of_shap(classifier: FittedClassifier) -> Iterator[tuple[str, Scorer]]:
    """Run shap's permutation and partition explainers on words as inputs of 0 or 1; its own masker cuts otherwise."""
    import shap

    def score(algorithm: str) -> Scorer:
        def of_text(document: Document, target: int) -> np.ndarray:
            strings, words = np.array(document.words.strings), len(document.words)
            on_strings = ask_strings(classifier)

            def ask(rows: np.ndarray) -> np.ndarray:
                return on_strings([" ".join(strings[row > 0.5]) for row in np.asarray(rows)])

            masker = _chain(shap, words) if algorithm == "partition" else shap.maskers.Independent(np.zeros((1, words)))
            explainer = shap.Explainer(ask, masker, algorithm=algorithm, seed=0)
            budget = {"max_evals": max(500, 2 * words + 1)}
            return explainer(np.ones((1, words)), silent=True, **budget).values[0, :, target]

        return of_text

    yield "permutation, 500 evaluations", score("permutation")
    yield "partition, 500 evaluations", score("partition")


def _chain(shap: Any, words: int) -> Any:
    """Neighbors first, as shap's own masker for texts joins them: a balanced tree over the words in order."""
    rows, nodes, sizes, fresh = [], list(range(words)), [1] * words, words
    while len(nodes) > 1:
        joined, weights = [], []
        for left in range(0, len(nodes) - 1, 2):
            size = sizes[left] + sizes[left + 1]
            rows.append([nodes[left], nodes[left + 1], float(size), float(size)])
            joined.append(fresh)
            weights.append(size)
            fresh += 1
        if len(nodes) % 2:
            joined.append(nodes[-1])
            weights.append(sizes[-1])
        nodes, sizes = joined, weights
    return shap.maskers.Partition(np.zeros((1, words)), clustering=np.array(rows))


def of_explainkit(classifier: FittedClassifier) -> Iterator[tuple[str, Scorer]]:
    """Run explainkit's two methods that need no other package, on words between spaces, which are ours."""
    from explainkit import Explainer
    from explainkit.tokenizers import regex_tokenizer

    explainer = Explainer(ask_strings(classifier), tokenizer=regex_tokenizer(r"\S+"))

    def score(method: str) -> Scorer:
        def of_text(document: Document, target: int) -> np.ndarray:
            text = " ".join(document.words.strings)
            found = explainer.explain(text, target=target, method=method)
            return np.array(found.scores)

        return of_text

    for method in ("occlusion", "surrogate"):
        yield method, score(method)


def all_scorers(classifier: FittedClassifier) -> Iterator[tuple[str, str, Scorer]]:
    """Whyword first; a package that is not installed is left out and named in the file."""
    for name, words in (("own", "own (contributions)"), ("occlusion",) * 2, ("lime",) * 2, ("shapley",) * 2):
        yield "whyword", words, ours(classifier, name)
    for package, scorers in (
        ("lime", of_lime),
        ("shap", of_shap),
        ("captum", of_captum),
        ("explainkit", of_explainkit),
    ):
        try:
            found = list(scorers(classifier))
        except ModuleNotFoundError as error:
            print(f"{package} is left out: {error}", flush=True)
            continue
        for name, score in found:
            yield package, name, score


def run(package: str, name: str, score: Scorer, texts: list[Document], targets: list[int], passes: Passes) -> Row:
    """Explain every text once; the first is explained before the clock starts, so that imports are not counted."""
    score(texts[0], targets[0])
    row, before, started = Row(package, name), passes.count, time.process_time()
    row.scores = [np.asarray(score(text, target), dtype=float) for text, target in zip(texts, targets, strict=True)]
    row.cpu_seconds, row.passes = time.process_time() - started, passes.count - before
    return row


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's r, 0 where one of them is the same everywhere."""
    return float(np.corrcoef(one, other)[0, 1]) if one.std() * other.std() > 0 else 0.0


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Train one model, explain its test texts by everyone, and measure."""
    dataset = load_dataset(arguments.data, data_dir=arguments.data_dir)
    values = {"method": "base", "encoder": arguments.encoder, "contributions": True, "seed": 0}
    trained = train_model(make_config(values), dataset)
    classifier = trained.classifier
    fitting = [document for document in dataset.test if 3 <= len(document.words) <= arguments.most_words]
    texts = draw(fitting, arguments.texts, 0)
    targets = [int(row.argmax()) for row in classifier.probabilities([document.words for document in texts])]
    passes = Passes(classifier)
    reference = list(
        make_explainer("shapley", classifier, 0, {"samples": arguments.orders, "start": None}).explain(
            classifier, texts, targets
        )
    )
    rows = []
    for package, name, score in all_scorers(classifier):
        rows.append(run(package, name, score, texts, targets, passes))
        print(f"{package}: {name}: {rows[-1].cpu_seconds / len(texts):.3f} CPU s a text", flush=True)
    explained: dict[str, list[Explanation]] = {
        f"{row.package}: {row.explainer}": [
            replace(explanation, scores=scores, explainer=row.package, resolution=0.0, std_error=None)
            for explanation, scores in zip(reference, row.scores, strict=True)
        ]
        for row in rows
    }
    explained["reference"] = reference
    scores = measure_explanations(classifier, explained, METRICS)
    results = []
    for row in [*rows, Row("whyword", f"Shapley values, {arguments.orders} orders: the reference"), Row("", "random")]:
        who = f"{row.package}: {row.explainer}" if row.scores else "reference" if row.package else "random"
        result: dict[str, Any] = {"package": row.package, "explainer": row.explainer}
        for metric in METRICS:
            result[metric] = float(np.mean(scores[metric, who].per_text))
        if row.scores:
            pairs = list(zip(row.scores, (r.scores for r in reference), strict=True))
            result["r"] = float(np.mean([correlation(one, other) for one, other in pairs]))
            result["tau"] = float(np.nanmean([kendalltau(one, other)[0] for one, other in pairs]))
            result["top word agrees"] = float(np.mean([one.argmax() == other.argmax() for one, other in pairs]))
            result["cpu_seconds"], result["passes"] = row.cpu_seconds / len(texts), row.passes / len(texts)
        results.append(result)
    names = [name for name in PEERS if _installed(name)]
    settings = {name: str(value) for name, value in vars(arguments).items() if name not in ("out", "data_dir")}
    words = [len(text.words) for text in texts]
    return {
        "settings": settings,
        "versions": versions(*names),
        "accuracy": trained.metrics["test_accuracy"],
        "words": {"mean": float(np.mean(words)), "most": max(words)},
        "results": results,
    }


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def table(found: dict[str, Any]) -> str:
    """One row an explainer."""
    names = ["comprehensiveness", "sufficiency", "r", "tau", "top word agrees", "cpu_seconds", "passes"]
    heads = ["comprehensiveness", "sufficiency", "r", "tau", "same top word", "CPU s a text", "predictions a text"]
    forms = [".3f", ".3f", ".2f", ".2f", ".0%", ".4f", ",.0f"]
    lines = [f"| package | explainer | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    for row in found["results"]:
        cells = [format(row[name], form) if name in row else "" for name, form in zip(names, forms, strict=True)]
        lines.append("| " + " | ".join([row["package"] or "(none)", row["explainer"], *cells]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run, and write the figures as JSON and as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="planted:hard")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--encoder", default="lstm")
    parser.add_argument("--texts", type=int, default=20)
    parser.add_argument("--most-words", type=int, default=60)
    parser.add_argument("--orders", type=int, default=500, help="of the words, for the reference")
    parser.add_argument("--out", type=Path, required=True, help="a folder for beside.json and table.md")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    found = measure(arguments)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "beside.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (arguments.out / "table.md").write_text(table(found), encoding="utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
