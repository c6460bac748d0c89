"""What the benchmarks share: commands run in processes of their own, and the versions that figures were made with."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version

MEGABYTE = 1 << 20
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes in a unit of ru_maxrss


def run(*words: object) -> tuple[float, float]:
    """Give the peak memory in megabytes and the CPU seconds of a command of whyword, on one thread.

    The system counts the memory of the parent before the command starts in it too, so the parent must stay small.
    """
    command = [sys.executable, "-m", "whyword", *map(str, words), "--quiet", "--threads", "1"]
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} ended with status {status}")
    return usage.ru_maxrss * PEAK_UNIT / MEGABYTE, usage.ru_utime + usage.ru_stime


def versions(*packages: str) -> dict[str, str]:
    """Say what the figures were made with."""
    names = ("whyword", "torch", "numpy", *packages)
    return {name: version(name) for name in names} | {"python": platform.python_version()}
