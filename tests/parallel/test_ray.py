"""Workers of a Ray of this machine; one session for all that can be seen in it, as it takes seconds to start."""

import math
import os
import signal
import socket
import sys
from contextlib import suppress
from ipaddress import ip_address

import psutil
import pytest

from whyword.interfaces.errors import OptionError, WhywordError
from whyword.parallel import WorkerError, parallel_map, ray_workers
from whyword.parallel.outcome import AHEAD
from whyword.parallel.ray_workers import _Pool


@pytest.mark.filterwarnings("default")  # Ray's own
def test_a_ray_of_this_machine_stays_on_loopback_and_loses_no_item_when_workers_die(monkeypatch):
    pytest.importorskip("ray", reason="the extra ray is not installed")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_worker_niceness", "0")  # else other work of this machine comes first
    monkeypatch.setattr(ray_workers, "RETRIES", 1)  # each takes seconds
    items = [signal.SIGCHLD, signal.SIGURG, signal.SIGCONT, signal.SIGKILL, *[signal.SIGCHLD] * 8]
    taken, given = [], []
    results = parallel_map(signal.raise_signal, (taken.append(item) or item for item in items), "ray", 2)
    given.append(next(results))
    assert len(taken) <= 1 + 2 * AHEAD, "no more are under way than two workers have before them"
    me = psutil.Process()
    listening = []
    for process in (me, *me.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            listening += [
                (process.name(), connection.laddr.ip)
                for connection in process.net_connections(kind="inet")
                if connection.status == psutil.CONN_LISTEN
            ]
    assert {"gcs_server", "raylet"} <= {name for name, _ in listening}
    for name, place in listening:
        address = ip_address(place)
        assert (getattr(address, "ipv4_mapped", None) or address).is_loopback, (name, place)
    given += results
    assert "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER" not in os.environ
    killed = [result for item, result in given if item == signal.SIGKILL]
    assert [str(error)[:32] for error in killed] == ["Its Ray worker died 2 times (The"]
    assert isinstance(killed[0], WorkerError)
    assert sorted(item for item, _ in given) == sorted(items)
    assert all(result is None for item, result in given if item != signal.SIGKILL)
    left = set()
    for process in me.children(recursive=True):  # of other tests, perhaps
        with suppress(psutil.NoSuchProcess):
            left.add(process.name())
    assert not left & {"gcs_server", "raylet"}


def test_an_address_at_which_nobody_answers_is_refused_at_once():
    pytest.importorskip("ray", reason="the extra ray is not installed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(OptionError, match=rf"Nobody answers at the Ray cluster 127\.0\.0\.1:{port} \(Connection ref"):
        list(parallel_map(math.sqrt, [1], "ray", address=f"127.0.0.1:{port}"))


class RayError(Exception):
    pass


class AuthenticationError(RayError):
    pass


class Ray:
    """A Ray that cannot be connected to, or whose workers do not start."""

    __version__ = "2.60.0"

    class exceptions:  # noqa: N801
        RayError = RayError
        RayTaskError = type("RayTaskError", (RayError,), {})

    def __init__(self, error=None, node="127.0.0.1"):
        self.error, self.node = error, node

    def is_initialized(self):
        return False

    def init(self, **settings):
        if self.error is not None:
            raise self.error

    def nodes(self):
        return [{"NodeManagerAddress": self.node}]

    def shutdown(self):
        pass

    def remote(self, work=None, **settings):
        return (lambda kind: self) if work is None else self

    def put(self, work):
        return work

    start = property(lambda self: type("Method", (), {"remote": staticmethod(object)}))

    def wait(self, places, num_returns):
        return places[:1], places[1:]

    def get(self, place):
        raise RayError("The actor died:\nModuleNotFoundError: No module named 'torch'")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ConnectionError("no answer.\nA long story."),
            r"does not let this process in \(no answer\)\. If",
        ),
        (
            AuthenticationError("RAY_AUTH_TOKEN_PATH is set but"),
            "asks for a token, and .* set RAY_AUTH_MODE=token",
        ),
        (RuntimeError("Version mismatch:\n2.1"), r"Ray does not run at auto \(Version mismatch:\): try again"),
    ],
)
def test_a_ray_that_does_not_start_is_told_in_a_sentence(monkeypatch, error, sentence):
    monkeypatch.setitem(sys.modules, "ray", Ray(error))
    with pytest.raises(OptionError, match=sentence):
        list(parallel_map(math.sqrt, [1], engine="ray", address="auto"))


def test_workers_that_never_start_are_told_in_a_sentence():
    pool = _Pool(Ray(), math.sqrt, 2)
    with pytest.raises(WhywordError, match=r"workers do not start \(ModuleNotFoundError: No module named 'torch'\)"):
        list(pool.outcomes(iter([4])))


def test_a_ray_that_listens_to_the_network_though_told_not_to_is_refused(monkeypatch):
    from whyword.parallel.ray_session import _check_loopback

    _check_loopback(Ray())
    with pytest.raises(OptionError, match=r"listens to the network \(192\.0\.2\.7\): update it"):
        _check_loopback(Ray(node="192.0.2.7"))
