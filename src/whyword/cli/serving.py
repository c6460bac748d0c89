"""What `whyword serve` does in each of its processes: open the models, then answer on a socket."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..interfaces.errors import OptionError
from . import options

if TYPE_CHECKING:
    from ..explaining.opened import OpenedModel
    from ..web.annotating.desk import AnnotationDesk
    from ..web.limits import Settings
    from ..web.models import ServedModel


@dataclass(frozen=True)
class Plan:
    """Which models are served, and how; plain values that travel to other processes."""

    names: tuple[str, ...]
    opening: options.Opening
    device: str
    threads: int | None
    torch: bool  # whether ONNX files are opened with it
    settings: Settings
    quiet: bool
    examples: tuple[str | list[str], ...] = ()  # that the page offers
    precisions: tuple[str, ...] = ()  # of each model; empty: float32

    def measured(self, wanted: str | None, texts: str | None) -> Plan:
        """Choose the precision of each model on some texts."""
        from ..data.rows import Columns
        from .precision import measured
        from .texts import open_texts

        if wanted is None or texts is None:
            raise OptionError("--precision of a server is measured on --precision-texts FILE: give both.")
        if not Path(texts).is_file():
            raise OptionError(f"There is no file {texts}: give --precision-texts a data file.")
        opened = [
            measured(self._open(name), wanted, open_texts(Path(texts), Columns(), True), None, self.quiet)
            for name in self.names
        ]
        return replace(self, precisions=tuple(one.access.precision for one in opened))

    def answering_to(self, hosts: tuple[str, ...]) -> Plan:
        """Answer to these names alone."""
        return replace(self, settings=replace(self.settings, hosts=hosts))

    def models(self) -> list[ServedModel]:
        """Open the models."""
        from ..web.models import load_models

        precisions = self.precisions or ("float32",) * len(self.names)
        return load_models([self._open(*one) for one in zip(self.names, precisions, strict=True)])

    def _open(self, name: str, precision: str = "float32") -> OpenedModel:
        """Open a model; an ONNX file without torch, which need not even be installed."""
        from ..inference.onnx_file import is_onnx

        if self.torch or self.opening.learned is not None or not is_onnx(Path(name)):
            options.use_threads(self.threads)
            opened = self.opening.open(name, self.device)
            if precision == "float32":
                return opened
            from ..explaining.any_model import lowered

            return lowered(opened, precision)
        from ..explaining.without_torch import open_without_torch

        return open_without_torch(Path(name), self.opening.access(self.device), self.threads)


def answer(
    plan: Plan,
    models: list[ServedModel],
    listener: socket.socket,
    desk: AnnotationDesk | None = None,
    processes: int = 1,
) -> None:
    """Answer requests until a signal says to stop, then finish those that are here.

    processes: how many answer on the same socket.
    """
    import uvicorn

    from ..web.app import make_app
    from ..web.gate import BACKLOG, Gate
    from ..web.limits import HEADER_BYTES
    from ..web.logs import Log

    log = Log(plan.quiet)
    log.hear_libraries()
    app = make_app(models, plan.settings, log, desk, lambda: server.should_exit, plan.examples)
    config = uvicorn.Config(
        app,
        http=Gate(plan.settings, processes).protocol,  # type: ignore[arg-type]
        backlog=BACKLOG,
        h11_max_incomplete_event_size=HEADER_BYTES,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=grace(plan),
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # uvicorn raises the signal again when it is done: leave with 0
    server = uvicorn.Server(config)
    server.run(sockets=[listener])
    log.close()


def grace(plan: Plan) -> int:
    """Give the seconds that a server has to finish what it took on."""
    return int(2 * plan.settings.timeout) + 1


@dataclass(frozen=True)
class Worker:
    """One of several processes that answer on the same socket."""

    plan: Plan
    listener: socket.socket
    count: int

    def __call__(self, ready: Callable[[Any], None]) -> None:
        """Open the models, tell their names, and answer."""
        models = self.plan.models()
        ready([model.name for model in models])
        answer(self.plan, models, self.listener, processes=self.count)
