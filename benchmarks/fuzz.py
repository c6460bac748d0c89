"""Inputs nobody writes on purpose: texts through models, files through readers; a finite answer or one sentence.

python benchmarks/fuzz.py --cases 500
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from whyword.data.dataset import load_dataset
from whyword.data.words import split
from whyword.explaining.inputs import TextSource
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.classifier import Classifier
from whyword.interfaces.document import Document
from whyword.interfaces.errors import WhywordError, first_line
from whyword.models.config import make_config
from whyword.models.train import train_model

SOME = 8  # texts asked about at once
CLOSE = 1e-4  # between a text alone and in a batch
RANGES = ((0x20, 0x7E), (0, 0x1F), (0x7F, 0x24F), (0x300, 0x36F), (0x590, 0x6FF), (0x900, 0x97F), (0x2000, 0x206F))
WIDE = ((0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xE000, 0xE0FF), (0xFE00, 0xFEFF), (0x1F300, 0x1F6FF), (0xE0000, 0xE007F))
PLAIN = ("the", "plot", "was", "superb", "dreadful", ",", "don't", "naïve", "👩‍💻", "fi", "İ", "ß", "\u00ad", "\u200b")
SEPARATORS = (" ", " ", " ", "", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\u200d", "\0", "\ufeff")
ROWS = ('{"text": "', '"}', ",", "\n", '"', "text", "label", "\t", ";", "[", "]", "null", "1e999", "\\ud800", "é", "\0")


def fuzzed_text(chance: random.Random, longest: int) -> str:
    """Draw a text: mostly words, of any letters; some empty, some of one huge word."""
    kind = chance.random()
    if kind < 0.03:
        return chance.choice(["", " ", "\n\n", "\u200b", "\ufeff", "\0", "\u3000"])
    if kind < 0.06:
        return chance.choice("aé中🙂\u0301-") * chance.randrange(1, longest)
    pieces = []
    for _ in range(chance.randrange(1, chance.choice((3, 12, 60)))):
        pieces.append(chance.choice(PLAIN) if chance.random() < 0.5 else _letters(chance))
        pieces.append(chance.choice(SEPARATORS))
    return "".join(pieces)


def _letters(chance: random.Random) -> str:
    low, high = chance.choice(RANGES + WIDE)
    return "".join(chr(chance.randint(low, high)) for _ in range(chance.randrange(1, 12)))


@cache
def model_of(encoder: str) -> FittedClassifier:
    """Train a tiny model that reads words or word pieces."""
    settings: dict[str, Any] = {"name": encoder}
    training: dict[str, Any] = {"epochs": 1}
    if encoder == "lstm":
        settings |= {"dim": 8, "hidden": 6}
    elif encoder == "minilm":
        training["head_only"] = True
    values = {"method": "base", "encoder": settings, "training": training, "rationales": False}
    return train_model(make_config(values), load_dataset("planted:train=40,dev=10,test=0")).classifier


def wrong_answers(classifier: Classifier, texts: Sequence[str]) -> dict[int, str]:
    """Ask about texts together and alone; say of which the answers are wrong, and how."""
    words = [split(text) for text in texts]
    together = np.asarray(classifier.probabilities(words))
    wrong = {}
    for number, (text, own, row) in enumerate(zip(texts, words, together, strict=True)):
        alone = np.asarray(classifier.probabilities([own]))[0]
        if not np.isfinite(row).all() or not math.isclose(float(row.sum()), 1, abs_tol=1e-4):
            wrong[number] = f"answers {row.tolist()}"
        elif float(abs(row - alone).max()) > CLOSE:
            wrong[number] = f"answers {row.tolist()} in a batch and {alone.tolist()} alone"
        elif any(not 0 <= start < end <= len(text) for spans in own.spans for start, end in spans):
            wrong[number] = "has words beyond its end"
    return wrong


def texts_through(encoder: str, cases: range, seed: int = 0) -> list[str | None]:
    """Say of each fuzzed text what is wrong with its answer, or None."""
    classifier = model_of(encoder)
    longest = 400 if encoder == "minilm" else 20_000
    texts = [fuzzed_text(random.Random(f"{seed} {encoder} {case}"), longest) for case in cases]
    found: list[str | None] = []
    for start in range(0, len(texts), SOME):
        some = texts[start : start + SOME]
        try:
            wrong = wrong_answers(classifier, some)
            found += [None if i not in wrong else f"{text[:60]!r} {wrong[i]}" for i, text in enumerate(some)]
        except WhywordError as error:
            found += [None if "\n" not in str(error) else f"several lines: {error}" for _ in some]
        except Exception as error:
            found += [f"{[text[:40] for text in some]} raised {type(error).__name__}: {first_line(error)}"] * len(some)
    return found


def explanations_through(encoder: str, cases: range, seed: int = 0) -> list[str | None]:
    """Say of each fuzzed text what is wrong with its explanation, or None."""
    from whyword.catalog import make_explainer

    classifier = model_of(encoder)
    explainer = make_explainer("own", classifier)
    found: list[str | None] = []
    for case in cases:
        text = fuzzed_text(random.Random(f"{seed} explained {encoder} {case}"), 400)
        try:
            (explanation,) = explainer.explain(classifier, [Document(split(text))])
            scores = np.asarray(explanation.scores)
            whole = len(scores) == len(explanation.document.words) and np.isfinite(scores).all()
            found.append(None if whole else f"{text[:60]!r} has the scores {scores.tolist()[:9]}")
        except WhywordError:
            found.append(None)
        except Exception as error:
            found.append(f"{text[:60]!r} raised {type(error).__name__}: {first_line(error)}")
    return found


def written_files(cases: range, seed: int = 0) -> list[str | None]:
    """Write texts to JSON lines and CSV and read them again: each comes back as it was, or the file is refused."""
    import csv

    def write(path: Path, texts: Sequence[str]) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix == ".csv":
                csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["text"], *([text] for text in texts)])
            else:
                file.writelines(json.dumps({"text": text}) + "\n" for text in texts)

    def case_of(chance: random.Random, place: Path) -> str | None:
        texts = [fuzzed_text(chance, 200) for _ in range(chance.randrange(1, 6))]
        path = place / f"texts{chance.choice(('.jsonl', '.csv'))}"
        write(path, texts)
        again = [document.words.texts[0] for document in TextSource(path, {"text": "text"}).documents()]
        kept = [text for text in texts if text.strip() or path.suffix == ".jsonl"]
        if again in (texts, kept):
            return None
        return f"{path.suffix}: {texts!r:.200} came back as {again!r:.200}"

    return _files(case_of, cases, f"{seed} written")


def broken_files(cases: range, seed: int = 0) -> list[str | None]:
    """Read files of random rows: some are texts, the others are refused."""

    def case_of(chance: random.Random, place: Path) -> str | None:
        path = place / f"texts{chance.choice(('.jsonl', '.csv', '.tsv', '.json', '.jsonl.gz', '.parquet', '.xlsx'))}"
        if chance.random() < 0.3:
            path.write_bytes(chance.randbytes(chance.randrange(300)))
        else:
            rows = "".join(chance.choice(ROWS) for _ in range(chance.randrange(60)))
            path.write_text(rows, encoding="utf-8")
        list(TextSource(path).documents())
        load_dataset(path)
        return None

    return _files(case_of, cases, f"{seed} broken")


def _files(case_of: Callable[[random.Random, Path], str | None], cases: range, seed: str) -> list[str | None]:
    found: list[str | None] = []
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            try:
                found.append(case_of(random.Random(f"{seed} {case}"), Path(scratch)))
            except WhywordError:  # a list of bad rows may have a line for each
                found.append(None)
            except Exception as error:
                found.append(f"case {case} raised {type(error).__name__}: {first_line(error)}")
    return found


KINDS: dict[str, Callable[[range], list[str | None]]] = {
    "texts through tfidf": lambda cases: texts_through("tfidf", cases),
    "texts through lstm": lambda cases: texts_through("lstm", cases),
    "texts through minilm": lambda cases: texts_through("minilm", cases),
    "texts explained on lstm": lambda cases: explanations_through("lstm", cases),
    "texts explained on minilm": lambda cases: explanations_through("minilm", cases),
    "files written and read": written_files,
    "files of random rows": broken_files,
}


def main() -> None:
    """Fuzz and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500, help="of each kind")
    options = parser.parse_args()
    for name, run in KINDS.items():
        found = run(range(options.cases))
        wrong = [problem for problem in found if problem is not None]
        print(f"{name}: {len(found)} tried, {len(wrong)} lost")
        for problem in wrong[:5]:
            print(f"  {problem}")


if __name__ == "__main__":
    main()
