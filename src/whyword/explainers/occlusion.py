"""Occlusion: how much the probability of the target falls when a word, or a group of words, is left out or replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..attribution.groups.cuts import Cuts, Run
from ..attribution.groups.pieces import Piece, open_largest, scores_of_words
from ..attribution.groups.watch import Watched
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation
from ..interfaces.settings import check_from
from ..maths.stats.ties import PROBABILITY

FEWEST_PASSES = 16  # of a text that is scored in groups


@dataclass(frozen=True)
class Occlusion(Explainer):
    """One forward pass per word, and one for the whole text.

    Of a long text, groups of words are left out first, then the words of the groups whose scores are largest
    (attribution/groups/README.md).
    """

    removal: Removal = "delete"  # what happens to the word left out
    groups: int | None = 1000  # words from which on a text is scored in groups first; None: never
    limit_in_groups: int = 500  # most forward passes of such a text
    cost = "1 + words"
    name: str = "occlusion"

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        check_from(self, 2, "groups")
        check_from(self, FEWEST_PASSES, "limit_in_groups")

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        long = {i for i, document in enumerate(documents) if self._in_groups(len(document.words))}
        short = [i for i in range(len(documents)) if i not in long]
        explained = dict(zip(short, self._each_word(classifier, documents, short, targets), strict=True))
        for i in sorted(long):
            explained[i] = self._by_groups(classifier, documents[i], None if targets is None else int(targets[i]))
        return [explained[i] for i in range(len(documents))]

    def _in_groups(self, words: int) -> bool:
        return self.groups is not None and words >= self.groups and words >= self.limit_in_groups

    def _each_word(
        self,
        classifier: Classifier,
        documents: Sequence[Document],
        chosen: Sequence[int],
        targets: Sequence[int] | None,
    ) -> list[Explanation]:
        """Leave out every word of the chosen documents."""
        as_taken = _as_taken(classifier)
        requests = (
            (d.words, as_taken(_whole_and_each_left_out(len(d.words)))) for d in map(documents.__getitem__, chosen)
        )
        explanations: list[Explanation] = []
        started = time.perf_counter()
        for i, answer in zip(chosen, classifier.probabilities_of_many(requests, self.removal), strict=True):
            table = np.asarray(answer, dtype=np.float64)  # (1 + word, class)
            falls = table[0] - table[1:]  # (word, class)
            target = int(table[0].argmax()) if targets is None else int(targets[i])
            now = time.perf_counter()
            explanations.append(
                Explanation(
                    document=documents[i],
                    scores=falls[:, target],
                    target=target,
                    classes=classifier.classes,
                    probabilities=table[0],
                    explainer=self.name,
                    all_scores=falls.T,
                    forward_passes=len(table),
                    seconds=now - started,
                    resolution=PROBABILITY,
                )
            )
            started = now
        return explanations

    def _by_groups(self, classifier: Classifier, document: Document, target: int | None) -> Explanation:
        """Leave out groups of words, then the words of those that matter, as many as the limit allows."""
        words, cuts = document.words, Cuts(document.words)
        watched = Watched(classifier, len(words), self.limit_in_groups, share=1.0)
        as_taken = _as_taken(classifier)

        def ask(kept: np.ndarray) -> np.ndarray:
            (answer,) = watched.probabilities_of_many([(words, as_taken(kept))], self.removal)
            return np.asarray(answer, dtype=np.float64)

        started = time.perf_counter()
        (whole,) = ask(np.ones((1, len(words)), dtype=bool))
        explained = int(whole.argmax()) if target is None else target

        def falls(runs: list[Run], parent: Piece | None) -> list[Piece]:
            kept = np.ones((len(runs), len(words)), dtype=bool)
            for row, (first, stop) in zip(kept, runs, strict=True):
                row[first:stop] = False
            return [Piece(run, whole - row, tuple(runs), parent) for run, row in zip(runs, ask(kept), strict=True)]

        groups = falls(cuts.first(self.limit_in_groups // 2), None)
        pieces = open_largest(
            groups,
            explained,
            lambda piece: watched.passes + len(cuts.open(piece.run)) <= self.limit_in_groups,
            lambda piece: falls(cuts.open(piece.run), piece),
        )
        known = scores_of_words(pieces)
        return Explanation(
            document=document,
            scores=known["all_scores"][explained],
            target=explained,
            classes=classifier.classes,
            probabilities=whole,
            explainer=self.name,
            **known,
            forward_passes=watched.passes,
            seconds=time.perf_counter() - started,
            resolution=PROBABILITY,
        )


def _whole_and_each_left_out(words: int) -> np.ndarray:
    return np.concatenate([np.ones((1, words), dtype=bool), ~np.eye(words, dtype=bool)])


def _as_taken(classifier: Classifier) -> Callable[[np.ndarray], Any]:
    """Make tensors of arrays, except for a classifier that computes without torch."""
    if getattr(classifier, "takes_arrays", False):
        return np.asarray
    import torch

    return torch.from_numpy
