"""A server beside one who asks for too much, and beside connections that say nothing.

python benchmarks/serving_hostile.py [--requests 300] [--out results/benchmarks/serving_hostile.json]

The LSTM of `serving.py` is served on loopback on one thread. Explanations of one line are asked for one after the
other: on the idle server, and while it computes the Shapley values of 4 texts of 1,000 words for somebody else. Then
1,100 connections are opened that send half a request and nothing more, and it is asked again. The clients share the
machine with the server, and so does whatever else runs there: the load is in the record.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np

from commands import versions
from serving import ENVIRONMENT, train
from whyword.data.planted import planted
from whyword.data.words import split

HALF_OPEN = 1_100
WORDS, TEXTS = 1_000, 4  # of the heavy request
EXPLAINERS = {"contributions (the default)": None, "occlusion": "occlusion", "shapley": "shapley"}
QUANTILES = {"median": 0.5, "p99": 0.99, "max": 1.0}


class Served:
    """A server whose log goes to a file."""

    def __init__(self, place: Path, log: Path) -> None:
        command = [sys.executable, "-m", "whyword", "serve", str(place), "--port", "0", "--threads", "1"]
        self.log = log
        self.process = subprocess.Popen(
            [*command, "--timeout", "3600"], stdout=subprocess.PIPE, stderr=log.open("w"), text=True, env=ENVIRONMENT
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().partition("http://127.0.0.1:")[2].split()[0])

    def explain(self, texts: list[str], explainer: str | None) -> float:
        """Ask for explanations, and give the seconds they took."""
        body: dict[str, Any] = {"texts": texts} if explainer is None else {"texts": texts, "explainer": explainer}
        request = Request(f"http://127.0.0.1:{self.port}/v1/explain", json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        started = time.perf_counter()
        with urlopen(request, timeout=3600) as answer:
            assert len(json.load(answer)["explanations"]) == len(texts)
        return time.perf_counter() - started


class Heavy(threading.Thread):
    """The one who asks for too much, again as soon as it is answered, until told to leave."""

    def __init__(self, served: Served, texts: list[str]) -> None:
        super().__init__(daemon=True)
        self.served, self.texts = served, texts
        self.seconds: list[float] = []
        self.enough = threading.Event()

    def run(self) -> None:
        """Ask."""
        while not self.enough.is_set():
            try:
                self.seconds.append(self.served.explain(self.texts, "shapley"))
            except OSError:
                if not self.enough.is_set():  # else the server was stopped
                    raise


def summary(seconds: list[float]) -> dict[str, float]:
    return {name: float(np.quantile(seconds, q)) for name, q in QUANTILES.items()}


def beside_a_heavy_request(served: Served, lines: list[str], long: list[str], requests: int) -> dict[str, Any]:
    """Explain lines on the idle server and on one that is at work."""
    times: dict[str, dict[str, list[float]]] = {"idle": {}, "busy": {}}
    for explainer in EXPLAINERS.values():
        for line in lines[:3]:
            served.explain([line], explainer)  # warm up, and let it learn how long such a text takes
    heavy = Heavy(served, long)
    for state, of_state in times.items():
        if state == "busy":
            heavy.start()
            time.sleep(1)
        for number in range(requests):
            for name, explainer in EXPLAINERS.items():
                of_state.setdefault(name, []).append(served.explain([lines[number % len(lines)]], explainer))
    answered, at_work = len(heavy.seconds), heavy.is_alive()
    if not at_work:
        raise SystemExit("the heavy request failed")
    heavy.enough.set()
    rows = []
    for name in EXPLAINERS:
        idle, busy = (summary(of_state[name]) for of_state in times.values())
        ratio = {quantile: busy[quantile] / idle[quantile] for quantile in QUANTILES}
        rows.append({"explainer": name, "requests": requests, "idle": idle, "busy": busy, "times_as_long": ratio})
    return {"rows": rows, "heavy_requests_answered_meanwhile": answered}


def beside_half_open_connections(served: Served, lines: list[str]) -> dict[str, Any]:
    """Open connections that never say what they want, and ask for explanations."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, HALF_OPEN + 500)), hard))
    before = served.log.stat().st_size
    with ExitStack() as stack:
        for _ in range(HALF_OPEN):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=60))
            try:
                connection.sendall(b"POST /v1/explain HTTP/1.1\r\nHost: loc")
            except ConnectionError:
                continue  # it was closed in favor of a later one
        times = [served.explain([lines[0]], None) for _ in range(20)]
        time.sleep(2)
        times += [served.explain([lines[0]], None) for _ in range(20)]
    log = served.log.read_text("utf-8")[before:]
    return {
        "connections": HALF_OPEN,
        "asked": len(times),
        "answered": len(times),  # an error would have ended this
        "seconds": summary(times),
        "bytes_of_log": len(log),
        "tracebacks": log.count("Traceback"),
    }


def as_markdown(record: dict[str, Any]) -> str:
    lines = [
        "| one line explained by | idle: median | p99 | busy: median | p99 | p99, times as long |",
        "|--|--:|--:|--:|--:|--:|",
    ]
    for row in record["heavy"]["rows"]:
        cells = [f"{1000 * row[state][name]:,.0f} ms" for state in ("idle", "busy") for name in ("median", "p99")]
        lines.append(f"| {row['explainer']} | {' | '.join(cells)} | {row['times_as_long']['p99']:.1f} |")
    half = record["half_open"]
    return "\n".join(
        [
            *lines,
            "",
            f"{record['heavy']['rows'][0]['requests']} requests for each cell. Busy: beside Shapley values of {TEXTS} "
            f"texts of {WORDS:,} words. Load of the machine at the start: {record['load']:.1f} on "
            f"{record['processors']} processors.",
            "",
            f"Beside {half['connections']:,} half-open connections {half['answered']} of {half['asked']} requests were "
            f"answered, in {1000 * half['seconds']['median']:,.0f} ms (median) and "
            f"{1000 * half['seconds']['max']:,.0f} ms (longest); {half['bytes_of_log']:,} bytes of log, "
            f"{half['tracebacks']} tracebacks.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=300, help="lines explained, for each explainer and state")
    parser.add_argument("--model", type=Path, help="a model folder instead of the LSTM that is trained")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON, and a table beside it as Markdown")
    arguments = parser.parse_args()
    lines = [" ".join(d.words.texts[0].split()[:12]) for d in planted("medium,train=200,dev=0,test=0").train]
    everything = " ".join(document.words.texts[0] for document in planted("medium,train=400,dev=0,test=0").train)
    words = [word for word in everything.split() if len(split(word)) == 1]
    long = [" ".join(words[start : start + WORDS]) for start in range(0, TEXTS * WORDS, WORDS)]
    record: dict[str, Any] = {"load": os.getloadavg()[0], "processors": len(os.sched_getaffinity(0))}
    with tempfile.TemporaryDirectory() as name:
        served = Served(arguments.model or train(Path(name)), Path(name) / "log")
        try:
            record["half_open"] = beside_half_open_connections(served, lines)
            record["heavy"] = beside_a_heavy_request(served, lines, long, arguments.requests)
        finally:
            served.process.kill()
            served.process.wait()
    print(as_markdown(record))
    if arguments.out:
        record["versions"] = versions("fastapi", "uvicorn", "torch")
        arguments.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        arguments.out.with_suffix(".md").write_text(as_markdown(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
