"""An ONNX file served without torch beside the same model served with torch: answers, size, start, memory, speed.

python benchmarks/serving_without_torch.py [--data sst2] [--data-dir FOLDER] [--rows 2000] [--encoders lstm,minilm]
    [--seconds 30] [--clients 16] [--out results/benchmarks/serving_without_torch.json]

A model is trained on the first rows of a data set, exported, and served from a fresh virtual environment that holds
docker/serve-requirements.txt and whyword alone; the model folder is served from the environment of this script. Both
servers have one process and one thread, and are loaded in turn, in short rounds, by clients on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import Request, urlopen

import numpy as np

from commands import versions
from serving import ENVIRONMENT, RATES, ROUNDS, WORK, Served, Tally
from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.export import export_model
from whyword.models.folder import put_model
from whyword.models.train import train_model

ROOT = Path(__file__).parents[1]
MEGABYTE = 1 << 20
STARTS = 3
COMPARED = 200  # texts
HEAD = {"texts": 1_000, "least_texts": 1_000, "pairs": 4, "epochs": 2, "steps": 60}


def train(encoder: str, arguments: argparse.Namespace, place: Path) -> list[str]:
    """Train and export a model; give texts to ask about."""
    data = load_dataset(arguments.data, data_dir=arguments.data_dir)
    data = replace(data, train=data.train[: arguments.rows], dev=data.dev[:300], test=data.test[:COMPARED])
    values = {"encoder": encoder, "training": {"epochs": 1 if encoder == "minilm" else 2}, "contributions": HEAD}
    trained = train_model(make_config(values), data)
    put_model(trained, place / encoder)
    export_model(trained, "onnx", place / f"{encoder}-onnx")
    return [document.words.texts[0] for document in data.test]


def environment(place: Path) -> Path:
    """Make a virtual environment without torch; give its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-cache-dir", "--no-deps"]
    subprocess.run([*install, "-r", ROOT / "docker" / "serve-requirements.txt"], check=True)
    subprocess.run([*install, ROOT], check=True)
    return python


def size(folder: Path) -> float:
    """Give the megabytes of all files of a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / MEGABYTE


class Measured(Served):
    """A server that was just started, with how long that took and what memory it has."""

    def __init__(self, python: Path, folder: Path, mode: str) -> None:
        self.mode = mode
        command = [python, "-m", "whyword", "serve", folder, "--port", "0", "--threads", "1", "--quiet"]
        environment = {**ENVIRONMENT, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        if mode == "onnx":
            del environment["PYTHONPATH"]
        started = time.perf_counter()
        self.process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().partition("http://127.0.0.1:")[2].split()[0])
        self.ask("predict", {"texts": ["a first text"]})
        self.start = time.perf_counter() - started

    def ask(self, path: str, body: Any) -> Any:
        """Send a request on a connection of its own."""
        request = Request(
            f"http://127.0.0.1:{self.port}/v1/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=600) as answer:
            return json.loads(answer.read())

    def memory(self) -> float:
        """Give the most megabytes that the server has held so far."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def answers(server: Measured, texts: list[str]) -> dict[str, list[list[float]]]:
    """Give the numbers that a server answers with, by kind of work."""
    found: dict[str, list[list[float]]] = {}
    for work, (path, more) in WORK.items():
        rows: list[Any] = []
        for start in range(0, len(texts), 50):
            answer = server.ask(path, {"texts": texts[start : start + 50], **more})
            rows += answer["predictions"] if path == "predict" else answer["explanations"]
        found[work] = [list(row["probabilities"].values()) if path == "predict" else row["scores"] for row in rows]
    return found


def measure(python: Path, place: Path, encoder: str, texts: list[str], arguments: argparse.Namespace) -> dict[str, Any]:
    """Start both servers a few times, compare their answers, and load them in turn."""
    modes = {"torch": (Path(sys.executable), place / encoder), "onnx": (python, place / f"{encoder}-onnx")}
    starts: dict[str, list[float]] = {mode: [] for mode in modes}
    for _ in range(STARTS):
        for mode, words in modes.items():
            server = Measured(*words, mode)
            starts[mode].append(server.start)
            server.stop()
    servers = {mode: Measured(*words, mode) for mode, words in modes.items()}
    try:
        idle = {mode: server.memory() for mode, server in servers.items()}
        given = {mode: answers(server, texts) for mode, server in servers.items()}
        apart = {
            work: max(
                float(np.abs(np.subtract(one, other)).max(initial=0.0))
                for one, other in zip(given["torch"][work], given["onnx"][work], strict=True)
            )
            for work in WORK
        }
        rates = []
        for work in WORK:
            tallies = [Tally(server, work, texts, given["torch"][work]) for server in servers.values()]
            for _ in range(ROUNDS):
                for tally in tallies:
                    tally.round(arguments.clients, arguments.seconds / ROUNDS)
            rates += [tally.facts() for tally in tallies]
        peak = {mode: server.memory() for mode, server in servers.items()}
    finally:
        for server in servers.values():
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(60)
    return {
        "encoder": encoder,
        "model_megabytes": size(place / f"{encoder}-onnx"),
        "start_seconds": {mode: median(values) for mode, values in starts.items()},
        "memory_megabytes": idle,
        "peak_megabytes": peak,
        "largest_difference": apart,
        "rates": rates,
    }


def as_markdown(record: dict[str, Any]) -> str:
    lines = [
        f"Virtual environment without torch: {record['environment_megabytes']:.0f} MB; the Python it stands on: "
        f"{record['python_megabytes']:.0f} MB.",
        "",
        "| encoder | server | start | memory, idle | at most | work | per second | per CPU second | p50 | p99 |",
        "|--|--|--:|--:|--:|--|--:|--:|--:|--:|",
    ]
    for one in record["models"]:
        for row in one["rates"]:
            mode = row["mode"]
            times = " | ".join(f"{row['milliseconds'][name]:,.0f} ms" for name in ("p50", "p99"))
            lines.append(
                f"| {one['encoder']} | {mode} | {one['start_seconds'][mode]:.1f} s | "
                f"{one['memory_megabytes'][mode]:.0f} MB | {one['peak_megabytes'][mode]:.0f} MB | {row['work']} | "
                + " | ".join(f"{row[name]:,.0f}" for name in RATES)
                + f" | {times} |"
            )
    lines += ["", "Largest differences from torch:", ""]
    for one in record["models"]:
        apart = ", ".join(f"{work} {value:.1e}" for work, value in one["largest_difference"].items())
        lines.append(f"- {one['encoder']} ({one['model_megabytes']:.0f} MB): {apart}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="planted:medium,train=2000,dev=300,test=200")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--rows", type=int, default=2_000, help="to train on")
    parser.add_argument("--encoders", default="lstm,minilm")
    parser.add_argument("--seconds", type=float, default=30, help="of load, for each kind of work and each server")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--out", type=Path, help="write the figures here as JSON, and a table beside it as Markdown")
    arguments = parser.parse_args()
    record: dict[str, Any] = {"data": arguments.data, "rows": arguments.rows, "clients": arguments.clients}
    record["versions"] = versions("onnxruntime", "tokenizers", "fastapi", "uvicorn")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        python = environment(place / "venv")
        record["environment_megabytes"] = size(place / "venv")
        record["python_megabytes"] = size(Path(os.path.realpath(sys.executable)).parents[1])
        record["models"] = []
        for encoder in arguments.encoders.split(","):
            texts = train(encoder, arguments, place)
            record["models"].append(measure(python, place, encoder, texts, arguments))
    print(as_markdown(record), end="")
    if arguments.out:
        arguments.out.write_text(json.dumps(record, indent=1), encoding="utf-8")
        arguments.out.with_suffix(".md").write_text(as_markdown(record), encoding="utf-8")
    worst = max(value for one in record["models"] for value in one["largest_difference"].values())
    if worst > 1e-4:
        raise SystemExit(f"an answer differs from torch by {worst:.2g}")


if __name__ == "__main__":
    main()
