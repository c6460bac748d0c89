"""The page of an audit, a pure function of its data: what each section shows, as tables, pictures and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, log1p

from markupsafe import Markup

from ..report.charts.axes import RANDOM, Style, spread, style_of, styles
from ..report.charts.predictions import MOST_CLASSES, calibration, classes, confusion, scatter
from ..report.charts.ranking import Ranked, ranking
from ..report.charts.scores import Curve, bar, curves, interval
from ..report.template import fill
from ..views.highlight import GRAY, class_color
from .data import (
    Agreement,
    AuditData,
    Confusion,
    Cost,
    GalleryItem,
    GlobalWords,
    LabelAudit,
    RankRow,
    RuleResult,
    ScoreRow,
    TextMap,
    Verdict,
)
from .gallery import legend, paint
from .ranking import FAITHFULNESS, WITH_PEOPLE
from .rules import SHARE_OF_BEST
from .verdicts import NO_MARKS

MOST_EXPLAINERS = 16
MOST_PAINTERS = 8  # explainers in the gallery
MOST_TEXTS = 12  # in the gallery
MOST_METRICS = 30
MOST_PAIRS = 45
MOST_WORDS = 50
MOST_LABELS = 50
SHOWN_AT_FIRST = 3  # explainers side by side before the reader chooses
CHANCE = 0.05  # p-values below it count as a difference
FIRST = (
    "probability-drop", "posthoc-accuracy", "comprehensiveness", "normalized-comprehensiveness",
    "sufficiency", "normalized-sufficiency", "direction",
)  # fmt: skip
RANKED = {  # beside the share of the best, with their headings
    "comprehensiveness": "Comprehensiveness",
    "normalized-comprehensiveness": "Normalized",
    WITH_PEOPLE: "Marked words found",
}
MAIN_CURVES = FIRST[:2]
ACROSS = {  # what happens along the x axis of a curve
    "probability-drop": "words removed, top first",
    "mean-probability-drop": "words removed, top first",
    "accuracy-drop": "words removed, top first",
    "comprehensiveness": "share of the words removed, top first",
    "posthoc-accuracy": "words kept, top first",
    "posthoc-accuracy-gold": "words kept, top first",
    "sufficiency": "share of the words kept, top first",
    "direction": "top words looked at",
}
SECTIONS = {  # in the order of the page: the macro in sections.html, and the words that link to it
    "ranking": "Which to use",
    "verdicts": "Verdicts",
    "rules": "Why this verdict",
    "forbidden": "Forbidden words",
    "labels": "Labels",
    "gallery": "Texts",
    "curves": "Curves",
    "metrics": "Metrics",
    "agreement": "Agreement",
    "words": "Words",
    "confusion": "Confusions",
    "calibration": "Calibration",
    "map": "Map",
    "attention_tests": "Attention tests",
    "mask": "Mask health",
    "cost": "Cost",
    "reproduce": "Reproduce",
}
HALVES = ("confusion", "calibration", "map", "attention_tests", "mask", "cost", "reproduce")  # two stand side by side

Part = dict[str, object] | None  # what a section shows; None leaves it out
Looks = Mapping[str, Style]  # of each explainer


def render(data: AuditData) -> str:
    """Write the whole page; sections with nothing to show are left out."""
    explainers = _explainers(data)
    looks = styles(explainers)
    groups = dict(list(_by_metric(data.scores, [*explainers, RANDOM]).items())[:MOST_METRICS])
    figures = {name: figure for name, scores in groups.items() if (figure := _curves(name, scores, looks))}
    verdicts = [verdict for verdict in data.verdicts if verdict.explainer in looks]
    human_like = {one.explainer: one for one in data.human_like if data.data.has_rationales}
    parts: dict[str, object] = {
        "human_like": human_like,
        "no_marks": NO_MARKS,
        "ranking": _ranking(data, looks),
        "verdicts": verdicts,
        "rules": _rules(verdicts, human_like),
        "forbidden": data.forbidden,
        "labels": _labels(data.labels),
        "gallery": _gallery(data.gallery[:MOST_TEXTS], explainers),
        "curves": figures,
        "metrics": [_metric(scores, looks) for scores in groups.values()],
        "agreement": _agreement(data.agreement),
        "words": None if data.words is None else _words(data.words),
        "confusion": None if data.confusion is None else _confusion(data.confusion),
        "calibration": None
        if data.calibration is None
        else {"error": data.calibration.error, "picture": calibration(data.calibration.bins)},
        "map": None if data.map is None else _map(data.map),
        "attention_tests": None if data.attention_tests is None else data.attention_tests.scores,
        "mask": data.mask,
        "cost": _cost(data.cost, looks),
        "reproduce": data.reproduce,
    }
    halves = [name for name in HALVES if parts[name]]
    values = {
        "audit": data,
        "parts": parts,
        "headings": {name: heading for name, heading in SECTIONS.items() if parts[name]},
        "looks": looks,
        "main_curves": [name for name in MAIN_CURVES if name in figures] or [*figures][:2],
        "halves": halves[: len(halves) // 2 * 2],
    }
    return fill("whyword.audits", "audit.html", values)


def _labels(labels: Sequence[LabelAudit]) -> Part:
    """Show each label with the faithfulness of each explainer and the verdicts; the most frequent first."""
    if not labels:
        return None
    shown = sorted(labels, key=lambda label: -label.texts)[:MOST_LABELS]
    explainers = list(dict.fromkeys(row.explainer for row in shown[0].scores if row.metric == FAITHFULNESS))
    rows = []
    for label in shown:
        values = {row.explainer: row.value for row in label.scores if row.metric == FAITHFULNESS}
        judged: dict[str, list[str]] = {}
        for verdict in (*label.verdicts, *(one for one in label.human_like if one.rules)):
            judged.setdefault(verdict.explainer, []).append(verdict.verdict)
        rows.append((label, [(values.get(name), judged.get(name)) for name in explainers]))
    return {"explainers": explainers, "rows": rows, "more": len(labels) - len(shown)}


def _explainers(data: AuditData) -> list[str]:
    """List the explainers but random words: those with a verdict first, then as they were measured."""
    names = [verdict.explainer for verdict in data.verdicts] + [score.explainer for score in data.scores]
    names += [name for item in data.gallery for name in item.explanations]
    return [name for name in dict.fromkeys(names) if name != RANDOM][:MOST_EXPLAINERS]


def _ranking(data: AuditData, looks: Looks) -> Part:
    """Draw faithfulness against cost, with a row per explainer, its verdict and its scores."""
    rows = [row for row in data.ranking if row.explainer in looks]
    if data.best is None or not rows:
        return None
    verdicts = {verdict.explainer: verdict for verdict in data.verdicts}
    scores = {(score.metric, score.explainer): score for score in data.scores}
    columns = [metric for metric in RANKED if any((metric, row.explainer) in scores for row in rows)]
    floor = next((row.share for row in rows if row.explainer == RANDOM), None)
    drawn = [Ranked(row.explainer, looks[row.explainer], row, row.passes_per_text) for row in rows]
    near = [rule.threshold for verdict in data.verdicts for rule in verdict.rules if rule.quantity == SHARE_OF_BEST]
    title = "Faithfulness of each explainer against its cost"
    return {
        "best": data.best,
        "columns": [RANKED[metric] for metric in columns],
        "picture": ranking([row for row in drawn if row.name != RANDOM], floor, max(near, default=None), title),
        "near": max(near, default=None),
        "rows": [(row, verdicts.get(row.explainer), _cells(row, columns, scores)) for row in rows],
    }


def _cells(row: RankRow, columns: Sequence[str], scores: Mapping[tuple[str, str], ScoreRow]) -> list[ScoreRow | None]:
    return [scores.get((metric, row.explainer)) for metric in columns]


def _rules(verdicts: Sequence[Verdict], human_like: Mapping[str, Verdict]) -> Part:
    """Give the rules of each explainer with a picture, and the questions of each verdict with everyone's answers."""
    pairs = [(verdict, human_like.get(verdict.explainer)) for verdict in verdicts]
    judged = [(one, other) for one, other in pairs if one.rules or (other is not None and other.rules)]
    if not judged:
        return None
    rules = [[*one.rules, *(() if other is None else other.rules)] for one, other in judged]
    groups = [
        _questions("True to the model", [one for one, _ in judged]),
        _questions("Human-like", [other for _, other in judged]),
    ]
    return {
        "verdicts": [
            (one, [(result, _threshold(result)) for result in results])
            for (one, _), results in zip(judged, rules, strict=True)
        ],
        "groups": [group for group in groups if group[-1]],
    }


def _questions(
    heading: str, verdicts: Sequence[Verdict | None]
) -> tuple[str, list[str], list[tuple[RuleResult, list[RuleResult | None]]]]:
    """Give what a verdict is called, its word for each explainer, and its questions with the answers."""
    answers = [{} if one is None else {result.rule: result for result in one.rules} for one in verdicts]
    questions = {name: result for answer in answers for name, result in answer.items()}
    words = ["" if one is None else one.verdict for one in verdicts]
    return heading, words, [(rule, [answer.get(name) for answer in answers]) for name, rule in questions.items()]


def _threshold(result: RuleResult) -> Markup:
    bounds = spread([result.value, result.low, result.high, result.threshold, 0.0])
    return interval(result, bounds, style_of(0), threshold=result.threshold, height=26)


def _gallery(items: Sequence[GalleryItem], explainers: Sequence[str]) -> Part:
    """Paint the texts, those of one kind together."""
    names = [name for name in [*explainers, RANDOM] if any(name in item.explanations for item in items)][:MOST_PAINTERS]
    if not names:
        return None
    kinds: dict[str, list[tuple[GalleryItem, list[tuple[int, str, Markup]]]]] = {}
    shown_all = []
    for item in items:
        shown = [(number, name) for number, name in enumerate(names) if name in item.explanations]
        painted = [(number, name, paint(item.explanations[name])) for number, name in shown]
        kinds.setdefault(item.why, []).append((item, painted))
        shown_all += [item.explanations[name] for _, name in shown]
    return {
        "names": names,
        "hidden": list(range(SHOWN_AT_FIRST, len(names))),
        "kinds": kinds,
        "legends": legend(shown_all),
    }


def _by_metric(scores: Sequence[ScoreRow], explainers: Sequence[str]) -> dict[str, list[ScoreRow]]:
    """Group the scores of these explainers by metric, in their order."""
    place = {name: number for number, name in enumerate(explainers)}
    known = sorted((score for score in scores if score.explainer in place), key=lambda score: place[score.explainer])
    names = sorted(dict.fromkeys(score.metric for score in known), key=_weight)
    return {name: [score for score in known if score.metric == name] for name in names}


def _weight(metric: str) -> tuple[bool, int]:
    """Put first what is shown first, and last the comparison with what people marked."""
    return metric.startswith("rationale"), FIRST.index(metric) if metric in FIRST else len(FIRST)


def _metric(scores: Sequence[ScoreRow], looks: Looks) -> dict[str, object]:
    """Give a metric's name and meaning, and a row per explainer with its picture and its place beside random words."""
    bounds = _bounds(scores)
    floor = next((score for score in scores if score.explainer == RANDOM), None)
    return {
        "name": scores[0].metric,
        "meaning": scores[0].meaning,
        "higher": scores[0].higher_is_better,
        "texts": max(score.texts for score in scores),
        "bounds": bounds,
        "rows": [(score, interval(score, bounds, looks[score.explainer], floor), _better(score)) for score in scores],
    }


def _bounds(scores: Sequence[ScoreRow]) -> tuple[float, float]:
    """Give some air around all intervals, but none below 0 or above 1 where no interval goes."""
    ends = [end for score in scores for end in (score.value, score.low, score.high) if end is not None]
    low, high = spread(ends)
    return max(low, 0.0) if min(ends, default=-1) >= 0 else low, min(high, 1.0) if max(ends, default=2) <= 1 else high


def _better(score: ScoreRow) -> bool | None:
    """Say whether it beats random words for sure, loses to them for sure, or neither."""
    over, p = score.over_random_value, score.over_random_p_holm
    return None if not over or p is None or p >= CHANCE else (over > 0) == score.higher_is_better


def _curves(metric: str, scores: Sequence[ScoreRow], looks: Looks) -> Markup | None:
    """Draw the curves of a metric; nothing if it is a single number."""
    long = [(score, score.curve) for score in scores if score.curve is not None and len(score.curve) > 1]
    lines = [Curve(score.explainer, looks[score.explainer], curve) for score, curve in long]
    if not any(line.known for line in lines):
        return None
    percent = all(at <= 1 for line in lines for at, _ in line.known)
    return curves(f"{metric} of {len(lines)} explainers", lines, ACROSS.get(metric, "top words"), percent)


def _agreement(pairs: Sequence[Agreement]) -> Part:
    known = [(pair, pair.tau) for pair in pairs if pair.tau is not None]
    least = min([0.0, *(pair.low or 0.0 for pair, _ in known)])
    ordered = [pair for pair, tau in sorted(known, key=lambda row: -row[1])][:MOST_PAIRS]
    rows = [(pair, interval(pair, (least, 1.0), style_of(0), height=24)) for pair in ordered]
    return {"least": least, "rows": rows} if rows else None


def _words(words: GlobalWords) -> Part:
    """List the words of each class, or all of them where their scores are not for a class."""
    every_class = list(enumerate(words.importance.by_class().values()))
    highest = sorted(every_class, key=lambda part: -max(part[1].scores, default=0.0))
    parts = sorted(highest[:MOST_CLASSES], key=lambda part: part[0])
    lists = [
        (number, part.label, [row for row in part.rows() if isfinite(row["score"])][:MOST_WORDS])
        for number, part in parts
    ]
    every = [row for *_, rows in lists for row in rows]
    if not every:
        return None
    largest = max(abs(row["score"]) for row in every) or 1.0
    most = log1p(max(row["frequency"] for row in every) or 1)
    drawn = [
        {
            "label": label,
            "color": "rgb({},{},{})".format(*(GRAY if label is None else class_color(number))),
            "rows": [
                {
                    **row,
                    "score_bar": bar(max(row["score"], 0.0), largest, color=""),
                    "frequency_bar": bar(log1p(row["frequency"]), most, color="random"),
                }
                for row in rows
            ],
        }
        for number, label, rows in lists
    ]
    left = len(every_class) - len(parts)
    return {"source": words.importance.source, "meaning": str(words.correlation), "lists": drawn, "left": left}


def _confusion(matrix: Confusion) -> Part:
    """Draw the matrix of few classes; of any number list the pairs that are confused most."""
    number, having = len(matrix.classes), Counter[int]()
    for true, _, texts in matrix.cells:
        having[true] += texts
    wrong = [
        (matrix.classes[true], matrix.classes[given], texts, texts / having[true])
        for true, given, texts in matrix.cells
        if true != given
    ]
    drawn = None
    if number <= MOST_CLASSES:
        counts = {(true, given): texts for true, given, texts in matrix.cells}
        table = [[counts.get((true, given), 0) for given in range(number)] for true in range(number)]
        drawn = confusion(matrix.classes, table)
    listed = 0 if number <= 2 else 10 if drawn is None else 5
    return {"picture": drawn, "wrong": sorted(wrong, key=lambda pair: -pair[2])[:listed], "classes": number}


def _map(texts: TextMap) -> Part:
    return {"map": texts, "picture": scatter(texts.points), "classes": classes(texts.points)}


def _cost(cost: Cost, looks: Looks) -> Part:
    shown = {name: each for name, each in cost.explainers.items() if name in looks}
    most = max((each.passes_per_text for each in shown.values()), default=0) or 1
    return {"total": cost, "rows": [(name, each, bar(each.passes_per_text, most)) for name, each in shown.items()]}
