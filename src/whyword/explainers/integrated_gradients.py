"""Integrated gradients: the gradient followed from a text whose word vectors are zero to the text itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..attribution.gradients import TokenScores, explain_by_tokens, of_targets
from ..interfaces.classifier import Classifier
from ..interfaces.document import Batch, Document
from ..interfaces.explanation import Explainer, Explanation
from ..interfaces.method import Method
from ..interfaces.settings import check_above_zero

PASS_TOKENS = 8_192  # tokens of all points of the path that go through the model together


@dataclass(frozen=True)
class IntegratedGradients(Explainer):
    """Sundararajan et al., ICML 2017; the scores add up to f(text) − f(words at zero), up to the error reported."""

    needs_open = True
    steps: int = 50  # points of the Gauss-Legendre rule along the path; Captum's default
    cost = "52 (steps=50), and as many backward"
    name: str = "integrated-gradients"

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        check_above_zero(self, "steps")

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        return explain_by_tokens(self._score, self.name, classifier, documents, targets)

    def _score(self, method: Method, batch: Batch, targets: Tensor | None) -> TokenScores:
        embedded = method.encoder.embed(batch).detach()
        zeros = embedded * ~batch.is_word.unsqueeze(-1)  # special tokens keep their vectors
        with torch.inference_mode():
            answers = (method.answer(method.classify(v, batch), batch).logits for v in (embedded, zeros))
            whole, base = (method.probabilities(logits).double() for logits in answers)
        targets = whole.argmax(-1) if targets is None else targets
        slopes = self._mean_slope(method, embedded, zeros, batch, targets)
        scores = (slopes * (embedded - zeros)).sum(-1).double()
        base_values = of_targets(base, targets)
        rise = of_targets(whole, targets) - base_values
        return TokenScores(
            scores,
            targets,
            whole,
            forward_passes=self.steps + 2,
            base_values=base_values,
            convergence_errors=(scores.sum(-1) - rise).abs(),
        )

    def _mean_slope(self, method: Method, embedded: Tensor, zeros: Tensor, batch: Batch, targets: Tensor) -> Tensor:
        """Average the gradient of the target's probability over the path: (batch, time, dim)."""
        points, weights = np.polynomial.legendre.leggauss(self.steps)
        total = torch.zeros_like(embedded)
        together = max(1, PASS_TOKENS // max(1, batch.tokens.numel()))
        for start in range(0, self.steps, together):
            shares = torch.as_tensor((points[start : start + together] + 1) / 2, dtype=embedded.dtype)
            parts = torch.as_tensor(weights[start : start + together] / 2, dtype=embedded.dtype)
            shares, parts = (values.to(embedded.device).view(-1, 1, 1, 1) for values in (shares, parts))
            path = (zeros + shares * (embedded - zeros)).flatten(0, 1).requires_grad_(True)
            repeated = _repeat(batch, len(shares))
            probabilities = method.probabilities(method.answer(method.classify(path, repeated), repeated).logits)
            reached = of_targets(probabilities, targets.repeat(len(shares))).sum()
            (gradient,) = torch.autograd.grad(reached, path)
            total += (gradient.view(len(shares), *embedded.shape) * parts).sum(0)
        return total


def _repeat(batch: Batch, times: int) -> Batch:
    rows = (batch.tokens, batch.mask, batch.word_of_token, batch.segments)
    return Batch(*(values.repeat(times, 1) for values in rows))
