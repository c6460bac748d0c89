"""Gradient × input: how the probability of the target would change if a word's vector were scaled down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..attribution.gradients import TokenScores, explain_by_tokens, of_targets
from ..interfaces.classifier import Classifier
from ..interfaces.document import Batch, Document
from ..interfaces.explanation import Explainer, Explanation
from ..interfaces.method import Method


@dataclass(frozen=True)
class Gradient(Explainer):
    """One forward and one backward pass per text (Simonyan et al. 2014; Ancona et al. 2018 on the product)."""

    needs_open = True
    cost = "1, and one backward"
    name: str = "gradient"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        return explain_by_tokens(_gradient_times_input, self.name, classifier, documents, targets)


def _gradient_times_input(method: Method, batch: Batch, targets: Tensor | None) -> TokenScores:
    embedded = method.encoder.embed(batch).detach().requires_grad_(True)
    probabilities = method.probabilities(method.answer(method.classify(embedded, batch), batch).logits)
    targets = probabilities.argmax(-1) if targets is None else targets
    (gradient,) = torch.autograd.grad(of_targets(probabilities, targets).sum(), embedded)
    return TokenScores((gradient * embedded.detach()).sum(-1), targets, probabilities, forward_passes=1)
