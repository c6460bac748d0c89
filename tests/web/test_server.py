"""A server of its own process, and clients that do not behave."""

import json
import signal
import threading
import time

import httpx
import pytest

from .conftest import TEXTS, read_answer

LONG = " ".join(" ".join(TEXTS).split()[:600])
SLOW = {"texts": [LONG] * 8, "explainer": "lime", "samples": 5000}  # seconds of work
HTTP = httpx.Client(timeout=20)  # one, since each takes a tenth of a second to make
POST = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"


def healthy(server) -> bool:
    answer = HTTP.post(f"{server.url}/v1/predict", json={"texts": ["wonderful"]})
    return answer.status_code == 200


@pytest.fixture(scope="module")
def lasting(folders):
    """One server that has to survive all of this."""
    from .conftest import Server

    server = Server(folders[0], "--timeout", 2)
    yield server
    code, log = server.stop()
    assert code == 0
    assert "Traceback" not in log
    for line in log.splitlines():
        assert "bug" not in json.loads(line)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"\x00\xff\x13garbage", 422),
        (b"{not json", 422),
        (b'{"texts": ["\xc3\x28"]}', 400),
        (b'{"texts": [NaN]}', 422),
        (b'{"texts": ["a"], "model": Infinity}', 422),
    ],
    ids=["garbage", "no JSON", "invalid UTF-8", "NaN", "Infinity"],
)
def test_garbage_is_refused(lasting, body, status):
    code, answer = lasting.ask(f"{POST}\r\nContent-Length: {len(body)}", body)
    assert code == status
    assert answer["error"]
    assert healthy(lasting)


def test_ten_megabytes_are_refused_once_they_are_sent(lasting):
    code, answer = lasting.ask(f"{POST}\r\nContent-Length: {10 << 20}", b"x" * (10 << 20))
    assert code == 413
    assert "more than 1,000,000 bytes" in answer["error"]
    assert healthy(lasting)


def test_ten_megabytes_of_unsaid_length_are_refused(lasting):
    chunk = f"{1 << 20:x}\r\n".encode() + b"x" * (1 << 20) + b"\r\n"
    code, answer = lasting.ask(f"{POST}\r\nTransfer-Encoding: chunked", 10 * chunk + b"0\r\n\r\n")
    assert code == 413
    assert answer["connection"] == "close"
    assert healthy(lasting)


def test_what_is_no_http_is_refused(lasting):
    with lasting.connect() as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 400")
    assert healthy(lasting)


def test_a_client_that_sends_a_byte_now_and_then_is_refused_and_holds_up_nobody(lasting):
    with lasting.connect() as connection:
        connection.sendall(f"{POST}\r\nContent-Length: 1000\r\n\r\n".encode())
        started = time.monotonic()
        while time.monotonic() - started < 1:
            connection.sendall(b" ")
            assert healthy(lasting)
            time.sleep(0.2)
        code, answer = read_answer(connection)
    assert code == 408
    assert "within 2 seconds" in answer["error"]


def test_clients_that_are_killed_leave_nothing_behind(lasting):
    for sent in (b"", b"GET / HT", POST.encode(), f"{POST}\r\nContent-Length: 100\r\n\r\n{{".encode()):
        with lasting.connect() as connection:
            connection.sendall(sent)
    body = json.dumps(SLOW).encode()
    head = "POST /v1/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}"
    with lasting.connect() as connection:
        connection.sendall(head.encode() + b"\r\n\r\n" + body)
        wait_for(lambda: waiting(lasting) == 8)
    wait_for(lambda: waiting(lasting) == 0)
    assert healthy(lasting)


def test_an_answer_that_takes_too_long_is_given_up_and_so_is_the_work(lasting):
    answer = HTTP.post(f"{lasting.url}/v1/explain", json=SLOW)
    assert answer.status_code == 504
    answer = HTTP.post(f"{lasting.url}/v1/explain", json={"texts": ["wonderful"]})
    assert answer.status_code == 200, "it waited for the work given up, and was given up after the same 2 seconds"


def test_a_long_explanation_does_not_hold_up_predictions(lasting):
    asking = threading.Thread(target=lambda: HTTP.post(f"{lasting.url}/v1/explain", json=SLOW))
    asking.start()
    wait_for(lambda: waiting(lasting) == 8)
    assert healthy(lasting)
    assert waiting(lasting) == 8, "the explanation was over before the prediction"
    asking.join()


def test_a_full_queue_sends_clients_away_for_a_moment(serve):
    server = serve("--queue", 8, "--max-texts", 8, "--timeout", 30)
    asking = threading.Thread(target=lambda: abandon(server, SLOW, 2.0))
    asking.start()
    wait_for(lambda: waiting(server) == 8)
    refused = HTTP.post(f"{server.url}/v1/explain", json={"texts": ["wonderful"]})
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "1"
    assert refused.json() == {"error": "The server is busy: try again in a second."}
    asking.join()
    wait_for(lambda: HTTP.post(f"{server.url}/v1/explain", json={"texts": ["wonderful"]}).status_code == 200)
    assert server.stop(signal.SIGINT)[0] == 0


def test_who_is_told_to_stop_answers_what_was_accepted_and_leaves(serve):
    server = serve()
    answers = []
    body = {"texts": [LONG] * 2, "explainer": "lime", "samples": 1000}
    asking = threading.Thread(
        target=lambda: answers.append(HTTP.post(f"{server.url}/v1/explain", json=body, timeout=60))
    )
    asking.start()
    wait_for(lambda: waiting(server) == 2)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    with pytest.raises(httpx.ConnectError):
        HTTP.get(f"{server.url}/healthz")
    assert not answers
    asking.join()
    assert answers[0].status_code == 200
    assert len(answers[0].json()["explanations"]) == 2
    _, log = server.process.communicate(timeout=30)
    assert server.process.returncode == 0
    assert [json.loads(line)["status"] for line in log.splitlines() if "/v1/explain" in line] == [200]


def abandon(server, body, seconds: float) -> None:
    with pytest.raises(httpx.ReadTimeout):
        HTTP.post(f"{server.url}/v1/explain", json=body, timeout=seconds)


def waiting(server) -> int:
    text = HTTP.get(f"{server.url}/metrics").text
    return int(text.partition('whyword_queue_texts{queue="explain"} ')[2].split()[0])


def wait_for(condition) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
