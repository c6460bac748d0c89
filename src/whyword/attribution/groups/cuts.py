"""Where a long text is cut into groups of words: between texts and sentences, then clauses, else anywhere."""

from __future__ import annotations

import numpy as np

from ...interfaces.document import Words

Run = tuple[int, int]  # neighboring words: the first, and the one behind the last

GROUP_WORDS = 12  # of a group, where there are not too many groups: about a clause, or a short sentence
MOST_WORDS = 2 * GROUP_WORDS  # of a group that is opened into its words; a larger one is opened into groups
NEAREST = 0.45  # share of a group's length by which a cut moves to the end of a sentence

SENTENCE_ENDS, CLAUSE_ENDS, CLOSING = frozenset(".!?。！？…"), frozenset(",;:)]}–—，；：、"), frozenset("\"'”’»)]}")
TEXT, LINE, SENTENCE, CLAUSE = 4, 3, 2, 1


class Cuts:
    """Cuts runs of the words of a text."""

    def __init__(self, words: Words) -> None:
        self.count = len(words)
        self._ends = _ends(words)

    def first(self, most: int) -> list[Run]:
        """Cut the text into groups of about a clause, or into so many that are longer."""
        return self.cut((0, self.count), max(2, min(most, -(-self.count // GROUP_WORDS))))

    def open(self, run: Run) -> list[Run]:
        """Cut a group into its words, or a large one into smaller groups."""
        first, stop = run
        if stop - first <= MOST_WORDS:
            return [(word, word + 1) for word in range(first, stop)]
        return self.cut(run, min(MOST_WORDS, -(-(stop - first) // GROUP_WORDS)))

    def depth(self, runs: list[Run]) -> int:
        """Say how many times groups have to be opened to reach words."""
        longest = max((stop - first for first, stop in runs), default=1)
        return 0 if longest == 1 else 1 if longest <= MOST_WORDS else 1 + self.depth(self.open((0, longest)))

    def cut(self, run: Run, parts: int) -> list[Run]:
        """Cut a run into so many parts of about the same length, each cut where nearby most ends."""
        first, stop = run
        parts = min(parts, stop - first)
        step = (stop - first) / parts
        reach = int(NEAREST * step)
        cuts = [first]
        for number in range(1, parts):
            middle = first + round(number * step)
            near = np.arange(max(cuts[-1] + 1, middle - reach), min(stop - 1, middle + reach) + 1)
            best = np.lexsort((np.abs(near - middle), -self._ends[near]))[0]
            cuts.append(int(near[best]))
        return list(zip(cuts, [*cuts[1:], stop], strict=True))


def _ends(words: Words) -> np.ndarray:
    """Say what ends before each word: (word,), from 0 for nothing to 4 for the first text of a pair."""
    ends: list[int] = []
    for text, spans in zip(words.texts, words.spans, strict=True):
        ended, last = TEXT if ends else 0, 0
        for start, stop in spans:
            ends.append(max(ended, LINE) if ended < TEXT and "\n" in text[last:start] else ended)
            word = text[start:stop]
            if set(word) <= CLOSING and start == last and ends[-1] in (SENTENCE, CLAUSE):
                ended, ends[-1] = ends[-1], 0  # a quote or bracket belongs to the sentence that it closes
            else:
                ended = SENTENCE if word[-1] in SENTENCE_ENDS else CLAUSE if word[-1] in CLAUSE_ENDS else 0
            last = stop
    return np.array(ends, dtype=np.int64)


def members(runs: list[Run]) -> np.ndarray:
    """Give the number of the run that each word belongs to, (word,); the runs follow each other."""
    return np.repeat(np.arange(len(runs)), [stop - first for first, stop in runs])
