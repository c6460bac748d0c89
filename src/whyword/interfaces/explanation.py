"""One score per word of a text for one class, the contract of what makes them, and scores of a vocabulary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ..maths.stats.ordered import decided
from ..maths.stats.ties import ranking, tied_ranks, tolerance
from ..views import html, svg, terminal, word_table
from ..views.highlight import Highlight
from .classifier import Classifier, exclusive
from .document import Document, Label, Span
from .errors import OptionError, unknown_name
from .settings import Named, data_frame

if TYPE_CHECKING:
    import pandas


NO_SCORE = (
    "Only a model whose classes have an order has an expected score: train one with --task ordinal, or name a class as "
    "target."
)
MOST_COLUMNS = 10  # classes of a table of words, where nobody names any
Scored = tuple[int, ...] | Literal["all"] | None  # numbers of classes, all, or None: whichever the explainer chooses


@dataclass(frozen=True)
class Interaction:
    """Two words whose joint effect is not the sum of what each does alone, such as *not* and *good*."""

    first: int  # positions of the words in the text
    second: int
    score: float  # for the target: above 0 the two together speak more for it than each alone


@dataclass(frozen=True, eq=False)
class Explanation:
    """Which words of a document speak for a class, and how strongly."""

    document: Document
    scores: np.ndarray  # (word,) float64; higher speaks more for the target
    target: int  # index of the class the scores speak for
    classes: tuple[Label, ...]
    probabilities: np.ndarray  # (class,) of the whole text
    explainer: str
    signed: bool = True  # False for weights and gates, which have no direction
    std_error: np.ndarray | None = None  # (word,) where the scores were sampled
    all_scores: np.ndarray | None = None  # (class, word) signed scores for every class, where the explainer gives them
    base_value: float | None = None  # probability of the target with no word left, where the explainer needed it
    base_values: np.ndarray | None = None  # (class,) the same for every class
    against: int | None = None  # class whose scores were taken off those of the target, in a contrast
    error: float | None = None  # of the scores' sums, in probability, where sub-texts were asked to check them
    interactions: tuple[Interaction, ...] = ()  # strongest first, where they were looked for
    convergence_error: float | None = None  # how far the scores are from adding up as they should, where they should
    seed: int | None = None
    forward_passes: int = 0  # sub-texts the model was asked about for this text
    seconds: float = 0.0  # this text's share of the time
    truncated_words: int = 0  # words at the end that the encoder could not read
    known_words: int | None = None  # words that are in the model's vocabulary, where it has one of words
    windows: int = 1  # overlapping parts that a text longer than the encoder's limit was explained in
    converged: float | None = None  # confidence that the top words of a sampled explanation are the right ones
    tied: np.ndarray | None = None  # (word,) bool: words whose place in or out of the top is undecided
    grouped: np.ndarray | None = None  # (word,) bool: words of a long text that share the score of their group evenly
    resolution: float = 0.0  # scores no further apart are equal up to rounding, where it is known (maths/stats/ties.py)
    labels: tuple[int, ...] | None = None  # numbers of all predicted labels, where a text may have several
    forbidden_words: np.ndarray | None = None  # (word,) bool: words that the model does not read; None: it reads all
    values: tuple[float, ...] | None = None  # where each class stands on the scale, where classes have an order
    of_score: bool = False  # whether words raise and lower the expected score, not the probability of the target
    would_mark: np.ndarray | None = None  # (word,) how likely a person is to mark each, where that was learned
    scored: tuple[int, ...] | None = None  # classes that the rows of all_scores are for, in order; None: every class
    full_paint: float | None = None  # the size of score painted strongest; None: the largest of these scores

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they stand in the text."""
        return self.document.words.strings

    @property
    def spans(self) -> tuple[Span, ...]:
        """Character offsets of the words, each in its own text of a pair."""
        return tuple(span for spans in self.document.words.spans for span in spans)

    @property
    def label(self) -> Label:
        """The class the scores speak for."""
        return self.classes[self.target]

    @property
    def probability(self) -> float:
        """The probability the model gives to that class."""
        return float(self.probabilities[self.target])

    @property
    def predicted(self) -> int:
        """The number of the class that the probabilities are for: the likeliest, or the median of ordered ones."""
        return int(decided(self.probabilities[None], self.values is not None)[0])

    @property
    def expected(self) -> float | None:
        """The expected score: the mean of the classes' places on the scale, where classes have an order."""
        return None if self.values is None else float(self.probabilities @ self.values)

    @property
    def ranks(self) -> np.ndarray:
        """The rank of each word, 0 for the highest score; scores that are equal up to rounding share one."""
        return tied_ranks(self.scores, self.resolution)

    @property
    def ranking(self) -> np.ndarray:
        """Positions of the words from the highest score down; scores equal up to rounding stay in reading order."""
        return ranking(self.scores, self.resolution)

    @property
    def strongest(self) -> np.ndarray:
        """Positions of the words from the largest score down, whatever its sign; equal sizes stay in reading order."""
        return ranking(np.abs(self.scores), self.resolution)

    @property
    def speaks_for(self) -> tuple[int | None, ...]:
        """The number of the class that each word speaks for, which every view paints it for.

        A word with a score above 0 speaks for the target. One below 0 speaks for the class that the target is held
        against, for the other of two classes, or among several for the one that gains most from it. It is None where
        the explainer scores one class only: the word speaks against the target, nobody knows for whom. It is None too
        where labels do not exclude each other, for a score of 0, for weights and gates, which speak for no class, and
        where words raise and lower the expected score.
        """
        return tuple(self._speaker(score, word) for word, score in enumerate(self.scores))

    def _speaker(self, score: float, word: int | None = None) -> int | None:
        if not self.signed or self.of_score or not abs(score) > 0:
            return None
        if score > 0:
            return self.target
        if self.against is not None:
            return self.against
        if not exclusive(self.probabilities):
            return None
        if len(self.classes) == 2:
            return 1 - self.target
        if self.all_scores is None or word is None:
            return None
        numbers = self.scored_classes
        gains = np.where(np.array(numbers) == self.target, -np.inf, self.all_scores[:, word])
        best = int(gains.argmax())
        return numbers[best] if gains[best] > 0 else None

    @property
    def scored_classes(self) -> tuple[int, ...]:
        """The numbers of the classes that the rows of all_scores are for, in order; none if there are no such rows."""
        if self.all_scores is None:
            return ()
        return tuple(range(len(self.classes))) if self.scored is None else self.scored

    def scores_for(self, number: int) -> np.ndarray | None:
        """Give the scores for the class of that number, (word,); None where it was not scored."""
        if self.all_scores is None or self.scored is None:
            return None if self.all_scores is None else self.all_scores[number]
        return self.all_scores[self.scored.index(number)] if number in self.scored else None

    def top(self, k: int = 5) -> list[tuple[str, float]]:
        """Give the k words of the largest scores, for or against the target, with their signs."""
        words = self.words
        return [(words[i], float(self.scores[i])) for i in self.strongest[:k]]

    def for_class(self, label: Label, against: Label | None = None) -> Explanation:
        """Give the same explanation for another class, or for a class against another, without asking the model."""
        target = self._number_of(label)
        other = None if against is None else self._number_of(against)
        scores, taken_off = self.scores_for(target), None if other is None else self.scores_for(other)
        if scores is None or target == other or (other is not None and taken_off is None):
            versus = "" if against is None else f" against '{against}'"
            raise OptionError(f"No scores for '{label}'{versus}: {self._why_none(target == other)}.")
        if target == self.target and other == self.against and not self.of_score:
            return self
        base = self.base_values
        base_value = None if base is None else float(base[target] - (0.0 if other is None else base[other]))
        scores = scores if taken_off is None else scores - taken_off
        return replace(self._rescored(scores, base_value), target=target, against=other, of_score=False)

    def for_score(self) -> Explanation:
        """Give the same explanation for the expected score of ordered classes, such as stars: what raises or lowers it.

        A word's score is the sum over classes of its place on the scale times what the word adds to its probability, so
        that base value and scores add up to the expected score where those of the classes add up to probabilities.
        """
        if self.values is None:
            raise OptionError(NO_SCORE)
        if self.all_scores is None or self.scored is not None:
            raise OptionError(f"No scores for the expected score: {self.explainer} did not score every class.")
        values = np.array(self.values)
        base_value = None if self.base_values is None else float(values @ self.base_values)
        return replace(self._rescored(values @ self.all_scores, base_value), against=None, of_score=True)

    def _rescored(self, scores: np.ndarray, base_value: float | None) -> Explanation:
        """Give the same explanation with other scores, of which less is known."""
        return replace(
            self,
            scores=scores,
            base_value=base_value,
            std_error=None,
            error=None,
            converged=None,
            tied=None,
            interactions=(),
            full_paint=None,
        )

    def _why_none(self, itself: bool) -> str:
        """Say why there are no scores for a class."""
        if itself:
            return "a class is never against itself"
        if self.scored is None:
            return f"{self.explainer} scores one class only"
        few, many = len(self.scored), len(self.classes)
        return f"{self.explainer} scored {few} of {many:,} classes: name it as target, or all"

    @property
    def _score_and_scale(self) -> tuple[float, float, float] | None:
        if self.values is None or self.expected is None:
            return None
        return self.expected, min(self.values), max(self.values)

    def _number_of(self, label: Label) -> int:
        if label not in self.classes:
            raise unknown_name(str(label), "the classes", [str(name) for name in self.classes])
        return self.classes.index(label)

    @property
    def _highlight(self) -> Highlight:
        return Highlight(
            texts=self.document.words.texts,
            spans=self.document.words.spans,
            scores=tuple(float(score) for score in self.scores),
            signed=self.signed,
            label=str(self.label),
            probability=self.probability,
            explainer=self.explainer,
            truncated_words=self.truncated_words,
            nothing_known=self.known_words == 0,
            windows=self.windows,
            tied=0 if self.tied is None else int(self.tied.sum()),
            grouped=0 if self.grouped is None else int(self.grouped.sum()),
            classes=tuple(map(str, self.classes)),
            target=self.target,
            speaks_for=self.speaks_for,
            against=self.against,
            against_probability=0.0 if self.against is None else float(self.probabilities[self.against]),
            base_value=self.base_value,
            error=self.error,
            exclusive=exclusive(self.probabilities),
            given=None if self.labels is None else self.target in self.labels,
            expected=self._score_and_scale if self.of_score else None,
            would_mark=() if self.would_mark is None else tuple(float(mark) for mark in self.would_mark),
            interactions=tuple((i.first, i.second, i.score, self._speaker(i.score)) for i in self.interactions),
            full_paint=self.full_paint,
            forbidden=() if self.forbidden_words is None else tuple(np.flatnonzero(self.forbidden_words).tolist()),
        )

    def to_html(self) -> str:
        """Write a self-contained fragment of HTML, safe for any text."""
        return html.render(self._highlight)

    def to_svg(self, width: int = 720) -> str:
        """Write a picture that any browser and editor shows."""
        return svg.render(self._highlight, width)

    def to_table(self, labels: Sequence[Label] | None = None, top: int = 20) -> str:
        """Write the strongest words against labels as a table of HTML; by default the predicted ones, or all.

        Of many classes the likeliest ten are shown where nobody names any.
        """
        if self.all_scores is None:
            raise OptionError(f"No table of words and classes: {self.explainer} scores one class only.")
        scored = self.scored_classes
        if labels:
            numbers = [self._number_of(self.for_class(label).label) for label in labels]
        else:
            numbers = [number for number in self.labels or () if number in scored]
            numbers = numbers or sorted(scored, key=lambda number: -self.probabilities[number])[:MOST_COLUMNS]
        table = self.all_scores[[scored.index(number) for number in numbers]].T  # (word, label)
        shown = np.sort(ranking(np.abs(table).max(1))[:top]).tolist() if len(table) else []
        words, names = self.words, [str(self.classes[number]) for number in numbers]
        return word_table.render([words[i] for i in shown], names, [table[i].tolist() for i in shown])

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> str:
        """Show the text highlighted in a terminal (rich's console markup)."""
        return terminal.render(self._highlight)

    def __str__(self) -> str:
        """Name the class and the strongest words in one line."""
        words = ", ".join(
            f"{word} {score:+.3f}" if self.signed else f"{word} {score:.3f}" for word, score in self.top()
        )
        if self.of_score:
            return f"expected score {self.expected:.2f} by {self.explainer}: {words}"
        against = "" if self.against is None else f" against {self.classes[self.against]}"
        return f"{self.label}{against} ({self.probability:.1%}) by {self.explainer}: {words}"

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Give plain values, ready for JSON; with top, only the strongest words, in reading order.

        With all words, base_values + the sums of all_scores are what the explainer says of the probabilities.
        """
        chosen = np.sort(self.strongest[:top])
        words, spans, segments = self.words, self.spans, self.document.words.segments
        texts = self.document.words.texts
        values: dict[str, Any] = {"text": texts[0]}
        if len(texts) > 1:
            values["text_pair"] = texts[1]
        values["label"] = self.label
        if self.labels is not None:
            values["labels"] = [self.classes[number] for number in self.labels]
        if self.against is not None:
            values["against"] = self.classes[self.against]
        if self.of_score:
            values["target"] = "score"
        if self.values is not None:
            values |= {"expected": self.expected, "scale": self._by_class(np.array(self.values))}
        values |= {
            "probability": self.probability,
            "probabilities": self._by_class(self.probabilities),
            "explainer": self.explainer,
            "signed": self.signed,
            "words": [words[i] for i in chosen],
            "spans": [list(spans[i]) for i in chosen],
            "scores": [float(self.scores[i]) for i in chosen],
        }
        if len(texts) > 1:
            values["segments"] = [segments[i] for i in chosen]
        if self.signed and not self.of_score:
            values["speaks_for"] = [self._name(self.speaks_for[i]) for i in chosen]
        if self.all_scores is not None:
            values["all_scores"] = {
                str(self.classes[number]): row.tolist()
                for number, row in zip(self.scored_classes, self.all_scores[:, chosen], strict=True)
            }
        if self.std_error is not None:
            values["std_error"] = [float(self.std_error[i]) for i in chosen]
        if self.tied is not None:
            values["tied"] = [bool(self.tied[i]) for i in chosen]
        if self.grouped is not None:
            values["grouped"] = [bool(self.grouped[i]) for i in chosen]
        if self.forbidden_words is not None:
            values["forbidden_words"] = [bool(self.forbidden_words[i]) for i in chosen]
        if self.would_mark is not None:
            values["would_mark"] = [float(self.would_mark[i]) for i in chosen]
        values["base_value"] = self.base_value
        if self.base_values is not None:
            values["base_values"] = self._by_class(self.base_values)
        if self.error is not None:
            values["error"] = self.error
        if self.interactions:
            values["interactions"] = [self._plain(interaction) for interaction in self.interactions]
        values |= {
            "convergence_error": self.convergence_error,
            "converged": self.converged,
            "seed": self.seed,
            "forward_passes": self.forward_passes,
            "seconds": self.seconds,
            "truncated_words": self.truncated_words,
            "known_words": self.known_words,
            "windows": self.windows,
        }
        return values

    def _by_class(self, rows: np.ndarray) -> dict[str, Any]:
        return {str(name): row.tolist() for name, row in zip(self.classes, rows, strict=True)}

    def _name(self, number: int | None) -> str | None:
        return None if number is None else str(self.classes[number])

    def _plain(self, interaction: Interaction) -> dict[str, Any]:
        """Give an interaction with its words, so that it can be read without counting them."""
        both = (interaction.first, interaction.second)
        values: dict[str, Any] = {"words": [self.words[i] for i in both], "spans": [list(self.spans[i]) for i in both]}
        if len(self.document.words.texts) > 1:
            values["segments"] = [self.document.words.segments[i] for i in both]
        return {**values, "score": interaction.score, "speaks_for": self._name(self._speaker(interaction.score))}

    def to_frame(self) -> pandas.DataFrame:
        """Give a pandas frame with a row per word; what is about the text as a whole is in its attrs."""
        columns: dict[str, Any] = {
            "word": self.words,
            "start": [start for start, _ in self.spans],
            "end": [end for _, end in self.spans],
            "segment": self.document.words.segments,
            "score": self.scores,
        }
        if self.signed and not self.of_score:
            columns["speaks_for"] = [self._name(number) for number in self.speaks_for]
        if self.all_scores is not None:
            named = zip(self.scored_classes, self.all_scores, strict=True)
            columns |= {f"score for {self.classes[number]}": row for number, row in named}
        if self.std_error is not None:
            columns["std_error"] = self.std_error
        if self.tied is not None:
            columns["tied"] = self.tied
        if self.grouped is not None:
            columns["grouped"] = self.grouped
        if self.forbidden_words is not None:
            columns["forbidden"] = self.forbidden_words
        if self.would_mark is not None:
            columns["would_mark"] = self.would_mark
        frame = data_frame(columns)
        whole = ["label", "against", "target", "expected", "probabilities", "base_value", "base_values", "error"]
        whole.append("interactions")
        frame.attrs.update({name: value for name, value in self.to_dict().items() if name in whole})
        return frame


@dataclass(frozen=True, eq=False)
class WordImportance:
    """Scores of the words of a vocabulary, for every class where they have a direction, and how often words occur."""

    words: tuple[str, ...]
    scores: np.ndarray  # (word,) each for the class that the word speaks for most, where scores are for classes
    frequencies: np.ndarray  # (word,) occurrences in the training texts, or in the corpus that was asked about
    source: str  # what the scores are, in a few words
    classes: tuple[Label, ...] = ()  # empty where the scores are weights or gates, which are not for a class
    all_scores: np.ndarray | None = None  # (class, word) where the scores are for classes
    label: Label | None = None  # the class that all these words speak for, after for_class

    def __len__(self) -> int:
        """Count the words."""
        return len(self.words)

    @property
    def ranking(self) -> np.ndarray:
        """Positions of the words from the highest score down; scores equal up to rounding keep their order."""
        return ranking(self.scores)

    @property
    def labels(self) -> tuple[Label | None, ...]:
        """The class that each word speaks for most; None where it speaks for none."""
        if self.all_scores is None or self.label is not None:
            return (self.label,) * len(self)
        least = tolerance(self.all_scores)
        best = self.all_scores.argmax(0)
        return tuple(
            self.classes[number] if score > least else None for number, score in zip(best, self.scores, strict=True)
        )

    def for_class(self, label: Label) -> WordImportance:
        """Keep the words that speak for a class, with their scores for it; of many classes a word may speak for two."""
        if self.all_scores is None:
            raise OptionError(
                f"No words for '{label}': {self.source} is not for a class; leave the class out, or name "
                "an explainer with signed scores, such as occlusion."
            )
        if label not in self.classes:
            raise unknown_name(str(label), "the classes", [str(name) for name in self.classes])
        return self._speaking_for(label, self.all_scores[self.classes.index(label)], tolerance(self.all_scores))

    def _speaking_for(self, label: Label, scores: np.ndarray, least: float) -> WordImportance:
        """Keep the words that speak for a class, and their scores for it alone: of many classes all would be much."""
        return replace(self, scores=scores, label=label, all_scores=None)._choose(np.flatnonzero(scores > least))

    def by_class(self) -> dict[Label | None, WordImportance]:
        """Give the words that speak for each class; scores that are not for a class stay together, under None."""
        if self.all_scores is None or self.label is not None:
            return {self.label: self}
        least, rows = tolerance(self.all_scores), zip(self.classes, self.all_scores, strict=True)
        return {label: self._speaking_for(label, scores, least) for label, scores in rows}

    def top(self, k: int = 10) -> WordImportance:
        """Keep the k words of the highest score, of each class where scores are for classes, highest first."""
        if self.all_scores is None or self.label is not None:
            return self._choose(self.ranking[:k])
        least = tolerance(self.all_scores)
        chosen = {i for scores in self.all_scores for i in ranking(scores)[:k] if scores[i] > least}
        return self._choose(np.array([i for i in self.ranking if i in chosen], dtype=np.int64))

    def at_least(self, count: int) -> WordImportance:
        """Keep the words that occur at least so often."""
        return self._choose(np.flatnonzero(self.frequencies >= count))

    def _choose(self, positions: np.ndarray) -> WordImportance:
        return replace(
            self,
            words=tuple(self.words[i] for i in positions),
            scores=self.scores[positions],
            frequencies=self.frequencies[positions],
            all_scores=None if self.all_scores is None else self.all_scores[:, positions],
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Give words as plain values, highest score first: those of each class, or all with None for a class."""
        for label, part in self.by_class().items():
            for i in part.ranking:
                yield {
                    "word": part.words[i],
                    "class": label,
                    "score": float(part.scores[i]),
                    "frequency": int(part.frequencies[i]),
                }

    def to_frame(self) -> pandas.DataFrame:
        """Give a pandas frame of these rows."""
        rows = list(self.rows())
        return data_frame({name: [row[name] for row in rows] for name in ("word", "class", "score", "frequency")})

    def __str__(self) -> str:
        """Name the source and the strongest words, of each class, in one line."""
        lists = []
        for label, part in self.by_class().items():
            rows = part.top(5).rows()
            words = ", ".join(f"{row['word']} {row['score']:.3f} ({row['frequency']:,}x)" for row in rows)
            lists.append(words if label is None else f"{label}: {words or 'none'}")
        return f"{len(self):,} words by {self.source}: {'; '.join(lists)}"


class Explainer(Named, ABC):
    """Gives every word of a text a score; a frozen dataclass whose fields are its settings."""

    needs_open: ClassVar[bool] = False  # True when the model must be one of ours
    cost: ClassVar[str] = ""  # forward passes of a text, in a few words
    of_people: ClassVar[bool] = False  # True when it says what people would mark, whatever the model does

    @abstractmethod
    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document for its target class, by default the class the model predicts."""

    def scoring(self, classes: tuple[int, ...] | Literal["all"]) -> Self:
        """Give an explainer that also scores these classes, or all; the same where that is no choice of it.

        Of many classes, one whose work grows with the classes scores few unless more are asked for. It holds them in a
        field `scored`.
        """
        if getattr(self, "scored", classes) is None:
            return replace(self, scored=classes)  # type: ignore[type-var]
        return self
