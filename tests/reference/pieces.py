"""Which word a piece belongs to, character by character."""

from collections import Counter
from collections.abc import Sequence

from whyword.interfaces.document import Span


def word_of_piece(piece: Span, spans: Sequence[Span]) -> int:
    """Let every character of the piece vote for its word; the earlier word wins a tie, -1 if nobody votes."""
    votes = Counter(number for at in range(*piece) for number, (start, end) in enumerate(spans) if start <= at < end)
    return min(votes, key=lambda number: (-votes[number], number)) if votes else -1
