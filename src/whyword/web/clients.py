"""Who is one client: an address, or a network of IPv6 that one subscriber gets."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

SUBSCRIBER = 64  # bits of an IPv6 address that a provider gives; its owner chooses the rest
SERVER, UNKNOWN = "the server", "unknown"  # who is no address: the server's own work, and a client without one


def client_of(scope: Mapping[str, Any]) -> str:
    """Name the client of a request; behind a proxy that is trusted, the one that the proxy names."""
    client = scope.get("client")
    return UNKNOWN if client is None else name_of(client[0])


@lru_cache(maxsize=4_096)
def name_of(host: str) -> str:
    """Name the client at an address; whoever has none is one client with all others like it."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return UNKNOWN  # a trusted proxy passes on whatever a client says that it is, even that it is the server
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, SUBSCRIBER), strict=False))
