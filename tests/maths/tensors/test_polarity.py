import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.derivatives import change_along
from whyword.maths.tensors.masked import masked_softmax
from whyword.maths.tensors.polarity import (
    NONE,
    Scorer,
    mean_dot_products,
    residual,
    sum_over_texts,
    token_groups,
    updates,
)

WORDS, DIM, EMBEDDING, SCALE = 9, 4, 5, 3.0
LENGTHS = [3, 1, 6, 2]


def problem(scores, affine=False, biased=False):
    """Give word vectors, W, V, M, b, tokens, mask and labels; only real tokens count."""
    torch.manual_seed(scores)
    width = EMBEDDING if affine else DIM
    weights = {
        "vectors": torch.randn(WORDS, width),
        "polarity": torch.randn(scores, DIM),
        "query": torch.randn(DIM),
        "layer": torch.randn(DIM, width) if affine else None,
        "bias": torch.randn(DIM) if biased else None,
    }
    tokens = torch.randint(1, WORDS, (len(LENGTHS), max(LENGTHS)))
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    labels = torch.tensor([0, 1, 1, 0]) if scores == 1 else torch.tensor([0, 2, 1, 2])
    return {n: w if w is None else w.double() for n, w in weights.items()}, tokens, mask, labels


def states_of(vectors, weights):
    states = vectors if weights["layer"] is None else vectors @ weights["layer"].T
    return states if weights["bias"] is None else states + weights["bias"]


def decompose(weights, tokens, mask, labels, words_learn=True):
    scorer = Scorer(weights["polarity"], weights["query"], SCALE, weights["layer"], weights["bias"] is not None)
    embedded = weights["vectors"][tokens]
    states = states_of(embedded, weights)
    attention = masked_softmax(states @ weights["query"] / SCALE, mask)
    sums = sum_over_texts(tokens, embedded, states, attention, labels, scorer, WORDS)
    vocabulary = states_of(weights["vectors"], weights)
    return updates(sums, scorer, weights["vectors"], vocabulary, words_learn)


def loss_of(weights, tokens, mask, labels):
    states = states_of(weights["vectors"][tokens], weights)
    attention = masked_softmax(states @ weights["query"] / SCALE, mask)
    scores = torch.einsum("bt,btd->bd", attention, states) @ weights["polarity"].T
    if scores.shape[1] == 1:
        sign = 2.0 * labels - 1
        return -torch.nn.functional.logsigmoid(sign * scores[:, 0]).mean()
    return torch.nn.functional.cross_entropy(scores, labels)


def scores_of(weights):
    states = states_of(weights["vectors"], weights)
    return states @ weights["polarity"].T, states @ weights["query"] / SCALE


def total(terms, letters):
    return sum(value for name, value in terms.items() if name[0] in letters)


@pytest.mark.parametrize("words_learn", [True, False], ids=["learned", "frozen"])
@pytest.mark.parametrize(
    ("affine", "biased"), [(False, False), (True, False), (True, True)], ids=["plain", "affine", "biased"]
)
@pytest.mark.parametrize("scores", [1, 3], ids=["binary", "multi-class"])
def test_the_terms_add_up_to_what_autograd_says_of_one_step(scores, affine, biased, words_learn):
    weights, *texts = problem(scores, affine, biased)
    present = {name: weight.clone().requires_grad_() for name, weight in weights.items() if weight is not None}
    loss = loss_of(weights | present, *texts)
    downhill = {n: -g for n, g in zip(present, torch.autograd.grad(loss, list(present.values())), strict=True)}
    if not words_learn:
        downhill["vectors"] = torch.zeros_like(downhill["vectors"])
    start = {name: weight.detach() for name, weight in present.items()}
    polarity, attention = change_along(lambda moved: scores_of(weights | moved), start, downhill)
    terms = decompose(weights, *texts, words_learn)
    torch.testing.assert_close(total(terms, "ABC"), polarity, atol=1e-10, rtol=0)
    torch.testing.assert_close(total(terms, "DEF"), attention, atol=1e-10, rtol=0)


@pytest.mark.parametrize("affine", [False, True], ids=["plain", "affine"])
def test_every_term_is_the_sum_that_the_paper_writes(affine):
    weights, tokens, mask, labels = problem(1, affine)
    terms = decompose(weights, tokens, mask, labels)
    e, w, v = weights["vectors"], weights["polarity"][0], weights["query"]
    h = states_of(e, weights)
    matrix = torch.eye(DIM).double() if weights["layer"] is None else weights["layer"]
    w_, v_, m = matrix.T @ w, matrix.T @ v, len(tokens)
    expected = {name: torch.zeros(WORDS).double() for name in terms}
    for text, length in enumerate(LENGTHS):
        ids = tokens[text, :length].tolist()
        alpha = (h[ids] @ v / SCALE).softmax(0)
        pooled = sum(a * h[i] for a, i in zip(alpha, ids, strict=True))
        y = 2 * int(labels[text]) - 1
        pull = y * (1 - torch.sigmoid(y * (pooled @ w)))  # yβ
        for a, j in zip(alpha, ids, strict=True):
            c, contrast = pull * a / m, h[j] @ w - pooled @ w
            expected["A"][j] += w_ @ v_ / SCALE * c * contrast
            expected["B"][j] += w_ @ w_ * c
            expected["D"][j] += w_ @ v_ / SCALE * c
            expected["E"][j] += v_ @ v_ / SCALE**2 * c * contrast
            for word in range(WORDS):
                expected["C"][word] += c * (h[word] @ h[j])
                expected["F"][word] += c * contrast * (h[word] @ h[j]) / SCALE**2
                if affine:
                    product = e[word] @ e[j]
                    expected["A_layer"][word] += v @ w / SCALE * c * contrast * product
                    expected["B_layer"][word] += w @ w * c * product
                    expected["D_layer"][word] += v @ w / SCALE * c * product
                    expected["E_layer"][word] += v @ v / SCALE**2 * c * contrast * product
    for name, term in terms.items():
        torch.testing.assert_close(term.squeeze(-1), expected[name], atol=1e-10, rtol=0)


def test_a_small_step_of_gradient_descent_moves_the_scores_by_rate_times_the_terms():
    weights, *texts = problem(1)
    present = {name: weight.clone().requires_grad_() for name, weight in weights.items() if weight is not None}
    gradients = torch.autograd.grad(loss_of(weights | present, *texts), list(present.values()))
    terms, before = decompose(weights, *texts), scores_of(weights)
    errors = []
    for rate in (1e-3, 1e-4):
        moved = {n: w.detach() - rate * g for (n, w), g in zip(present.items(), gradients, strict=True)}
        after = scores_of(weights | moved)
        errors.append(float((after[0] - before[0] - rate * total(terms, "ABC")).abs().max()))
    assert errors[1] < errors[0] / 50  # the rest is of second order


def test_texts_of_two_batches_add_up():
    weights, tokens, mask, labels = problem(3)
    scorer = Scorer(weights["polarity"], weights["query"], SCALE)
    states = weights["vectors"][tokens]
    attention = masked_softmax(states @ weights["query"] / SCALE, mask)

    def sums(part):
        return sum_over_texts(tokens[part], states[part], states[part], attention[part], labels[part], scorer, WORDS)

    together, apart = sums(slice(None)), sums(slice(0, 1)) + sums(slice(1, None))
    for name, value in vars(together).items():
        torch.testing.assert_close(getattr(apart, name), value)


def test_the_residual_is_minus_the_derivative_of_the_loss():
    scores = torch.randn(4, 1).double().requires_grad_()
    labels = torch.tensor([0, 1, 1, 0])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(scores[:, 0], labels.double(), reduction="sum")
    torch.testing.assert_close(residual(scores, labels), -torch.autograd.grad(loss, scores)[0])


NEGATIVE, POSITIVE, NEUTRAL = 0, 1, 2


@pytest.mark.parametrize(
    ("negative", "positive", "group"),
    [
        (0, 6, POSITIVE),  # γ = 1: the purest words belong to their class
        (0, 5, NONE),  # not often enough
        (2, 6, NONE),  # γ = 0.5 exactly
        (2, 7, POSITIVE),
        (7, 2, NEGATIVE),
        (0, 0, NONE),
        (1, 1, NEUTRAL),
        (50, 54, NEUTRAL),
        (50, 55, NONE),  # |γ| < 0.1, but five apart
        (4, 5, NONE),  # one apart, but |γ| > 0.1
    ],
)
def test_two_classes_are_told_apart_as_in_the_authors_code(negative, positive, group):
    assert token_groups(np.array([[negative, positive]])) == [group]


@given(arrays(np.int64, (8, 2), elements=st.integers(0, 60)))
def test_with_two_classes_the_rule_is_the_one_of_gamma(counts):
    for (f_minus, f_plus), group in zip(counts, token_groups(counts), strict=True):
        gamma = (f_plus - f_minus) / max(1, f_plus + f_minus)
        expected = NONE
        if gamma > 0.5 and f_plus > 5:
            expected = POSITIVE
        elif gamma < -0.5 and f_minus > 5:
            expected = NEGATIVE
        elif f_plus + f_minus and abs(gamma) < 0.1 and abs(f_plus - f_minus) < 5:
            expected = NEUTRAL
        assert group == expected


def test_with_more_classes_the_largest_share_decides():
    counts = np.array([[1, 1, 8], [3, 1, 8], [3, 3, 3], [10, 11, 10], [0, 10, 10], [40, 3, 3]])
    assert token_groups(counts).tolist() == [2, NONE, 3, 3, NONE, 0]


def test_mean_dot_products_leave_out_a_word_with_itself():
    vectors, groups = np.random.default_rng(0).normal(size=(7, 3)), np.array([0, 1, 0, -1, 1, 0, 2])
    means = mean_dot_products(vectors, groups, 3)
    for one in range(3):
        for other in range(3):
            pairs = [
                vectors[i] @ vectors[k]
                for i in np.flatnonzero(groups == one)
                for k in np.flatnonzero(groups == other)
                if i != k
            ]
            np.testing.assert_allclose(means[one, other], np.mean(pairs) if pairs else np.nan)
