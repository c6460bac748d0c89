"""Records of runs as compare writes them, with results that the test chooses."""

from typing import Any

import numpy as np

from whyword.grids.runner import RunRecord

MEANING = "mean fall of the probability of the explained class when the top shares of the words are removed"


def run_record(
    right: Any, better: Any, dataset: str = "reviews", encoder: str = "lstm", method: str = "base", seed: int = 0
) -> RunRecord:
    right, better = np.asarray(right, dtype=bool), np.asarray(better, dtype=float)
    score = {"random": 0.0, "higher_is_better": True, "meaning": MEANING}
    return RunRecord(
        name=f"{dataset}-{encoder}-{method}-{seed}",
        dataset=dataset,
        rows=None,
        variant=f"{encoder}-{method}",
        encoder=encoder,
        method=method,
        seed=seed,
        evaluation="quality",
        train_texts=100,
        result={
            "split": "test",
            "texts": len(right),
            "accuracy": float(right.mean()),
            "right": np.packbits(right).tobytes().hex(),
            "explainer": "own",
            "explained_texts": len(better),
            "scores": {
                "comprehensiveness": {**score, "value": float(better.mean()), "advantages": better.tolist()},
                "sufficiency": {**score, "higher_is_better": False, "value": None, "advantages": [None] * len(better)},
            },
            "epochs": 3,
            "weights": 1000,
            "train_seconds": 1.5,
        },
        steps=150,
        wall_seconds=2.0,
        versions={"whyword": "0.1.0", "torch": "2.13.0"},
    )
