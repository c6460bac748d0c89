"""From token scores of batches to word scores of texts: what explainers by gradients share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Batch, Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.method import Method
from ..maths.tensors.masked import gather_words, share_out


@dataclass(frozen=True)
class TokenScores:
    """An explainer's scores of a batch."""

    scores: Tensor  # (batch, time): those of a word's pieces are summed
    targets: Tensor  # (batch,)
    probabilities: Tensor  # (batch, class)
    forward_passes: int
    base_values: Tensor | None = None  # (batch,)
    convergence_errors: Tensor | None = None  # (batch,)


ScoreTokens = Callable[[Method, Batch, Tensor | None], TokenScores]  # the last: (batch,) targets, None: as predicted


def explain_by_tokens(
    score: ScoreTokens, name: str, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None
) -> list[Explanation]:
    """Score the tokens of each batch and sum them up to words; name is the explainer's."""
    if not isinstance(classifier, OpenClassifier):
        raise OptionError("A black box has no gradients: choose lime, shapley or occlusion.")
    method = classifier.method.eval()
    explanations: dict[int, Explanation] = {}
    for positions, batch in classifier.batches([document.words for document in documents]):
        started = time.perf_counter()
        chosen = None if targets is None else torch.tensor([targets[i] for i in positions], device=batch.tokens.device)
        result = score(method, batch, chosen)
        most_words = max(len(documents[i].words) for i in positions)
        gathered = gather_words(result.scores.double(), batch.word_of_token, most_words, average=False)
        scores = share_out(gathered, batch.owner).cpu().numpy()
        table = result.probabilities.detach().double().cpu().numpy()
        seconds = (time.perf_counter() - started) / len(positions)
        for row, i in enumerate(positions):
            explanations[i] = Explanation(
                document=documents[i],
                scores=scores[row, : len(documents[i].words)],
                target=int(result.targets[row]),
                classes=classifier.classes,
                probabilities=table[row],
                explainer=name,
                base_value=None if result.base_values is None else float(result.base_values[row]),
                convergence_error=None if result.convergence_errors is None else float(result.convergence_errors[row]),
                forward_passes=result.forward_passes,
                seconds=seconds,
            )
    return [explanations[i] for i in range(len(documents))]


def of_targets(probabilities: Tensor, targets: Tensor) -> Tensor:
    """Pick each text's probability of its target: (batch, class) to (batch,)."""
    return probabilities.gather(1, targets.unsqueeze(1)).squeeze(1)
