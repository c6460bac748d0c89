"""An unfinished folder of parts: each part is written once, and a run with the same settings makes the missing ones.

whyword.json holds the settings of the run and, once all parts are there, how many they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..interfaces.errors import OptionError
from ..interfaces.places import is_remote
from .atomic import replacing, writing
from .part_file import changed_settings

MANIFEST = "whyword.json"


class PartFolder:
    """The parts of an output that are done."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], ending: str) -> None:
        """Take up the parts that an earlier run left; refuse a folder that holds anything else."""
        self.folder = folder
        self.ending = ending
        self.settings = json.loads(json.dumps(settings))  # as they are read again
        self._manifest = folder / MANIFEST
        files = (
            sorted(path.name for path in folder.iterdir() if path.name[:1] not in ("", ".")) if folder.is_dir() else []
        )
        if MANIFEST in files:
            self._compare(empty=len(files) == 1)
        elif files:
            raise OptionError(
                f"The output {folder} holds {files[0]}, which is no part of a run: name a new or an empty folder."
            )

    def _compare(self, empty: bool) -> None:
        try:
            manifest = json.loads(self._manifest.read_bytes())
            before = dict(manifest["settings"] if "settings" in manifest else manifest["question"])  # its older name
        except (ValueError, TypeError, KeyError):
            raise OptionError(f"{self._manifest} was not written by this command: name another folder.") from None
        changed = changed_settings(before, self.settings)
        if changed and not empty:
            raise OptionError(
                f"The output {self.folder} was written with other settings ({', '.join(changed)}): name another "
                "folder, or delete this one."
            )

    def __contains__(self, number: int) -> bool:
        """Say whether a part is done."""
        return self._place(number).exists()

    def _place(self, number: int) -> Path:
        return self.folder / f"part-{number:05d}{self.ending}"

    def begin(self) -> None:
        """Write down the settings, before the first part."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._write_manifest({"complete": False})

    def put(self, number: int, content: bytes) -> None:
        """Put a part in its place, whole."""
        _put(self._place(number), content)

    def forget(self) -> None:
        """Take back what was written down, where no part was written."""
        self._manifest.unlink(missing_ok=True)
        if not is_remote(self.folder):  # else it would be removed with all that is in it
            with suppress(OSError):  # there is something else in the folder
                self.folder.rmdir()

    def finish(self, parts: int, texts: int) -> None:
        """Write down that all parts are there."""
        self._write_manifest({"complete": True, "parts": parts, "texts": texts})

    def _write_manifest(self, state: Mapping[str, Any]) -> None:
        _put(self._manifest, (json.dumps({**state, "settings": self.settings}, indent=2) + "\n").encode())


def _put(place: Path, content: bytes) -> None:
    with replacing(place) as beside:
        beside.write_bytes(content)
