"""Whose turn is next: clients in a round, each with an equal share of the computing time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")

TURN = 0.1  # seconds of computing before others that wait get their turn


class Turns(Generic[T]):
    """What clients wait for, by deficit round robin (Shreedhar & Varghese 1995) over seconds that were measured.

    A step takes as long as it takes, so what a client has used beyond its share is taken off its next turns. What it
    waits for is done in turn, too. Where nobody else waits, no share is counted.
    """

    def __init__(self) -> None:
        self._round: dict[str, deque[T]] = {}  # by client, who is next first
        self._left: dict[str, float] = {}  # seconds, by client; below 0: it has used more than its share

    def __bool__(self) -> bool:
        """Whether anything waits; any thread may ask."""
        return bool(self._round)

    def add(self, client: str, item: T) -> None:
        """Let something wait behind what its client waits for already."""
        self._round.setdefault(client, deque()).append(item)

    def discard(self, client: str, item: T) -> None:
        """Let something wait no longer."""
        if client in self._round and item in self._round[client]:
            self._round[client].remove(item)
            if not self._round[client]:
                del self._round[client]

    def waiting(self) -> list[tuple[str, T]]:
        """List what waits, in the order of the round."""
        return [(client, item) for client, items in self._round.items() for item in items]

    def take(self, ready: Callable[[T], bool] = lambda item: True) -> tuple[str, T] | None:
        """Take what is next, of that which is ready."""
        able = {client for client, item in self.waiting() if ready(item)}
        while able:
            client = next(iter(self._round))
            items = self._round.pop(client)
            self._round[client] = items  # behind all others
            if client not in able:
                continue
            self._left[client] = min(TURN, self._left.get(client, 0.0) + TURN)
            if self._left[client] > 0:
                item = next(item for item in items if ready(item))
                self.discard(client, item)
                return client, item
        return None

    def charge(self, seconds: Mapping[str, float]) -> None:
        """Take seconds off the shares of clients; once nobody waits, all begin anew."""
        if not self._round:
            self._left.clear()
            return
        for client, used in seconds.items():
            self._left[client] = self._left.get(client, 0.0) - used
        self._left = {client: left for client, left in self._left.items() if left < 0 or client in self._round}
