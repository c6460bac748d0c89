import socket
import sys

import pytest
from starlette.testclient import TestClient


@pytest.fixture(autouse=True)
def without_token(monkeypatch):
    monkeypatch.delenv("WHYWORD_TOKEN", raising=False)


@pytest.fixture
def not_run(monkeypatch):
    """Stop where the server would begin; give what it was given."""
    import signal

    import uvicorn

    given = []

    def run(self, sockets):
        given.append((self.config, sockets[0].getsockname()))

    monkeypatch.setattr(uvicorn.Server, "run", run)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield given
    for number, handler in before.items():
        signal.signal(number, handler)


def test_it_listens_on_loopback_and_says_where(whyword, not_run, model):
    done = whyword("serve", model, model, "--port", 0)
    ((_, (host, port)),) = not_run
    assert host == "127.0.0.1"
    assert done.code == 0
    assert done.out == (
        f"Serving attention, attention-2 on http://127.0.0.1:{port} (API: http://127.0.0.1:{port}/docs)\n"
    )
    assert done.err == ""


def test_beyond_loopback_without_a_token_it_warns(whyword, not_run, model, monkeypatch):
    done = whyword("serve", model, "--host", "0.0.0.0", "--port", 0)
    assert done.err.startswith("Everyone who reaches http://0.0.0.0:")
    assert done.err.count("\n") == 1
    monkeypatch.setenv("WHYWORD_TOKEN", "sesame")
    assert whyword("serve", model, "--host", "0.0.0.0", "--port", 0).err == ""


def test_a_port_in_use_is_told_in_a_sentence(refused, model):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        error = refused("serve", model, "--port", port)
    assert f"127.0.0.1 port {port} cannot be used (Address already in use)" in error


def test_a_host_that_does_not_exist_is_told_in_a_sentence(refused, model):
    for host in ("256.1.1.1", f"{'a' * 64}.org"):
        assert f"{host} port 8000 cannot be used" in refused("serve", model, "--host", host)


def test_limits_that_contradict_each_other_are_refused(refused, model):
    assert "--queue 3 holds fewer texts" in refused("serve", model, "--queue", 3)


def test_what_is_no_model_is_refused(refused, tmp_path):
    assert "There is no model folder" in refused("serve", tmp_path / "nothing", "--port", 0)


def test_without_the_extra_it_says_what_to_install(refused, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'whyword[web]'" in refused("serve", model)


def test_texts_to_mark_have_a_page_and_a_file_beside_them(whyword, not_run, model, data):
    done = whyword("serve", model, "--annotate", data, "--port", 0)
    assert done.code == 0
    ((_, (_, port)),) = not_run
    saved = data.with_name("reviews.csv.annotations.jsonl")
    page = f"http://127.0.0.1:{port}/annotate"
    assert done.out.splitlines()[1] == f"Mark the words of reviews.csv on {page} (saved in {saved})"
    assert saved.read_bytes() == b""
    saved.write_bytes(b'{"half')
    done = whyword("serve", model, "--annotate", data, "--port", 0)
    assert done.err == f"{saved} ended in half a line, which was cut off.\n"


def test_what_cannot_be_annotated_is_refused(refused, model, data, tmp_path):
    assert "need --annotate FILE" in refused("serve", model, "--overlap", 2)
    assert "Did you mean 'disagree'?" in refused("serve", model, "--annotate", data, "--order", "disagre")
    assert "There is no file or folder" in refused("serve", model, "--annotate", tmp_path / "nothing.csv")
    jsonl = tmp_path / "texts.jsonl"
    jsonl.write_text('{"text": "a film"}\n', encoding="utf-8")
    error = refused("serve", model, "--annotate", jsonl, "--annotations", jsonl)
    assert "is the file that is read" in error
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "a film"}\n', encoding="utf-8")
    assert "other.jsonl, annotation 1 has no author" in refused(
        "serve", model, "--annotate", jsonl, "--annotations", other
    )
    assert other.read_text(encoding="utf-8") == '{"text": "a film"}\n'


def test_it_answers_to_its_own_names_and_to_those_that_are_added(whyword, not_run, model):
    whyword("serve", model, "--port", 0, "--allow-host", "Models.example.org", "--allow-host", "*.inner.example")
    ((config, _),) = not_run
    with TestClient(config.app) as http:
        names = ("localhost:1", "models.example.org", "a.inner.example", "evil.example", "192.0.2.1")
        assert [http.get("/readyz", headers={"Host": name}).status_code for name in names] == [200, 200, 200, 421, 421]


def test_connections_have_limits_that_the_system_can_hold(whyword, refused, not_run, model):
    whyword("serve", model, "--port", 0, "--connections", 30)
    ((config, _),) = not_run
    assert (config.http.__self__.most, config.http.__self__.most_of_client) == (30, 8)
    error = refused("serve", model, "--port", 0, "--connections", 3, "--client-connections", 4)
    assert "--client-connections 4 is more than --connections 3" in error
