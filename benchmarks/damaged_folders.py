"""Model folders damaged in every way, loaded again: each is refused in one sentence, or is the model that was saved.

python benchmarks/damaged_folders.py --cases 500

Half of the folders are sealed by their manifest. The others have none, as folders of older versions: there only a crash
counts as lost, since a changed digit of a weight cannot be told from one that was learned.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from whyword.data.dataset import load_dataset
from whyword.interfaces.errors import WhywordError, first_line
from whyword.models.config import make_config
from whyword.models.fingerprint import model_fingerprint
from whyword.models.folder import TrainedModel, load_model, put_model
from whyword.models.train import train_model
from whyword.storage.seal import MANIFEST

FILES = (
    *("README.md", "config.json", MANIFEST, "metrics.json", "model.safetensors", "tokenizer.json"),
    "training.jsonl",
)
KINDS = ("delete", "empty", "truncate", "flip", "zero", "append", "swap", "nest", "retype")
VALUES = (None, True, -1, 10**9, 10**30, 1e300, float("nan"), "", "\ud800", "x" * 9_999, [], [[]], {}, {"name": "lstm"})
SETTINGS: tuple[Mapping[str, Any], ...] = (
    {"method": "base", "encoder": {"name": "tfidf"}, "contributions": True},
    {"method": "attention", "encoder": {"name": "lstm", "dim": 8, "hidden": 6}, "training": {"epochs": 1}},
)


def make_folders(place: Path) -> list[tuple[Path, str]]:
    """Train a tiny model of each kind; give their folders, and what tells each from any other."""
    folders = []
    for number, values in enumerate(SETTINGS):
        data = load_dataset(f"planted:train={24 + 8 * number},dev=8,test=8")  # so that their words differ
        folder = place / f"model-{number}"
        put_model(train_model(make_config(values), data), folder)
        folders.append((folder, identity(load_model(folder))))
    return folders


def identity(model: TrainedModel) -> str:
    """Name all that a folder says of its model."""
    story = json.dumps([list(model.history), model.metrics], sort_keys=True)
    return f"{model_fingerprint(model)} {story}"


def damage(folder: Path, other: Path, kind: str, name: str, chance: random.Random) -> None:
    """Damage one file of a folder; other is a folder of another model."""
    path = folder / name
    content = path.read_bytes()
    place = chance.randrange(len(content))
    if kind == "delete":
        path.unlink()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "truncate":
        path.write_bytes(content[:place])
    elif kind == "flip":
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :])
    elif kind == "zero":
        path.write_bytes(content[:place] + bytes(len(content) - place))
    elif kind == "append":
        path.write_bytes(content + chance.randbytes(9))
    elif kind == "swap":
        shutil.copyfile(other / name, path)
    elif kind == "nest":
        path.write_bytes(b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
    elif path.suffix in (".json", ".jsonl"):
        _retype(path, chance)
    else:
        path.write_bytes(chance.randbytes(len(content)))


def _retype(path: Path, chance: random.Random) -> None:
    """Put a value of another kind somewhere into a file of JSON."""
    first, line_end, rest = path.read_text(encoding="utf-8"), "", ""
    if path.suffix == ".jsonl":
        first, line_end, rest = first.partition("\n")
    values: Any = json.loads(first)
    inside: Any = values
    key = chance.choice(_keys(inside))
    while _keys(inside[key]) and chance.random() < 0.7:
        inside = inside[key]
        key = chance.choice(_keys(inside))
    inside[key] = chance.choice(VALUES)
    path.write_text(json.dumps(values) + line_end + rest, encoding="utf-8")


def _keys(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []


def load_again(folder: Path, known: str) -> str:
    """Say what became of a folder: refused, equal or changed; whatever is no WhywordError is raised."""
    try:
        model = load_model(folder)
    except WhywordError as error:
        if "\n" in str(error):
            raise AssertionError(f"more than one line: {error}") from error
        return "refused"
    return "equal" if identity(model) == known else "changed"


def main() -> None:
    """Damage folders at random and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = list(damage_folders(range(options.cases), options.seed))
    counts = Counter(kind for kind, _ in found)
    problems = [problem for _, problem in found if problem is not None]
    for problem in problems:
        print(problem)
    for (seal, became), count in sorted(counts.items()):
        print(f"{seal:10}  {became:8}  {count:5}")
    print(f"{options.cases} damaged folders, {len(problems)} lost")


def damage_folders(cases: range, seed: int = 0) -> Iterator[tuple[tuple[str, str], str | None]]:
    """Damage a folder for each case; say whether it was sealed, what became of it, and what was lost, if anything."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = make_folders(Path(scratch))
        for case in cases:
            chance = random.Random(f"{seed} {case}")
            number = chance.randrange(len(folders))
            (folder, known), (other, _) = folders[number], folders[1 - number]
            kind, name, sealed = chance.choice(KINDS), chance.choice(FILES), case % 2 == 0
            victim = shutil.copytree(folder, Path(scratch) / "damaged")
            damage(victim, other, kind, name, chance)
            if not sealed:
                (victim / MANIFEST).unlink(missing_ok=True)
            try:
                found = load_again(victim, known)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                found = f"crashed ({type(error).__name__}: {first_line(error)[:90]})"
            shutil.rmtree(victim)
            seal = "sealed" if sealed else "not sealed"
            is_lost = found.startswith("crashed") or (sealed and found == "changed")
            yield (seal, found.partition(" ")[0]), f"case {case}: {kind} {name}, {seal}: {found}" if is_lost else None


if __name__ == "__main__":
    main()
