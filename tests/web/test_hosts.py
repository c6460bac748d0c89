import socket

import pytest

from whyword.interfaces.errors import OptionError
from whyword.web.clients import SERVER, UNKNOWN, client_of, name_of
from whyword.web.hosts import allows, host_of, names_of_server


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"localhost", "localhost"),
        (b"LocalHost:8000", "localhost"),
        (b"models.example.org.:80", "models.example.org"),
        (b"[::1]:8000", "::1"),
        (b"", ""),
        (b"caf\xe9", "café"),
    ],
)
def test_a_host_is_read_without_its_port(header, name):
    assert host_of(header) == name


def test_on_loopback_only_its_own_names_are_answered():
    names = names_of_server("127.0.0.1", "127.0.0.1", [])
    assert all(allows(names, name) for name in ("localhost", "127.0.0.1", "::1"))
    others = ("evil.example", "localhost.evil.example", "192.168.1.5", socket.gethostname().lower() + "x", "", "::2")
    assert not any(allows(names, name) for name in others)


def test_on_every_address_any_address_and_the_name_of_the_machine_are_answered():
    for host, bound in (("0.0.0.0", "0.0.0.0"), ("::", "::")):
        names = names_of_server(host, bound, [])
        assert all(allows(names, name) for name in ("10.0.0.7", "fe80::1", "localhost", socket.gethostname().lower()))
        assert not allows(names, "evil.example")
        assert not allows(names, "10.0.0.7.evil.example")


def test_on_one_address_it_and_the_name_it_was_given_are_answered():
    names = names_of_server("Models.Example.org", "192.0.2.7", [])
    assert all(allows(names, name) for name in ("models.example.org", "192.0.2.7"))
    assert not allows(names, "192.0.2.8")


def test_further_names_are_answered_and_those_below_them_if_that_is_said():
    names = names_of_server("127.0.0.1", "127.0.0.1", ["Models.example.org:443", "*.inner.example"])
    assert allows(names, "models.example.org")
    assert allows(names, "a.inner.example")
    assert not any(allows(names, name) for name in ("a.models.example.org", "inner.example", "xinner.example"))
    assert allows(names_of_server("127.0.0.1", "127.0.0.1", ["*"]), "anything")


def test_further_names_are_read_as_browsers_send_them():
    names = names_of_server("127.0.0.1", "127.0.0.1", ["bücher.example", "fd00::1", "[fd00::2]:80"])
    assert all(allows(names, name) for name in ("xn--bcher-kva.example", "fd00::1", "fd00::2"))


@pytest.mark.parametrize("name", ["", "*.", "http://models.example.org", "a b", "a..b", "inner.*"])
def test_what_is_no_name_is_refused_in_a_sentence(name):
    with pytest.raises(OptionError, match="is no name of a server"):
        names_of_server("127.0.0.1", "127.0.0.1", [name])


def test_a_client_is_an_address_or_a_network_of_ipv6():
    assert name_of("192.0.2.1") == name_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert name_of("2001:db8::1") == name_of("2001:db8::2") != name_of("2001:db8:0:1::1")
    assert name_of("fe80::1%eth0") == name_of("fe80::2")
    assert {client_of({"client": (name, 1)}) for name in ("testclient", SERVER, "")} == {UNKNOWN}
    assert client_of({"client": None}) == UNKNOWN
