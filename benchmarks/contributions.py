"""Contributions against converged Shapley values, and beside the own weights of every other method.

python benchmarks/contributions.py --data-dir DATA --embeddings GLOVE --out results/contributions \
    --datasets sst2,trec,subj,twitter,hatexplain,planted:hard --encoder lstm --variants contributions --seeds 5

Every run trains one variant and explains texts of the test split (of HateXplain the dev split), which no choice was
made on. Contributions leave the classifier as it is, so the accuracy of `contributions` is that of `base`. With --rows,
that many labelled texts are trained on, and contributions are fitted to all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from scipy.stats import kendalltau

from whyword import catalog
from whyword.catalog import make_explainer
from whyword.data.dataset import Dataset, load_dataset
from whyword.explaining.inputs import draw
from whyword.explaining.interactions import find_interactions
from whyword.explaining.measure import RANDOM, measure_explanations
from whyword.grids.runner import RECORDS, EvaluationJob, RunRecord, finished_records, read_records, run_jobs
from whyword.grids.variant import Evaluation, Result, TrainedVariant, Variant, file_fingerprint, find_source
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.maths.stats.intervals import ANY, SHARE, mean_over_runs
from whyword.models.config import overlay
from whyword.models.folder import TrainedModel
from whyword.models.learn import learn_contributions
from whyword.models.train import measure
from whyword.report.tables import with_interval

CONTRIBUTIONS = "contributions"
REFERENCE = "r of the reference"  # with exact Shapley values, as its standard errors tell: no r can be higher
TOGETHER = "own rationale-auprc, words that act together as one reason"
METRICS = (
    "comprehensiveness",
    "sufficiency",
    "normalized-comprehensiveness",
    "normalized-sufficiency",
    "direction",
    "rationale-auprc",
)
ON_DEV = ("hatexplain",)  # data sets whose test split is left alone
LONG = 40  # words of a long text
FEWEST_WORDS = 3  # a correlation over fewer means nothing
REPEATS = 3  # of the measurement of time, of which the least counts


@dataclass(frozen=True)
class Faithfulness(Evaluation):
    """Accuracy and cost of a model, and how its own scores compare with converged Shapley values and random words."""

    name: ClassVar[str] = "faithfulness"
    texts: int = 100
    orders: int = 200  # of the words, sampled for the Shapley values of a text

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Measure accuracy; then, where there are own scores, all metrics, beside those of Shapley values."""
        started = time.process_time()
        if trained.variant.name.endswith(CONTRIBUTIONS) and not model.classifier.has_contributions:
            whole = load_dataset(trained.source.place, trained.source.columns, trained.data_dir)
            model = learn_contributions(model, [document.words for document in whole.train], seed=trained.seed)
        seconds = model.metrics["cpu_seconds"] + time.process_time() - started
        result: dict[str, Any] = {"cpu_seconds": seconds}
        split = "dev" if dataset.name in ON_DEV or not dataset.test else "test"
        documents = getattr(dataset, split)
        classifier = model.classifier
        result |= {"split": split, "accuracy": measure(classifier, documents, split)[f"{split}_accuracy"]}
        result |= {"dev_accuracy": model.metrics["dev_accuracy"], "contributions": model.metrics.get("contributions")}
        if not catalog.has_own_scores(classifier):
            return result
        drawn = draw([d for d in documents if len(d.words) >= FEWEST_WORDS], self.texts, 0)
        return result | self._explain(classifier, drawn) | _cost(classifier, drawn)

    def _explain(self, classifier: FittedClassifier, documents: Sequence[Document]) -> Result:
        own = make_explainer("own", classifier).explain(classifier, documents)
        reference = make_explainer("shapley", classifier, 0, {"samples": self.orders, "start": None}).explain(
            classifier, documents
        )
        marked = any(document.rationale is not None for document in documents)
        names = [name for name in METRICS if marked or name != "rationale-auprc"]
        scores = measure_explanations(classifier, {"own": own, "shapley": reference}, names)
        if joint_effects := marked and classifier.has_contributions:
            together = [as_reasons(explanation) for explanation in find_interactions(classifier, own)]
            joint = measure_explanations(classifier, {"own": together}, ["rationale-auprc"])
        pairs = list(zip(own, reference, strict=True))
        long = np.array([len(document.words) >= LONG for document in documents])
        values = {
            "r": [_correlation(one, other) for one, other in pairs],
            "tau": [float(kendalltau(one.scores, other.scores)[0]) for one, other in pairs],
            REFERENCE: [_reliability(explanation) for explanation in reference],
            **{f"{who} {name}": scores[name, who].per_text for name in names for who in ("own", "shapley", RANDOM)},
            **({TOGETHER: joint["rationale-auprc", "own"].per_text} if joint_effects else {}),
        }
        means = {name: float(np.nanmean(value)) for name, value in values.items()}
        of_long = (
            {name: float(np.nanmean(np.array(value)[long])) for name, value in values.items()} if long.any() else {}
        )
        return {"explained": means, "long": of_long, "long_texts": int(long.sum())}


def as_reasons(explanation: Explanation) -> Explanation:
    """Let words that act together count as one reason, as a reader sees them: each has the sum of the two scores."""
    scores = explanation.scores.copy()
    for pair in reversed(explanation.interactions):  # the strongest last, so that it decides
        scores[[pair.first, pair.second]] = explanation.scores[[pair.first, pair.second]].sum()
    return replace(explanation, scores=scores, interactions=())


def _correlation(one: Explanation, other: Explanation) -> float:
    spread = one.scores.std() * other.scores.std()
    return float(np.corrcoef(one.scores, other.scores)[0, 1]) if spread > 0 else 0.0


def _reliability(reference: Explanation) -> float:
    """Give the correlation to expect of sampled values with exact ones, from their spread and standard errors."""
    if reference.std_error is None:
        return float("nan")
    error, variance = float((reference.std_error**2).mean()), float(reference.scores.var())
    return float(np.sqrt(max(0.0, 1 - error / variance))) if variance > 0 else 0.0


def _cost(classifier: FittedClassifier, documents: Sequence[Document]) -> Result:
    """Time explanations against predictions of the same texts."""
    texts = [document.words for document in documents]
    own = make_explainer("own", classifier)
    calls = {"explain": lambda: own.explain(classifier, documents), "predict": lambda: classifier.probabilities(texts)}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            started = time.process_time()
            call()
            times[name].append(time.process_time() - started)
    return {"predictions": min(times["explain"]) / min(times["predict"])}


def variant_of(name: str, arguments: argparse.Namespace) -> Variant:
    """Describe a variant: the plain classifier, the same with contributions, or a method as published."""
    encoder = arguments.encoder
    settings: dict[str, Any] = {"method": "base" if name == CONTRIBUTIONS else name, "encoder": encoder}
    settings = overlay(settings, arguments.assignments)
    if name == CONTRIBUTIONS and arguments.rows is None:  # else they are fitted afterwards, to all texts
        settings["contributions"] = True
    return Variant(f"{encoder}-{name}", settings, vectors=encoder in ("lstm", "cnn", "bag"))


def jobs(arguments: argparse.Namespace) -> list[EvaluationJob]:
    """Describe every run, the seeds in turn, so that a grid that is stopped has some of everything."""
    place = None if arguments.embeddings is None else str(Path(arguments.embeddings).resolve())
    fingerprint = None if place is None else file_fingerprint(place)
    found = []
    for seed, name, data in product(range(arguments.seeds), arguments.variants, arguments.datasets):
        source = find_source(data, data_dir=arguments.data_dir, rows=arguments.rows)
        variant = variant_of(name, arguments)
        trained = TrainedVariant(variant, source, seed, None, place, fingerprint, arguments.data_dir)
        found.append(EvaluationJob(trained, Faithfulness(arguments.texts, arguments.orders)))
    return found


COLUMNS = ("r", REFERENCE, "tau", *(f"own {name}" for name in METRICS), "shapley rationale-auprc", TOGETHER)


def table(out: Path) -> str:
    """Mean over seeds with the 95 % interval of Student's t."""
    groups: dict[tuple[str, ...], list[RunRecord]] = {}
    for record in read_records(out / RECORDS):
        data = record.settings["data"] if record.dataset == "planted" else record.dataset
        groups.setdefault((data, record.variant), []).append(record)
    names = ["accuracy", "share of Shapley's comprehensiveness", *COLUMNS, "predictions", "CPU seconds"]
    lines = ["| " + " | ".join(["data", "variant", "seeds", *names]) + " |", "|---" * (len(names) + 3) + "|"]
    for key, records in sorted(groups.items()):
        columns = [_written(records, name) for name in names]
        lines.append("| " + " | ".join([*key, str(len(records)), *columns]) + " |")
    return "\n".join(lines) + "\n"


def _written(records: Sequence[RunRecord], name: str) -> str:
    values = [_value(record.result, name) for record in records]
    known = [value for value in values if value is not None and np.isfinite(value)]
    if not known:
        return "–"
    return with_interval(mean_over_runs(known, SHARE if name == "accuracy" else ANY))


def _value(result: Result, name: str) -> float | None:
    explained = result.get("explained", {})
    if name.startswith("share") and explained:
        return float(explained["own comprehensiveness"] / explained["shapley comprehensiveness"])
    if name == "CPU seconds":
        return float(result["cpu_seconds"])
    found = explained.get(name, result.get(name))
    return None if found is None else float(found)


def main() -> None:
    """Run what is not recorded yet, and write the table of all records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--embeddings")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=words, default=["sst2"])
    parser.add_argument("--encoder", default="lstm")
    parser.add_argument("--variants", type=words, default=["base", CONTRIBUTIONS])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--set", dest="assignments", action="append", default=[], metavar="SECTION.NAME=VALUE")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--orders", type=int, default=200)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    todo = jobs(arguments)
    done = finished_records(todo, arguments.out / RECORDS)
    for record in run_jobs([job for job in todo if job.name not in done], arguments.out / RECORDS, "local", 1, None):
        print(record.name, record.failed or round(record.wall_seconds), flush=True)
    (arguments.out / "table.md").write_text(table(arguments.out), encoding="utf-8")


if __name__ == "__main__":
    main()
