"""What several papers show beside numbers, as Markdown: texts with their strongest words, and lists of words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...views.characters import showable
from .paper import Answers


def texts_with_words(answers: Answers) -> str:
    """Write each text of the question examples once, and below it what each row's first seed says of it."""
    parts = []
    for dataset, rows in _by_dataset(answers):
        for number, text in enumerate(next(iter(rows.values()))["texts"]):
            whole = " / ".join(_plain(text[part]) for part in ("text", "text_pair") if part in text)
            said = (f"- {row}: {_said(answer['texts'][number])}" for row, answer in rows.items())
            parts.append("\n".join([f"{_plain(dataset)}, gold {_plain(text['gold'])}: {whole}\n", *said]))
    return "\n\n".join(parts)


def word_lists(answers: Answers) -> str:
    """Write the top words of each row's first seed, as the question summed-words gives them."""
    parts = []
    for dataset, rows in _by_dataset(answers):
        lists = (f"- {row}: {', '.join(_plain(top['word']) for top in answer['top'])}" for row, answer in rows.items())
        parts.append("\n".join([f"{_plain(dataset)}\n", *lists]))
    return "\n\n".join(parts)


def _by_dataset(answers: Answers) -> Iterator[tuple[str, dict[str, Mapping[str, Any]]]]:
    for dataset in dict.fromkeys(dataset for dataset, _ in answers):
        yield dataset, {row: by_seed[0] for (name, row), by_seed in answers.items() if name == dataset}


def _said(text: Mapping[str, Any]) -> str:
    words = ", ".join(_plain(word) for word, _ in text["top"])
    return f"{_plain(text['label'])} ({text['probability']:.0%}): {words}"


def _plain(text: object) -> str:
    """Keep a stranger's text on one line, and from steering a terminal or being read as Markdown or HTML."""
    return re.sub(r"([\\`*_\[\]<|])", r"\\\1", " ".join(showable(str(text)).split()))
