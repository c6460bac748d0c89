"""Verify a model folder: its files are those that were saved, and it loads."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..interfaces.errors import ModelError, WhywordError
from ..storage.seal import MANIFEST, SIGNATURE, changed_file, is_card, read_seal
from ..storage.signature import check_signature
from .explainer_folder import FACTS, READER
from .folder import is_model, load_model

INTACT = "intact"
EDITED = "edited"  # of the card, which people may write into


@dataclass(frozen=True)
class Verification:
    """What became of the files of a folder since it was saved; `files` says it of each."""

    folder: str
    sealed: bool  # whether there is a manifest
    files: dict[str, str]  # "intact", "edited" of the card, or what is wrong
    problem: str | None  # the sentence of what is wrong; None if nothing is
    unlisted: tuple[str, ...] = ()  # files that were put there later
    signed_with: str | None = None  # the public key by which its signature was checked

    @property
    def intact(self) -> bool:
        """Whether nothing is wrong; of a folder that is not sealed, that it loads."""
        return self.problem is None

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {"intact": self.intact, **asdict(self)}

    def __str__(self) -> str:
        """Say it in a sentence or two."""
        if self.problem is not None:
            return self.problem
        if not self.sealed:
            return (
                f"{self.folder} has no {MANIFEST}, as an older version of whyword wrote it: it loads, but nobody can "
                "tell whether its files were changed. Load it and save it again to seal it."
            )
        notes = [f"It was signed with the key of {self.signed_with}."] if self.signed_with is not None else []
        notes += ["The model card was edited."] if EDITED in self.files.values() else []
        notes += [f"Put there later: {', '.join(self.unlisted)}."] if self.unlisted else []
        return " ".join([f"{self.folder} is intact: its {len(self.files)} files are those that were saved.", *notes])


def verify(folder: str | Path, public_key: str | Path | None = None) -> Verification:
    """Compare the files of a model folder, an export or a learned explainer with its manifest; load it if a model.

    With a public key, a PEM file, the folder must have been signed with its private half.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ModelError(f"There is no folder {place}: give a model folder.")
    try:
        listed = read_seal(place)
        if public_key is not None:
            check_signature(place, public_key)
    except ModelError as error:
        return Verification(str(place), True, {}, str(error))
    files: dict[str, str] = {}
    first: str | None = None
    for name, sealed in (listed or {}).items():
        change = changed_file(place, name, sealed)
        files[name] = INTACT if change is None else EDITED if is_card(name) else change
        if first is None and files[name] not in (INTACT, EDITED):
            first = f"{place / name} {change}: copy the folder anew or train the model again."
    if first is None:
        first = _loading_problem(place, listed is not None)
    found = (path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
    later = (
        sorted(name for name in found if name not in files and name not in (MANIFEST, SIGNATURE))
        if listed is not None
        else ()
    )
    signed_with = None if public_key is None else str(public_key)
    return Verification(str(place), listed is not None, files, first, tuple(later), signed_with)


def _loading_problem(place: Path, sealed: bool) -> str | None:
    """Load what can be loaded by itself; an export, and the head of an explainer, have their files only."""
    if (place / FACTS).is_file():
        place = place / READER
        if not place.is_dir():
            return None
    elif sealed and not is_model(place):
        return None
    try:
        load_model(place)
    except WhywordError as error:
        return str(error)
    return None
