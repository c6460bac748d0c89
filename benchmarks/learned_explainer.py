"""A learned explainer against Shapley values: CPU seconds at equal comprehensiveness, and when learning pays off.

whyword train sst2 --encoder minilm --no-contributions --set encoder.pooling=first --set training.learning_rate=1e-4 \
    --set training.epochs=2 --set training.schedule=linear --set training.warmup=0.1 -o minilm
whyword export minilm --to huggingface -o minilm-hf
python benchmarks/learned_explainer.py hf:minilm-hf --data-dir DATA --dataset sst2 --out results/learned_explainer

The explainer learns from the training texts, without labels, and explains texts of the test split. Shapley values are
sampled with several numbers of orders of the words, so that the cheapest can be read off that is as comprehensive as
the learned explainer; the most of them is the reference. Everything runs on one thread, and the order of the explainers
changes from text group to text group, so that a noisy machine is noisy for all.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from whyword import catalog
from whyword.data.dataset import load_dataset
from whyword.explaining.any_model import open_model
from whyword.explaining.learned import correlation, learn_explainer
from whyword.explaining.measure import measure_explanations
from whyword.interfaces.classifier import Classifier
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation

LEARNED, REFERENCE = "learned", "reference"
GROUP = 10  # texts explained together
FEWEST_WORDS = 3
METRIC = "comprehensiveness"


def timed(
    classifier: Classifier, documents: Sequence[Document], explainers: dict[str, tuple[str, dict[str, object]]]
) -> tuple[dict[str, list[Explanation]], dict[str, float]]:
    """Explain all documents by each explainer, and give the CPU seconds that each took."""
    explained: dict[str, list[Explanation]] = {name: [] for name in explainers}
    seconds = dict.fromkeys(explainers, 0.0)
    for number, start in enumerate(range(0, len(documents), GROUP)):
        names = list(explainers)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            kind, settings = explainers[name]
            explainer = catalog.make_explainer(kind, classifier, 0, settings)
            began = time.process_time()
            explained[name] += explainer.explain(classifier, documents[start : start + GROUP])
            seconds[name] += time.process_time() - began
    return explained, seconds


def one_pass(classifier: Classifier, documents: Sequence[Document], repeats: int = 3) -> float:
    """CPU seconds of the learned explanations of all documents, the least of some repetitions."""
    own = catalog.make_explainer("own", classifier)
    times = []
    for _ in range(repeats):
        began = time.process_time()
        own.explain(classifier, documents)
        times.append(time.process_time() - began)
    return min(times)


def table(facts: dict[str, object]) -> str:
    """Write the rows as Markdown."""
    lines = [
        f"{facts['texts']} test texts of {facts['dataset']}, of which {facts['compared']} were also sampled; learning "
        f"took {facts['learning_cpu_seconds']:.0f} CPU seconds on {facts['learned_from']:,} texts.",
        "",
        "| explainer | r with the reference | comprehensiveness | share of the reference's "
        "| CPU seconds of 1,000 texts | times the learned one's |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    rows = facts["rows"]
    assert isinstance(rows, dict)
    for name, row in rows.items():
        lines.append(
            f"| {name} | {row['r']:.3f} | {row[METRIC]:.3f} | {row['share']:.1%} | {row['seconds_of_1000']:.1f} | "
            f"{row['times']:.0f} |"
        )
    lines += ["", str(facts["sentence"])]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Learn, explain, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--dataset", default="sst2")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--learn-from", type=int, default=10_000, help="training texts at most")
    parser.add_argument("--texts", type=int, default=1_000, help="that are explained in one pass")
    parser.add_argument("--compared", type=int, default=100, help="of these, that are sampled too")
    parser.add_argument("--orders", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 4, 8, 16, 100])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    dataset = load_dataset(arguments.dataset, data_dir=arguments.data_dir)
    texts = [document.words for document in dataset.train[: arguments.learn_from]]
    with tempfile.TemporaryDirectory() as scratch:
        model = learn_explainer(open_model(arguments.model), texts, Path(scratch) / "explainer", judged=0)
    classifier = model.classifier
    documents = [Document(d.words) for d in dataset.test if len(d.words) >= FEWEST_WORDS][: arguments.texts]
    compared = documents[: arguments.compared]
    most = max(arguments.orders)
    explainers: dict[str, tuple[str, dict[str, object]]] = {LEARNED: ("own", {})}
    explainers |= {
        REFERENCE if orders == most else f"shapley, {orders} orders": ("shapley", {"samples": orders, "start": None})
        for orders in arguments.orders
    }
    explained, seconds = timed(classifier, compared, explainers)
    scores = measure_explanations(classifier, explained, [METRIC])
    means = {name: float(np.mean(scores[METRIC, name].per_text)) for name in explainers}
    once = one_pass(classifier, documents) / len(documents)
    cost = {name: once if name == LEARNED else seconds[name] / len(compared) for name in explainers}
    rows = {
        name: {
            "r": float(
                np.mean(
                    [
                        correlation(a.scores, b.scores)
                        for a, b in zip(explained[name], explained[REFERENCE], strict=True)
                    ]
                )
            ),
            METRIC: means[name],
            "share": means[name] / means[REFERENCE],
            "seconds_of_1000": 1_000 * cost[name],
            "times": cost[name] / once,
        }
        for name in explainers
    }
    assert model.fidelity is not None
    learning = model.fidelity["cpu_seconds"]
    as_good = [name for name in explainers if name != LEARNED and means[name] >= means[LEARNED]]
    cheapest = min(as_good, key=lambda name: cost[name], default=REFERENCE)
    paid_off = learning / (cost[cheapest] - once)
    sentence = (
        f"The cheapest Shapley values that are at least as comprehensive ({cheapest}) take {cost[cheapest] / once:.0f} "
        f"times the CPU seconds; learning pays off from {paid_off:,.0f} texts on."
    )
    facts: dict[str, object] = {
        "dataset": arguments.dataset,
        "texts": len(documents),
        "compared": len(compared),
        "learned_from": len(texts),
        "learning_cpu_seconds": learning,
        "fidelity": dict(model.fidelity),
        "rows": rows,
        "sentence": sentence,
        "torch": torch.__version__,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (arguments.out / "table.md").write_text(table(facts), encoding="utf-8")
    print(table(facts))


if __name__ == "__main__":
    main()
