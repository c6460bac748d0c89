"""Models that carry contributions, small and quick, and the Shapley values they are to be compared with."""

from itertools import product
from math import comb

import numpy as np
import torch

from whyword.blocks.contributions import ContributionHead, LinearContributions, add_head
from whyword.checks.samples import maker_of_method, tokenizer_for, untrained
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Words

QUICK = {"pairs": 2, "steps": 20, "epochs": 1, "least_texts": 50}  # settings of a fit that takes a second


def with_random_head(method: str, encoder: str) -> FittedClassifier:
    """Give an untrained model of three classes with a head whose random weights are large enough to matter."""
    classifier = untrained(maker_of_method(method, encoder), tokenizer_for(encoder))
    carry_random_head(classifier)
    return classifier


def carry_random_head(classifier: FittedClassifier) -> ContributionHead | LinearContributions:
    """Add a head whose random weights are large, and whose base is what the model says of an empty text."""
    torch.manual_seed(1)
    classifier.method.unknown_token = classifier.tokenizer.unknown
    add_head(classifier.method, ContributionHead.Config(width=12, hidden=10))
    head = classifier.method.eval().contributions
    assert isinstance(head, ContributionHead | LinearContributions)
    if isinstance(head, ContributionHead):
        head.weigh[-1].weight.data *= 300
    nothing = Words(("",), ((),))
    head.base.copy_(classifier.probabilities([nothing])[0].log())
    return head


def exact_shapley(classifier: FittedClassifier, text: Words) -> np.ndarray:
    """Give (class, word) Shapley values of the probabilities, from the answers to all sub-texts."""
    words = len(text)
    subsets = np.array(list(product([False, True], repeat=words)))
    answers = classifier.probabilities_of_subsets(text, torch.from_numpy(subsets)).double().numpy()
    of = {tuple(subset): answer for subset, answer in zip(subsets.tolist(), answers, strict=True)}
    values = np.zeros((answers.shape[1], words))
    for subset in of:
        for word in range(words):
            if not subset[word]:
                larger = (*subset[:word], True, *subset[word + 1 :])
                values[:, word] += (of[larger] - of[subset]) / (words * comb(words - 1, sum(subset)))
    return values
