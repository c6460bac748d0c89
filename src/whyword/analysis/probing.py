"""Do the states still know their words? Mutual information, as Voita et al. (EMNLP 2019) estimate it, and a probe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from sklearn.cluster import MiniBatchKMeans

from ..explaining.any_model import open_classifier
from ..interfaces.classifier import OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import DataError
from ..maths.stats.correlation import entropy, joint_counts, mutual_information
from ..maths.stats.intervals import share_interval
from ..maths.stats.separation import linear_discriminant

WORDS = 1_000  # the most frequent ones, as Voita et al.
CLUSTERS = 1_000  # at most
TOKENS = 10  # per cluster at least: with fewer, any states seem to tell much


@dataclass(frozen=True)
class WordInformation:
    """What states tell about the words they stand for, in nats."""

    information: float  # I(word; cluster of its state)
    bound: float  # H(word): no state can tell more
    chance: float  # I with the words shuffled: what the estimate finds where there is nothing
    of_vectors: float  # I(word; cluster of its vector), which the same estimate reaches without a network
    probe_accuracy: float  # words a linear classifier reads out of states of texts it has not seen
    probe_low: float
    probe_high: float
    probe_chance: float  # accuracy of always naming the most frequent word
    words: int  # distinct ones
    tokens: int
    clusters: int

    @property
    def share(self) -> float:
        """Information above chance as a share of what there is above chance, the bound."""
        return (self.information - self.chance) / max(self.bound - self.chance, np.finfo(float).tiny)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {**asdict(self), "share": self.share}

    def __str__(self) -> str:
        """Say how much is known, and of how much."""
        return (
            f"States tell {self.information:.2f} of {self.bound:.2f} nats about their words (chance "
            f"{self.chance:.2f}, word vectors {self.of_vectors:.2f}); a linear probe names {self.probe_accuracy:.1%} "
            f"of them (chance {self.probe_chance:.1%})."
        )


def word_information(
    model: Any,
    documents: Sequence[Document],
    words: int = WORDS,
    clusters: int | None = None,
    seed: int = 0,
) -> WordInformation:
    """Estimate it on the tokens of the most frequent words; the probe is trained on half of the texts.

    It is tested on the other half. With few tokens per cluster the estimate is too high, for any states alike; chance
    says by how much. Models are comparable on the same texts with the same number of clusters; by default 1000, or a
    tenth of the tokens.
    """
    tokens, text, states, vectors = _states(open_classifier(model), documents)
    number, counts = np.unique(tokens, return_inverse=True, return_counts=True)[1:]
    frequent = np.argsort(-counts, kind="stable")[:words]
    chosen = np.isin(number, frequent)
    if chosen.sum() < 2 or len(frequent) < 2:
        raise DataError("The texts hold fewer than two different words: give more texts.")
    number, text, states, vectors = (values[chosen] for values in (number, text, states, vectors))
    number = np.unique(number, return_inverse=True)[1]
    clusters = clusters or max(2, min(CLUSTERS, len(number) // TOKENS))
    of_states, of_vectors = (_cluster(points, clusters, seed) for points in (states, vectors))
    shuffled = np.random.default_rng(seed).permutation(number)
    right, tested, chance = _probe(states, number, text, seed)
    low, high = share_interval(right, tested) if tested else (0.0, 1.0)
    return WordInformation(
        information=mutual_information(joint_counts(number, of_states)),
        bound=entropy(np.bincount(number)),
        chance=mutual_information(joint_counts(shuffled, of_states)),
        of_vectors=mutual_information(joint_counts(number, of_vectors)),
        probe_accuracy=right / max(1, tested),
        probe_low=low,
        probe_high=high,
        probe_chance=chance,
        words=len(frequent),
        tokens=len(number),
        clusters=clusters,
    )


@torch.inference_mode()
def _states(classifier: OpenClassifier, documents: Sequence[Document]) -> tuple[np.ndarray, ...]:
    """Gather the tokens of words: their ids, texts, top states and vectors.

    Where a method attends to states beside word vectors, the states alone are measured: the vectors know their words.
    """
    method = classifier.method.eval()
    parts: list[tuple[np.ndarray, ...]] = []
    for positions, batch in classifier.batches([document.words for document in documents]):
        embedded = method.encoder.embed(batch)
        states = method.encoder.encode(embedded, batch)[-1]
        inside = batch.is_word
        text = torch.from_numpy(positions).to(inside.device).unsqueeze(1).expand_as(inside)
        parts.append(tuple(values[inside].cpu().numpy() for values in (batch.tokens, text, states, embedded)))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _cluster(points: np.ndarray, clusters: int, seed: int) -> np.ndarray:
    fewer = min(clusters, len(np.unique(points, axis=0)))
    means = MiniBatchKMeans(fewer, random_state=seed, n_init=1, batch_size=2_048, max_iter=20)
    numbers: np.ndarray = means.fit_predict(points).astype(np.int64)
    return numbers


def _probe(states: np.ndarray, words: np.ndarray, text: np.ndarray, seed: int) -> tuple[int, int, float]:
    """Count right and all predictions on texts not trained on, and the share of the commonest word trained on."""
    train = np.random.default_rng(seed).permutation(text.max() + 1)[text] % 2 == 0
    if train.all() or not train.any():
        return 0, 0, 0.0
    predicted = linear_discriminant(states[train].astype(np.float64), words[train], states[~train].astype(np.float64))
    commonest = np.bincount(words[train]).argmax()
    return int((predicted == words[~train]).sum()), len(predicted), float((words[~train] == commonest).mean())
