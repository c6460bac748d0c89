"""Fewer passes for the same answer: agreement with the converged explanation against forward passes.

python benchmarks/fewer_passes.py --data-dir DATA --embeddings GLOVE --out results/fewer_passes \
    --encoders lstm,minilm --texts 20

With --contributions, the models carry them, and the estimators that start from them are measured beside the others.
Models are trained on sst2 once and kept in --models. Each text is a run that is recorded once, so that the study can be
stopped and resumed. Passes are given for each word of the text, so that texts of different lengths can be averaged.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from fewer_passes_report import report
from whyword.attribution.lime.estimate import estimate, preferred_sizes
from whyword.attribution.lime.ridge import LIME_SAMPLES, SubsetRidge
from whyword.attribution.lime.strata import SizeStrata
from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.attribution.shapley.gaussian_process import shapley_of_pairs
from whyword.attribution.shapley.pairs import ComplementaryPairs
from whyword.attribution.start import StartName, starts
from whyword.attribution.surrogate import fit_surrogate
from whyword.data.dataset import Dataset
from whyword.explainers.lime import Lime
from whyword.explainers.shapley import Shapley
from whyword.grids.runner import RECORDS, EvaluationJob, finished_records, run_jobs
from whyword.grids.variant import Evaluation, Result, TrainedVariant, Variant, file_fingerprint, find_source
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Document, Words
from whyword.maths.stats.correlation import kendall_tau_b, overlap
from whyword.models.config import overlay, with_contributions
from whyword.models.folder import TrainedModel

STARTED = (0.3, 0.6, 1, 1.4, 1.8)  # passes for each word that only estimators with a start can do with
PASSES_PER_WORD = (2.5, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
FURTHER = {"lstm": (96, 128, 192, 256)}  # for the plain estimators alone, which need most
USUALLY_FURTHER = (96, 128)  # with other encoders
LENGTHS = {"15-25 words": (15, 25), "40 words and more": (40, 60)}
EXACT_WORDS = 14
REFERENCE = 400  # permutations in antithetic pairs; a tenth of them fits the surrogate, the others are averaged
LIME_REFERENCE = 10_000  # samples of which the model is asked, and of which only the surrogate is
LIME_FREE = 200_000

FROM_CONTRIBUTIONS = "whyword from contributions"

Generator = np.random.Generator
Curve = list[tuple[int, np.ndarray]]  # passes, and the scores they gave


class Text:
    """Answers for the predicted class of one text, each asked for once."""

    def __init__(self, classifier: FittedClassifier, words: Words) -> None:
        self.words = len(words)
        self.target = int(classifier.probabilities([words])[0].argmax())
        self._ask = lambda kept: classifier.probabilities_of_subsets(words, torch.from_numpy(kept))
        self._known: dict[bytes, float] = {}
        (self.start,) = starts(classifier, [words], "own")

    def __call__(self, kept: np.ndarray) -> np.ndarray:
        """Give the answers to sub-texts, (subset, word) bool to (subset,)."""
        keys = [row.tobytes() for row in np.packbits(kept, axis=1)]
        new = {key: number for number, key in enumerate(keys) if key not in self._known}
        if new:
            answers = self._ask(kept[list(new.values())])[:, self.target].double().tolist()
            self._known.update(zip(new, answers, strict=True))
        return np.array([self._known[key] for key in keys])


def ends(words: int) -> np.ndarray:
    return np.stack([np.zeros(words, dtype=bool), np.ones(words, dtype=bool)])


def gains(ask: Callable[[np.ndarray], np.ndarray], places: np.ndarray) -> np.ndarray:
    """Say what adding each word does in each permutation, (permutation, word) places to gains."""
    permutations, words = places.shape
    kept = (places[:, None] < np.arange(words + 1)[:, None]).reshape(-1, words)
    path = ask(kept).reshape(permutations, words + 1)
    return np.take_along_axis(np.diff(path, axis=1), places, axis=1)


def draw(words: int, permutations: int, generator: Generator, antithetic: bool) -> np.ndarray:
    places = generator.random((permutations, words)).argsort(axis=1)
    if antithetic:
        places[1::2] = words - 1 - places[: permutations // 2 * 2 : 2]
    return places


def permutations(antithetic: bool) -> Callable[[Text, Sequence[int], Generator], Curve]:
    """Make plain permutation sampling: a permutation of n words takes n - 1 passes, besides the first two."""

    def estimate(text: Text, grid: Sequence[int], generator: Generator) -> Curve:
        counts = [max(1, (passes - 2) // (text.words - 1)) for passes in grid]
        table = gains(text, draw(text.words, counts[-1], generator, antithetic))
        return [(2 + count * (text.words - 1), table[:count].mean(axis=0)) for count in counts]

    return estimate


def ours(text: Text, grid: Sequence[int], generator: Generator, started: bool = False) -> Curve:
    """Estimate as whyword.explainers.shapley does, stopped at given numbers of passes."""
    start = text.start if started else None
    known = None if start is None else start.scores[text.target]
    surrogate = None if start is None else start.surrogate(text.target)
    halves = ComplementaryPairs(text.words, generator, start=known).draw(grid[-1] // 2)
    answers, opposite = text(halves), text(~halves)
    paid = 0 if start is None else start.passes
    return [
        (2 * pairs + paid, shapley_of_pairs(halves[:pairs], answers[:pairs], opposite[:pairs], surrogate)[0])
        for pairs in (max(1, passes // 2) for passes in grid)
    ]


def converged_shapley(text: Text, generator: Generator) -> np.ndarray:
    """Give exact values, or an unbiased mean over very many permutations with little variance.

    Only what a surrogate misses is averaged; it is fitted to permutations of its own, and its values are known.
    """
    if text.words <= EXACT_WORDS:
        return shapley_of_table(text(all_subsets(text.words)), text.words)
    first = draw(text.words, REFERENCE // 10, generator, antithetic=True)
    kept = (first[:, None] < np.arange(text.words + 1)[:, None]).reshape(-1, text.words)
    surrogate = fit_surrogate(kept, text(kept))
    rest = draw(text.words, REFERENCE - len(first), generator, antithetic=True)
    return surrogate.shapley() + gains(lambda subsets: text(subsets) - surrogate(subsets), rest).mean(axis=0)


def draw_as_lime(words: int, samples: int, generator: Generator) -> np.ndarray:
    """Draw sub-texts as the lime package does: the whole text, then a uniform number of words removed."""
    kept = np.append(words, words - generator.integers(1, words + 1, samples - 1))
    return generator.random((samples, words)).argsort(axis=1).argsort(axis=1) < kept[:, None]


def fit_as_lime(subsets: np.ndarray, answers: np.ndarray, penalty: float = 1.0) -> np.ndarray:
    """Fit sub-texts drawn so by weighted ridge, as the lime package does."""
    distance = 100 * (1 - np.sqrt(subsets.mean(axis=1)))
    weights = np.sqrt(np.exp(-((distance / 25) ** 2)))
    centered = subsets - weights @ subsets / weights.sum()
    gram = (centered.T * weights) @ centered + penalty * np.eye(subsets.shape[1])
    return np.linalg.solve(gram, (centered.T * weights) @ (answers - weights @ answers / weights.sum()))


def plain_lime(text: Text, grid: Sequence[int], generator: Generator) -> Curve:
    subsets = draw_as_lime(text.words, grid[-1], generator)
    answers = text(subsets)
    return [(passes, fit_as_lime(subsets[:passes], answers[:passes])) for passes in grid]


def our_lime(text: Text, grid: Sequence[int], generator: Generator, started: bool = False) -> Curve:
    """Estimate as whyword.explainers.lime does with that many samples, anew for each number of them."""
    ridge = SubsetRidge(text.words, Lime().kernel_width)
    start = None if text.start is None or not started else text.start
    surrogate = None if start is None else start.surrogate(text.target)

    def scores(passes: int) -> np.ndarray:
        strata = SizeStrata(preferred_sizes(ridge), generator)
        strata.draw(passes)
        return estimate(ridge, strata, text(strata.subsets), surrogate)[0]

    paid = 0 if start is None else start.passes
    return [(passes + paid, scores(passes)) for passes in grid]


def converged_lime(text: Text, generator: Generator) -> np.ndarray:
    """Give lime's coefficients with very many samples: a surrogate is asked of most, and of some what it misses."""
    free, asked = (draw_as_lime(text.words, count, generator) for count in (LIME_FREE, LIME_REFERENCE))
    answers = text(asked)
    surrogate = fit_surrogate(asked, answers)
    missed = fit_as_lime(asked, answers - surrogate(asked), LIME_REFERENCE / LIME_SAMPLES)
    return fit_as_lime(free, surrogate(free), LIME_FREE / LIME_SAMPLES) + missed


@dataclass(frozen=True)
class Family:
    """Estimators of the same quantity, the plain one first, and its converged value."""

    converged: Callable[[Text, Generator], np.ndarray]
    estimators: dict[str, Callable[[Text, Sequence[int], Generator], Curve]]


FAMILIES = {
    "shapley": Family(
        converged_shapley,
        {
            "plain permutations": permutations(False),
            "antithetic permutations": permutations(True),
            "whyword": ours,
            FROM_CONTRIBUTIONS: partial(ours, started=True),
        },
    ),
    "lime": Family(
        converged_lime,
        {"plain sampling": plain_lime, "whyword": our_lime, FROM_CONTRIBUTIONS: partial(our_lime, started=True)},
    ),
}


def agreement(scores: np.ndarray, converged: np.ndarray) -> dict[str, float]:
    error = float(((scores - converged) ** 2).sum() / (converged**2).sum())
    tops = [np.isin(np.arange(len(scores)), np.argsort(-values, kind="stable")[:5]) for values in (scores, converged)]
    return {"tau": kendall_tau_b(scores, converged), "top5": overlap(*tops), "error": error}


@dataclass(frozen=True)
class FewerPasses(Evaluation):
    """All estimators on one test text of a length, the number-th of them."""

    name: ClassVar[str] = "fewer-passes"
    length: str
    number: int
    repeats: int = 3

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Measure how far each estimator is from the converged scores after each number of passes."""
        least, most = LENGTHS[self.length]
        document = [document for document in dataset.test if least <= len(document.words) <= most][self.number]
        text = Text(model.classifier, document.words)
        families = {name: self._curves(text, family, model.config.encoder) for name, family in FAMILIES.items()}
        return {
            "words": text.words,
            "surrogate_fit": surrogate_fit(text),
            "families": families,
            "automatic": stopped(model.classifier, document, families["shapley"]),
            **self._started(model.classifier, document, text, families["shapley"]),
        }

    def _started(self, classifier: FittedClassifier, document: Document, text: Text, shapley: Result) -> Result:
        """Say how near contributions are by themselves, and where Shapley values stop that start from them."""
        if text.start is None:
            return {}
        known = agreement(text.start.scores[text.target], np.array(shapley["converged"]))
        return {"contributions": known, "automatic_started": stopped(classifier, document, shapley, "own")}

    def _curves(self, text: Text, family: Family, encoder: str) -> Result:
        converged = family.converged(text, np.random.default_rng([self.number, 999]))
        curves = {}
        for label, estimator in family.estimators.items():
            if label == FROM_CONTRIBUTIONS and text.start is None:
                continue
            grid = [round(share * text.words) for share in points(encoder, family, label)]
            generators = (np.random.default_rng([self.number, repeat]) for repeat in range(self.repeats))
            curves[label] = [
                [{"passes": p, **agreement(scores, converged)} for p, scores in estimator(text, grid, generator)]
                for generator in generators
            ]
        return {"converged": converged.tolist(), "curves": curves}


def points(encoder: str, family: Family, label: str) -> tuple[float, ...]:
    """Give the passes for each word at which an estimator is measured."""
    further = FURTHER.get(encoder, USUALLY_FURTHER)
    if label == FROM_CONTRIBUTIONS:
        return STARTED + PASSES_PER_WORD
    return PASSES_PER_WORD + further if label == next(iter(family.estimators)) else PASSES_PER_WORD


def stopped(
    classifier: FittedClassifier, document: Document, shapley: Result, start: StartName | None = None
) -> Result:
    """Measure what comes out where Shapley values stop by themselves."""
    (automatic,) = Shapley(start=start).explain(classifier, [document])
    return {
        "passes": automatic.forward_passes,
        "converged": automatic.converged,
        "tied": int(automatic.tied.sum()) if automatic.tied is not None else None,
        **agreement(automatic.scores, np.array(shapley["converged"])),
    }


def surrogate_fit(text: Text) -> float:
    """Give the share of the variance of new answers that a surrogate fitted to others explains."""
    halves = ComplementaryPairs(text.words, np.random.default_rng(7)).draw(12 * text.words)
    train, test = (np.concatenate([part, ~part]) for part in np.array_split(halves[text.words + 1 :], 2))
    train = np.concatenate([train, ends(text.words)])
    answers = text(test)
    missed = answers - fit_surrogate(train, text(train))(test)
    return 1 - float((missed**2).mean() / answers.var())


def jobs(arguments: argparse.Namespace) -> list[EvaluationJob]:
    """Describe a run for each text of each length and encoder."""
    source = find_source("sst2", data_dir=arguments.data_dir)
    place = None if arguments.embeddings is None else str(Path(arguments.embeddings).resolve())
    fingerprint = None if place is None else file_fingerprint(place)
    found = []
    for encoder in arguments.encoders:
        vectors = encoder in ("bag", "affine", "cnn", "lstm")
        settings = {"method": {"name": "base"}, "encoder": {"name": encoder}}
        settings |= {"training": {"stopping": "best"} if vectors else {"stopping": "best", "epochs": 1}}
        settings = overlay(with_contributions(settings) if arguments.contributions else settings, arguments.assignments)
        variant = Variant(encoder, settings, vectors)
        trained = TrainedVariant(variant, source, 0, arguments.models, place, fingerprint)
        for length, (least, _) in LENGTHS.items():
            first, last = arguments.skip, arguments.skip + arguments.texts
            numbers = range(first, last) if least < 40 else range(first // 2, last // 2)
            found += [EvaluationJob(trained, FewerPasses(length, number, arguments.repeats)) for number in numbers]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--embeddings")
    parser.add_argument("--out", type=Path, default=Path("results/fewer_passes"))
    parser.add_argument("--models", type=Path, help="where the trained models are kept; by default beside --out")
    parser.add_argument("--encoders", type=lambda words: words.split(","), default=["lstm", "minilm"])
    parser.add_argument("--texts", type=int, default=20, help="short texts; half as many long ones")
    parser.add_argument(
        "--skip", type=int, default=0, help="short texts that are passed over first; half as many long ones"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--contributions", action="store_true", help="let the models carry them, and start from them")
    parser.add_argument("--set", dest="assignments", action="append", default=[], metavar="SECTION.NAME=VALUE")
    arguments = parser.parse_args()
    arguments.models = arguments.models or arguments.out.with_name(f"{arguments.out.name}_models")
    folder = arguments.out / RECORDS
    todo = jobs(arguments)
    finished = finished_records(todo, folder, print)
    for record in run_jobs([job for job in todo if job.name not in finished], folder):
        print(record.name, record.failed or json.dumps(record.result["automatic"]), flush=True)
    print(report(arguments.out, {name: list(family.estimators) for name, family in FAMILIES.items()}))


if __name__ == "__main__":
    main()
