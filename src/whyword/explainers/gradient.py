"""Gradient × input: how the probability of the target would change if a word's vector were scaled down."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from ..maths.masked import gather_words


@dataclass(frozen=True)
class Gradient(Explainer):
    """One forward and one backward pass per text (Simonyan et al. 2014; Ancona et al. 2018 on the product)."""

    needs_open = True

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
            embedded = method.encoder.embed(batch).detach().requires_grad_(True)
            probabilities = method.classify(embedded, batch).logits.softmax(-1)
            chosen = probabilities.argmax(-1)
            if targets is not None:
                chosen = torch.tensor([targets[i] for i in positions], device=chosen.device)
            (gradient,) = torch.autograd.grad(probabilities.gather(1, chosen.unsqueeze(1)).sum(), embedded)
            products = (gradient * embedded.detach()).sum(-1).double()
            most_words = max(len(documents[i].words) for i in positions)
            scores = gather_words(products, batch.word_of_token, most_words, average=False).cpu().numpy()
            table = probabilities.detach().double().cpu().numpy()
            seconds = (time.perf_counter() - started) / len(positions)
            for row, i in enumerate(positions):
                explanations[i] = Explanation(
                    document=documents[i],
                    scores=scores[row, : len(documents[i].words)],
                    target=int(chosen[row]),
                    classes=classifier.classes,
                    probabilities=table[row],
                    explainer=self.name,
                    forward_passes=1,
                    seconds=seconds,
                )
        return [explanations[i] for i in range(len(documents))]
