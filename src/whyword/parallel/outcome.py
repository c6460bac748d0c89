"""What work on an item gives: a result, or an exception that may travel to another process."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import TypeVar

from ..interfaces.errors import WhywordError

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2  # items handed out per worker, so that none waits for the one who reads the results
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # of the environment of a worker


class WorkerError(WhywordError):
    """A process that died while it worked on an item."""


def run_safely(work: Callable[[T], R], item: T) -> R | Exception:
    """Give the result, or the exception that the work raised, with its traceback as a note if it is not the user's."""
    try:
        return work(item)
    except Exception as error:
        if not isinstance(error, WhywordError):
            error.add_note(traceback.format_exc())  # a traceback itself stays behind in its process
        return error


def run_safely_apart(work: Callable[[T], R], item: T) -> R | Exception:
    """Do the same where what comes out is pickled."""
    outcome = run_safely(work, item)
    return _portable(outcome) if isinstance(outcome, Exception) else outcome


def _portable(error: Exception) -> Exception:
    """Give an error that survives being pickled: as it is, or at least what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever an exception of some library raises
        return WhywordError(str(error)) if isinstance(error, WhywordError) else RuntimeError(repr(error))
    return error
