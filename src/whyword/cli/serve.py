"""`whyword serve`: an HTTP API and a web page for one or several models."""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
from contextlib import ExitStack
from typing import Annotated

import typer

from ..interfaces.errors import MissingExtraError, OptionError
from . import options


@options.grouped
def command(
    names: Annotated[list[str], typer.Argument(metavar="MODEL...", help=f"The first is the default. {options.MODELS}")],
    *,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is everywhere.")] = "127.0.0.1",
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
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Longest time for a request.")] = 60.0,
    batch_wait: Annotated[
        float, typer.Option(min=0, metavar="MS", help="Milliseconds that a text waits for others to fill its batch.")
    ] = 5.0,
    batch_texts: Annotated[int, typer.Option(min=1, metavar="N", help="Most texts of a batch.")] = 64,
    opening: options.Opening,
    device: options.Device = "auto",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Answer over HTTP, and show a page to try sentences on.

    One line of JSON per request goes to standard error, without the texts; --quiet leaves it out. Ctrl-C stops taking
    requests, answers those already received, and exits.
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtraError("whyword serve", "web") from None
    from ..web.app import make_app
    from ..web.limits import Settings
    from ..web.logs import UVICORN, write
    from ..web.models import load_models

    options.use_threads(threads)
    settings = Settings(
        queue=queue,
        max_texts=max_texts,
        max_words=max_words,
        max_body=max_body,
        max_samples=max_samples,
        timeout=timeout,
        batch_wait=batch_wait,
        batch_texts=batch_texts,
        token=token,
    )
    with _bind(host, port) as listener:
        models = load_models([opening.open(name, device) for name in names])
        app = make_app(models, settings, (lambda record: None) if quiet else write)
        config = uvicorn.Config(
            app,
            log_config=UVICORN,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=int(2 * timeout) + 1,
        )
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)  # uvicorn raises the signal again when it is done: leave with 0
        listener.listen()  # from here on clients can connect
        address = _address(listener)
        if token is None and not _is_loopback(listener):
            print(f"Everyone who reaches {address} can use it: set a token, or stay on 127.0.0.1.", file=sys.stderr)
        print(f"Serving {', '.join(model.name for model in models)} on {address} (API: {address}/docs)", flush=True)
        uvicorn.Server(config).run(sockets=[listener])


def _bind(host: str, port: int) -> socket.socket:
    """Bind the address before the models are read, which takes long; nothing is accepted yet."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as on_error:
            listener = on_error.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            on_error.pop_all()
    except OSError as error:
        raise OptionError(
            f"{host} port {port} cannot be used ({error.strerror or error}): choose others with --host and --port."
        ) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(listener: socket.socket) -> bool:
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
