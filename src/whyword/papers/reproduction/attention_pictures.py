"""Pictures of polarity and attention scores from answers: the first seed of every row."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.figure import Figure

from ...plots.word_groups import group_scores, polarity_attention, score_weight, scores_in_training, update_terms
from ..evaluations.attention_scores import weights_follow_scores
from .paper import Answer, Answers


def draw_groups(answers: Answers) -> dict[str, Figure]:
    """Draw polarity and attention scores, a box for each group of words."""

    def boxes(answer: Answer) -> dict[str, Figure]:
        polarity, attention, groups = _columns(answer, "polarity", "attention", "groups")
        return {"scores": group_scores(polarity, attention, groups, _names(answer))}

    return _each(answers, boxes)


def draw_words(answers: Answers) -> dict[str, Figure]:
    """Draw a dot for each word: attention score against polarity, and attention weight against attention score."""

    def dots(answer: Answer) -> dict[str, Figure]:
        leaning, attention, share, groups = _columns(answer, "leaning", "attention", "share", "groups")
        words, names = answer["pictured"]["words"], _names(answer)
        return {
            "polarity": polarity_attention(words, leaning, attention, groups, names),
            "weights": score_weight(attention, share, groups, names, weights_follow_scores(answer)),
        }

    return _each(answers, dots)


def draw_training(answers: Answers) -> dict[str, Figure]:
    """Draw the scores of each group epoch by epoch."""
    return _each(answers, lambda a: {"training": scores_in_training(a["training"], _names(a))})


def draw_updates(answers: Answers) -> dict[str, Figure]:
    """Draw the terms A to F, a bar for each group of words."""

    def bars(answer: Answer) -> dict[str, Figure]:
        terms = {term: list(by_group.values()) for term, by_group in answer["updates"].items()}
        return {"updates": update_terms(terms, _names(answer))}

    return _each(answers, bars)


def _each(answers: Answers, draw: Callable[[Answer], Mapping[str, Figure]]) -> dict[str, Figure]:
    """Draw rows whose first seed is there."""
    return {
        f"{data}-{row.replace('/λ', '')}-{name}": figure
        for (data, row), found in answers.items()
        if found[0]["pictured"] is not None
        for name, figure in draw(found[0]).items()
    }


def _names(answer: Answer) -> list[str]:
    return [group["group"] for group in answer["groups"]]


def _columns(answer: Answer, *names: str) -> list[np.ndarray]:
    return [np.array(answer["pictured"][name]) for name in names]
