"""How characters are written as bytes: recognized from the first bytes of a file, or as the user says."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from ..interfaces.errors import OptionError

_MARKS = {  # UTF-32 before UTF-16, whose mark it begins with
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in cp1252
_OTHER_BYTES = re.compile(rb"[\x80-\xff]+")
_NUL_SHARE = 0.2  # of the bytes at even or at odd places, where text is UTF-16 without a mark


@dataclass(frozen=True)
class Encoding:
    """The name of an encoding as Python knows it, and how lines end."""

    name: str = "utf-8"
    newline: str = "\n"  # or a carriage return alone, as on old Macintoshes

    @property
    def end_of_line(self) -> bytes:
        """The bytes behind a line."""
        return self.newline.encode(self.name)

    def describe(self) -> str:
        """Name it as people do."""
        return self.name.upper().removesuffix("-LE").removesuffix("-BE") if self.name[:3] == "utf" else self.name


def recognize_encoding(sample: bytes, given: str | None = None) -> Encoding:
    """Recognize the encoding of a file by its first bytes."""
    name = _recognize(sample) if given is None else check_encoding(given, sample)
    text = sample.decode(name, "replace")
    return Encoding(name, "\r" if "\r" in text and "\n" not in text else "\n")


def check_encoding(name: str, sample: bytes = b"") -> str:
    """Refuse an encoding that Python does not know, or a file cannot be in.

    The order of the bytes of UTF-16 and UTF-32 is looked up.
    """
    try:
        known = codecs.lookup(name).name
        "\n".encode(known)
    except (LookupError, UnicodeError):
        raise OptionError(f"--encoding {name}: there is no such encoding; try utf-8, cp1252 or utf-16.") from None
    if known in ("utf-16", "utf-32"):
        if sample and b"\0" not in sample:
            raise OptionError(f"--encoding {name}: the file is not written in it; leave the option out.")
        marked = [found for mark, found in _MARKS.items() if sample.startswith(mark) and found.startswith(known)]
        return marked[0] if marked else f"{known}-le"
    return "utf-8" if known == "utf-8-sig" else known


def _recognize(sample: bytes) -> str:
    for mark, name in _MARKS.items():
        if sample.startswith(mark):
            return name
    even, odd = sample[::2], sample[1::2]
    if len(sample) >= 8 and max(even.count(0), odd.count(0)) > _NUL_SHARE * len(even):
        return "utf-16-le" if odd.count(0) > even.count(0) else "utf-16-be"
    whole, broken = _utf8_sequences(sample)
    if broken > whole:
        return "latin-1" if _UNDEFINED.search(sample) else "cp1252"
    return "utf-8"


def _utf8_sequences(sample: bytes) -> tuple[int, int]:
    """Count the runs of bytes above 127 that are UTF-8, and those that are not; one cut off at the end is neither."""
    whole = broken = 0
    for run in _OTHER_BYTES.finditer(sample):
        try:
            run[0].decode()
            whole += 1
        except UnicodeDecodeError as error:
            cut = run.end() == len(sample) and error.reason == "unexpected end of data"
            broken += not cut
    return whole, broken
