"""Small trained models, an app that serves them, and a server of its own process."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from whyword import TextClassifier
from whyword.data.planted import planted
from whyword.web.app import make_app
from whyword.web.limits import Settings
from whyword.web.models import ServedModel, load_models

TEXTS = [document.words.texts[0] for document in planted("easy,train=100,dev=0,test=0").train]


@pytest.fixture(scope="session")
def folders(tmp_path_factory) -> list[Path]:
    documents = planted("easy,train=60,dev=0,test=0").train
    texts, labels = [d.words.texts[0] for d in documents], [d.label for d in documents]
    saved = []
    for method in ("vmask", "attention", "base"):
        saved.append(tmp_path_factory.mktemp("served") / method)
        unfitted = TextClassifier(method, "bag", epochs=3, learning_rate=0.05, contributions=False)
        unfitted.fit(texts, labels).save(saved[-1])
    return saved


@pytest.fixture(scope="session")
def models(folders) -> list[ServedModel]:
    return load_models(folders)


@dataclass
class Client:
    """An app in this process, and what it has logged."""

    http: TestClient
    log: list[dict[str, Any]]

    def get(self, path: str, **more: Any) -> Any:
        return self.http.get(path, **more)

    def post(self, path: str, body: Any, **more: Any) -> Any:
        return self.http.post(path, json=body, **more)


@pytest.fixture
def client_of(models) -> Iterator[Callable[..., Client]]:
    """Start apps with settings; they are stopped after the test."""
    started: list[TestClient] = []

    def start(settings: Settings | None = None) -> Client:
        log: list[dict[str, Any]] = []
        http = TestClient(make_app(models, settings, log.append))
        started.append(http.__enter__())
        return Client(http, log)

    yield start
    for http in started:
        http.__exit__(None, None, None)


@pytest.fixture
def client(client_of) -> Client:
    return client_of()


class Server:
    """`whyword serve` as users start it."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, "-m", "whyword", "serve", *map(str, words), "--port", "0", "--threads", "1"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        environment.pop("WHYWORD_TOKEN", None)
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        line = self.process.stdout.readline()
        assert " on http://127.0.0.1:" in line, line + self.process.stderr.read()
        self.port = int(line.partition("http://127.0.0.1:")[2].split()[0])
        self.url = f"http://127.0.0.1:{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def ask(self, head: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """Send bytes as they are and read the answer."""
        with self.connect() as connection:
            connection.sendall(head.encode() + b"\r\n\r\n" + body)
            return read_answer(connection)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Ask it to leave; give the exit code and the log."""
        self.process.send_signal(number)
        _, log = self.process.communicate(timeout=30)
        return self.process.returncode, log


def read_answer(connection: socket.socket) -> tuple[int, dict[str, Any]]:
    from http.client import HTTPResponse

    answer = HTTPResponse(connection)
    answer.begin()
    body = json.loads(answer.read())
    return answer.status, {**{name.lower(): value for name, value in answer.getheaders()}, **body}


@pytest.fixture
def serve(folders) -> Iterator[Callable[..., Server]]:
    """Start servers; those still there after the test are killed."""
    started: list[Server] = []

    def start(*words: object) -> Server:
        started.append(Server(folders[0], *words))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()
