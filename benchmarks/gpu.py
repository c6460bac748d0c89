"""What a GPU does for training and explaining: tokens and forward passes a second, by precision.

python benchmarks/gpu.py --out results/gpu [--device auto] [--encoder lstm] [--rows 4000]

Texts are generated (planted), so nothing is downloaded; with --encoder minilm or another name of Hugging Face, its
weights are. Each precision trains one epoch from the same start, after a warm-up, and the first one explains. What to
expect of a GPU, none of which was measured here: bfloat16 needs no scaling of losses; float16 is for cards older than
Ampere. An LSTM with few units gains little, because its steps wait for each other; transformers gain most, and more
with longer texts and larger batches. If float32 is not faster than --device cpu, batches are too small.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch

from commands import versions
from whyword import catalog
from whyword.data.planted import planted
from whyword.inference.fitted import choose_device
from whyword.models.config import make_config
from whyword.models.folder import TrainedModel
from whyword.models.train import train_model

EXPLAINED = 50  # texts


def wait(device: torch.device) -> None:
    """Wait until the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def trained(
    arguments: argparse.Namespace, device: torch.device, precision: str, rows: int
) -> tuple[TrainedModel, float]:
    """Train one epoch, and give the seconds of its steps."""
    training = {"epochs": 1, "batch_size": arguments.batch_size, "precision": precision}
    config = make_config({"encoder": arguments.encoder, "training": training, "contributions": False})
    model = train_model(config, planted(f"train={rows},dev=50,test=0"), device)
    wait(device)
    return model, float(model.history[-1]["seconds"])


def measured(arguments: argparse.Namespace, device: torch.device) -> list[dict[str, Any]]:
    """Train with each precision that the device has."""
    precisions = ["float32", "bfloat16", *(["float16"] if device.type == "cuda" else [])]
    rows: list[dict[str, Any]] = []
    for precision in precisions:
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        trained(arguments, device, precision, 200)  # a warm-up: kernels are chosen and memory is taken
        model, seconds = trained(arguments, device, precision, arguments.rows)
        record = model.history[-1]
        row = {
            "precision": precision,
            "tokens_per_second": record["tokens"] / max(seconds, 1e-9),
            "loss": record["losses"]["task"],
            "peak_bytes": torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None,
        }
        if precision == "float32":
            documents = planted(f"train=10,dev=10,test={EXPLAINED}").test
            explainer = catalog.make_explainer("occlusion", model.classifier)
            began = time.perf_counter()
            passes = sum(one.forward_passes for one in explainer.explain(model.classifier, documents))
            row["passes_per_second"] = passes / (time.perf_counter() - began)
        rows.append(row)
    return rows


def table(facts: dict[str, Any]) -> str:
    """Write the rows as Markdown."""
    lines = [
        f"{facts['encoder']} on {facts['device']}, {facts['rows']:,} generated texts, {facts['batch_size']} in a step.",
        "",
        "| precision | tokens a second | loss | peak memory, MB | sub-texts a second (occlusion) |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in facts["measured"]:
        memory = "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 1e6:,.0f}"
        passes = f"{row['passes_per_second']:,.0f}" if "passes_per_second" in row else ""
        lines.append(
            f"| {row['precision']} | {row['tokens_per_second']:,.0f} | {row['loss']:.3f} | {memory} | {passes} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure, print, and write results.json and table.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--encoder", default="lstm")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--batch-size", type=int, default=64)
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    facts = {
        "device": name,
        "encoder": arguments.encoder,
        "rows": arguments.rows,
        "batch_size": arguments.batch_size,
        "versions": versions(),
        "measured": measured(arguments, device),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    (arguments.out / "table.md").write_text(table(facts), encoding="utf-8")
    print(table(facts))


if __name__ == "__main__":
    main()
