"""A Ray cluster of two nodes with a token, texts and results in an object store; one node dies in the middle."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from whyword import TextClassifier
from whyword.data.planted import planted
from whyword.storage.part_folder import MANIFEST

pytestmark = pytest.mark.real
RAY = str(Path(sys.executable).with_name("ray"))
PARTS, PART_SIZE = 12, 8

HOOK = '''
import os, signal, time
from pathlib import Path
from whyword.explaining.parts import part_content
from whyword.interfaces.places import as_place

def kill(task, ending, classifier, part):
    """Note on which node a part is made; the second node to come to one dies of it, raylet and all."""
    raylet = os.getppid()
    seen = as_place("s3://texts/raylets")
    (seen / str(part.number) / str(raylet)).write_text("")
    content = part_content(task, ending, classifier, part)
    victim = Path(os.environ["VICTIM"])
    if int(victim.read_text()) in (raylet, *parents(raylet)) and not victim.with_name("killed").exists():
        victim.with_name("killed").touch()
        os.kill(raylet, signal.SIGKILL)
        time.sleep(60)
    return content

def parents(process):
    import psutil
    return [parent.pid for parent in psutil.Process(process).parents()]
'''
START = (
    "import kill_hook; from whyword.cli import app; from whyword.explaining import parts; "
    "parts.part_content = kill_hook.kill; app.main()"
)


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """A bucket on 127.0.0.1, a token, and what workers import."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    pytest.importorskip("s3fs")
    pytest.importorskip("ray")
    (tmp_path / "kill_hook.py").write_text(HOOK, encoding="utf-8")
    (tmp_path / "token").write_text("0123456789abcdef0123456789abcdef", encoding="utf-8")
    server.start()
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    values = {
        "AWS_ENDPOINT_URL": "http://{}:{}".format(*server.get_host_and_port()),
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "PYTHONPATH": os.pathsep.join(paths),
        "VICTIM": str(tmp_path / "victim"),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(tmp_path / "token"),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",  # else other work of this machine comes first
        "OMP_NUM_THREADS": "1",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    yield
    server.stop()


@contextmanager
def node(*words):
    """Run a node of one CPU; at the end all its processes are gone."""
    size = ["--num-cpus=1", "--object-store-memory=100000000", "--disable-usage-stats", "--block"]
    process = subprocess.Popen([RAY, "start", *words, *size], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        everything = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for one in everything:
            with suppress(psutil.NoSuchProcess):
                one.send_signal(signal.SIGKILL)
        process.wait()


def free_port() -> int:
    for port in range(6400, 9000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError


def wait_for(true, seconds=120.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)


def answers(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


def run(*words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", START, *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=400, env={**os.environ, **(environment or {})}
    )


def test_a_node_that_dies_loses_no_row_and_changes_no_byte(environment, tmp_path):
    from upath import UPath

    documents = planted(f"easy,train={PARTS * PART_SIZE},dev=0,test=0").train
    texts = [document.words.texts[0] for document in documents]
    model = TextClassifier("attention", "bag", epochs=3, learning_rate=0.05, contributions=False)
    model.fit(texts, [document.label for document in documents]).save(tmp_path / "model")
    bucket = UPath("s3://texts", use_listings_cache=False)
    bucket.fs.mkdir("texts")
    bucket.fs.put(str(tmp_path / "model"), "texts/model", recursive=True)
    (bucket / "in" / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    (tmp_path / "victim").write_text("0")
    words = ("explain", "s3://texts/model", "s3://texts/in", "--explainer", "lime", "--samples", 400)
    words = (*words, "--part-size", PART_SIZE, "-q", "-o")
    port = free_port()
    with (
        TemporaryDirectory() as short,
        node("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={short}"),
    ):
        wait_for(lambda: answers(port))
        with node(f"--address=127.0.0.1:{port}") as second:
            wait_for(lambda: has_raylet(second.pid))
            share_and_kill(words, port, second.pid, tmp_path)
    (tmp_path / "victim").write_text("0")
    makers = [{path.name for path in place.iterdir()} for place in (bucket / "raylets").iterdir()]
    assert len(set().union(*makers)) == 2, "both nodes have made parts"
    assert [len(raylets) for raylets in makers].count(2) == 1, "one part was made by both, as the first died of it"
    assert run(*words, tmp_path / "alone").returncode == 0
    names = sorted(path.name for path in (tmp_path / "alone").iterdir())
    assert len(names) == PARTS + 1
    assert names[-1] == MANIFEST
    assert names == sorted(path.name for path in (bucket / "shared").iterdir())
    for name in names:
        assert (bucket / "shared" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name


def share_and_kill(words, port, second, tmp_path):
    cluster = ("--engine", "ray", "--workers", 2, "--address", f"127.0.0.1:{port}")
    wrong = run(*words, "s3://texts/none", *cluster, environment={"RAY_AUTH_TOKEN": "0" * 32})
    assert wrong.returncode == 2
    assert "set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN to the token of the cluster" in wrong.stderr.splitlines()[-1]
    (tmp_path / "victim").write_text(str(second))
    done = run(*words, "s3://texts/shared", *cluster)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (tmp_path / "killed").exists()


def has_raylet(process: int) -> bool:
    return any(child.name() == "raylet" for child in psutil.Process(process).children(recursive=True))
