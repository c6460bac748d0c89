"""`whyword serve`: an HTTP API and a web page for one or several models."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import MissingExtraError, OptionError
from . import options
from .precision import Precision

if TYPE_CHECKING:
    from ..data.rows import Columns
    from ..web.annotating.desk import AnnotationDesk
    from ..web.models import ServedModel
    from .serving import Plan


@dataclass(frozen=True)
class Annotation:
    """How people mark the words of a file."""

    annotate: Annotated[
        str | None,
        typer.Option("--annotate", metavar="FILE", help="Texts whose words people mark on the page /annotate."),
    ] = None
    annotations: Annotated[
        Path | None,
        typer.Option(
            "--annotations",
            metavar="OUT.jsonl",
            help="Where they are saved. Left out: FILE.annotations.jsonl, beside it.",
        ),
    ] = None
    order: Annotated[str, typer.Option("--order", metavar="uncertain|disagree|file", help="Which text comes next.")] = (
        "uncertain"
    )
    overlap: Annotated[int, typer.Option("--overlap", min=1, metavar="N", help="People who mark each text.")] = 1
    lease: Annotated[
        float,
        typer.Option(
            "--lease", min=0.1, metavar="MINUTES", help="For which a text open with one person is given to no other."
        ),
    ] = 10.0
    show_reasons: Annotated[
        bool, typer.Option("--show-reasons", help="Show the model's scores of a text, once it is decided.")
    ] = False

    def desk(
        self, model: ServedModel, columns: Callable[[], Columns], data_dir: Path | None, quiet: bool, files: ExitStack
    ) -> AnnotationDesk | None:
        """Open the texts and the file of annotations."""
        if self.annotate is None:
            if self != Annotation():
                raise OptionError("--annotations, --order, --overlap, --lease and --show-reasons need --annotate FILE.")
            return None
        from ..storage.json_log import JsonLog
        from ..storage.records import check_output
        from ..web.annotating.desk import AnnotationDesk, AnnotationSettings
        from ..web.annotating.usefulness import read_order
        from .texts import read_corpus

        settings = AnnotationSettings(read_order(self.order), self.overlap, self.lease, self.show_reasons)
        corpus = read_corpus(self.annotate, columns(), data_dir, ("train",), quiet)
        name = Path(self.annotate).name if corpus.file is None else corpus.file.name
        place = self.annotations or (corpus.file or Path(name.replace(":", "-"))).with_name(f"{name}.annotations.jsonl")
        check_output(place, (".jsonl", ".ndjson"), [corpus.file or self.annotate])
        log = files.enter_context(JsonLog(place))
        if log.cut and not quiet:
            print(f"{place} ended in half a line, which was cut off.", file=sys.stderr)
        return AnnotationDesk(corpus.documents, log, model, settings, name, corpus.count())


MOST_EXAMPLES = 6

Examples = Annotated[
    str | None,
    typer.Option("--examples", metavar="FILE", help=f"The page offers its first {MOST_EXAMPLES} texts when it opens."),
]
Torch = Annotated[
    bool, typer.Option("--torch", help="Open ONNX files with torch, which adds lime, shapley and other explainers.")
]

PrecisionTexts = Annotated[
    str | None,
    typer.Option("--precision-texts", metavar="FILE", help="Texts like those to come, to measure --precision on."),
]
Workers = Annotated[
    int, typer.Option("--workers", min=1, metavar="N", help="Processes that answer on the port, each with the models.")
]


@options.grouped
def command(
    names: Annotated[list[str], typer.Argument(metavar="MODEL...", help=f"The first is the default. {options.MODELS}")],
    *,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is everywhere.")] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="A further name under which clients reach this server; *.NAME is all below it, * is any.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="0 takes any that is free.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="WHYWORD_TOKEN",
            metavar="WORD",
            help="Token that clients must send. Better set as WHYWORD_TOKEN than typed.",
        ),
    ] = None,
    queue: Annotated[int, typer.Option(min=1, metavar="N", help="Most texts in the queue; more get 503.")] = 512,
    max_texts: Annotated[int, typer.Option(min=1, metavar="N", help="Most texts of a request.")] = 64,
    max_words: Annotated[int, typer.Option(min=1, metavar="N", help="Most words of a text.")] = 1_000,
    max_body: Annotated[int, typer.Option(min=1, metavar="BYTES", help="Most bytes of a request.")] = 1_000_000,
    max_samples: Annotated[int, typer.Option(min=1, metavar="N", help="Most samples of an explainer.")] = 5_000,
    connections: Annotated[int, typer.Option(min=1, metavar="N", help="Most connections at a time.")] = 512,
    client_connections: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Most connections of one address. Left out: a quarter.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Longest time for a request.")] = 60.0,
    batch_wait: Annotated[
        float, typer.Option(min=0, metavar="MS", help="Milliseconds that a text waits for others to fill its batch.")
    ] = 5.0,
    batch_texts: Annotated[int, typer.Option(min=1, metavar="N", help="Most texts of a batch.")] = 64,
    examples: Examples = None,
    annotation: Annotation,
    columns: options.DataColumns,
    data_dir: options.DataDir = None,
    opening: options.Opening,
    torch: Torch = False,
    device: options.Device = "auto",
    threads: options.Threads = None,
    workers: Workers = 1,
    precision: Precision = None,
    precision_texts: PrecisionTexts = None,
    quiet: options.Quiet = False,
) -> None:
    """Answer over HTTP, and show a page to try sentences on.

    With --annotate FILE there is another page, on which people mark the words of texts that are the reason.

    One line of JSON per request goes to standard error, without the texts; --quiet leaves it out. Ctrl-C stops taking
    requests, answers those already received, and exits.
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("whyword serve", "web") from None
    from ..web.gate import allow_open_files
    from ..web.hosts import names_of_server
    from ..web.limits import Settings
    from ..web.workers import share_of_cores
    from .serving import Plan, answer

    settings = Settings(
        queue=queue,
        max_texts=max_texts,
        max_words=max_words,
        max_body=max_body,
        max_samples=max_samples,
        timeout=timeout,
        batch_wait=batch_wait,
        batch_texts=batch_texts,
        connections=connections,
        client_connections=client_connections or -(-connections // 4),
        token=token,
    )
    if workers > 1 and threads is None:
        threads = share_of_cores(workers)
    plan = Plan(tuple(names), opening, device, threads, torch, settings, quiet)
    if precision is not None or precision_texts is not None:
        plan = plan.measured(precision, precision_texts)
    allow_open_files(settings, workers)
    if examples is not None:
        plan = replace(plan, examples=_read_examples(examples, columns.columns(names[0]), data_dir, quiet))
    with _bind(host, port) as listener, ExitStack() as files:
        plan = plan.answering_to(names_of_server(host, listener.getsockname()[0], allow_host or []))
        if workers > 1:
            if annotation != Annotation():
                raise OptionError("--annotate writes one file from one process: leave out --workers.")
            _answer_together(plan, listener, workers)
            return
        models = plan.models()
        desk = annotation.desk(models[0], lambda: columns.columns(names[0]), data_dir, quiet, files)
        _tell(plan, listener, [model.name for model in models])
        if desk is not None:
            print(
                f"Mark the words of {desk.name} on {_address(listener)}/annotate (saved in {desk.log.path})", flush=True
            )
        answer(plan, models, listener, desk)


def _read_examples(source: str, columns: Columns, data_dir: Path | None, quiet: bool) -> tuple[str | list[str], ...]:
    """Read the first texts of a file, or of the test texts of a data set, that are not blank."""
    from .texts import read_corpus

    texts = (document.words.texts for document in read_corpus(source, columns, data_dir, quiet=quiet).documents)
    written = (each for each in texts if any(map(str.strip, each)))
    return tuple(each[0] if len(each) == 1 else list(each) for each in islice(written, MOST_EXAMPLES))


def _answer_together(plan: Plan, listener: socket.socket, count: int) -> None:
    """Let several processes answer on one socket."""
    from ..web.logs import Log
    from ..web.workers import Workers
    from .serving import Worker, grace

    workers = Workers(Worker(plan, listener, count), count, grace(plan), Log(plan.quiet))
    workers.run(lambda names: _tell(plan, listener, names))


def _tell(plan: Plan, listener: socket.socket, names: list[str]) -> None:
    listener.listen()  # from here on clients can connect
    address = _address(listener)
    if plan.settings.token is None and not _is_loopback(listener):
        print(f"Everyone who reaches {address} can use it: set a token, or stay on 127.0.0.1.", file=sys.stderr)
    print(f"Serving {', '.join(names)} on {address} (API: {address}/docs)", flush=True)


def _bind(host: str, port: int) -> socket.socket:
    """Bind the address before the models are read, which takes long; nothing is accepted yet."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as on_error:
            listener = on_error.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            on_error.pop_all()
    except (OSError, UnicodeError) as error:  # the latter: labels of a name that are empty or too long
        raise OptionError(
            f"{host} port {port} cannot be used ({getattr(error, 'strerror', None) or error}): choose others with "
            "--host and --port."
        ) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(listener: socket.socket) -> bool:
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
