"""The last phase of training: a reader learns from marked texts which words people mark, on frozen states.

States are computed once, and of marked texts only; no weight of the classifier moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from ..blocks.rationales import RationaleReader
from ..data.batching import Corpus
from ..data.padding import by_token_budget
from ..inference.fitted import BATCH_TOKENS
from ..interfaces.document import REASON, Batch
from ..interfaces.method import Method, Objective, Phase, Refinement
from .agreement import agreement_of
from .kept_states import CHUNK_TOKENS, KeptStates, most_tokens

RATIONALES = "rationales"  # the name of the phase
DEV_TEXTS = 300  # with a marked word, that choose the epoch
FEWEST_DEV_TEXTS = 5  # with a marked word: fewer choose nothing, and agreement is not measured


def rationale_phase(method: Method, train: Corpus, dev: Corpus, seed: int) -> Phase:
    """Plan the fitting of the reader that a method carries.

    Where hardly a text of dev is marked, the texts that are learned from choose the epoch: the last one as a rule.
    """
    reader = method.rationales
    assert isinstance(reader, RationaleReader)
    config = reader.config
    generator = np.random.default_rng(seed)
    texts = Marked(method, train, _draw(train, len(train), config.unmarked, most_tokens(method), generator))
    of_dev = _draw(dev, DEV_TEXTS, config.unmarked, most_tokens(method), generator)
    measured = len(marked_texts(dev)) >= FEWEST_DEV_TEXTS
    judge = Marked(method, dev, of_dev) if measured else texts
    steps = math.ceil(len(texts.texts) / config.batch_size)
    objective = Objective(
        lambda batch, _: {"marks": texts.loss(batch)},
        list(reader.parameters()),
        learning_rate=config.learning_rate,
        schedule="cosine",
        in_training=[reader],
    )

    def prepare() -> Iterator[tuple[int, int]]:
        parts = [texts, judge] if measured else [texts]
        total, done = sum(len(part.texts) for part in parts), 0
        for part in parts:
            for read in part.read():
                done += read
                yield done, total
        texts.scale_features()

    def health(_: float) -> dict[str, float]:
        return {**(judge.agreement() if measured else {}), "texts": float(texts.marked)}

    return Phase(
        RATIONALES,
        max(config.epochs, math.ceil(config.steps / max(1, steps))),
        [objective],
        run_all_epochs=True,
        refinement=Refinement(prepare, texts, judge.mean_loss, health, config.batch_size),
    )


def marked_texts(corpus: Corpus) -> np.ndarray:
    """Give the numbers of the texts in which a word is marked."""
    return _texts_with(corpus, lambda marks: bool((marks == REASON).any()))


class Marked(KeptStates):
    """Texts with what is known of their words, and the classifier's states once they were read."""

    def __init__(self, method: Method, corpus: Corpus, chosen: np.ndarray) -> None:
        super().__init__(method, [corpus.texts[i] for i in chosen], corpus.padding)
        self.corpus, self.chosen = corpus, chosen
        self.marked = len(np.intersect1d(chosen, marked_texts(corpus)))

    @property
    def head(self) -> RationaleReader:
        """The reader that is fitted."""
        assert isinstance(self.method.rationales, RationaleReader)
        return self.method.rationales

    def batch(self, chosen: np.ndarray) -> Batch:
        """Pad the chosen texts, with what is known of their words."""
        return self.with_rows(self.corpus.batch(self.chosen[chosen]), chosen)

    @torch.inference_mode()
    def read(self) -> Iterator[int]:
        """Compute the states, and give how many texts were read at a time."""
        for chosen in by_token_budget(self.lengths, CHUNK_TOKENS):
            self._read_states(chosen)
            yield len(chosen)

    def loss(self, batch: Batch) -> Tensor:
        """Measure the loss of a batch."""
        return self.head.loss(self._features(batch), batch)

    @torch.inference_mode()
    def mean_loss(self) -> float:
        """Measure the loss over all texts."""
        return self.mean_over_texts(self.loss)

    @torch.inference_mode()
    def agreement(self) -> dict[str, float]:
        """Measure how well the reader agrees with people."""
        chosen = by_token_budget(self.lengths, BATCH_TOKENS)
        batches = (self.batch(some).to(self.device) for some in chosen)
        self.method.eval()
        return agreement_of((batch, self.head.log_odds(self._features(batch), batch).sigmoid()) for batch in batches)


def _draw(corpus: Corpus, most: int, unmarked: float, fit: int, generator: np.random.Generator) -> np.ndarray:
    """Draw texts with a marked word, and so many more that were looked through and have none."""
    marked = generator.permutation(marked_texts(corpus))[:most]
    none = np.setdiff1d(_texts_with(corpus, lambda marks: bool((marks >= 0).any())), marked_texts(corpus))
    drawn = np.concatenate([marked, generator.permutation(none)[: round(unmarked * len(marked))]])
    drawn = generator.permutation(drawn)
    return np.sort(drawn[np.cumsum(corpus.lengths[drawn]) <= fit])


def _texts_with(corpus: Corpus, holds: Callable[[np.ndarray], bool]) -> np.ndarray:
    """Give the numbers of the texts of which something is known, and for which that holds."""
    marks = corpus.marks or ()
    return np.array([i for i, states in enumerate(marks) if states is not None and holds(states)], dtype=np.int64)
