"""How a command ends: 0 done, 2 the user can fix it, 3 more changed than allowed (diff), 1 a bug.

An interrupted command ends with 130 after Ctrl-C and with 143 after SIGTERM; what it has done is kept in either case.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from ..interfaces.errors import Terminated, WhywordError

UsageError: Any = typer.BadParameter.__base__  # of click, which each version of typer keeps in another place


class Commands(TyperGroup):
    """The commands, with an exit code for whatever they raise."""

    def invoke(self, ctx: Any) -> Any:
        """Run one command."""
        with exit_codes():
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a closed pipe is no surprise
            return result


@contextmanager
def exit_codes() -> Iterator[None]:
    """Turn errors into one sentence on standard error and an exit code."""
    try:
        yield
    except WhywordError as error:
        stop(_with_notes(str(error), error), 2)
    except UsageError as error:
        stop(_usage(error), 2)
    except Terminated as interruption:
        stop(_with_notes("Terminated.", interruption), 143)
    except KeyboardInterrupt as interruption:
        stop(_with_notes("Interrupted.", interruption), 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the pipe is closed: nothing more to say
        sys.exit(0)
    except OSError as error:
        stop(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}.", 2)
    except (typer.Exit, typer.Abort):
        raise
    except Exception:
        traceback.print_exc()
        stop("This is a bug: please report it with the lines above.", 1)


@contextmanager
def heeding_sigterm() -> Iterator[None]:
    """Let SIGTERM stop a command as Ctrl-C does; where it is ignored, it stays ignored."""
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated


def stop(message: str, code: int) -> NoReturn:
    """Say why and leave."""
    print(f"whyword: {message}", file=sys.stderr)
    sys.exit(code)


def _with_notes(message: str, error: BaseException) -> str:
    return " ".join([message, *getattr(error, "__notes__", ())])


def _usage(error: Any) -> str:
    sentence = error.format_message().rstrip(".")
    nearest = getattr(error, "possibilities", None)  # among the options
    if nearest:
        sentence = f"{error.message}. Did you mean {' or '.join(nearest)}?"
    command = error.ctx.command_path if error.ctx is not None else "whyword"
    return f"{sentence}{'' if sentence.endswith('?') else '.'} See  {command} --help"
