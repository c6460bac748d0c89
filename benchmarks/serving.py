"""A server under load, with and without shared batches: throughput, latency, errors, and whether the answers are right.

python benchmarks/serving.py [--seconds 60] [--clients 32] [--out results/benchmarks/serving.json]

An LSTM with word masks is trained on `planted` and served on loopback (`whyword serve`), on one thread. Clients, each
on a connection of its own, send one text after the other; every answer is compared with the offline one. Two servers,
with shared batches and without (`--batch-wait 0 --batch-texts 1`), are loaded in turn; the clients share the machine
with them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np

from commands import versions
from whyword.catalog import make_explainer
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explaining.stream import explain_documents
from whyword.interfaces.document import Document
from whyword.models.folder import load_model

TOLERANCE = 1e-6
ROUNDS = 6
NOTE = """CPU seconds are those of the server; a batch is counted in texts; the difference is the largest to any offline
answer."""
RATES = ("answers_per_second", "answers_per_cpu_second")
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
MODES = {"shared batches": [], "one text at a time": ["--batch-wait", "0", "--batch-texts", "1"]}
WORK: dict[str, tuple[str, dict[str, str]]] = {
    "predict": ("predict", {}),
    "explain, own scores": ("explain", {"explainer": "own"}),
    "explain, occlusion": ("explain", {"explainer": "occlusion"}),
}


def train(folder: Path) -> Path:
    place = folder / "model"
    command = ["train", "planted:medium,train=1000", "-o", place, "--method", "vmask", "--encoder", "lstm"]
    subprocess.run(
        [sys.executable, "-m", "whyword", *map(str, command), "--epochs", "2", "--quiet", "--threads", "1"],
        check=True,
        env=ENVIRONMENT,
    )
    return place


def offline(place: Path, texts: list[str]) -> dict[str, list[list[float]]]:
    """Give what the model says without a server: probabilities and scores."""
    classifier = load_model(place).classifier
    documents = [Document(split(text)) for text in texts]
    answers = {"predict": classifier.probabilities([document.words for document in documents]).tolist()}
    for work, (_, more) in list(WORK.items())[1:]:
        explained = explain_documents(classifier, documents, make_explainer(more["explainer"], classifier))
        answers[work] = [explanation.scores.tolist() for explanation in explained]
    return answers


def numbers(answer: dict[str, Any]) -> list[float]:
    if "predictions" in answer:
        return list(answer["predictions"][0]["probabilities"].values())
    return list(answer["explanations"][0]["scores"])


async def post(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: Any) -> tuple[int, Any]:
    """Ask on a connection that stays open; a library would take more time than the server."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    writer.write(head.encode() + content)
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
    length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
    return int(lines[0].split()[1]), json.loads(await reader.readexactly(length))


class Served:
    """A server and what came of the load on it."""

    def __init__(self, place: Path, mode: str) -> None:
        command = [sys.executable, "-m", "whyword", "serve", str(place), "--port", "0", "--threads", "1", "--quiet"]
        self.mode = mode
        self.process = subprocess.Popen([*command, *MODES[mode]], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().partition("http://127.0.0.1:")[2].split()[0])

    def metric(self, name: str) -> float:
        """Read a number from what the server tells Prometheus."""
        with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(name + " ")), 0.0)

    def stop(self) -> None:
        """End it as an administrator would."""
        self.process.send_signal(signal.SIGTERM)
        if code := self.process.wait(60):
            raise SystemExit(f"the server ended with {code}")


class Tally:
    """Answers of one kind of work in one mode, over all its rounds."""

    def __init__(self, served: Served, work: str, texts: list[str], expected: list[list[float]]) -> None:
        self.served, self.work, self.texts, self.expected = served, work, texts, expected
        self.times: list[float] = []
        self.errors: list[int] = []  # their statuses
        self.queue, self.more = WORK[work]
        self.worst = self.seconds = self.cpu = self.batches = 0.0

    def round(self, clients: int, seconds: float) -> None:
        """Load the server for a while."""
        count = f'whyword_batch_texts_count{{queue="{self.queue}"}}'
        cpu, batches = self.served.metric("process_cpu_seconds_total"), self.served.metric(count)
        self.seconds += asyncio.run(self._load(clients, seconds))
        self.cpu += self.served.metric("process_cpu_seconds_total") - cpu
        self.batches += self.served.metric(count) - batches

    async def _load(self, clients: int, seconds: float) -> float:
        started = time.perf_counter()
        await asyncio.gather(*(self._client(number, clients, started + seconds) for number in range(clients)))
        return time.perf_counter() - started

    async def _client(self, position: int, clients: int, until: float) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.served.port)
        while time.perf_counter() < until:
            number = position % len(self.texts)
            started = time.perf_counter()
            status, answer = await post(
                reader, writer, f"/v1/{self.queue}", {"texts": [self.texts[number]], **self.more}
            )
            if status == 200:
                self.times.append(time.perf_counter() - started)
                difference = np.abs(np.subtract(numbers(answer), self.expected[number])).max()
                self.worst = max(self.worst, float(difference))
            else:
                self.errors.append(status)
            position += clients
        writer.close()

    def facts(self) -> dict[str, Any]:
        """Sum up all rounds."""
        answers = len(self.times)
        return {
            "work": self.work,
            "mode": self.served.mode,
            "answers": answers,
            "errors": len(self.errors),
            "seconds": self.seconds,
            "answers_per_second": answers / self.seconds,
            "answers_per_cpu_second": answers / self.cpu,
            "milliseconds": {name: 1000 * float(np.quantile(self.times, q)) for name, q in QUANTILES.items()},
            "texts_per_batch": answers / self.batches,
            "largest_difference": self.worst,
        }


def measure(place: Path, texts: list[str], expected: dict[str, Any], clients: int, seconds: float) -> list[Any]:
    """Load one server after the other, in short rounds, so that both meet the same machine."""
    served = [Served(place, mode) for mode in MODES]
    results = []
    try:
        for work in WORK:
            tallies = [Tally(server, work, texts, expected[work]) for server in served]
            for tally in tallies:
                Tally(tally.served, work, texts, expected[work]).round(2, 1)  # warm up
            for _ in range(ROUNDS):
                for tally in tallies:
                    tally.round(clients, seconds / ROUNDS)
            results += [tally.facts() for tally in tallies]
    finally:
        for server in served:
            server.stop()
    return results


def ratios(results: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    facts = {(row["work"], row["mode"]): row for row in results}
    together, alone = MODES
    return {work: {name: facts[work, together][name] / facts[work, alone][name] for name in RATES} for work in WORK}


def as_markdown(results: list[dict[str, Any]], ratio: dict[str, dict[str, float]]) -> str:
    lines = [
        "| work | mode | answers | errors | per second | per CPU second | p50 | p90 | p99 | batch | difference |",
        "|--|--|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results:
        times = " | ".join(f"{row['milliseconds'][name]:,.0f} ms" for name in ("p50", "p90", "p99"))
        rates = " | ".join(f"{row[name]:,.0f}" for name in RATES)
        lines.append(
            f"| {row['work']} | {row['mode']} | {row['answers']:,} | {row['errors']} | {rates} | {times} | "
            f"{row['texts_per_batch']:.1f} | {row['largest_difference']:.1e} |"
        )
    gains = "; ".join(
        f"{work} {one[RATES[0]]:.2f}x, {one[RATES[1]]:.2f}x per CPU second" for work, one in ratio.items()
    )
    return "\n".join([*lines, "", f"With shared batches against without: {gains}. {NOTE}"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="of load, for each kind of work and each mode")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--out", type=Path, help="write the figures here as JSON, and a table beside it as Markdown")
    arguments = parser.parse_args()
    texts = [document.words.texts[0] for document in planted("medium,train=200,dev=0,test=0").train]
    with tempfile.TemporaryDirectory() as name:
        place = train(Path(name))
        expected = offline(place, texts)
        results = measure(place, texts, expected, arguments.clients, arguments.seconds)
    ratio = ratios(results)
    print(as_markdown(results, ratio), end="")
    wrong = [row for row in results if row["errors"] or row["largest_difference"] > TOLERANCE]
    if arguments.out:
        record = {"versions": versions("fastapi", "uvicorn"), "clients": arguments.clients}
        record |= {"results": results, "ratios": ratio}
        arguments.out.write_text(json.dumps(record, indent=1), encoding="utf-8")
        arguments.out.with_suffix(".md").write_text(as_markdown(results, ratio), encoding="utf-8")
    if wrong:
        raise SystemExit(f"errors or wrong answers in {len(wrong)} of {len(results)} rows")


if __name__ == "__main__":
    main()
