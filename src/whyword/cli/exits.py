"""How a command ends: 0 done, 2 the user can fix it, 3 more changed than allowed (diff), 130 interrupted, 1 a bug."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from ..interfaces.errors import WhywordError

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
