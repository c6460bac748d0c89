"""Counts of what a server does, in the text format of Prometheus."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Histogram:
    """How many values are at most as large as each bound."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, label: str) -> Iterator[str]:
        """Write the running counts, the sum and the count."""
        count = 0
        for bound, more in zip([*map(str, self.bounds), "+Inf"], self.counts, strict=True):
            count += more
            yield f'{name}_bucket{{{label},le="{bound}"}} {count}'
        yield f"{name}_sum{{{label}}} {self.total:.6f}"
        yield f"{name}_count{{{label}}} {count}"


class Metrics:
    """Requests, their times, the queue and the batches."""

    def __init__(self) -> None:
        self.waiting: dict[str, int] = {}  # texts, by queue
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(SECONDS))
        self._batches: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(TEXTS))

    def request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that is over."""
        self._requests[route, status] += 1
        self._seconds[route].add(seconds)

    def batch(self, queue: str, texts: int) -> None:
        """Count a batch that was answered."""
        self._batches[queue].add(texts)

    def text(self) -> str:
        """Write everything as Prometheus reads it."""
        lines = ["# HELP whyword_requests_total Requests by route and status.", "# TYPE whyword_requests_total counter"]
        for (route, status), count in sorted(self._requests.items()):
            lines.append(f'whyword_requests_total{{route="{route}",status="{status}"}} {count}')
        lines += ["# HELP whyword_request_seconds Time from the first byte to the answer."]
        lines += ["# TYPE whyword_request_seconds histogram"]
        for route, histogram in sorted(self._seconds.items()):
            lines += histogram.lines("whyword_request_seconds", f'route="{route}"')
        lines += ["# HELP whyword_queue_texts Texts accepted and not yet answered.", "# TYPE whyword_queue_texts gauge"]
        lines += [f'whyword_queue_texts{{queue="{queue}"}} {texts}' for queue, texts in sorted(self.waiting.items())]
        lines += ["# HELP whyword_batch_texts Texts answered together.", "# TYPE whyword_batch_texts histogram"]
        for queue, histogram in sorted(self._batches.items()):
            lines += histogram.lines("whyword_batch_texts", f'queue="{queue}"')
        lines += [
            "# HELP process_cpu_seconds_total CPU time of the server.",
            "# TYPE process_cpu_seconds_total counter",
        ]
        lines += [f"process_cpu_seconds_total {time.process_time():.3f}"]
        return "\n".join(lines) + "\n"
