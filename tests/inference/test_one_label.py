"""One label of several, as a classifier of two classes."""

from __future__ import annotations

import numpy as np
import torch

from whyword.data.words import split
from whyword.explainers import Occlusion
from whyword.inference.black_box import BlackBox
from whyword.inference.one_label import OneLabel, as_one_label, for_label
from whyword.interfaces.document import Document


def answers(texts: list[str]) -> np.ndarray:
    """Give each text the labels food and people by the words cold and rude."""
    return np.array([[0.9 if "cold" in text else 0.1, 0.8 if "rude" in text else 0.2] for text in texts])


def test_an_explanation_for_a_label_is_one_of_two_classes_with_its_own_rationale() -> None:
    box = BlackBox(answers, ("food", "people"), multi_label=True)
    marked = (("people", (((9, 13),),)),)
    document = Document(split("cold and rude"), labels=("people",), rationales=marked)
    (explanation,) = Occlusion().explain(box, [document])
    one = as_one_label(for_label(explanation, 1))
    assert one.classes == ("not people", "people")
    assert one.document.label == "people"
    assert one.document.rationale_words == (False, False, True)
    assert np.allclose(one.probabilities, [0.2, 0.8])
    assert np.allclose(one.scores, [0, 0, 0.6])
    assert as_one_label(for_label(explanation, 0)).document.label == "not food"


def test_its_probabilities_are_those_of_the_label_and_their_complement() -> None:
    judge = OneLabel(BlackBox(answers, ("food", "people"), multi_label=True), 0)
    assert torch.allclose(
        judge.probabilities([split("cold"), split("warm")]).double(), torch.tensor([[0.1, 0.9], [0.9, 0.1]]).double()
    )
    kept = torch.tensor([[True, True], [False, True]])
    assert torch.allclose(
        judge.probabilities_of_subsets(split("cold soup"), kept)[:, 1].double(), torch.tensor([0.9, 0.1]).double()
    )
