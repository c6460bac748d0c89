"""A Ray that is started on this machine, listening to this machine alone, or a cluster that runs already."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from ..interfaces.errors import OptionError
from .outcome import ONE_THREAD

STORE_BYTES = 150_000_000  # memory that a local Ray sets aside for passing values around
PATIENCE = 10.0  # seconds until somebody must have answered at an address
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}  # or it warns of a new default
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # which on Linux too keeps Ray on 127.0.0.1
TOKEN = "set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN to the token of the cluster or RAY_AUTH_TOKEN_PATH to a file of it"


@contextmanager
def ray_session(workers: int, address: str | None) -> Iterator[None]:
    """Start Ray, or connect to a cluster, and leave it at the end; one that this process uses already is left alone."""
    import ray

    if ray.is_initialized():
        yield
        return
    package = Path(__file__).parents[1]
    settings: dict[str, Any] = {"include_dashboard": False, "logging_level": logging.ERROR, "log_to_driver": False}
    runtime: dict[str, Any]
    if address is None:
        paths = os.pathsep.join(filter(None, [str(package.parent), os.environ.get("PYTHONPATH")]))
        runtime = {"env_vars": {"PYTHONPATH": paths, **ONE_THREAD}}
        settings |= {"num_cpus": workers, "object_store_memory": STORE_BYTES}
    else:
        runtime = {"env_vars": ONE_THREAD, "py_modules": [str(package)]}
        _check_answers(address)
    with _environment(QUIET), _on_loopback() if address is None else nullcontext():
        try:
            ray.init(address=address or "local", runtime_env=runtime, **settings)
        except Exception as error:  # Ray has no one error for this
            raise OptionError(_sentence(error, address)) from error
        try:
            if address is None:
                _check_loopback(ray)
            with _nothing_on_standard_output(ray):
                yield
        finally:
            with redirect_stdout(sys.stderr):
                ray.shutdown()


@contextmanager
def _nothing_on_standard_output(ray: Any) -> Iterator[None]:
    """Send what a thread of Ray prints about lost nodes to standard error, as results go to standard output."""
    worker: Any = getattr(getattr(ray, "_private", None), "worker", None)
    printing = getattr(worker, "print_to_stdstream", None)
    if printing is None:  # another version of Ray
        yield
        return
    worker.print_to_stdstream = lambda data, *rest, **named: printing({**data, "is_err": True}, *rest, **named)
    try:
        yield
    finally:
        worker.print_to_stdstream = printing


def last_line(error: Exception) -> str:
    """Give the end of a message of Ray: the cause, below a traceback."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else type(error).__name__


def _check_answers(address: str) -> None:
    """Refuse an address at which nobody answers, for which Ray itself would wait two minutes."""
    host, colon, port = address.rpartition(":")
    if "://" in address or not colon or not port.isdigit():
        return  # "auto", or of another form that Ray knows
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OptionError(f"Nobody answers at the Ray cluster {address} ({reason}): correct the address.") from None


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let the Ray that is started meanwhile be reached from this machine alone."""
    from ray._private import ray_constants  # holds what the variable was when Ray was imported

    before, ray_constants.ENABLE_RAY_CLUSTER = ray_constants.ENABLE_RAY_CLUSTER, False
    try:
        with _environment(LOOPBACK, always=True):
            yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _check_loopback(ray: Any) -> None:
    where = [node["NodeManagerAddress"] for node in ray.nodes()]
    if not all(ip_address(place).is_loopback for place in where):
        raise OptionError(
            f"This version of Ray, {ray.__version__}, listens to the network ({', '.join(where)}): update it, or start "
            "it yourself with  ray start --head  and give its --address."
        )


def _sentence(error: Exception, address: str | None) -> str:
    """Say why there is no Ray, and what to do."""
    where = "on this machine" if address is None else f"at {address}"
    reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    if address is not None and type(error).__name__ == "AuthenticationError":
        return f"The Ray cluster {where} asks for a token, and this process has none or another: {TOKEN}."
    if address is not None and isinstance(error, ConnectionError):  # though somebody answers there
        return f"The Ray cluster {where} does not let this process in ({reason}). If it asks for a token, {TOKEN}."
    return f"Ray does not run {where} ({reason}): try again, or use the engine local."


@contextmanager
def _environment(variables: Mapping[str, str], always: bool = False) -> Iterator[None]:
    """Set variables for Ray and what it starts; those that the user has set only where they always must hold."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ |= {name: value for name, value in variables.items() if always or before[name] is None}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
