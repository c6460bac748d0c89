"""Long texts explained in groups of words: CPU seconds of 10,000 words, and agreement with every word by itself.

python benchmarks/long_texts.py --data-dir DATA --embeddings GLOVE --model lstm-imdb --out results/long_texts

An LSTM is trained on 4,000 reviews of IMDB, unless the model folder is there already. Long texts are joined from the
first 2,000 test reviews, drawn at random. Texts of 1,000 words are explained in groups and word by word: occlusion
exactly, LIME from 5,000 sub-texts with every occurrence by itself, Shapley values from random orders, each also
backwards. These are sampled, so two halves of the orders say how far the reference agrees with itself. Results are
written after each explanation; the same command runs what is missing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from scipy.stats import kendalltau

from commands import versions
from whyword import TextClassifier, load
from whyword.data.words import split
from whyword.explainers import Lime, Occlusion, Shapley
from whyword.interfaces.classifier import Classifier
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explainer, Explanation

TRAINED_ON, EPOCHS = 4000, 3
LONG, COMPARED = 10_000, 1_000  # words
DRAWN_FROM = 2_000  # test reviews
TOP = 20
IN_GROUPS: tuple[Explainer, ...] = (Occlusion(), Lime(), Shapley())


def reviews(folder: Path, part: str, most: int | None = None) -> list[dict[str, Any]]:
    """Read the first reviews of a split, with their labels."""
    with gzip.open(folder / "imdb" / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, most)]


def model(folder: Path, data: Path, embeddings: Path) -> TextClassifier:
    """Load the LSTM, or train and save it."""
    if not folder.exists():
        chosen = Random(0).sample(reviews(data, "train"), TRAINED_ON)
        classifier = TextClassifier(encoder="lstm", embeddings=embeddings, epochs=EPOCHS, contributions=False)
        classifier.fit([row["text"] for row in chosen], [row["label"] for row in chosen]).save(folder)
    return load(folder)


def joined(rows: Sequence[dict[str, Any]], words: int, seed: int) -> Document:
    """Join reviews drawn at random up to that number of words."""
    rng, texts, count = Random(seed), list[str](), 0
    while count < words:
        texts.append(rng.choice(rows)["text"].replace("<br />", "\n"))
        count += len(split(texts[-1]))
    whole = split("\n\n".join(texts))
    return Document(split(whole.texts[0][: whole.spans[0][words - 1][1]]))


def explained(explainer: Explainer, classifier: Classifier, document: Document) -> tuple[Explanation, float]:
    """Explain a text, and give the CPU seconds."""
    began = time.process_time()
    (explanation,) = explainer.explain(classifier, [document])
    return explanation, time.process_time() - began


def agreement(scores: np.ndarray, reference: np.ndarray) -> dict[str, float]:
    """Compare scores: of all words, and the 20 of the largest scores of each."""
    strongest = [set(np.argsort(-np.abs(one), kind="stable")[:TOP].tolist()) for one in (scores, reference)]
    return {
        "r": float(np.corrcoef(scores, reference)[0, 1]),
        "tau": float(kendalltau(scores, reference)[0]),
        "top": len(strongest[0] & strongest[1]) / TOP,
    }


def by_word(name: str, classifier: Classifier, document: Document, orders: int) -> dict[str, Any]:
    """Explain a text word by word; of Shapley values, two halves of the orders."""
    if name == "shapley":
        halves = [Shapley(groups=None, samples=orders // 2, seed=seed) for seed in (1, 2)]
    elif name == "lime":
        halves = [Lime(groups=None, samples=5000, bag_of_words=False)]
    else:
        halves = [Occlusion(groups=None)]
    parts = [explained(one, classifier, document) for one in halves]
    return {
        "scores": np.mean([one.scores for one, _ in parts], axis=0),
        "itself": agreement(parts[0][0].scores, parts[1][0].scores) if len(parts) > 1 else None,
        "passes": sum(one.forward_passes for one, _ in parts),
        "cpu_seconds": sum(seconds for _, seconds in parts),
    }


def table(facts: dict[str, Any]) -> str:
    """Write the results as Markdown."""
    lines = [
        f"An LSTM, trained on {TRAINED_ON:,} IMDB reviews (dev accuracy {facts['dev_accuracy']:.1%}), one thread. "
        "In brackets: the least and the most of the texts.",
        "",
        f"| {LONG:,} words | forward passes | words scored by themselves | CPU seconds |",
        "|---|--:|--:|--:|",
    ]
    for name, row in facts["long"].items():
        lines.append(f"| {name} | {row['passes']:,} | {row['by_themselves']:,} | {row['cpu_seconds']:.1f} |")
    lines += [
        "",
        f"| {COMPARED:,} words | texts | r | Kendall's tau | of the top {TOP} | words scored by themselves "
        "| r of these | passes | CPU seconds | word by word: passes | CPU seconds |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in (explainer.name for explainer in IN_GROUPS):
        rows = [row for row in facts["compared"] if row["explainer"] == name]
        if not rows:
            continue
        cells = [_range([row["agreement"][key] for row in rows], form) for key, form in SHOWN]
        cells.append(_range([row["by_themselves"] for row in rows], ",.0f"))
        cells.append(_range([row["agreement_by_themselves"]["r"] for row in rows], ".2f"))
        for place in ("in_groups", "by_word"):
            cells += [_range([row[place][key] for row in rows], form) for key, form in COST]
        lines.append(f"| {name} | {len(rows)} | {' | '.join(cells)} |")
        if rows[0]["itself"]:
            cells = [_range([row["itself"][key] for row in rows], form) for key, form in SHOWN]
            lines.append(f"| {name}: halves of the reference | {len(rows)} | {' | '.join(cells)} | | | | | | |")
    return "\n".join([*lines, ""])


SHOWN = (("r", ".2f"), ("tau", ".2f"), ("top", ".0%"))
COST = (("passes", ",.0f"), ("cpu_seconds", ".1f"))


def _range(values: Sequence[float], form: str) -> str:
    mean = format(float(np.mean(values)), form)
    return mean if len(values) == 1 else f"{mean} [{min(values):{form}}, {max(values):{form}}]"


def main() -> None:
    """Run the comparison and write results.json and table.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--embeddings", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=3)
    parser.add_argument("--orders", type=int, default=16)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    trained = model(arguments.model, arguments.data_dir, arguments.embeddings).model_
    classifier, test = trained.classifier, reviews(arguments.data_dir, "test", DRAWN_FROM)
    results = arguments.out / "results.json"
    arguments.out.mkdir(parents=True, exist_ok=True)
    facts: dict[str, Any] = {"long": {}, "compared": []}
    if results.exists():
        facts = json.loads(results.read_text(encoding="utf-8"))
    facts |= {"dev_accuracy": trained.metrics["dev_accuracy"], "orders": arguments.orders, "versions": versions()}
    finished = {(row["text"], row["explainer"]) for row in facts["compared"]}

    def write() -> None:
        results.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        (arguments.out / "table.md").write_text(table(facts), encoding="utf-8")

    for number in range(arguments.texts):
        document = joined(test, COMPARED, number)
        for explainer in IN_GROUPS:
            if (number, explainer.name) in finished:
                continue
            explanation, seconds = explained(explainer, classifier, document)
            reference = by_word(explainer.name, classifier, document, arguments.orders)
            assert explanation.grouped is not None
            alone = ~explanation.grouped
            facts["compared"].append(
                {
                    "text": number,
                    "explainer": explainer.name,
                    "agreement": agreement(explanation.scores, reference["scores"]),
                    "by_themselves": int(alone.sum()),
                    "agreement_by_themselves": agreement(explanation.scores[alone], reference["scores"][alone]),
                    "itself": reference["itself"],
                    "in_groups": {"passes": explanation.forward_passes, "cpu_seconds": seconds},
                    "by_word": {key: reference[key] for key in ("passes", "cpu_seconds")},
                }
            )
            write()
    document = joined(test, LONG, 100)
    for explainer in IN_GROUPS:
        if explainer.name in facts["long"]:
            continue
        explanation, seconds = explained(explainer, classifier, document)
        assert explanation.grouped is not None
        alone = int((~explanation.grouped).sum())
        facts["long"][explainer.name] = {
            "passes": explanation.forward_passes,
            "by_themselves": alone,
            "cpu_seconds": seconds,
        }
        write()


if __name__ == "__main__":
    main()
