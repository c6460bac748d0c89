"""What the constants of LIME's and Shapley's estimators do: each is changed alone, and the error compared.

python benchmarks/estimator_constants.py --data-dir DATA --embeddings GLOVE --out results/estimator_constants

On dev sentences of sst2 that are short enough for the exact values, with an LSTM: squared error relative to that with
the constants as they are (geometric mean over sentences), and the share of words whose 95 % interval holds the exact
value, with 3, 6 and 12 forward passes for each word.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from scipy.special import comb

from fewer_passes import model
from whyword.attribution.lime import estimate as lime
from whyword.attribution.lime.ridge import SubsetRidge
from whyword.attribution.lime.strata import SizeStrata
from whyword.attribution.shapley import gaussian_process as shapley
from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.attribution.shapley.pairs import ComplementaryPairs
from whyword.data.dataset import load_dataset

LENGTHS = (12, 14)  # words of a sentence, from and to
PASSES_PER_WORD = (3, 6, 12)
CHANGES: dict[str, tuple[ModuleType, dict[str, tuple[float, ...]]]] = {
    "Shapley values": (
        shapley,
        {
            "ADDITIVE_VARIANCE": (3.0, 300.0),
            "INTERACTION_VARIANCE": (0.03, 3.0),
            "LOG_ODDS_NOISE": (0.001, 0.1),
            "LOG_ODDS_DIAMETER": (1.0, 10.0),
            "LOG_ODDS_LEAST_INFLUENCE": (0.05, 5.0),
            "PROBABILITY_FLOOR": (1e-6, 1e-2),
            "MOST_PAIRS_LEARNED": (30,),
            "MOST_PREDICTED": (256, 32_768),
            "RESIDUAL_NOISE": (3e-4, 3e-2),
            "RESIDUAL_DIAMETER": (0.03, 3.0),
            "RESIDUAL_LEAST_INFLUENCE": (0.01, 1.0),
        },
    ),
    "LIME": (
        lime,
        {
            "SURROGATE_RIDGE": (0.003, 0.3),
            "NEIGHBOR_SCALE": (0.05, 1.0),
            "MOST_WORDS_PAIRED": (0,),
            "ANSWERS_PER_WORD": (1, 10),
            "LARGEST_LEVERAGE": (0.0, 0.99),
            "MOST_WORDS_FITTED": (0,),
            "PROBABILITY_FLOOR": (1e-3,),
        },
    ),
}

Errors = tuple[np.ndarray, float]  # (sentence,) squared errors as a share of the squared scores; share of words covered


def shapley_errors(table: np.ndarray, passes: int, generator: np.random.Generator) -> tuple[float, float]:
    """Give the squared error and the share of words covered on one sentence, by its answers to all sub-texts."""
    words, code = _words(table)
    halves = ComplementaryPairs(words, generator).draw(passes * words // 2)
    scores, error = shapley.shapley_of_pairs(halves, table[halves @ code], table[~halves @ code])
    return _compare(scores, error, shapley_of_table(table, words))


def lime_errors(table: np.ndarray, passes: int, generator: np.random.Generator) -> tuple[float, float]:
    """Give the same for LIME's coefficients."""
    words, code = _words(table)
    ridge, every = SubsetRidge(words, 25.0), all_subsets(words)
    sizes = every.sum(1)
    exact = ridge.coefficients(every, ridge.mass[sizes] / comb(words, sizes) * table)
    strata = SizeStrata(lime.preferred_sizes(ridge), generator)
    strata.draw(passes * words)
    return _compare(*lime.estimate(ridge, strata, table[strata.subsets @ code]), exact)


def _words(table: np.ndarray) -> tuple[int, np.ndarray]:
    words = len(table).bit_length() - 1
    return words, 1 << np.arange(words)


def _compare(scores: np.ndarray, error: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    squared = float(((scores - exact) ** 2).sum() / (exact**2).sum())
    return squared, float((np.abs(scores - exact) < 1.96 * error).mean())


def errors(
    estimate: Callable[[np.ndarray, int, np.random.Generator], tuple[float, float]],
    tables: list[np.ndarray],
    repeats: int,
) -> list[Errors]:
    """Measure an estimator at each number of passes."""
    measured = []
    for passes in PASSES_PER_WORD:
        values = np.array(
            [
                [estimate(table, passes, np.random.default_rng([repeat, row])) for row, table in enumerate(tables)]
                for repeat in range(repeats)
            ]
        )  # (repeat, sentence, 2)
        measured.append((values[..., 0].mean(0), float(values[..., 1].mean())))
    return measured


@contextmanager
def changed(module: ModuleType, name: str, value: float) -> Iterator[None]:
    """Change a constant for a while."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--embeddings", required=True)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--out", type=Path, default=Path("results/estimator_constants"))
    parser.add_argument("--texts", type=int, default=24)
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    dataset = load_dataset("sst2", data_dir=arguments.data_dir)
    classifier = model("lstm", arguments, dataset)
    tables = []
    for document in [text for text in dataset.dev if LENGTHS[0] <= len(text.words) <= LENGTHS[1]][: arguments.texts]:
        subsets = torch.from_numpy(all_subsets(len(document.words)))
        answers = classifier.probabilities_of_subsets(document.words, subsets).double().numpy()
        tables.append(answers[:, answers[-1].argmax()].round(6))
    heads = " | ".join(f"{passes} passes a word" for passes in PASSES_PER_WORD)
    lines = [f"| constant | {heads} |", f"|---|{'---|' * len(PASSES_PER_WORD)}"]
    for kind, estimate in (("Shapley values", shapley_errors), ("LIME", lime_errors)):
        plain = errors(estimate, tables, arguments.repeats)
        cells = [f"{np.median(error):.4f}, {covered:.2f}" for error, covered in plain]
        lines.append(
            f"| **{kind}**: median squared error as a share of the squared scores, covered | {' | '.join(cells)} |"
        )
        module, changes = CHANGES[kind]
        for name, values in changes.items():
            for value in values:
                with changed(module, name, value):
                    measured = errors(estimate, tables, arguments.repeats)
                ratios = [np.exp(np.log(new / old).mean()) for (new, _), (old, _) in zip(measured, plain, strict=True)]
                cells = [f"{ratio:.2f}, {covered:.2f}" for ratio, (_, covered) in zip(ratios, measured, strict=True)]
                lines.append(f"| `{name}` {getattr(module, name):g} → {value:g} | {' | '.join(cells)} |")
                print(lines[-1], flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    title = (
        f"{len(tables)} dev sentences of sst2, {LENGTHS[0]} to {LENGTHS[1]} words, LSTM, {arguments.repeats} repeats"
    )
    (arguments.out / "table.md").write_text(f"{title}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
