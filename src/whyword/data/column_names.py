"""What people call the columns of texts and of labels."""

from __future__ import annotations

import re

# fmt: off
TEXT_NAMES = frozenset({
    "text", "texts", "sentence", "review", "reviews", "comment", "content", "body", "message", "tweet", "question",
    "document", "headline", "utterance", "query", "post", "description", "abstract", "snippet", "sms", "phrase",
    "article", "email", "statement", "passage", "feedback", "transcript",
})
LABEL_NAMES = frozenset({
    "label", "labels", "class", "category", "target", "sentiment", "rating", "stars", "topic", "intent", "polarity",
    "tag", "emotion", "y",
})
OTHER_NAMES = frozenset({  # what stands beside a text and is none: review_id, comment_count
    "id", "date", "time", "count", "number", "length", "url", "user", "author", "name", "title", "lang", "language",
    "votes", "source",
})
# fmt: on
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def pieces(name: str) -> tuple[str, ...]:
    """Cut a name such as review_text or reviewText into its words."""
    return tuple(piece.lower() for piece in _PIECE.findall(name))


def names_text(name: str) -> int:
    """Say how surely a name is one of texts: 3 for text itself, 2 for another usual name, 1 for a part of it."""
    return _level(name, "text", TEXT_NAMES, LABEL_NAMES)


def names_label(name: str) -> int:
    """Say how surely a name is one of labels: 3 for label itself, 2 for another usual name, 1 for a part of it."""
    return _level(name, "label", LABEL_NAMES, frozenset())


def is_usual_name(name: str) -> bool:
    """Whether a whole cell is one of these names."""
    return max(names_text(name), names_label(name)) > 1


def _level(name: str, first: str, known: frozenset[str], others: frozenset[str]) -> int:
    words = pieces(name)
    if len(words) == 1:
        return 3 if words[0] == first else 2 if words[0] in known else 0
    found = known & set(words)
    return int(bool(found) and not set(words) & (others | OTHER_NAMES))
