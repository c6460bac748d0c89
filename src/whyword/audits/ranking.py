"""Rank explainers by how near they come to the most faithful one, and say which to use and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from ..evaluation.measure import Scores
from ..explaining.measure import RANDOM
from ..interfaces.settings import json_ready
from ..maths.stats.intervals import ratio_of_means
from ..report.template import duration
from .data import ExplainerCost, RankRow, Recommendation, Share, Verdict
from .verdicts import CARE, TRUST

FAITHFULNESS, DIRECTION, WITH_PEOPLE = "comprehensiveness", "direction", "rationale-auprc"


def rank(scores: Scores, costs: Mapping[str, ExplainerCost], texts: int) -> tuple[RankRow, ...]:
    """Compare each explainer with the best, paired over texts; nothing without comprehensiveness."""
    if FAITHFULNESS not in scores.metrics:
        return ()
    mean = {name: scores[FAITHFULNESS, name].value for name in scores.explainers}
    named = [name for name in scores.explainers if name != RANDOM and not isnan(mean[name])]
    order = sorted(named, key=lambda name: (-mean[name], costs[name].passes_per_text))
    return tuple(_row(name, order[0], scores, costs[name], texts) for name in [*order, RANDOM] if order)


def _row(name: str, best: str, scores: Scores, cost: ExplainerCost, texts: int) -> RankRow:
    one = scores[FAITHFULNESS, name]
    ratio = ratio_of_means(one.per_text, scores[FAITHFULNESS, best].per_text)
    opposes = scores[DIRECTION, name].value if DIRECTION in scores.metrics else None
    return RankRow(
        explainer=name,
        share=json_ready(ratio.value),
        low=json_ready(ratio.low),
        high=json_ready(ratio.high),
        texts=one.texts,
        passes_per_text=cost.passes_per_text,
        seconds_per_text=cost.seconds / texts,
        opposes=json_ready(opposes),
    )


def human_shares(scores: Scores) -> dict[str, Share]:
    """Compare each explainer with the one that agrees best with what people marked, by their gains over random words.

    Paired over texts; nothing without marked words, without random words, or where no other explainer was measured.
    """
    judged = [name for name in scores.explainers if name != RANDOM]
    if WITH_PEOPLE not in scores.metrics or RANDOM not in scores.explainers or len(judged) < 2:
        return {}
    floor = scores[WITH_PEOPLE, RANDOM].per_text
    gains = {name: scores[WITH_PEOPLE, name].per_text - floor for name in judged}
    best = gains[max(judged, key=lambda name: scores[WITH_PEOPLE, name].value)]
    texts = scores[WITH_PEOPLE, judged[0]].texts
    ratios = {name: ratio_of_means(gain, best) for name, gain in gains.items()}
    return {name: Share(one.value, one.low, one.high, texts) for name, one in ratios.items() if not isnan(one.value)}


def recommend(ranking: Sequence[RankRow], verdicts: Sequence[Verdict]) -> Recommendation:
    """Recommend the cheapest explainer that is to be trusted; if there is none, say so and what to do."""
    rows = [row for row in ranking if row.explainer != RANDOM]
    if not rows:
        sentence = f"Which explanation to use cannot be said: measure {FAITHFULNESS} and {DIRECTION}."
        return Recommendation(None, None, None, sentence)
    by_name = {verdict.explainer: verdict for verdict in verdicts}
    trusted = [row for row in rows if by_name[row.explainer].verdict == TRUST]
    best = rows[0]
    if not trusted:
        return Recommendation(None, best.explainer, None, _doubts(rows, by_name))
    use = min(trusted, key=lambda row: (row.passes_per_text, rows.index(row)))
    better = rows[: rows.index(use)]
    following = min(better, key=lambda row: row.passes_per_text, default=None)
    if len(rows) == 1:
        sentence = (
            f"Use {use.explainer}: it is to be trusted, but no other explainer was audited to compare it with. It "
            f"takes {_cost(use)} a text"
        )
    elif following is None:
        sentence = f"Use {use.explainer}: none audited here is more faithful. It takes {_cost(use)} a text"
    else:
        sentence = (
            f"Use {use.explainer}: {_percent(use.share)} of the faithfulness of the best, {best.explainer}, for "
            f"{_cost(use)} a text"
        )
    if use.opposes is not None:
        sentence += f"; its top word opposes the answer in {_percent(use.opposes)} of texts"
    if following is not None:
        sentence += (
            f". The next better one, {following.explainer} ({_percent(following.share)}), takes {_cost(following)}"
        )
    return Recommendation(
        use.explainer, best.explainer, None if following is None else following.explainer, f"{sentence}."
    )


def _doubts(rows: Sequence[RankRow], verdicts: Mapping[str, Verdict]) -> str:
    """Say that nothing deserves trust, what comes nearest to it, and what would help."""
    careful = [row for row in rows if verdicts[row.explainer].verdict == CARE]
    if not careful:
        reason = verdicts[rows[0].explainer].because
        return f"Show no explanation of this model: none deserves trust, not even {rows[0].explainer}. {reason}"
    nearest = [row for row in careful if row.high is not None and row.high >= 1] or careful[:1]  # equal to the best
    row = min(nearest, key=lambda row: row.passes_per_text)
    verdict = verdicts[row.explainer]
    undecided = all(rule.holds is not False for rule in verdict.rules)
    advice = " More texts, or the missing metrics, may decide it." if undecided else ""
    return (
        f"No explanation here deserves full trust. The nearest to it is {row.explainer}, at {_cost(row)} a text, to be "
        f"used with care: {verdict.because}{advice}"
    )


def _cost(row: RankRow) -> str:
    passes = round(row.passes_per_text)
    return f"{passes:,} forward pass{'' if passes == 1 else 'es'} ({duration(row.seconds_per_text)})"


def _percent(share: float | None) -> str:
    if share is None:
        return "an unknown share"
    return f"{share:.1%}" if 0 < abs(share) < 0.0995 else f"{share:.0%}"
