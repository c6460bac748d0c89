"""Proof for one text: a few sub-texts are asked about, and say how far the sums of the scores are off."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.special import comb

from ..attribution.shapley.exact import all_subsets
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..maths.tensors.subsets import complementary_subsets

PAIRS = 4
ADDS_UP = 1e-3  # probability: scores whose sum is further off were not meant to add up
MOST_WORDS_LISTED = 8  # up to which all pairs are listed, so that none is drawn twice


def check(
    classifier: Classifier,
    explanations: Sequence[Explanation],
    pairs: int = PAIRS,
    seed: int = 0,
    removal: Removal = "delete",
) -> list[Explanation]:
    """Set the error of each explanation: by how much sums of its scores miss the model's answers, root mean square.

    A pair is a sub-text S and the rest of the text, R. The model moves by (p(S) - p(R)) / 2 between their mean and S,
    the scores by half the difference of their sums. What two words do together is in p(S) + p(R) alone, so Shapley
    values have no error where words act together at most two by two. Texts that were explained in windows are not
    checked: their scores are not meant to add up.
    """
    asked = ask_pairs(classifier, explanations, pairs, seed, removal)
    return [with_error(explanation, answered) for explanation, answered in zip(explanations, asked, strict=True)]


def with_error(explanation: Explanation, pairs: Pairs) -> Explanation:
    """Add the error, and the forward passes it took."""
    passes = explanation.forward_passes + len(pairs.answers)
    return replace(explanation, error=pairs.error(explanation), forward_passes=passes)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of sub-texts of a text, and the model's answers to them."""

    halves: np.ndarray  # (pair, word) bool
    answers: np.ndarray  # (2 pair, class) to halves, and then to ~halves

    def error(self, explanation: Explanation) -> float | None:
        """Give the error of an explanation of this text; None for one in windows."""
        if explanation.windows > 1:
            return None
        first, second = np.split(self.answers[:, explanation.target], 2)
        summed = self.halves @ explanation.scores
        missed = (first - second) / 2 - (summed - explanation.scores.sum() / 2)
        return float(np.sqrt((missed**2).mean())) if len(missed) else 0.0


def ask_pairs(
    classifier: Classifier, explanations: Sequence[Explanation], pairs: int, seed: int, removal: Removal
) -> list[Pairs]:
    """Ask about pairs of sub-texts of each text, all texts together; refuse scores that do not add up."""
    refuse_unless_additive(explanations)
    halves = [draw_pairs(explanation, pairs, seed) for explanation in explanations]
    requests = (
        (explanation.document.words, torch.from_numpy(np.concatenate([kept, ~kept])))
        for explanation, kept in zip(explanations, halves, strict=True)
    )
    answers = classifier.probabilities_of_many(requests, removal)
    return [Pairs(kept, answer.double().numpy()) for kept, answer in zip(halves, answers, strict=True)]


def refuse_unless_additive(explanations: Sequence[Explanation]) -> None:
    """Refuse scores that do not add up from the empty to the whole text: there is nothing to check."""
    for explanation in explanations:
        if explanation.windows == 1 and not adds_up(explanation):
            raise OptionError(
                f"The scores of '{explanation.explainer}' do not add up to the model's answer, so their sums cannot be "
                "checked: choose shapley, or own with a model that has contributions."
            )


def adds_up(explanation: Explanation) -> bool:
    """Tell whether the scores lead from the probability of the empty text to that of the whole."""
    if not explanation.signed or explanation.base_value is None:
        return False
    reached = explanation.base_value + explanation.scores.sum()
    return bool(explanation.against is None and abs(reached - explanation.probability) < ADDS_UP)


def draw_pairs(explanation: Explanation, pairs: int, seed: int) -> np.ndarray:
    """Draw one half of each pair, (pair, word) bool; sizes s of n words as Shapley's kernel weighs them, 1/(s(n - s)).

    They depend on the seed and the text alone. Texts of less than two words have no pairs, nor have those explained in
    windows; a short text may have fewer than are wanted.
    """
    words = len(explanation.document.words)
    if words < 2 or explanation.windows > 1:
        return np.zeros((0, words), dtype=bool)
    key = zlib.crc32("\0".join(explanation.document.words.texts).encode("utf-8", "surrogatepass"))
    generator = np.random.default_rng([seed, key])
    if words <= MOST_WORDS_LISTED:
        halves = all_subsets(words)[1 : 2 ** (words - 1)]
        sizes = halves.sum(axis=1)
        chance = 1 / (sizes * (words - sizes) * comb(words, sizes))
        chosen = generator.choice(len(halves), min(pairs, len(halves)), replace=False, p=chance / chance.sum())
        return halves[chosen]
    return complementary_subsets(words, pairs, generator)[::2]
