import numpy as np
import pytest

from whyword.audits.data import ExplainerCost, RankRow, RuleResult, Verdict
from whyword.audits.ranking import rank, recommend
from whyword.evaluation.measure import Scores
from whyword.interfaces.metric import Score

COSTS = {"own": 1.0, "shapley": 436.4, "lime": 722.0, "occlusion": 19.0, "random": 1.0}


def scores(opposes=None, **falls):
    rows = [
        Score("comprehensiveness", name, np.array(values, dtype=float), (0, 1), True, "")
        for name, values in falls.items()
    ]
    if opposes is not None:
        rows += [Score("direction", name, np.full(2, opposes), (0, 1), False, "") for name in falls]
    return Scores(tuple(rows), 2, 0)


def costs(names):
    return {name: ExplainerCost(int(2 * COSTS[name]), 2 * COSTS[name] / 1000, COSTS[name]) for name in names}


def row(explainer, share, opposes=0.01):
    return RankRow(
        explainer, share, share - 0.01, share + 0.01, 500, COSTS[explainer], COSTS[explainer] / 1000, opposes
    )


def verdict(explainer, word, holds=None):
    result = RuleResult("r", False, holds, 0.1, 0.0, 0.2, None, 0.1, "above", "q", "?", "Because.")
    return Verdict(explainer, word, f"{explainer} has a reason.", (result,))


def said(shares, **verdicts):
    rows = [row(name, share) for name, share in sorted(shares.items(), key=lambda pair: -pair[1])]
    words = {"trust": "trust", "care": "use with care", "no": "do not trust"}
    return recommend([*rows, row("random", 0.1)], [verdict(name, words[word]) for name, word in verdicts.items()])


def test_shares_are_ratios_of_mean_falls_and_random_words_come_last():
    measured = scores(0.25, own=[0.2, 0.4], lime=[0.3, 0.5], random=[0.1, 0.1])
    rows = rank(measured, costs(["own", "lime", "random"]), 2)
    assert [(r.explainer, r.share) for r in rows] == [
        ("lime", 1.0), ("own", pytest.approx(0.75)), ("random", pytest.approx(0.25)),
    ]  # fmt: skip
    assert (rows[0].low, rows[0].high) == (1, 1)
    assert rows[1].low <= 0.75 <= rows[1].high
    assert (rows[1].passes_per_text, rows[1].seconds_per_text, rows[1].opposes) == (1.0, pytest.approx(0.001), 0.25)


def test_of_two_equals_the_cheaper_is_the_best():
    rows = rank(scores(shapley=[0.5, 0.5], occlusion=[0.5, 0.5], random=[0, 0]), costs(COSTS), 2)
    assert [r.explainer for r in rows] == ["occlusion", "shapley", "random"]
    assert rows[0].opposes is None


def test_where_no_explainer_lowers_the_answer_there_is_no_share():
    rows = rank(scores(own=[-0.2, 0.1], random=[0.1, 0.1]), costs(COSTS), 2)
    assert [r.share for r in rows] == [None, None]
    assert recommend(rows, [verdict("own", "do not trust", False)]).explainer is None


def test_without_comprehensiveness_nothing_is_ranked_or_recommended():
    found = recommend(rank(Scores((), 0, 0), {}, 2), [verdict("own", "trust")])
    assert (found.explainer, found.most_faithful) == (None, None)
    assert "measure comprehensiveness and direction" in found.sentence


def test_the_cheapest_that_is_trusted_is_recommended_with_what_the_next_better_costs():
    shares = {"own": 0.98, "occlusion": 0.95, "lime": 0.99, "shapley": 1.0}
    found = said(shares, own="trust", occlusion="trust", lime="trust", shapley="trust")
    assert (found.explainer, found.most_faithful, found.next_better) == ("own", "shapley", "shapley")
    assert found.sentence == (
        "Use own: 98% of the faithfulness of the best, shapley, for 1 forward pass (1 ms) a text; its top word opposes "
        "the answer in 1.0% of texts. The next better one, shapley (100%), takes 436 forward passes (0.44 s)."
    )
    found = said(shares, own="care", occlusion="trust", lime="trust", shapley="trust")
    assert (found.explainer, found.next_better) == ("occlusion", "own")


def test_if_the_best_is_the_cheapest_trusted_one_nothing_better_is_named():
    found = said({"own": 0.5, "shapley": 1.0}, own="no", shapley="trust")
    assert (found.explainer, found.next_better) == ("shapley", None)
    assert found.sentence.startswith("Use shapley: none audited here is more faithful. It takes 436 forward passes")


def test_if_nothing_deserves_trust_that_is_said_with_what_comes_nearest_and_what_to_do():
    found = said({"own": 0.8, "lime": 1.0}, own="care", lime="care")
    assert (found.explainer, found.most_faithful) == (None, "lime")
    assert "No explanation here deserves full trust" in found.sentence
    assert "lime has a reason. More texts, or the missing metrics, may decide it." in found.sentence
    rows = [row("lime", 1.0)]
    decided = recommend(rows, [verdict("lime", "use with care", False)])
    assert decided.sentence.endswith("lime has a reason.")


def test_of_those_that_cannot_be_told_from_the_best_the_cheapest_comes_nearest():
    found = said({"own": 0.995, "lime": 1.0}, own="care", lime="care")
    assert "The nearest to it is own" in found.sentence


def test_if_all_are_to_be_distrusted_none_is_to_be_shown():
    found = said({"own": 0.8, "lime": 1.0}, own="no", lime="no")
    assert found.sentence.startswith("Show no explanation of this model: none deserves trust, not even lime.")
