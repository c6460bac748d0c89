"""LIME's weighted ridge regression over every sub-text of a text at once, in closed form."""

from __future__ import annotations

import numpy as np

LIME_SAMPLES = 5000  # lime's default: its first sample is the intact text, and all share its ridge penalty of 1


class SubsetRidge:
    """The regression that lime's tends to on average: its sampling, kernel and penalty, but no sampling noise.

    One of its samples keeps all words; the others remove a uniform number of them, from 1 to all. A sub-text that keeps
    a share s of the words has the distance d = 100 (1 - √s) and the weight √exp(-d²/width²). The words are alike in
    all this, so the Gram matrix has one value on its diagonal and one off it, and its inverse is known.
    """

    def __init__(self, words: int, width: float, samples: int = LIME_SAMPLES) -> None:
        sizes = np.arange(words + 1)
        share = sizes / words
        chance = np.where(sizes < words, (1 - 1 / samples) / words, 1 / samples)
        self.words = words
        self.mass = chance * np.exp(-((100 * (1 - np.sqrt(share)) / width) ** 2) / 2)  # (words kept + 1,)
        total = self.mass.sum()
        self._mean = float(self.mass @ share / total)
        pair = float(self.mass @ (share * (sizes - 1)) / max(1, words - 1) / total)
        self._variance = float(total) * (self._mean - self._mean**2)  # of a word's being kept
        self._covariance = float(total) * (pair - self._mean**2) if words > 1 else 0.0  # of two words' being kept
        self._scale = 1 / (self._variance + 1 / samples - self._covariance)
        self._shrinkage = self._covariance / (self._variance + 1 / samples + (words - 1) * self._covariance)

    def coefficients(self, subsets: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Give (word,) coefficients, from sub-texts (subset, word) and their answers times their share of the mass."""
        answer: np.ndarray = self._scale * (answers @ subsets - answers @ self._center(self._count(subsets)))
        return answer

    def squares(self, subsets: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Add up the squares of what each sub-text contributes to the coefficients: (word,)."""
        squared, center = answers**2, self._center(self._count(subsets)).astype(answers.dtype)
        answer: np.ndarray = self._scale**2 * ((squared * (1 - 2 * center)) @ subsets + squared @ center**2)
        return answer

    def of_sum(self, weights: np.ndarray) -> np.ndarray:
        """Give the coefficients of the function that adds up the weights, (word,), of the words kept."""
        moments = (self._variance - self._covariance) * weights + self._covariance * weights.sum()
        answer: np.ndarray = self._scale * (moments - self._shrinkage * moments.sum())
        return answer

    def of_size(self, values: np.ndarray) -> float:
        """Give the coefficient that every word has in a function of the number of words kept, (words kept + 1,)."""
        sizes = np.arange(self.words + 1)
        return float(self._scale * (self.mass * values) @ (sizes / self.words - self._center(sizes)))

    def _count(self, subsets: np.ndarray) -> np.ndarray:
        """Count the words of each sub-text; a product is several times faster than a sum over short rows."""
        return (subsets @ np.ones(self.words, dtype=np.float32)).astype(np.float64)

    def _center(self, sizes: np.ndarray) -> np.ndarray:
        """Give what is subtracted from the row of a sub-text that keeps this number of words."""
        center: np.ndarray = self._mean + self._shrinkage * (sizes - self.words * self._mean)
        return center
