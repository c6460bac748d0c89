"""`whyword serve FILE.onnx` where torch, scipy and the like cannot be imported, by one worker or two."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from whyword.data.dataset import load_dataset
from whyword.data.words import split
from whyword.models.config import make_config
from whyword.models.export import export_model
from whyword.models.train import train_model
from whyword.web.workers import share_of_cores

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

HEAD = {"texts": 20, "least_texts": 1, "pairs": 2, "epochs": 1, "steps": 10, "batch_size": 16}
TEXTS = ["the food was superb, the waiter was not", "dull", ""]
FORBIDDING = """
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "transformers", "scipy", "sklearn", "matplotlib", "safetensors"}:
            raise ImportError(f"{name} is forbidden here")

sys.meta_path.insert(0, Forbidden())
if __name__ == "__main__":
    from whyword.cli import main
    main()
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    values = {"encoder": "bag", "training": {"epochs": 2}, "contributions": HEAD}
    return train_model(make_config(values), load_dataset("planted:easy,train=40,dev=10,test=5"))


@pytest.fixture(scope="module")
def exported(model, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "reviews"
    export_model(model, "onnx", folder)
    return folder


class Server:
    """The command in a process of its own, with what it prints."""

    def __init__(self, folder: Path, *words: object) -> None:
        script = folder.parent / "forbidding.py"
        script.write_text(FORBIDDING, encoding="utf-8")
        command = [sys.executable, script, "serve", folder, "--port", 0, "--threads", 1, *words]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}
        environment.pop("WHYWORD_TOKEN", None)
        self.process = subprocess.Popen(
            [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        line = self.process.stdout.readline()
        assert " on http://127.0.0.1:" in line, line + self.process.stderr.read()
        self.url = line.partition(" on ")[2].split()[0]

    def ask(self, path: str, body: object = None) -> tuple[int, dict]:
        content = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(self.url + path, content, {"Content-Type": "application/json"}), timeout=20) as answer:
                return answer.status, json.loads(answer.read())
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=30)
        return self.process.returncode, log


@pytest.fixture
def serve(exported):
    started = []

    def start(*words):
        started.append(Server(exported, *words))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


def test_it_predicts_and_explains_as_torch_does(serve, model):
    server = serve()
    (facts,) = server.ask("/v1/models")[1]["models"]
    assert (facts["name"], facts["explainers"], facts["default_explainer"]) == ("reviews", ["occlusion", "own"], "own")
    table = model.classifier.probabilities([split(text) for text in TEXTS]).tolist()
    answers = server.ask("/v1/predict", {"texts": TEXTS})[1]["predictions"]
    for answer, row in zip(answers, table, strict=True):
        assert list(answer["probabilities"].values()) == pytest.approx(row, abs=1e-4)
    explained = server.ask("/v1/explain", {"texts": TEXTS})[1]["explanations"]
    scores = model.classifier.contributions([split(text) for text in TEXTS]).scores
    for answer, (_, positive) in zip(explained, scores, strict=True):
        assert answer["all_scores"]["positive"] == pytest.approx(positive.tolist(), abs=1e-4)
    for body in ({"explainer": "occlusion", "target": "all"}, {"target": "negative", "against": "positive"}):
        assert server.ask("/v1/explain", {"texts": TEXTS, **body})[0] == 200
    status, answer = server.ask("/v1/explain", {"texts": TEXTS, "explainer": "lime"})
    assert (status, answer["error"]) == (
        422,
        "'lime' needs torch, without which the ONNX file 'reviews' is served: choose occlusion or own, or start the "
        "server with --torch or on the model folder.",
    )
    assert server.ask("/v1/words")[0] == 404
    tensor = {"name": "text", "shape": [3], "datatype": "BYTES", "data": TEXTS}
    _, answer = server.ask("/v2/models/reviews/infer", {"inputs": [tensor]})
    assert answer["outputs"][0]["data"] == pytest.approx([p for row in table for p in row], abs=1e-4)
    assert server.ask("/v2/models/reviews")[1]["platform"] == "onnxruntime_onnx"
    code, log = server.stop()
    assert code == 0
    assert TEXTS[0] not in log


def test_several_workers_answer_on_one_port_and_one_that_dies_is_replaced(serve):
    server = serve("--workers", 2)
    assert {server.ask("/v1/predict", {"texts": TEXTS})[0] for _ in range(4)} == {200}
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    watched = children.exists()
    if watched:
        workers = [pid for pid in children.read_text().split() if b"spawn_main" in cmdline(pid)]
        assert len(workers) == 2
        os.kill(int(workers[0]), signal.SIGKILL)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            now = [pid for pid in children.read_text().split() if b"spawn_main" in cmdline(pid)]
            if len(now) == 2 and workers[0] not in now:
                break
            time.sleep(0.05)
        assert len(now) == 2
        assert workers[1] in now
        assert server.ask("/v1/predict", {"texts": TEXTS})[0] == 200
    code, log = server.stop()
    assert code == 0
    assert ("another takes its place" in log) == watched


def cmdline(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_cores_are_shared_among_workers_one_each_at_least():
    assert share_of_cores(1) >= 1
    assert share_of_cores(10_000) == 1
