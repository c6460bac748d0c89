"""Under which names a server answers: a page of another site can give its own name the address of this server."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from ..interfaces.errors import OptionError
from .errors import error_response

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ADDRESS, ANY = "any address", "*"  # no names: every IP address, which nobody else can own; and every name
NAME = re.compile(r"\*|(\*\.)?[\w.:-]+")


class AllowedHosts:
    """Refuses requests whose Host header names another server (DNS rebinding)."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            name = host_of(dict(scope["headers"]).get(b"host", b""))
            if not allows(self.hosts, name):
                sentence = (
                    f"This server does not answer as '{name[:100]}': ask it by its own name, or start it with "
                    "--allow-host NAME if that is its name."
                )
                await error_response(421, sentence)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def host_of(header: bytes) -> str:
    """Read the name or the address of a Host header, without the port."""
    text = header.decode("latin-1").strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].rstrip(".")


def allows(hosts: Sequence[str], name: str) -> bool:
    """Whether a name is one of those of the server."""
    if ANY in hosts or name in hosts:
        return True
    if ADDRESS in hosts and is_address(name):
        return True
    return any(host.startswith("*.") and name.endswith(host[1:]) for host in hosts)


def is_address(name: str) -> bool:
    """Recognize an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def names_of_server(host: str, bound: str, further: Sequence[str]) -> tuple[str, ...]:
    """List what a server answers to: what it was told to listen on, the names of this machine, and further names.

    bound: the address that it listens on. Where that is every address of the machine, any may be asked for.
    """
    address = ipaddress.ip_address(bound.partition("%")[0])
    names = [*LOOPBACK, host.lower(), str(address)]
    if not address.is_loopback:
        machine = socket.gethostname().lower()
        names += [machine, machine.partition(".")[0]]
    if address.is_unspecified:
        names.append(ADDRESS)
    return tuple(dict.fromkeys([*names, *map(_further, further)]))


def _further(name: str) -> str:
    """Read a name as the header of clients has it."""
    try:
        read = host_of((f"[{name}]" if is_address(name) else name).encode("idna"))
    except UnicodeError:
        read = ""
    if "/" in name or (read == ANY) != (name == ANY) or not NAME.fullmatch(read):
        raise OptionError(f"--allow-host '{name}' is no name of a server: give one such as models.example.org.")
    return read
