"""Count the files of whyword that a command enters: those of which a function is called (importing does not count).

usage: python tools/walk.py audit model reviews.csv -o report.html
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import whyword
from whyword.cli import main

PACKAGE = Path(whyword.__file__).parent
entered: dict[str, set[str]] = {}  # by file, the qualified names of its functions


def note(frame: FrameType, event: str, _: Any) -> None:
    """Remember the function that is called, if it is one of ours; bodies of classes are no functions."""
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(str(PACKAGE)) and code.co_flags & inspect.CO_NEWLOCALS:
        entered.setdefault(code.co_filename, set()).add(code.co_qualname)


sys.argv[0] = "whyword"
threading.setprofile(note)
sys.setprofile(note)
try:
    main()
finally:
    sys.setprofile(None)
    threading.setprofile(None)
    files = sorted(str(Path(file).relative_to(PACKAGE)) for file in entered)
    packages = Counter(file.split("/")[0] for file in files)
    classes = {
        f"{Path(file).relative_to(PACKAGE)}: {name.split('.')[0]}"
        for file, names in entered.items()
        for name in names
        if "." in name and name[0].isupper()
    }
    print(*files, "", *sorted(classes), sep="\n", file=sys.stderr)
    print(f"\n{len(files)} files, {sum(map(len, entered.values()))} functions, {len(classes)} classes", file=sys.stderr)
    print(", ".join(f"{name} {count}" for name, count in packages.most_common()), file=sys.stderr)
