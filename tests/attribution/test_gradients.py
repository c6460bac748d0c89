"""Token scores of batches become word scores of texts."""

import numpy as np
import pytest
import torch

from whyword.attribution.gradients import TokenScores, explain_by_tokens, of_targets
from whyword.checks.samples import AWKWARD, EIGHT, maker_of_method, sample_pieces, untrained
from whyword.inference.black_box import BlackBox
from whyword.interfaces.errors import OptionError

DOCUMENTS = (*AWKWARD, *EIGHT)


@pytest.fixture(scope="module")
def classifier():
    return untrained(maker_of_method("base", "transformer"), sample_pieces())


def ones(method, batch, targets):
    """Give every token, special ones too, the score 1; the last class is predicted."""
    probabilities = torch.tensor([[0.2, 0.3, 0.5]]).expand(len(batch), -1)
    targets = probabilities.argmax(-1) if targets is None else targets
    base = torch.full((len(batch),), 0.25)
    return TokenScores(torch.ones(batch.tokens.shape), targets, probabilities, 7, base_values=base)


def test_scores_of_the_pieces_of_a_word_are_summed_and_those_of_special_tokens_left_out(classifier):
    explanations = explain_by_tokens(ones, "ones", classifier, DOCUMENTS, None)
    for document, explanation in zip(DOCUMENTS, explanations, strict=True):
        word = classifier.tokenizer([document.words])[0].word
        pieces = [int((word == number).sum()) for number in range(len(document.words))]
        assert explanation.document is document
        assert explanation.scores.tolist() == pieces
    assert max(explanations[-1].scores) == 2


def test_what_was_found_out_is_told_with_each_text(classifier):
    targets = [number % 3 for number in range(len(DOCUMENTS))]
    explanations = explain_by_tokens(ones, "ones", classifier, DOCUMENTS, targets)
    assert [e.target for e in explanations] == targets
    first = explanations[0]
    np.testing.assert_allclose(first.probabilities, [0.2, 0.3, 0.5], rtol=1e-6)
    assert (first.explainer, first.forward_passes, first.base_value, first.convergence_error) == ("ones", 7, 0.25, None)
    assert {e.target for e in explain_by_tokens(ones, "ones", classifier, DOCUMENTS, None)} == {2}


def test_each_text_has_the_probability_of_its_own_target():
    table = torch.tensor([[0.1, 0.9], [0.6, 0.4]])
    assert of_targets(table, torch.tensor([1, 0])).tolist() == pytest.approx([0.9, 0.6])


def test_a_black_box_is_refused_with_a_way_out():
    box = BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1))
    with pytest.raises(OptionError, match=r"^A black box has no gradients: choose lime, shapley or occlusion\.$"):
        explain_by_tokens(ones, "ones", box, DOCUMENTS, None)
