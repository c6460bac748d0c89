"""What a training step costs: tokens per second, methods against base, our batching against the originals'.

python benchmarks/training.py [--data sst2 --data-dir DATA] [--encoders lstm,cnn] [--methods base,attention,vmask]

"passes" counts the texts that a step sends through the encoder, per text of its batch: a floor of the ratio to base.
Transformers are measured in float32 and in bfloat16. Every ratio compares runs of the same process, taken in turn, on
one thread, by CPU time. "original batching" restates what the released VMASK scripts do: texts padded to a fixed
length, a batch grown text by text with torch.cat in a Python loop, no mask on the padding; model, sizes, optimizer and
texts are the same as ours.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from commands import versions
from whyword import catalog
from whyword.data.batching import Corpus, training_batches
from whyword.data.dataset import Dataset, labels, load_dataset
from whyword.interfaces.document import Batch
from whyword.interfaces.method import Method
from whyword.models.assemble import assemble
from whyword.models.config import make_config
from whyword.training.optimizer import ObjectiveOptimizer, Processes, Training

FIXED_LENGTH = 50  # the originals' padded length on SST


def original_batches(corpus: Corpus, batch_size: int) -> Iterator[Batch]:
    """Batches as the released scripts make them."""
    order = np.random.default_rng(0).permutation(len(corpus))
    for start in range(0, len(order), batch_size):
        tokens = torch.empty(0, FIXED_LENGTH, dtype=torch.long)
        targets = torch.empty(0, dtype=torch.long)
        for i in order[start : start + batch_size]:
            row = corpus.texts[i].ids[:FIXED_LENGTH].tolist()
            row += [corpus.padding] * (FIXED_LENGTH - len(row))
            tokens = torch.cat([tokens, torch.tensor([row])])
            targets = torch.cat([targets, torch.tensor([int(corpus.labels[i])])])
        places = torch.arange(FIXED_LENGTH).expand_as(tokens)
        yield Batch(tokens, torch.ones_like(tokens, dtype=torch.bool), places, torch.zeros_like(tokens), targets)


def our_batches(corpus: Corpus, batch_size: int) -> Iterator[Batch]:
    """Batches as the training loop makes them."""
    for chosen in training_batches(corpus.lengths, batch_size, Training.batch_tokens, [0]):
        yield corpus.batch(chosen)


def epoch(method: Method, batches: Callable[[Corpus, int], Iterator[Batch]], corpus: Corpus, batch_size: int) -> float:
    """CPU seconds of one epoch of training steps, batching included."""
    optimizing = [ObjectiveOptimizer(o, Training(), 1e-3) for o in method.plan(10)[-1].objectives]
    method.train()
    started = time.process_time()
    for batch in batches(corpus, batch_size):
        for step in optimizing:
            step.step(method, batch, 0.5, 1.0, Processes())
    return time.process_time() - started


def passes(method: Method, batch: Batch) -> float:
    """Texts that go through the encoder in one step of each objective, per text of the batch."""
    encode, texts = method.encoder.encode, 0

    def counted(embedded: torch.Tensor, texts_of: Batch) -> tuple[torch.Tensor, ...]:
        nonlocal texts
        texts += len(embedded)
        return encode(embedded, texts_of)

    method.encoder.encode = counted  # type: ignore[method-assign, assignment]
    for objective in method.plan(10)[-1].objectives:
        objective.losses(batch, 0.5)
    del method.encoder.encode
    return texts / len(batch)


def prepared(dataset: Dataset, encoder: str, method: str, rows: int) -> tuple[Method, Corpus]:
    name, _, precision = method.partition(", ")
    config = make_config(
        {"method": name, "encoder": {"name": encoder} | ({"precision": precision} if precision else {})}
    )
    classes = labels(dataset.train)
    torch.manual_seed(0)
    parts = assemble(config, len(classes), [document.words for document in dataset.train])
    return parts.method, Corpus.read(dataset.train[:rows], classes, parts.tokenizer)


def measure(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    dataset = load_dataset(arguments.data, data_dir=arguments.data_dir)
    results = []
    for encoder in arguments.encoders:
        own = encoder in catalog.names("encoders")
        rows = arguments.rows if own else arguments.rows // 20
        names = [*arguments.methods, *([] if own else [f"{name}, bfloat16" for name in arguments.methods])]
        made = {name: prepared(dataset, encoder, name, rows) for name in names}
        seconds: dict[str, list[float]] = {name: [] for name in (*made, "original")}
        for _ in range(arguments.rounds):
            for name, (method, corpus) in made.items():
                seconds[name].append(epoch(method, our_batches, corpus, arguments.batch_size))
            if encoder in ("lstm", "cnn", "bag", "affine"):
                seconds["original"].append(epoch(*_swap(made["base"], original_batches), arguments.batch_size))
        tokens = int(made["base"][1].lengths.sum())
        base = statistics.median(seconds["base"])
        for name, values in seconds.items():
            if values:
                middle = statistics.median(values)
                label = "base, original batching" if name == "original" else name
                results.append(
                    {
                        "encoder": encoder,
                        "method": label,
                        "tokens_per_second": tokens / middle,
                        "against_base": middle / base,
                        "passes": passes(made[name][0], next(our_batches(made[name][1], 2))) if name in made else 1.0,
                    }
                )
    return results


def _swap(made: tuple[Method, Corpus], batches: Any) -> tuple[Method, Any, Corpus]:
    return made[0], batches, made[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="planted:medium,train=2000")
    parser.add_argument("--data-dir")
    parser.add_argument(
        "--encoders", type=lambda words: words.split(","), default=["bag", "affine", "cnn", "lstm", "minilm"]
    )
    parser.add_argument("--methods", type=lambda words: words.split(","), default=catalog.names("methods"))
    parser.add_argument("--rows", type=int, default=2000, help="training texts; a twentieth of them for transformers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    results = measure(arguments)
    print(f"{'encoder':<10} {'method':<26} {'tokens/s':>10} {'time against base':>18} {'passes':>7}")
    for row in results:
        cells = f"{row['encoder']:<10} {row['method']:<26} {row['tokens_per_second']:>10,.0f}"
        print(f"{cells} {row['against_base']:>17.2f}x {row['passes']:>7.0f}")
    if arguments.out:
        settings = {name: str(value) for name, value in vars(arguments).items() if name not in ("out", "data_dir")}
        arguments.out.write_text(
            json.dumps({"settings": settings, "versions": versions(), "results": results}, indent=1)
        )


if __name__ == "__main__":
    main()
