"""Connections that do not behave, on real sockets: too many, too slow, too long; and what the log says of them."""

import json
import socket
from contextlib import ExitStack, closing, suppress
from types import SimpleNamespace

import httpx
import pytest

from whyword.interfaces.errors import OptionError
from whyword.web.gate import Connection, Gate, allow_open_files
from whyword.web.limits import HEADER_BYTES, MOST_HEADERS, Settings

from .conftest import Server, read_answer
from .test_server import HTTP, LONG, healthy, wait_for, waiting

FEW = ("--connections", 24, "--client-connections", 20, "--timeout", 3)


@pytest.fixture(scope="module")
def strict(folders):
    """One server that takes few connections and has to survive all of this, and say little about it."""
    server = Server(folders[0], *FEW)
    yield server
    code, log = server.stop()
    assert code == 0
    assert "Traceback" not in log
    assert len(log) < 100_000
    for line in log.splitlines():
        assert "bug" not in json.loads(line)


def is_closed(connection: socket.socket) -> bool:
    """Whether the server has closed it, without waiting."""
    connection.setblocking(False)
    try:
        return connection.recv(10_000) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_half_open_connections_neither_silence_the_server_nor_fill_the_log(strict):
    with ExitStack() as stack:
        half_open = []
        for _ in range(200):
            half_open.append(stack.enter_context(strict.connect()))
            half_open[-1].sendall(b"POST /v1/predict HTTP/1.1\r\nHost: loc")
        assert healthy(strict)
        assert sum(not is_closed(connection) for connection in half_open) <= 20
        assert healthy(strict)
        wait_for(lambda: all(map(is_closed, half_open)))  # their time is over
    assert healthy(strict)


def test_headers_that_come_byte_by_byte_are_waited_for_only_so_long(strict):
    with strict.connect() as connection:

        def is_over() -> bool:
            with suppress(ConnectionError):
                connection.sendall(b"G")
                return is_closed(connection)
            return True

        wait_for(is_over)


def test_a_connection_that_has_had_its_answer_is_not_kept_open_by_a_byte(strict):
    with strict.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_answer(connection)[0] == 200
        connection.sendall(b"G")
        wait_for(lambda: is_closed(connection))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([f"X-{number}: 1" for number in range(MOST_HEADERS + 1)], 431),
        ([f"X-Long: {'x' * (HEADER_BYTES + 1)}"], (400, 431)),
        ([f"X-Much-Longer: {'x' * 200_000}"], 400),
        (["X-Control: \x00"], 400),
    ],
    ids=["too many", "too long", "much too long", "not allowed"],
)
def test_headers_have_limits(strict, headers, status):
    head = "\r\n".join(["GET /v1/models HTTP/1.1", "Host: localhost", *headers])
    try:
        code, answer = strict.ask(head, b"")
    except ConnectionError:  # it stopped reading before all was sent
        code, answer = 400, {"error": "closed"}
    assert code in (status if isinstance(status, tuple) else (status,))
    assert answer["error"]
    assert healthy(strict)


def test_a_long_address_is_refused(strict):
    code, answer = strict.ask(f"GET /v1/words?model={'x' * HEADER_BYTES} HTTP/1.1\r\nHost: localhost", b"")
    assert code in (400, 431)
    assert answer["error"]


def test_other_names_than_its_own_are_refused(strict):
    for route in ("/", "/v1/models", "/v2/models/vmask"):
        code, answer = strict.ask(f"GET {route} HTTP/1.1\r\nHost: rebound.example:{strict.port}", b"")
        assert code == 421
        assert "rebound.example" in answer["error"]
    assert strict.ask("GET /v1/models HTTP/1.1\r\nHost: LOCALHOST:1", b"")[0] == 200


@pytest.mark.parametrize(
    ("in_request", "unsent", "allowed"),
    [(False, 0, 10), (False, 1, 60), (True, 1, 180)],
    ids=["headers", "rest", "all"],
)
def test_everything_has_its_time(in_request, unsent, allowed):
    connection = Connection.__new__(Connection)
    now = [0.0]
    connection.gate, connection.since = Gate(Settings()), 0.0
    connection.loop = SimpleNamespace(time=lambda: now[0])
    connection.transport = SimpleNamespace(get_write_buffer_size=lambda: unsent)
    connection.cycle = SimpleNamespace(response_complete=not in_request)
    now[0] = allowed - 1
    assert not connection.is_late
    now[0] = allowed + 1
    assert connection.is_late


def test_a_short_explanation_is_answered_in_the_middle_of_a_long_one(serve):
    server = serve()
    heavy = {"texts": [LONG], "explainer": "lime", "samples": 5000}
    with closing(server.connect()) as connection:
        body = json.dumps(heavy).encode()
        head = "POST /v1/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}"
        connection.sendall(head.encode() + b"\r\n\r\n" + body)
        wait_for(lambda: waiting(server) == 1)
        for path in ("/v1/explain", "/v2/models/vmask/explain"):
            asked = {"texts": ["wonderful plot"]}
            if path.startswith("/v2"):
                asked = {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["wonderful plot"]}]}
            assert HTTP.post(server.url + path, json=asked).status_code == 200
            assert waiting(server) == 1, "the long one was over first"
    wait_for(lambda: waiting(server) == 0)  # whoever asked has gone, and so has the work


@pytest.mark.real
def test_several_processes_share_the_limits(serve):
    server = serve("--workers", 2, "--quiet", *FEW)
    with ExitStack() as stack:
        half_open = [stack.enter_context(server.connect()) for _ in range(100)]
        for connection in half_open:
            connection.sendall(b"GET ")
        answers = [httpx.get(f"{server.url}/readyz", timeout=20).status_code for _ in range(6)]
        assert answers == [200] * 6
        assert sum(not is_closed(connection) for connection in half_open) <= 20
        refused = httpx.get(f"{server.url}/v1/models", headers={"Host": "rebound.example"}, timeout=20)
        assert refused.status_code == 421
    code, log = server.stop()
    assert (code, log) == (0, "")


def test_a_quiet_server_says_nothing_about_clients_that_do_not_behave(serve):
    server = serve("--quiet", *FEW)
    with ExitStack() as stack:
        for sent in (b"\x16\x03\x01 hello\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET ", b"") * 20:
            stack.enter_context(server.connect()).sendall(sent)
        assert healthy(server)
    assert server.stop() == (0, "")


def test_more_connections_than_the_system_has_files_for_are_refused_in_a_sentence(monkeypatch):
    resource = pytest.importorskip("resource")
    set_to = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: set_to.append(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4_096))
    allow_open_files(Settings())
    assert set_to == [(896, 4_096)], "the limit that a process may raise itself is raised"
    with pytest.raises(OptionError, match=r"--connections 4000 takes 4,384 open files .* lower --connections by 288"):
        allow_open_files(Settings(connections=4_000))
    allow_open_files(Settings(connections=4_000), processes=2)
    set_to.clear()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))  # as on macOS
    allow_open_files(Settings())
    assert set_to == [(896, resource.RLIM_INFINITY)]


def test_limits_of_connections_that_contradict_each_other_are_refused():
    with pytest.raises(OptionError, match="--client-connections 30 is more than --connections 20"):
        Settings(connections=20, client_connections=30)


@pytest.mark.parametrize("limit", [{"timeout": float("inf")}, {"batch_wait": float("nan")}])
def test_waiting_without_end_is_refused(limit):
    with pytest.raises(OptionError, match=r"--(timeout|batch-wait) is (inf|nan): give a number"):
        Settings(**limit)
