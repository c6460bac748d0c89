"""Polarity of words (Sun & Lu 2020): their groups, and how a step of gradient descent moves polarity and attention.

With a text vector h = Σ α_j h_j, polarity s_e = Wᵀh_e, attention score a_e = V·h_e / λ, and per text r = yβ (two
classes, one score) or onehot(y) − p (one score per class). All sums below run over m texts and are linear in them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

NONE = -1  # the group of words that are neither of a class nor neutral
OF_CLASS = 0.75  # share of a word's occurrences above which it is of a class: γ > 0.5 for two classes
OFTEN = 5  # occurrences in its class that a word of a class must exceed
BALANCED = 0.1  # largest difference of shares of a neutral word: |γ| for two classes
CLOSE = 5  # difference of counts that a neutral word must stay below


@dataclass(frozen=True)
class Scorer:
    """The weights that turn states into scores, and the map that turned word vectors into states."""

    polarity: Tensor  # W: (score, dim); one score for two classes
    query: Tensor  # V: (dim,)
    scale: float  # λ
    layer: Tensor | None = None  # M: (dim, embedding_dim) of the affine variant
    biased: bool = False  # whether M comes with a bias that learns


@dataclass(frozen=True)
class Sums:
    """What the updates of all words need to know of the texts."""

    texts: int  # m
    drive: Tensor  # π: (word, score), Σ over the word's occurrences of α r
    contrast: Tensor  # ρ: (word,), Σ over the word's occurrences of α r·(s_e − s)
    driven_texts: Tensor  # (score, dim): Σ over texts of r h
    contrasted_states: Tensor  # (dim,): Σ over all tokens of α r·(s_j − s) h_j
    driven_inputs: Tensor  # (score, embedding_dim + 1): Σ over all tokens of α r (e_j, 1)
    contrasted_inputs: Tensor  # (embedding_dim + 1,): Σ over all tokens of α r·(s_j − s) (e_j, 1)

    def __add__(self, other: Sums) -> Sums:
        """Put the texts of two batches together."""
        return Sums(*(mine + its for mine, its in zip(vars(self).values(), vars(other).values(), strict=True)))


def residual(scores: Tensor, labels: Tensor) -> Tensor:
    """Give r, (text, score): minus the derivative of a text's loss by its scores."""
    if labels.dim() == 2:  # several labels a text: a sigmoid for each
        return labels.to(scores.dtype) - scores.sigmoid()
    if scores.shape[1] == 1:  # yβ = y (1 − sigmoid(y s))
        return labels.to(scores.dtype).unsqueeze(1) - scores.sigmoid()
    return one_hot(labels, scores.shape[1]).to(scores.dtype) - scores.softmax(-1)


def sum_over_texts(
    tokens: Tensor, embedded: Tensor, states: Tensor, weights: Tensor, labels: Tensor, scorer: Scorer, vocabulary: int
) -> Sums:
    """Sum over a batch: tokens and weights are (text, time), embedded and states (text, time, ·)."""
    token_scores = states @ scorer.polarity.T  # (text, time, score)
    text_vectors = torch.einsum("bt,btd->bd", weights, states)
    text_scores = text_vectors @ scorer.polarity.T
    pull = residual(text_scores, labels)
    driven = weights.unsqueeze(-1) * pull.unsqueeze(1)  # (text, time, score)
    contrasted = (driven * (token_scores - text_scores.unsqueeze(1))).sum(-1)  # (text, time)
    inputs = torch.cat([embedded, torch.ones_like(embedded[..., :1])], -1)
    words = tokens.flatten()
    return Sums(
        texts=len(tokens),
        drive=driven.new_zeros(vocabulary, driven.shape[-1]).index_add(0, words, driven.flatten(0, 1)),
        contrast=contrasted.new_zeros(vocabulary).index_add(0, words, contrasted.flatten()),
        driven_texts=pull.T @ text_vectors,
        contrasted_states=torch.einsum("bt,btd->d", contrasted, states),
        driven_inputs=torch.einsum("btk,bte->ke", driven, inputs),
        contrasted_inputs=torch.einsum("bt,bte->e", contrasted, inputs),
    )


def updates(sums: Sums, scorer: Scorer, vectors: Tensor, states: Tensor, words_learn: bool = True) -> dict[str, Tensor]:
    """Decompose the update of every word per unit of time: A, B, C of its polarity, D, E, F of its attention score.

    vectors are the words' (word, embedding_dim), states their (word, dim). A to C are (word, score), D to F (word,).
    A, B, D, E come from the word's own vector, C from W, F from V; with an affine layer A_layer, B_layer, D_layer and
    E_layer from its weights. A, B and C add up to ds_e/dτ, D, E and F to da_e/dτ, where τ is rate × steps.
    """
    m, scale, learn = sums.texts, scorer.scale, float(words_learn)
    polarity, query = scorer.polarity, scorer.query
    if scorer.layer is not None:  # W' = MᵀW, V' = MᵀV
        polarity, query = polarity @ scorer.layer, query @ scorer.layer
    terms = {
        "A": learn * torch.outer(sums.contrast, polarity @ query) / (scale * m),
        "B": learn * sums.drive @ (polarity @ polarity.T) / m,
        "C": states @ sums.driven_texts.T / m,
        "D": learn * sums.drive @ (polarity @ query) / (scale * m),
        "E": learn * sums.contrast * (query @ query) / (scale**2 * m),
        "F": states @ sums.contrasted_states / (scale**2 * m),
    }
    return terms if scorer.layer is None else terms | _layer_terms(sums, scorer, vectors)


def _layer_terms(sums: Sums, scorer: Scorer, vectors: Tensor) -> dict[str, Tensor]:
    """Decompose what the layer's own weights add; its bias is the weight of an entry that is always 1."""
    inputs = torch.cat([vectors, torch.full_like(vectors[:, :1], float(scorer.biased))], -1)
    driven = inputs @ sums.driven_inputs.T  # (word, score): Σ over all tokens of α r e·e_j
    contrasted = inputs @ sums.contrasted_inputs  # (word,)
    m, scale, polarity, query = sums.texts, scorer.scale, scorer.polarity, scorer.query
    return {
        "A_layer": torch.outer(contrasted, polarity @ query) / (scale * m),
        "B_layer": driven @ (polarity @ polarity.T) / m,
        "D_layer": driven @ (polarity @ query) / (scale * m),
        "E_layer": contrasted * (query @ query) / (scale**2 * m),
    }


def token_groups(counts: np.ndarray) -> np.ndarray:
    """Group words by their (word, class) occurrences: number of a class, for neutral the number of classes, or NONE.

    Which class a word speaks for is decided by the labels of the texts it stands in (Sun & Lu 2020, their γ).
    With two classes these are the one-sided tests of the authors' code (the paper writes open intervals, which would
    leave out the purest words). For more classes the paper says that the largest share decides, but not above which
    threshold; the same numbers are used, so that both rules are one.
    """
    total = counts.sum(1)
    seen = np.maximum(total, 1)
    most, fewest = counts.max(1), counts.min(1)
    of_class = (most / seen > OF_CLASS) & (most > OFTEN)
    neutral = (total > 0) & ((most - fewest) / seen < BALANCED) & (most - fewest < CLOSE)
    groups: np.ndarray = np.where(of_class, counts.argmax(1), np.where(neutral, counts.shape[1], NONE))
    return groups


def mean_dot_products(vectors: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Average the dot products of different words between and within groups: their Ω, (group, group); NaN if none."""
    members = (groups[:, None] == np.arange(count)).astype(np.float64)  # (word, group)
    sums, sizes = members.T @ vectors, members.sum(0)
    own = np.diag(members.T @ (vectors**2).sum(1))  # a word with itself does not count
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    return np.where(pairs > 0, (sums @ sums.T - own) / np.maximum(pairs, 1), np.nan)
