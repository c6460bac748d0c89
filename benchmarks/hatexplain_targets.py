"""Whom posts of HateXplain attack, as texts of several labels: the targets that annotators named, perhaps none.

python benchmarks/hatexplain_targets.py --data-dir FOLDER -o targets

Only its dev split has targets: it is shuffled and cut, 70 % to learn from, 10 to choose on and 20 to test. Targets that
few posts have are left out. Which words annotators marked is known for a post, not for each target.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

FEWEST = 50  # posts of a target that is kept


def write(folder: Path, data_dir: Path) -> None:
    """Write train, dev and test."""
    with gzip.open(data_dir / "hatexplain" / "dev.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    counts = Counter(target for row in rows for target in row["targets"])
    kept = sorted(target for target, count in counts.items() if count >= FEWEST)
    Random(0).shuffle(rows)
    first, second = len(rows) * 7 // 10, len(rows) * 8 // 10
    for split, part in (("train", rows[:first]), ("dev", rows[first:second]), ("test", rows[second:])):
        lines = (json.dumps(_row(row, kept), ensure_ascii=False) for row in part)
        (folder / f"{split}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _row(row: dict[str, Any], kept: list[str]) -> dict[str, Any]:
    labels = [target for target in kept if target in row["targets"]]
    return {"text": row["text"], "label": labels, "rationale": row["rationale"]}


def main() -> None:
    """Write the set into a new folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True)
    write(arguments.out, arguments.data_dir)


if __name__ == "__main__":
    main()
