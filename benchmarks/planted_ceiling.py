"""How well Shapley values find the planted words of a classifier that makes no mistake: what no explanation exceeds.

python benchmarks/planted_ceiling.py --out results/contributions

The classifier counts cue words, and turns those behind a negator around, which is how `planted` is written. In "not
good" it takes both words to speak; averaged over all orders, "good" is worth nothing, though people would mark it.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

from whyword.catalog import make_explainer
from whyword.data.dataset import load_dataset
from whyword.data.planted_words import NEGATIVE, NEGATORS, POSITIVE
from whyword.explaining.measure import measure_explanations
from whyword.inference.black_box import BlackBox

EXPLAINERS = ("shapley", "occlusion")
SLOPE = 2.0  # log-odds of one cue word


def margin(text: str) -> int:
    """Count the cues of a text that speak for positive, less those that speak for negative."""
    words = re.findall(r"[a-z'-]+", text.lower())
    signs = [(word in POSITIVE) - (word in NEGATIVE) for word in words]
    return sum(-sign if before in NEGATORS else sign for before, sign in zip(["", *words], signs, strict=False))


def predict_proba(texts: list[str]) -> np.ndarray:
    """Give the probabilities of negative and positive."""
    positive = 1 / (1 + np.exp(-SLOPE * np.array([margin(text) for text in texts])))
    return np.stack([1 - positive, positive], axis=1)


def main() -> None:
    """Write a table of average precision, for each difficulty and explainer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    model = BlackBox(predict_proba, ("negative", "positive"))
    lines = [f"| data | accuracy | {' | '.join(EXPLAINERS)} |", "|---|---|" + "---|" * len(EXPLAINERS)]
    for name in ("planted:easy", "planted:medium", "planted:hard"):
        documents = load_dataset(name).test
        found = model.probabilities([document.words for document in documents]).argmax(1).tolist()
        right = np.mean([model.classes[i] == d.label for i, d in zip(found, documents, strict=True)])
        explained = {kind: make_explainer(kind, model).explain(model, documents) for kind in EXPLAINERS}
        scores = measure_explanations(model, explained, ["rationale-auprc"])
        values = " | ".join(f"{scores['rationale-auprc', kind].value:.3f}" for kind in EXPLAINERS)
        lines.append(f"| {name} | {right:.3f} | {values} |")
    (out / "ceiling.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
