from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from whyword import catalog
from whyword.checks import METRIC_CONTRACT, check_metric
from whyword.checks import metric as of_metrics
from whyword.checks.samples import sample_classifier
from whyword.inference.black_box import BlackBox
from whyword.metrics.posthoc_accuracy_gold import PosthocAccuracyGold
from whyword.metrics.probability_drop import ProbabilityDrop
from whyword.metrics.rationale_recall import RationaleRecall


@pytest.mark.parametrize("clause", METRIC_CONTRACT, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("metric", catalog.names("metrics"))
def test_every_metric_keeps_its_contract(metric, clause):
    clause(catalog.load("metrics", metric)(), sample_classifier())


def test_a_metric_of_ones_own_can_be_checked_in_one_line():
    check_metric(ProbabilityDrop(k=2))


def test_the_judge_may_be_a_black_box():
    def ask(texts):
        longest = np.array([len(str(text)) % 7 for text in texts]) / 10
        return np.stack([1 - longest, longest], axis=1)

    check_metric(ProbabilityDrop(), BlackBox(ask, ("bad", "good")))


class GivesUp(ProbabilityDrop):
    def values(self, explanation, answers, classes):
        return super().values(explanation, answers, classes) * np.nan


class SaysNothing(ProbabilityDrop):
    meaning = ""


class AsksInNumbers(ProbabilityDrop):
    def subsets(self, explanation):
        return super().subsets(explanation).astype(float)


@dataclass(frozen=True)
class RollsDice(ProbabilityDrop):
    def values(self, explanation, answers, classes):
        return super().values(explanation, answers, classes) + np.random.default_rng().random()


class AddsScores(ProbabilityDrop):
    def values(self, explanation, answers, classes):
        return super().values(explanation, answers, classes) + explanation.scores.sum()


class ComparesTexts(ProbabilityDrop):
    def headline(self, curve):
        return super().headline(curve) - curve.mean()


class HidesTheLabel(PosthocAccuracyGold):
    needs_labels = False


class HidesTheRationale(RationaleRecall):
    needs_rationale = False


class InventsLabels(PosthocAccuracyGold):
    def values(self, explanation, answers, classes):
        explanation = replace(explanation, document=replace(explanation.document, label=classes[0]))
        return super().values(explanation, answers, classes)


class SortsInPlace(ProbabilityDrop):
    def subsets(self, explanation):
        explanation.scores.sort()
        return super().subsets(explanation)


class DrawsFromTorch(ProbabilityDrop):
    def subsets(self, explanation):
        torch.rand(1)
        return super().subsets(explanation)


ONE, NEEDED = of_metrics.one_value_per_text, of_metrics.labels_and_rationales_are_read_only_if_needed
UNTOUCHED = of_metrics.measuring_leaves_model_and_explanations_untouched


@pytest.mark.parametrize(
    ("clause", "broken", "sentence"),
    [
        (ONE, GivesUp, "no finite value"),
        (ONE, SaysNothing, "does not say what its number means"),
        (of_metrics.sub_texts_are_of_the_explained_words, AsksInNumbers, "float64 table"),
        (of_metrics.the_same_question_gets_the_same_answer, RollsDice, "Asked twice"),
        (of_metrics.only_the_order_of_the_scores_counts, AddsScores, "times 8"),
        (of_metrics.a_list_equals_its_texts_one_by_one, ComparesTexts, "Alone and in a list"),
        (NEEDED, HidesTheLabel, "does not say that it needs a label"),
        (NEEDED, HidesTheRationale, "does not say that it needs a rationale"),
        (NEEDED, InventsLabels, "has values for texts without one"),
        (UNTOUCHED, SortsInPlace, "changed the scores"),
        (UNTOUCHED, DrawsFromTorch, "torch's global random stream"),
    ],
)
def test_a_metric_that_breaks_its_contract_is_found(clause, broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        clause(broken(), sample_classifier())
