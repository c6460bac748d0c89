"""What would harm training, found in the splits of a data set: each finding says how much, where, and what to do."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ..interfaces.document import Document, Label
from .bad_rows import ENCODING, FIELDS, JSON, LABEL, OTHER, TEXT
from .dataset import Split
from .labels import are_multi_label, count_labels, merge_spellings, spellings
from .near_duplicates import RUN, SIMILAR, near_duplicates
from .order import are_stars
from .scripts import mixed_words, scripts_of
from .store import BadRows
from .texts_alike import Key, text_key

STOPS, HARMS, NOTE = "stops", "harms", "note"  # training stops; it is misled; good to know
EXAMPLES = 5
LONGEST = 80  # characters of an example
RARE = 10  # training rows
FEWEST_STARS = 5  # numbered classes that may be a scale
SEPARATORS = (";", "|", ",")  # of labels that are one class
UNEQUAL = 0.05  # share of the smallest class

_BAD_ROWS = {
    LABEL: ("missing-labels", "without a label that can be used"),
    TEXT: ("missing-texts", "without a text, or with one that has no words"),
    FIELDS: ("fields", "with too many fields, or with quotes that do not match"),
    ENCODING: ("encoding", "with bytes that are not of the file's encoding"),
    JSON: ("json", "that are no JSON objects"),
    OTHER: ("other-rows", "that cannot be used"),
}


@dataclass(frozen=True)
class Finding:
    """Something that was found, how often, and what to do about it."""

    name: str
    severity: str  # stops, harms or note
    count: int
    sentence: str
    advice: str
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say it with what to do."""
        return f"{self.sentence} {self.advice}"


Splits = Mapping[str, Split]


def find(
    splits: Splits, near: bool = True, draw: Callable[[Split], Split] = lambda split: split
) -> tuple[Finding, ...]:
    """Look for all that can be found, worst first; near duplicates only if so wanted, as they take longest.

    Spellings of a label that differ only in case or spaces are one finding, and one class for the others. Labels are
    counted in all rows, texts are looked at in those that are drawn of a split.
    """
    merged, _ = merge_spellings({name: split.documents for name, split in splits.items()})
    as_one = {name: replace(split, documents=merged[name]) for name, split in splits.items()}
    drawn = {name: draw(split) for name, split in as_one.items()}
    of_labels = (_classes, _joined, _missing_classes, _rare)
    rules = [_classes, _joined, _missing_classes, _leaks, _contradictions, _duplicates]
    rules += [_near_duplicates] if near else []
    rules += [_rare, _scripts, _mixed, _one_word]
    found = [finding for rule in (_bad_rows, _spellings) for finding in rule(splits)]
    found += [finding for rule in rules for finding in rule(as_one if rule in of_labels else drawn)]
    _by_key.cache_clear()
    return tuple(sorted(found, key=lambda finding: (STOPS, HARMS, NOTE).index(finding.severity)))


def count_classes(documents: Iterable[Document]) -> dict[Label, int]:
    """Count the rows of each class, the most frequent first."""
    return _by_frequency(count_labels(documents))


def _count_all(splits: Splits) -> dict[Label, int]:
    return _by_frequency(sum((count_labels(split.documents) for split in splits.values()), Counter[Label]()))


def _by_frequency(counts: Mapping[Label, int]) -> dict[Label, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))


def _bad_rows(splits: Splits) -> Iterator[Finding]:
    for kind, (name, what) in _BAD_ROWS.items():
        rows = [row for split in splits.values() for row in split.bad if row.kind == kind]
        count = sum(_bad_of(split, kind) for split in splits.values())
        if count:
            shown = tuple(str(row) for row in rows[:EXAMPLES])
            advice = "Fix them, or leave them out with --on-bad-row skip."
            yield Finding(name, STOPS, count, f"{_rows(count)} {what}.", advice, shown)


def _bad_of(split: Split, kind: str) -> int:
    """Count the bad rows of a kind, of which those of a data set on disk are not all kept."""
    if isinstance(split.bad, BadRows):
        return split.bad.kinds.get(kind, 0)
    return sum(row.kind == kind for row in split.bad)


def _classes(splits: Splits) -> Iterator[Finding]:
    counts = _count_all(splits)
    kinds = {type(label).__name__ for label in counts}
    if len(kinds) > 1:
        sentence = "Some labels are strings and some are integers."
        yield Finding(
            "label-kinds", STOPS, len(counts), sentence, "Write all as one kind.", tuple(map(repr, counts))[:EXAMPLES]
        )
    train = count_classes(splits["train"].documents)
    if len(train) == 1:
        sentence = f"All rows of {_called('train', splits)} are {next(iter(train))!r}."
        yield Finding(
            "one-class", STOPS, 1, sentence, "Add rows of another class, or name another column with --label."
        )
    if len(train) > 50 and 2 * len(train) > len(splits["train"].documents):
        sentence = f"There are {len(train):,} classes in {_rows(len(splits['train'].documents))}."
        advice = "A number on a scale is no class: put it into a few bands, or name another column with --label."
        yield Finding("many-classes", HARMS, len(train), sentence, advice)
    elif len(train) >= FEWEST_STARS and are_stars(list(train)):
        sentence = f"The {len(train)} classes are numbers in equal steps."
        advice = "If they are a scale, as stars are, let the model know their order with --task ordinal."
        yield Finding("scale", NOTE, len(train), sentence, advice)
    texts = splits["train"].documents if are_multi_label(splits["train"].documents) else ()
    sets = [document.labels for document in texts if document.labels is not None]
    if sets and all(len(labels) <= 1 for labels in sets):
        advice = "Check --label-separator; where labels exclude each other, leave it out."
        yield Finding("one-label", NOTE, len(sets), "No row has more than one label, though it may.", advice)


def _joined(splits: Splits) -> Iterator[Finding]:
    """Find classes that are several labels in one, each of which stands in another class too."""
    if are_multi_label(splits["train"].documents):
        return
    classes = [label for label in count_classes(splits["train"].documents) if isinstance(label, str)]
    for separator in SEPARATORS:
        parts = {label: {part.strip() for part in label.split(separator) if part.strip()} for label in classes}
        times = Counter(part for several in parts.values() for part in several)
        joined = [label for label in classes if len(parts[label]) > 1 and all(times[p] > 1 for p in parts[label])]
        if len(joined) > 1:
            sentence = f"{len(joined)} of {len(classes)} classes are others joined by {separator!r}."
            advice = f"If a text may have several labels, give --label-separator {separator!r}."
            yield Finding("joined-labels", HARMS, len(joined), sentence, advice, tuple(map(repr, joined))[:EXAMPLES])
            return


def _spellings(splits: Splits) -> Iterator[Finding]:
    counts = _count_all(splits)
    found = spellings(counts)
    if found:
        shown = tuple(
            f"{first!r} ({counts[first]:,}): {', '.join(f'{other!r} ({counts[other]:,})' for other in others)}"
            for first, others in found.items()
        )
        number = sum(map(len, found.values()))
        sentence = (
            f"{number} {'label differs' if number == 1 else 'labels differ'} from another only in case or spaces."
        )
        yield Finding(
            "label-spellings", HARMS, number, sentence, "Read them as one with --fix-labels.", shown[:EXAMPLES]
        )


def _missing_classes(splits: Splits) -> Iterator[Finding]:
    train = count_classes(splits["train"].documents)
    for name, split in splits.items():
        counts = count_classes(split.documents)
        new = [label for label in counts if label not in train]
        gone = [label for label in train if label not in counts]
        if new:
            rows = sum(counts[label] for label in new)
            sentence = f"{_rows(rows)} of {name} are of classes that train does not have."
            advice = "Add such rows to train, or drop them."
            yield Finding("unknown-classes", STOPS, rows, sentence, advice, tuple(map(repr, new))[:EXAMPLES])
        if gone and split.documents:
            sentence = f"{len(gone)} of {len(train)} classes have no rows in {name}."
            advice = f"What {name} says is not about them: move some of their rows there."
            yield Finding("missing-classes", HARMS, len(gone), sentence, advice, tuple(map(repr, gone))[:EXAMPLES])


def _leaks(splits: Splits) -> Iterator[Finding]:
    keys = {name: _by_key(split) for name, split in splits.items()}
    names = list(splits)
    for first, other in [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]:
        shared = [key for key in keys[first] if key in keys[other]]
        if shared:
            rows = sum(len(keys[first][key]) for key in shared)
            gives = "train" if "train" in (first, other) else "dev"
            shown = (_example(splits[other], keys[other][key][0], keys[first][key][0], splits[first]) for key in shared)
            sentence = f"{_texts(len(shared))} of {other} {'is' if len(shared) == 1 else 'are'} in {first} too."
            advice = f"whyword train cuts them from {gives}, unless --keep-leaks is given."
            yield Finding("leaks", HARMS, rows, sentence, advice, tuple(shown)[:EXAMPLES])


def _contradictions(splits: Splits) -> Iterator[Finding]:
    places: dict[Key, list[tuple[Split, int]]] = defaultdict(list)
    for split in splits.values():
        for key, rows in _by_key(split).items():
            places[key] += [(split, row) for row in rows]
    shown, texts, count = [], 0, 0
    for copies in places.values():
        labels = list(dict.fromkeys(_label(split.documents[row]) for split, row in copies))
        if len(labels) > 1:
            texts, count = texts + 1, count + len(copies)
            split, row = copies[0]
            shown.append(f"{' / '.join(labels)}: {_shown(split.documents[row])} ({_place(split, row)})")
    if texts:
        sentence = f"{_texts(texts)} ({_rows(count)}) {'has' if texts == 1 else 'have'} more than one label."
        advice = "No model can be right about all of them: decide on one label, or drop them."
        yield Finding("contradictions", HARMS, count, sentence, advice, tuple(shown[:EXAMPLES]))


def _label(document: Document) -> str:
    return " + ".join(sorted(map(str, document.all_labels))) if document.labels is not None else str(document.label)


def _duplicates(splits: Splits) -> Iterator[Finding]:
    for name, split in splits.items():
        copies = [rows for rows in _by_key(split).values() if len(rows) > 1]
        if copies:
            extra = sum(len(rows) - 1 for rows in copies)
            shown = tuple(_example(split, rows[1], rows[0], split) for rows in copies[:EXAMPLES])
            repeat = "repeats" if extra == 1 else "repeat"
            sentence = f"{_rows(extra)} of {_called(name, splits)} {repeat} the text of another."
            advice = "They count several times; splits that are cut keep copies on one side."
            yield Finding("duplicates", NOTE, extra, sentence, advice, shown)


def _near_duplicates(splits: Splits) -> Iterator[Finding]:
    every = [(split, name, row) for name, split in splits.items() for row in range(len(split.documents))]
    pairs = near_duplicates([split.documents[row].words for split, _, row in every])
    near = [(every[one], every[other]) for one, other in pairs]
    near = [(a, b) for a, b in near if text_key(a[0].documents[a[2]].words) != text_key(b[0].documents[b[2]].words)]
    meaning = f"{SIMILAR:.0%} or more of their runs of {RUN} words are the same."
    for across, severity in ((True, HARMS), (False, NOTE)):
        found = [(a, b) for a, b in near if (a[1] != b[1]) == across]
        if found:
            shown = tuple(_example(a[0], a[2], b[2], b[0]) for a, b in found[:EXAMPLES])
            where = "one of another split" if across else "one of the same split"
            sentence = f"{_texts(len(found))} {'is' if len(found) == 1 else 'are'} nearly the same as {where}."
            what = "Figures on such texts are too good: look at them." if across else "They count nearly twice."
            advice = f"{meaning} {what}"
            yield Finding("near-leaks" if across else "near-duplicates", severity, len(found), sentence, advice, shown)


def _rare(splits: Splits) -> Iterator[Finding]:
    counts = count_classes(splits["train"].documents)
    rare = [label for label, count in counts.items() if count < RARE]
    if rare and len(counts) > 1:
        sentence = f"{len(rare)} of {len(counts)} classes have fewer than {RARE} training rows."
        shown = tuple(f"{label!r}: {counts[label]}" for label in rare[:EXAMPLES])
        yield Finding("rare-classes", HARMS, len(rare), sentence, "Add rows, or join them with others.", shown)
    least = min(counts, key=lambda label: counts[label], default=None)
    if least is not None and len(counts) > 1 and counts[least] < UNEQUAL * sum(counts.values()) and len(counts) < 20:
        sentence = f"The class {least!r} has {counts[least] / sum(counts.values()):.1%} of the training rows."
        advice = (
            "Accuracy says little about it: look at its recall, or at macro-F1. If too few are recognized, train with "
            "--class-weight balanced or --threshold auto."
        )
        yield Finding("unequal-classes", HARMS, counts[least], sentence, advice)


def _scripts(splits: Splits) -> Iterator[Finding]:
    seen = {script for item in splits["train"].documents for script in scripts_of(item.words)}
    for name, split in splits.items():
        new = [row for row, item in enumerate(split.documents) if scripts_of(item.words) - seen]
        if new:
            scripts = sorted({script for row in new for script in scripts_of(split.documents[row].words) - seen})
            what = f"letters of a script that train has not: {', '.join(scripts)}"
            sentence = f"{_texts(len(new))} of {name} {'has' if len(new) == 1 else 'have'} {what}."
            shown = tuple(_with_place(split, row) for row in new[:EXAMPLES])
            yield Finding("unknown-scripts", HARMS, len(new), sentence, "Add such texts to train, or drop them.", shown)


def _mixed(splits: Splits) -> Iterator[Finding]:
    shown: list[str] = []
    count = 0
    for split in splits.values():
        for row, item in enumerate(split.documents):
            words = mixed_words(item.words)
            if words:
                count += 1
                shown.append(f"{words[0]} in {_with_place(split, row)}")
    if count:
        sentence = (
            f"{_texts(count)} {'has' if count == 1 else 'have'} words with letters of two scripts that look alike."
        )
        advice = "No model knows such words: write them in one script."
        yield Finding("mixed-scripts", NOTE, count, sentence, advice, tuple(shown[:EXAMPLES]))


def _one_word(splits: Splits) -> Iterator[Finding]:
    rows = [
        (split, row) for split in splits.values() for row, item in enumerate(split.documents) if len(item.words) == 1
    ]
    if rows:
        shown = tuple(_with_place(split, row) for split, row in rows[:EXAMPLES])
        sentence = f"{_texts(len(rows))} {'is' if len(rows) == 1 else 'are'} a single word."
        yield Finding("one-word-texts", NOTE, len(rows), sentence, "Check that nothing was cut off.", shown)


def _called(name: str, splits: Splits) -> str:
    return name if len(splits) > 1 else "the file"


@lru_cache(maxsize=8)
def _by_key(split: Split) -> dict[Key, list[int]]:
    rows: dict[Key, list[int]] = {}
    for row, item in enumerate(split.documents):
        rows.setdefault(text_key(item.words), []).append(row)
    return rows


def _example(split: Split, row: int, other: int, other_split: Split) -> str:
    return f"{_shown(split.documents[row])} ({_place(split, row)}; {_place(other_split, other)})"


def _with_place(split: Split, row: int) -> str:
    return f"{_shown(split.documents[row])} ({_place(split, row)})"


def _place(split: Split, row: int) -> str:
    """Name a row, with its file but without the folder."""
    return split.places[row].removeprefix(split.source.removesuffix(Path(split.source).name))


def _shown(document: Document) -> str:
    text = " ".join(" | ".join(document.words.texts).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _texts(count: int) -> str:
    return f"{count:,} {'text' if count == 1 else 'texts'}"
