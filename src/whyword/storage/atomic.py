"""Files that neither a killed process nor a lost power supply leaves half written: written beside, then renamed."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..interfaces.errors import ModelError, WhywordError, WriteError
from ..interfaces.places import OBJECT_STORES, is_remote, reason

if TYPE_CHECKING:
    from torch import Tensor

CHECKPOINT = "checkpoint.safetensors"
ROOM = "make room, then give the same command again"
RIGHTS = "get the right to write there, or name another place"
ELSEWHERE = "name another place"
REMEDIES = {errno.ENOSPC: ROOM, errno.EDQUOT: ROOM, errno.EFBIG: ROOM, errno.EACCES: RIGHTS, errno.EPERM: RIGHTS}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the operating system says into a sentence that names the output and what to do."""
    try:
        yield
    except WhywordError:
        raise
    except OSError as error:
        remedy = REMEDIES.get(error.errno or 0, ELSEWHERE)
        raise WriteError(f"{path} cannot be written ({error.strerror or error}): {remedy}.") from error
    except Exception as error:
        if not is_remote(path):
            raise
        raise WriteError(f"{path} cannot be written ({reason(error)}): check the URL and the credentials.") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a place beside the path; what is written there is renamed to the path, or gone after an error."""
    if is_remote(path):
        with _uploading(path) as here:
            yield here
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    with writing(path):
        try:
            yield beside
            sync(beside)  # else a lost power supply may leave the new name and no content
            beside.replace(path)
            sync(path.parent)
        finally:
            beside.unlink(missing_ok=True)


@contextmanager
def _uploading(path: Any) -> Iterator[Path]:
    """Give a place on this machine; what is written there goes where a URL says, whole or not at all."""
    with TemporaryDirectory() as scratch:
        here = Path(scratch, path.name)
        with writing(here):
            yield here
        with writing(path):
            if path.protocol in OBJECT_STORES:
                path.fs.put_file(str(here), path.path)
            else:
                beside = path.with_name(f".{path.name}.{os.getpid()}.new")
                path.fs.put_file(str(here), beside.path)
                path.fs.mv(beside.path, path.path)


def sync(place: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    file = os.open(place, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # of file systems that sync no folders
            raise
    finally:
        os.close(file)


def write_text(path: Path, text: str) -> None:
    """Write a text file in one piece."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_tensors(path: Path, tensors: dict[str, Tensor], facts: dict[str, str] | None = None) -> None:
    """Write named tensors in one piece, without pickle; facts are short strings kept in the file's header."""
    with replacing(path) as beside:
        save_tensors(beside, tensors, facts)


def save_tensors(path: Path, tensors: dict[str, Tensor], facts: dict[str, str] | None = None) -> None:
    """Write named tensors to a file of a folder that is not in its place yet."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    path.touch()
    mode = path.stat().st_mode  # that the umask gives; safetensors writes files that only their owner reads
    try:
        save_file(_apart(tensors), path, facts)
    except SafetensorError as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from error
    path.chmod(mode)


def _apart(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copy tensors that share memory with an earlier one: the format keeps each by itself."""
    apart: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in tensors.items():
        there = tensor.detach().cpu().contiguous()
        memory = there.untyped_storage().data_ptr()
        apart[name] = there.clone() if memory in seen else there
        seen.add(memory)
    return apart


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read what write_tensors wrote."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except FileNotFoundError:
        raise ModelError(f"{path} is missing: the model folder is not complete, train it again.") from None
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is damaged ({error}): train the model again or copy the folder anew.") from error


def write_snapshot(folder: Path, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Keep an unfinished run: weights, optimizer, random streams and position in one file."""
    shared: dict[int, str] = {}
    separate: dict[str, Tensor] = {}
    same_as: dict[str, str] = {}
    for name, tensor in tensors.items():  # the best weights may be the very tensors of the chosen ones
        key = tensor.data_ptr() if tensor.numel() else id(tensor)
        if key in shared and tensors[shared[key]].shape == tensor.shape:
            same_as[name] = shared[key]
        else:
            shared[key] = name
            separate[name] = tensor
    write_tensors(folder / CHECKPOINT, separate, {"facts": json.dumps(facts), "same_as": json.dumps(same_as)})


def read_snapshot(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Give the unfinished run that a folder keeps, if any."""
    if not (folder / CHECKPOINT).exists():
        return None
    tensors, header = read_tensors(folder / CHECKPOINT)
    tensors |= {name: tensors[other] for name, other in json.loads(header["same_as"]).items()}
    return tensors, json.loads(header["facts"])
