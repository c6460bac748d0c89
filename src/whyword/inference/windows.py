"""Texts longer than an encoder's limit, explained in overlapping windows whose word scores are stitched together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from ..attribution.classes import choose_classes
from ..data.forbidden import ClosedUp
from ..interfaces.classifier import (
    Classifier,
    WindowedClassifier,
    class_values,
    knows_rationales,
    predicted_classes,
    predicts_likeliest,
)
from ..interfaces.document import Document, Span, Words
from ..interfaces.explanation import Explainer, Explanation, Interaction

Cut = tuple[Document, list[np.ndarray]]  # a document, and the numbers of the words in each of its windows


def explain_in_windows(
    explainer: Explainer, classifier: Classifier, documents: Sequence[Document], target: int | None = None
) -> list[Explanation]:
    """Explain each document for the target, by default the class predicted from what the encoder reads of it.

    Forbidden words are no part of what is explained: they have the score 0.
    """
    forbidden = getattr(classifier, "forbidden", None)
    if forbidden is None:
        return _explain_in_windows(explainer, classifier, documents, target)
    closed = [forbidden.close_up(document.words) for document in documents]
    read = [Document(one.text, document.label) for one, document in zip(closed, documents, strict=True)]
    explanations = _explain_in_windows(explainer, classifier, read, target)
    return [_of_whole_text(*three) for three in zip(explanations, documents, closed, strict=True)]


def _of_whole_text(explanation: Explanation, document: Document, closed: ClosedUp) -> Explanation:
    """Give the words that were left out of a text their place again, with the score 0."""

    def spread(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else closed.spread(values)

    pairs = explanation.interactions
    return replace(
        explanation,
        document=document,
        scores=closed.spread(explanation.scores),
        std_error=spread(explanation.std_error),
        all_scores=spread(explanation.all_scores),
        tied=spread(explanation.tied),
        grouped=spread(explanation.grouped),
        interactions=tuple(
            replace(pair, first=int(closed.places[pair.first]), second=int(closed.places[pair.second]))
            for pair in pairs
        ),
        truncated_words=closed.truncated(explanation.truncated_words),
        forbidden_words=closed.left_out if closed.left_out.any() else None,
        would_mark=spread(explanation.would_mark),
    )


def _explain_in_windows(
    explainer: Explainer, classifier: Classifier, documents: Sequence[Document], target: int | None
) -> list[Explanation]:
    if not isinstance(classifier, WindowedClassifier):  # nobody knows the limit of a black box
        return explainer.explain(classifier, documents, None if target is None else [target] * len(documents))
    texts = [document.words for document in documents]
    windows = classifier.windows(texts)
    if target is None and not predicts_likeliest(classifier):  # explainers know no thresholds and no medians
        targets = predicted_classes(classifier, classifier.probabilities(texts)).tolist()
    else:
        targets = [target] * len(texts)
    short = [document for document, cuts in zip(documents, windows, strict=True) if not cuts]
    long = [(document, cuts) for document, cuts in zip(documents, windows, strict=True) if cuts]
    of_short = [number for number, cuts in zip(targets, windows, strict=True) if not cuts]
    whole = iter(explainer.explain(classifier, short, None if None in of_short else of_short))
    stitched = iter(_explain_long(explainer, classifier, long, target) if long else [])
    explanations = [next(stitched if cuts else whole) for cuts in windows]
    return _with_knowledge(classifier, _with_marks(classifier, explanations, windows))


def _with_knowledge(classifier: Classifier, explanations: list[Explanation]) -> list[Explanation]:
    """Say how many words of each text the model knows, where it has a vocabulary, and what scale classes are on."""
    if (values := class_values(classifier)) is not None:
        explanations = [replace(one, values=values) for one in explanations]
    count_known = getattr(classifier, "known_words", None)
    known = None if count_known is None else count_known([one.document.words for one in explanations])
    if known is None:
        return explanations
    return [replace(one, known_words=count) for one, count in zip(explanations, known, strict=True)]


def _with_marks(
    classifier: Classifier, explanations: list[Explanation], windows: Sequence[list[np.ndarray]]
) -> list[Explanation]:
    """Say beside each explanation what people would mark, where the model has learned that."""
    missing = [number for number, one in enumerate(explanations) if one.would_mark is None]
    if not missing or not knows_rationales(classifier):
        return explanations
    texts = [explanations[number].document.words for number in missing]
    parts = [[part(text, cut) for cut in windows[i]] or [text] for i, text in zip(missing, texts, strict=True)]
    scores = iter(classifier.would_mark([one for several in parts for one in several])[0])
    for number, several in zip(missing, parts, strict=True):
        found = list(islice(scores, len(several)))
        marks = _mean_over(windows[number], found) if windows[number] else found[0]
        explanations[number] = replace(explanations[number], would_mark=marks)
    return explanations


def _mean_over(windows: Sequence[np.ndarray], values: Sequence[np.ndarray]) -> np.ndarray:
    """Average the value of each word over the windows that hold it, and every word is in some."""
    place = np.concatenate(windows)
    mean: np.ndarray = np.bincount(place, np.concatenate(values)) / np.bincount(place)
    return mean


def _explain_long(
    explainer: Explainer, classifier: WindowedClassifier, long: Sequence[Cut], target: int | None
) -> list[Explanation]:
    """Explain all windows of all texts together, each for the target of its text."""
    texts = [document.words for document, _ in long]
    probabilities = np.asarray(classifier.probabilities(texts), dtype=np.float64)
    predicted = predicted_classes(classifier, probabilities)
    targets = predicted if target is None else np.full(len(long), target)
    parts = [[Document(part(document.words, window), document.label) for window in cuts] for document, cuts in long]
    scored = [
        choose_classes(row, int(target), None, classifier) for row, target in zip(probabilities, targets, strict=True)
    ]
    explained = _explain_parts(explainer, classifier, parts, targets.tolist(), scored)
    truncated_words = classifier.truncated_words(texts)
    return [
        replace(
            stitch(document, cuts, explained[i]),
            probabilities=probabilities[i],
            truncated_words=truncated_words[i],
        )
        for i, (document, cuts) in enumerate(long)
    ]


def _explain_parts(
    explainer: Explainer,
    classifier: Classifier,
    parts: Sequence[Sequence[Document]],
    targets: Sequence[int],
    scored: Sequence[np.ndarray],
) -> list[list[Explanation]]:
    """Explain the windows of all texts, those of a text for the same classes, as many texts together as can be."""
    together: dict[tuple[int, ...], list[int]] = {}
    for i, (target, classes) in enumerate(zip(targets, scored, strict=True)):
        chooses = len(classes) < len(classifier.classes) and explainer.scoring((target,)) != explainer
        together.setdefault(tuple(classes.tolist()) if chooses else (), []).append(i)
    explained: dict[int, list[Explanation]] = {}
    for numbers, rows in together.items():
        chosen = explainer.scoring(numbers) if numbers else explainer
        documents = [document for i in rows for document in parts[i]]
        repeated = [targets[i] for i in rows for _ in parts[i]]
        answers = iter(chosen.explain(classifier, documents, repeated))
        explained |= {i: list(islice(answers, len(parts[i]))) for i in rows}
    return [explained[i] for i in range(len(parts))]


def part(words: Words, chosen: np.ndarray) -> Words:
    """Cut the chosen words, neighbors in each text, out of a text or pair; the blanks before them stay."""
    texts: list[str] = []
    spans: list[tuple[Span, ...]] = []
    first = 0
    for text, places in zip(words.texts, words.spans, strict=True):
        inside = chosen[(chosen >= first) & (chosen < first + len(places))] - first
        first += len(places)
        if not len(inside):
            texts.append("")
            spans.append(())
            continue
        begin = places[inside[0] - 1][1] if inside[0] else 0
        texts.append(text[begin : places[inside[-1]][1]])
        spans.append(tuple((start - begin, end - begin) for start, end in places[inside[0] : inside[-1] + 1]))
    return Words(tuple(texts), tuple(spans))


def stitch(document: Document, windows: Sequence[np.ndarray], explanations: Sequence[Explanation]) -> Explanation:
    """Average the scores of each word over the windows that hold it.

    The base values of a window, and how far off or converged its scores are, are not those of the text.
    """
    place = np.concatenate(windows)
    held = np.bincount(place)  # every word is in some window
    tables = [e.all_scores for e in explanations if e.all_scores is not None]  # (class, word) of each window
    deviations = [e.std_error for e in explanations if e.std_error is not None]
    errors = [e.convergence_error for e in explanations if e.convergence_error is not None]
    marks = [e.would_mark for e in explanations if e.would_mark is not None]
    in_groups = [e.grouped for e in explanations if e.grouped is not None]
    return replace(
        explanations[0],
        document=document,
        scores=_mean_over(windows, [e.scores for e in explanations]),
        std_error=np.sqrt(np.bincount(place, np.concatenate(deviations) ** 2)) / held if deviations else None,
        all_scores=np.stack([np.bincount(place, row) / held for row in np.concatenate(tables, 1)]) if tables else None,
        base_value=None,
        base_values=None,
        error=None,
        interactions=_stitch_interactions(windows, explanations),
        convergence_error=max(errors, default=None),
        forward_passes=1 + sum(e.forward_passes for e in explanations),  # and one for the text as it is predicted
        seconds=sum(e.seconds for e in explanations),
        windows=len(windows),
        converged=None,
        tied=None,
        grouped=np.bincount(place, np.concatenate(in_groups)) == held if len(in_groups) == len(explanations) else None,
        would_mark=_mean_over(windows, marks) if marks else None,
    )


def _stitch_interactions(windows: Sequence[np.ndarray], explanations: Sequence[Explanation]) -> tuple[Interaction, ...]:
    """Average what two words do together over the windows in which they were found to do so; strongest first."""
    found: dict[tuple[int, int], list[float]] = {}
    for window, explanation in zip(windows, explanations, strict=True):
        for pair in explanation.interactions:
            found.setdefault((int(window[pair.first]), int(window[pair.second])), []).append(pair.score)
    means = [Interaction(*words, sum(scores) / len(scores)) for words, scores in found.items()]
    return tuple(sorted(means, key=lambda pair: -abs(pair.score)))
