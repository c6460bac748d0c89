"""What people would mark, learned from 100, 400 or all marked texts of HateXplain or Movies: agreement, and accuracy.

python benchmarks/rationales.py --data-dir DATA --embeddings GLOVE --models MODELS --out results/rationales \
    --encoder lstm --seeds 3

The dev split is the test here, as the test split is left alone; epochs of the classifier are chosen on training texts
that are held out, unmarked ones where there are enough, and all other marked texts are learned from. A classifier is
trained once per seed, and readers are fitted to its states. Beside them stand a word list counted from the same marks,
and scores of the classifier, which has seen no mark: occlusion, or gradient × input (--without-marks gradient) where
texts are long. Texts longer than MiniLM reads are cut in training and explained in windows. Runs that are recorded are
not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from whyword.blocks.rationales import RationaleReader
from whyword.catalog import make_explainer
from whyword.data.dataset import load_dataset
from whyword.data.splits import Dataset, hold_out
from whyword.data.tokenizers.word_level import normalize
from whyword.explainers import Rationale
from whyword.explaining.inputs import draw
from whyword.explaining.measure import measure_explanations
from whyword.inference.fitted import FittedClassifier
from whyword.inference.windows import explain_in_windows
from whyword.interfaces.document import REASON, Document
from whyword.interfaces.explanation import Explanation
from whyword.maths.stats.intervals import ANY, SHARE, mean_over_runs
from whyword.models.config import make_config, with_defaults
from whyword.models.folder import TrainedModel
from whyword.models.learn import learn_rationales
from whyword.models.train import train_once
from whyword.report.tables import with_interval

MARKS = (100, 400, None)  # marked training posts; None: all
HELD_OUT = 1_500  # training texts that choose the classifier's epoch, at most
EXPLAINED = 300  # texts explained without marks
METRICS = ("rationale-auprc", "rationale-f1", "rationale-iou")
RECORDS = "records.jsonl"
DEFAULTS = RationaleReader.Config()
HALF = 0.5  # from which probability on a word is said to be marked
SMOOTHED = 2.0  # occurrences of the mean word added to each word of the list


def split(data: str, data_dir: str, rows: int | None, texts: int | None) -> Dataset:
    """Give the marked training texts, dev cut from the unmarked ones, and the dev split of the data as test."""
    whole = load_dataset(data, data_dir=data_dir)
    plain = tuple(document for document in whole.train if not is_marked(document))
    plain = plain if 2 * len(plain) > len(whole.train) else whole.train
    _, dev = hold_out(plain, min(HELD_OUT, (rows or len(plain)) // 10))
    held_out = set(map(id, dev))
    train = tuple(document for document in whole.train if id(document) not in held_out)
    if rows is not None and rows < len(train):
        marked = sum(map(is_marked, train))
        fewer, _ = hold_out(tuple(d for d in train if not is_marked(d)), len(train) - max(rows, marked))
        chosen = set(map(id, fewer))
        train = tuple(document for document in train if is_marked(document) or id(document) in chosen)
    test = whole.dev if texts is None else hold_out(whole.dev, texts)[1]
    return Dataset(whole.name, train, dev, test)


def is_marked(document: Document) -> bool:
    """Whether a word of it is marked."""
    return REASON in (document.word_marks or ())


def with_marks(documents: Sequence[Document], count: int | None, seed: int) -> list[Document]:
    """Keep the marks of some texts, drawn by the seed; what is said to have none stays."""
    order = np.random.default_rng(seed).permutation([i for i, d in enumerate(documents) if is_marked(d)])
    forgotten = set() if count is None else set(order[count:].tolist())
    return [replace(d, rationale=None) if i in forgotten else d for i, d in enumerate(documents)]


def agreement(classifier: FittedClassifier, explanations: Sequence[Explanation]) -> dict[str, float]:
    """Measure scores against the marked words."""
    scores = measure_explanations(classifier, {"scores": list(explanations)}, list(METRICS))
    found = {name: float(scores[name, "scores"].value) for name in METRICS}
    pairs = [(e.scores >= HALF, np.array(e.document.rationale_words)) for e in explanations if is_marked(e.document)]
    return found | {"f1 at one half": float(np.mean([2 * (p & m).sum() / (p.sum() + m.sum()) for p, m in pairs]))}


def word_list(marked: Sequence[Document], explanations: Sequence[Explanation]) -> list[Explanation]:
    """Score each word by the share of its occurrences that were marked, whatever it stands beside."""
    times: Counter[str] = Counter()
    reasons: dict[str, float] = defaultdict(float)
    for document in marked:
        for word, state in zip(document.words.strings, document.word_marks or (), strict=True):
            times[normalize(word, True)] += 1
            reasons[normalize(word, True)] += state == REASON
    mean = sum(reasons.values()) / max(1, sum(times.values()))
    share = lambda word: (reasons[word] + SMOOTHED * mean) / (times[word] + SMOOTHED)  # noqa: E731
    return [replace(e, scores=np.array([share(normalize(word, True)) for word in e.words])) for e in explanations]


def fit(
    model: TrainedModel,
    dataset: Dataset,
    count: int | None,
    seed: int,
    config: RationaleReader.Config = DEFAULTS,
) -> dict[str, Any]:
    """Fit a reader to some marks, and measure it on the test texts."""
    started = time.process_time()
    train = with_marks(dataset.train, count, seed)
    taught = learn_rationales(model, train, [], config, seed=seed)
    seconds = time.process_time() - started
    explanations = explain_in_windows(Rationale(), taught.classifier, dataset.test)
    marked = [e for e in explanations if is_marked(e.document)]
    none = [e for e in explanations if e.document.word_marks and not is_marked(e.document)]
    learned = [document for document in train if is_marked(document)]
    return {
        "marks": len(learned),
        "cpu_seconds": round(seconds, 1),
        **agreement(taught.classifier, marked),
        "marked of unmarked texts": float(np.mean([(e.scores >= HALF).mean() for e in none])) if none else None,
        "word list": agreement(taught.classifier, word_list(learned, marked)),
        "accuracy": model.metrics["test_accuracy"],
    }


def without_marks(model: TrainedModel, dataset: Dataset, explainer: str) -> dict[str, Any]:
    """Measure what the classifier relies on against what people mark."""
    documents = draw([document for document in dataset.test if is_marked(document)], EXPLAINED, 0)
    explanations = explain_in_windows(make_explainer(explainer, model.classifier), model.classifier, documents)
    found = {name: value for name, value in agreement(model.classifier, explanations).items() if name in METRICS}
    return {"marks": 0, "cpu_seconds": 0.0, **found, "accuracy": model.metrics["test_accuracy"]}


def settings(arguments: argparse.Namespace, seed: int) -> dict[str, Any]:
    """Describe the classifier."""
    values: dict[str, Any] = {"contributions": False, "rationales": False, "seed": seed}
    if arguments.encoder == "lstm":
        return {
            **values,
            "encoder": {"name": "lstm"},
            "embeddings": arguments.embeddings,
            "training": {"select": "accuracy"},
        }
    frozen = arguments.encoder == "minilm-frozen"
    return {
        **values,
        "encoder": {
            "name": "minilm",
            "precision": "bfloat16",
            **({"limit": arguments.limit} if arguments.limit else {}),
        },
        "training": {"select": "accuracy", "head_only": frozen, **({} if frozen else {"epochs": 2})},
    }


def table(runs: Sequence[dict[str, Any]]) -> str:
    """Write the mean over seeds with the 95 % interval of Student's t."""
    groups: dict[tuple[str, str, int, int, int], list[dict[str, Any]]] = {}
    for run in runs:
        which = run["data"], run["encoder"], run["rows"], run["marks"], run["networks"]
        groups.setdefault(which, []).append(run)
    names = [*METRICS, "f1 at one half", "marked of unmarked texts", "accuracy", "cpu_seconds"]
    head = [
        "data",
        "encoder",
        "training texts",
        "marked texts",
        "networks",
        "seeds",
        *names,
        "word list's rationale-auprc",
    ]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for (data, encoder, rows, marks, networks), group in sorted(groups.items()):
        columns = [written([run.get(name) for run in group], ANY if name == "cpu_seconds" else SHARE) for name in names]
        of_list = written([run.get("word list", {}).get("rationale-auprc") for run in group])
        known = [data, encoder, f"{rows:,}", f"{marks:,}", str(networks) if networks else "–", str(len(group))]
        lines.append("| " + " | ".join([*known, *columns, of_list]) + " |")
    return "\n".join(lines) + "\n"


def written(values: Sequence[float | None], bounds: tuple[float, float] = SHARE) -> str:
    """Write the mean and its interval."""
    known = [value for value in values if value is not None and np.isfinite(value)]
    if not known:
        return "–"
    return with_interval(mean_over_runs(known, bounds))


def main() -> None:
    """Run what is not recorded yet, and write the table of all records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--embeddings")
    parser.add_argument("--models", type=Path, required=True, help="where trained classifiers are kept")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", default="hatexplain")
    parser.add_argument("--encoder", default="lstm", choices=["lstm", "minilm", "minilm-frozen"])
    parser.add_argument("--rows", type=int, help="training texts of the classifier, all marked ones among them")
    parser.add_argument("--texts", type=int, help="posts that are measured; all if left out")
    parser.add_argument("--limit", type=int, help="tokens that MiniLM reads of a text, 512 if left out")
    parser.add_argument("--without-marks", default="occlusion", help="explainer of the classifier that saw no mark")
    parser.add_argument("--networks", type=int, default=DEFAULTS.networks, help="of the reader")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    records = arguments.out / RECORDS
    runs = [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []
    dataset = split(arguments.data, arguments.data_dir, arguments.rows, arguments.texts)
    for seed in range(arguments.seeds):
        config = make_config(with_defaults(settings(arguments, seed)))
        name = f"{arguments.data}-{arguments.encoder}-{seed}"
        for count in (0, *MARKS):
            unmarked = count == 0
            run = {
                "data": arguments.data,
                "encoder": arguments.encoder,
                "rows": len(dataset.train),
                "texts": arguments.texts,
                "limit": arguments.limit,
                "networks": 0 if unmarked else arguments.networks,
                "seed": seed,
                "asked": count,
            }
            if any({name: done[name] for name in run} == run for done in runs):
                continue
            model = train_once(config, dataset, arguments.models / name)
            run |= (
                without_marks(model, dataset, arguments.without_marks)
                if unmarked
                else fit(model, dataset, count, seed, replace(DEFAULTS, networks=arguments.networks))
            )
            runs.append(run)
            with records.open("a") as file:
                file.write(json.dumps(run) + "\n")
            print(json.dumps(run), flush=True)
            (arguments.out / "table.md").write_text(table(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
