"""A classifier behind HTTP: texts go out in batches as a template says, probabilities come back and are remembered."""

from __future__ import annotations

import http.client
import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ..interfaces.document import Label
from ..interfaces.errors import ModelError, OptionError, first_line
from .template import Template, Text, find_answers, quoted, read_row, write_request

PASSING = (408, 425, 429, 500, 502, 503, 504)  # codes after which the same question may be answered
MOST_OF_AN_ERROR = 400  # bytes that are read of its page
LONGEST_WAIT = 60.0  # seconds before another attempt, whatever a server asks for


class Endpoint:
    """Asks a URL for (text, class) probabilities."""

    def __init__(self, url: str, template: Template, classes: Sequence[Label] | None, example: Text) -> None:
        self.url = url
        self.name = shown(url)
        if "@" in urlsplit(url).netloc:
            raise OptionError(
                f"The URL of {self.name} names a user: say who asks in a header of a template (--http-template)."
            )
        self.template = template
        self._headers = {name: _filled_in(name, value) for name, value in template.headers.items()}
        self._lock = threading.Lock()
        self._next_request = 0.0
        self._known: OrderedDict[Text, Any] = OrderedDict()  # what was answered, the least recent first
        self.classes = tuple(classes or template.classes or self._find_classes(example))

    def __call__(self, texts: Sequence[Text]) -> np.ndarray:
        """Give (text, class) probabilities; only texts that are not remembered are asked about."""
        answers = self._answers(list(dict.fromkeys(texts)))
        return np.array([read_row(answers[text], self.classes, self.name) for text in texts])

    def _answers(self, texts: Sequence[Text]) -> dict[Text, Any]:
        answers = {text: self._known[text] for text in texts if text in self._known}
        new = [text for text in texts if text not in answers]
        size = 1 if self.template.one_by_one else self.template.batch
        batches = [new[start : start + size] for start in range(0, len(new), size)]
        given_up = threading.Event()
        with ThreadPoolExecutor(self.template.parallel) as threads:
            try:
                for batch, rows in zip(batches, threads.map(partial(self._ask, given_up), batches), strict=True):
                    answers.update(zip(batch, rows, strict=True))
            except BaseException:
                given_up.set()  # so that no thread waits for another attempt
                raise
        with self._lock:
            for text in texts:
                self._known[text] = answers[text]
                self._known.move_to_end(text)
            while len(self._known) > self.template.remembered:
                self._known.popitem(last=False)
        return answers

    def _find_classes(self, example: Text) -> tuple[Label, ...]:
        answer = self._answers([example])[example]
        if isinstance(answer, dict):
            return tuple(answer)
        if isinstance(answer, list) and all(isinstance(part, int | float) for part in answer):
            return tuple(range(len(answer)))
        raise OptionError(f"{self.name} does not name its classes: name them in the template, or with --classes A,B.")

    def _ask(self, given_up: threading.Event, texts: Sequence[Text]) -> list[Any]:
        """Send one request and find the answer to each text."""
        body = json.dumps(write_request(self.template.request, texts)).encode()
        return find_answers(self._send(body, given_up), self.template, len(texts), self.name)

    def _send(self, body: bytes, given_up: threading.Event) -> Any:
        for attempt in range(self.template.retries + 1):
            self._wait_for_turn()
            wait = self.template.backoff * 2**attempt
            headers = {"Content-Type": "application/json", "User-Agent": "whyword", **self._headers}
            request = urllib.request.Request(self.url, body, headers, method="POST")
            try:
                with OPENER.open(request, timeout=self.template.timeout) as answer:
                    return json.loads(_read(answer, time.monotonic() + self.template.timeout))
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"HTTP {error.code} {_said(error)}"
                if error.code not in PASSING:
                    raise ModelError(f"{self.name} refuses ({reason}): see the URL and the template.") from None
                wait = max(wait, _seconds(error.headers.get("Retry-After")))
            except ValueError as error:
                raise ModelError(f"{self.name} does not answer in JSON ({first_line(error)}): see the URL.") from None
            except (OSError, http.client.HTTPException) as error:
                reason = str(getattr(error, "reason", None) or first_line(error))
            if given_up.is_set():
                break
            if attempt < self.template.retries:
                given_up.wait(min(wait, LONGEST_WAIT))
        raise ModelError(
            f"{self.name} did not answer in {self.template.retries + 1} attempts ({reason}): see that it is up, or "
            "allow more time and retries in a template (--http-template)."
        )

    def _wait_for_turn(self) -> None:
        """Keep requests apart, so that no more than the allowed number start in a second."""
        if self.template.rate is None:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_request)
            self._next_request = turn + 1 / self.template.rate
        time.sleep(turn - now)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would turn a question into a GET, and take the headers, keys too, to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Refuse."""


OPENER = urllib.request.build_opener(_NoRedirect)


def _read(answer: http.client.HTTPResponse, deadline: float) -> bytes:
    """Read all of an answer, unless it is still coming at the deadline."""
    parts = []
    while part := answer.read1():
        parts.append(part)
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
    if answer.length:
        raise http.client.IncompleteRead(b"".join(parts), answer.length)
    return b"".join(parts)


def _said(error: urllib.error.HTTPError) -> str:
    """Quote where an error redirects to, or the beginning of its page."""
    place = error.headers.get("Location")
    return f"to {place}" if place else quoted(error.read(MOST_OF_AN_ERROR).decode(errors="replace"))


def _filled_in(header: str, value: str) -> str:
    """Put variables of the environment into a header; what may be secret is in no error."""

    def variable(found: re.Match[str]) -> str:
        name = found.group(1)
        if name not in os.environ:
            raise OptionError(f"A header of the template needs the environment variable {name}: set it.")
        return os.environ[name].strip()

    filled = re.sub(r"\$\{(\w+)\}", variable, value)
    if not filled.isascii() or not filled.isprintable():
        raise OptionError(f"The header {header} of the template holds a character that no header may: mend its value.")
    return filled


def _seconds(header: str | None) -> float:
    """Read Retry-After, which may also be a date."""
    return float(header) if header is not None and header.isdigit() else 0.0


def shown(url: str) -> str:
    """Give a URL for people, without what may be secret: user, password and query."""
    try:
        place = urlsplit(url)
        port = "" if place.port is None else f":{place.port}"
    except ValueError as error:
        raise OptionError(
            f"The URL of a model cannot be read ({first_line(error)}): write http://HOST:PORT/PATH."
        ) from None
    if not place.hostname:
        raise OptionError("The URL of a model names no host: write http://HOST:PORT/PATH.")
    return f"{place.scheme}://{place.hostname}{port}{place.path}"
