"""Integrated gradients: the gradient followed from a text whose word vectors are zero to the text itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Batch, Document
from ..interfaces.errors import OptionError
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from ..interfaces.method import Method
from ..maths.masked import gather_words

PASS_TOKENS = 8_192  # tokens of all points of the path that go through the model together


@dataclass(frozen=True)
class IntegratedGradients(Explainer):
    """Sundararajan et al., ICML 2017; the scores add up to f(text) − f(words at zero), up to the error reported."""

    needs_open = True
    steps: int = 50  # points of the Gauss-Legendre rule along the path; Captum's default

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not isinstance(classifier, OpenClassifier):
            raise OptionError("A black box has no gradients: choose lime, shapley or occlusion.")
        method = classifier.method.eval()
        explanations: dict[int, Explanation] = {}
        for positions, batch in classifier.batches([document.words for document in documents]):
            started = time.perf_counter()
            embedded = method.encoder.embed(batch).detach()
            zeros = embedded * ~batch.is_word.unsqueeze(-1)  # special tokens keep their vectors
            with torch.inference_mode():
                table, base = (method.classify(v, batch).logits.softmax(-1).double() for v in (embedded, zeros))
            chosen = table.argmax(-1)
            if targets is not None:
                chosen = torch.tensor([targets[i] for i in positions], device=table.device)
            slopes = self._mean_slope(method, embedded, zeros, batch, chosen)
            products = (slopes * (embedded - zeros)).sum(-1).double()
            rise = (table - base).gather(1, chosen.unsqueeze(1)).squeeze(1)
            errors = (products.sum(-1) - rise).abs().tolist()
            most_words = max(len(documents[i].words) for i in positions)
            scores = gather_words(products, batch.word_of_token, most_words, average=False).cpu().numpy()
            seconds = (time.perf_counter() - started) / len(positions)
            for row, i in enumerate(positions):
                explanations[i] = Explanation(
                    document=documents[i],
                    scores=scores[row, : len(documents[i].words)],
                    target=int(chosen[row]),
                    classes=classifier.classes,
                    probabilities=table[row].cpu().numpy(),
                    explainer=self.name,
                    base_value=float(base[row, chosen[row]]),
                    convergence_error=errors[row],
                    forward_passes=self.steps + 2,
                    seconds=seconds,
                )
        return [explanations[i] for i in range(len(documents))]

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
            probabilities = method.classify(path, repeated).logits.softmax(-1)
            reached = probabilities.gather(1, targets.repeat(len(shares)).unsqueeze(1)).sum()
            (gradient,) = torch.autograd.grad(reached, path)
            total += (gradient.view(len(shares), *embedded.shape) * parts).sum(0)
        return total


def _repeat(batch: Batch, times: int) -> Batch:
    rows = (batch.tokens, batch.mask, batch.word_of_token, batch.segments)
    return Batch(*(values.repeat(times, 1) for values in rows))
