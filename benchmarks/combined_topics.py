"""A real set of several labels a text: stretches of news and of posts of different topics, one after the other.

python benchmarks/combined_topics.py --data-dir FOLDER -o combined

A text is one, two or three stretches of 20 words, of AG News (business, sports, world, sci/tech) and of three groups of
20 Newsgroups (motorcycles, medicine, guns), no two of the same topic, in random order; its labels are their topics.
Where each word comes from is known, so a label's reason lies in its own stretch and nowhere else.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

SOURCES = ("ag_news", "20ng_three")
WORDS = 20  # of a stretch
STRETCHES = (1, 1, 2, 2, 2, 3)  # one of these, at random
TEXTS = {"train": 3000, "dev": 400, "test": 400}
NAMES = {"rec.motorcycles": "motorcycles", "sci.med": "medicine", "talk.politics.guns": "guns"}


def write(folder: Path, data_dir: Path, seed: int = 0) -> None:
    """Write train, dev and test, each from the same split of both sources."""
    for split, count in TEXTS.items():
        rng = Random(f"{seed} {split}")
        stretches = _stretches(data_dir, split)
        lines = (json.dumps(_row(stretches, rng), ensure_ascii=False) for _ in range(count))
        (folder / f"{split}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _stretches(data_dir: Path, split: str) -> dict[str, list[str]]:
    """Cut the texts of both sources into stretches: by topic."""
    by_topic: dict[str, list[str]] = defaultdict(list)
    for source in SOURCES:
        for text, label in _rows(data_dir / source / f"{split}.jsonl.gz"):
            words = text.split()
            whole = range(0, len(words) - WORDS + 1, WORDS)
            by_topic[NAMES.get(label, label)] += [" ".join(words[start : start + WORDS]) for start in whole]
    return dict(sorted(by_topic.items()))


def _rows(file: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["text"], row["label"]


def _row(stretches: dict[str, list[str]], rng: Random) -> dict[str, Any]:
    topics = rng.sample(list(stretches), rng.choice(STRETCHES))
    text, spans = "", {}
    for topic in topics:
        start = len(text) + bool(text)
        text = f"{text} {rng.choice(stretches[topic])}".strip()
        spans[topic] = [[start, len(text)]]
    return {"text": text, "label": sorted(topics), "rationale": spans}


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
