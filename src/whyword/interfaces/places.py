"""Where files lie: a path of this machine, or a URL such as s3://bucket/reviews.jsonl, which behaves like one.

The protocols are those of fsspec. One of the web (http, https) is no place for files: it may be a text, or a model.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any, TypeGuard, cast

from .errors import DataError, MissingExtraError, OptionError

OBJECT_STORES = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss"}  # what is there, is there whole
BLOCK = 1 << 22  # bytes asked for at a time

_URL = re.compile(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]+://\S*")


def is_url(name: object) -> bool:
    """Whether a string names a place by its URL."""
    return isinstance(name, str) and _URL.fullmatch(name) is not None


def is_remote(place: object) -> bool:
    """Whether a place is reached by its URL."""
    return "upath" in sys.modules and isinstance(place, sys.modules["upath"].UPath) and not isinstance(place, Path)


def is_place(value: object) -> TypeGuard[Path]:
    """Whether a value is a path or what behaves like one."""
    return isinstance(value, Path) or is_remote(value)


def as_place(name: str | Path) -> Path:
    """Give the path of a name, or what behaves like one for a URL."""
    if not is_url(name):
        return Path(name) if isinstance(name, str) else name
    protocol, _, rest = str(name).partition("://")
    if protocol == "file":
        return Path(f"/{rest.lstrip('/')}")
    try:
        from upath import UPath
    except ImportError:
        raise MissingExtraError(f"{protocol}:// (a place by its URL)", "remote") from None
    try:
        place = UPath(name, use_listings_cache=False) if protocol in OBJECT_STORES else UPath(name)
        place.fs  # noqa: B018 opens the file system
    except ImportError as error:
        raise OptionError(f"{name} needs a package that is not installed ({error}).") from None
    except Exception as error:  # of whatever library speaks the protocol
        raise OptionError(f"{name} is no place that can be reached ({reason(error)}): correct the URL.") from None
    return cast(Path, place)


def exists(place: Path) -> bool:
    """Whether there is something; one that cannot be reached at all is told in a sentence."""
    try:
        return place.exists()
    except Exception as error:
        if not is_remote(place):
            raise
        raise DataError(
            f"{place} cannot be reached ({reason(error)}): check the URL, the credentials and the network."
        ) from None


def open_bytes(place: Path, block: int = BLOCK) -> io.BufferedReader:
    """Open a file for reading; of one that is far away, as much is fetched at a time as a block."""
    if not is_remote(place):
        return place.open("rb")
    far: Any = place
    return io.BufferedReader(far.open("rb", block_size=block), min(block, 1 << 16))


def reason(error: Exception) -> str:
    """Give what an exception says, in one line."""
    return " ".join(str(error).split()).rstrip(".")[:200] or type(error).__name__
