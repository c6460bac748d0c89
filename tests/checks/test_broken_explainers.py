"""Each check is shown an explainer that breaks its contract, and must say so."""

from dataclasses import dataclass, replace
from random import random

import numpy as np
import pytest
import torch

from whyword.checks import explainer as of_explainers
from whyword.checks.samples import sample_classifier
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.interfaces.errors import OptionError


@dataclass(frozen=True)
class Altered(Occlusion):
    """Occlusion, with something done to each explanation."""

    def alter(self, explanation, place):
        return explanation

    def explain(self, classifier, documents, targets=None):
        explanations = super().explain(classifier, documents, targets)
        return [self.alter(explanation, place) for place, explanation in enumerate(explanations)]


class ForgetsAWord(Altered):
    def alter(self, explanation, place):
        return replace(explanation, scores=explanation.scores[1:])


class DividesByTheTotal(Altered):
    def alter(self, explanation, place):
        total = explanation.scores.sum() if len(explanation.words) > 1 else 0.0
        with np.errstate(all="ignore"):
            return replace(explanation, scores=explanation.scores / total)


class GoesBackward(Altered):
    def explain(self, classifier, documents, targets=None):
        return super().explain(classifier, documents[::-1], targets)


class AnswersNobody(Altered):
    def explain(self, classifier, documents, targets=None):
        return super().explain(classifier, documents, targets) or None


class ExplainsThePrediction(Altered):
    def explain(self, classifier, documents, targets=None):
        return super().explain(classifier, documents)


class ExplainsTheFirstClass(Altered):
    def explain(self, classifier, documents, targets=None):
        return super().explain(classifier, documents, targets or [0] * len(documents))


class SaysSomethingElse(Altered):
    def explain(self, classifier, documents, targets=None):
        wanted = super().explain(classifier, documents, targets)
        return [
            replace(mine, target=theirs.target)
            for mine, theirs in zip(super().explain(classifier, documents), wanted, strict=True)
        ]


class RollsDice(Altered):
    def alter(self, explanation, place):
        return replace(explanation, scores=explanation.scores + random())


class CountsPlaces(Altered):
    def alter(self, explanation, place):
        return replace(explanation, scores=explanation.scores + 0.01 * place)


class CountsNothing(Altered):
    def alter(self, explanation, place):
        return replace(explanation, forward_passes=0)


class SignsForAnother(Occlusion):
    def explain(self, classifier, documents, targets=None):
        explanations = super().explain(classifier, documents, targets)
        return [replace(explanation, explainer="occlusion") for explanation in explanations]


class LeavesGradients(Own):
    def explain(self, classifier, documents, targets=None):
        for _, batch in classifier.batches([document.words for document in documents]):
            classifier.method(batch).logits.sum().backward()
        return super().explain(classifier, documents, targets)


class LeavesItTraining(Own):
    def explain(self, classifier, documents, targets=None):
        explanations = super().explain(classifier, documents, targets)
        classifier.method.train()
        return explanations


class LeavesItFrozen(Own):
    def explain(self, classifier, documents, targets=None):
        classifier.method.requires_grad_(False)
        return super().explain(classifier, documents, targets)


class LeavesAHook(Own):
    def explain(self, classifier, documents, targets=None):
        classifier.method.head.register_forward_hook(lambda *_: None)
        return super().explain(classifier, documents, targets)


class ChangesAWeight(Own):
    def explain(self, classifier, documents, targets=None):
        next(classifier.method.parameters()).data += 1.0
        return super().explain(classifier, documents, targets)


class DrawsFromTorch(Own):
    def explain(self, classifier, documents, targets=None):
        torch.rand(1)
        return super().explain(classifier, documents, targets)


class DrawsFromNumpy(Own):
    def explain(self, classifier, documents, targets=None):
        np.random.rand()
        return super().explain(classifier, documents, targets)


class PretendsToBeClosed(Own):
    needs_open = False


class PretendsToBeOpen(Occlusion):
    needs_open = True


UNTOUCHED = of_explainers.explaining_leaves_the_model_untouched
BLACK_BOX = of_explainers.a_black_box_is_served_or_refused_in_a_sentence


@pytest.mark.parametrize(
    ("clause", "broken", "sentence"),
    [
        (of_explainers.one_finite_score_per_word, ForgetsAWord, r"got scores of the shape \(0,\)"),
        (of_explainers.one_finite_score_per_word, DividesByTheTotal, "are NaN or infinite"),
        (of_explainers.one_finite_score_per_word, GoesBackward, "in the order of their documents"),
        (of_explainers.no_texts_no_explanations, AnswersNobody, "not answered by an empty list"),
        (of_explainers.the_target_is_honored, ExplainsThePrediction, "was asked for"),
        (of_explainers.the_target_is_honored, ExplainsTheFirstClass, "not the predicted class"),
        (of_explainers.the_target_is_honored, SaysSomethingElse, "do not speak for the target"),
        (of_explainers.the_same_question_gets_the_same_answer, RollsDice, "Asked twice"),
        (of_explainers.a_list_equals_its_texts_one_by_one, CountsPlaces, "Alone and in a list"),
        (
            of_explainers.explanations_bear_the_name_of_their_explainer,
            SignsForAnother,
            "by 'occlusion', but the explainer's name is 'another-name'",
        ),
        (of_explainers.forward_passes_are_counted, CountsNothing, "counts no forward pass"),
        (UNTOUCHED, LeavesGradients, "left the gradient of encoder.embedding.table.weight changed"),
        (UNTOUCHED, LeavesItTraining, "between training and evaluation"),
        (UNTOUCHED, LeavesItFrozen, "left requires_grad of"),
        (UNTOUCHED, LeavesAHook, "head._forward_hooks"),
        (UNTOUCHED, ChangesAWeight, "weights before and after Explaining: encoder.embedding.table.weight differ"),
        (UNTOUCHED, DrawsFromTorch, "torch's global random stream"),
        (UNTOUCHED, DrawsFromNumpy, "NumPy's global random stream"),
        (UNTOUCHED, RollsDice, "Python's global random stream"),
        (BLACK_BOX, PretendsToBeClosed, "refused although needs_open is False"),
        (BLACK_BOX, PretendsToBeOpen, "served although needs_open is True"),
    ],
)
def test_an_explainer_that_breaks_its_contract_is_found(clause, broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        clause(broken(), sample_classifier())


def test_a_refusal_passes_through_where_an_answer_was_needed():
    class Refuses(Occlusion):
        def explain(self, classifier, documents, targets=None):
            raise OptionError("No.")

    with pytest.raises(OptionError):
        of_explainers.check_explainer(Refuses())
