"""Sun & Lu (ACL 2020): whether attention goes to the words that decide, at scales λ from tiny to huge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from ..data.readers.hub import PREFIX
from ..data.sources import name_of as name_of_file
from ..grids.variant import Evaluation, Result, Settings, Variant
from .evaluations.attention_scores import (
    AttentionScores,
    draw_groups,
    draw_groups_of,
    draw_training,
    draw_updates,
    draw_weights,
    draw_words,
    effects,
    group_sizes,
)
from .evaluations.convergence import convergence
from .evaluations.data_sets import statistics_table
from .reproduction.accuracy import Accuracy, accuracy_on_test, accuracy_rows, right_on_test
from .reproduction.paper import Claim, Paper, Read, Row, Scale, TableOrFigure, in_seeds, published

MODELS: dict[str, Settings] = {  # encoder and kind of attention; all states are 100 wide
    "DP": {"encoder": {"name": "bag", "dim": 100}, "kind": "dot"},
    "DP-L": {"encoder": {"name": "lstm", "dim": 100, "hidden": 50, "bidirectional": True}, "kind": "dot"},
    "DP-A": {"encoder": {"name": "affine", "dim": 100, "hidden": 100}, "kind": "dot"},
    "AD": {"encoder": {"name": "bag", "dim": 100}, "kind": "additive"},
}
SLOW = "DP-L"  # takes longest by far on long texts
TRACED = ("DP", "DP-A")  # where the terms A to F are exact
LONGEST = 256  # words of a text that DP-L reads; the others read all
SMALL_SCALES, USUAL, LARGE, HUGE = (0.001, 1.0), 10.0, 100.0, 10_000.0  # λ
TRAINING = {"optimizer": "adagrad", "learning_rate": 0.02, "batch_size": 100, "epochs": 40}
SYNTHETIC_TRAINING = {"optimizer": "sgd", "learning_rate": 0.015, "batch_size": 200, "epochs": 500}
PENALTY, SYNTHETIC_PENALTY = 1e-4, 1e-3  # weight of |V·W|: comments in the authors' code
L2 = (1e-4, 1e-3, 1e-2, 1e-1)  # of AD, whose weight is not told: dev decides for each data set and λ
RATIOS = ("1:1", "1:2", "1:5", "2:1", "2:5")  # second class : first class
SST, THREE_CLASSES = "sst2", "20ng_three"  # a ratio of classes is for two
SLIGHT = 0.1  # a correlation, a Cliff's delta or a difference of scores that is smaller says little
POINTS = 2.0  # of accuracy: what is unharmed loses less, what is much worse loses more

GROUPS = published(
    "      sst2         imdb\nwords 412/265/1384 2163/1900/5968", ("positive", "negative", "neutral")
) | {
    **published("20ng_sports\nwords 957/557/1011", ("rec.sport.hockey", "rec.sport.baseball", "neutral")),
    **published("20ng_three\nwords 49/268/192/164", ("rec.motorcycles", "sci.med", "talk.politics.guns", "neutral")),
}
BY_SCALE = published(
    """
      sst2                imdb                20ng_sports         20ng_three
0.001 55.3/79.8/67.9/62.8 55.5/87.7/73.3/69.8 54.8/88.6/78.6/49.4 31.8/90.1/64.6/59.2
1     74.4/81.2/73.4/73.4 79.5/88.2/85.4/83.7 88.4/93.0/85.3/87.6 85.4/92.3/88.3/86.7
10    82.2/81.7/80.8/80.3 89.2/87.8/89.6/88.2 92.8/91.2/92.8/92.0 93.4/93.4/91.7/90.0
20    81.4/80.9/81.0/81.2 89.6/88.1/89.6/89.6 93.5/92.2/93.5/91.2 94.9/94.2/93.3/92.1
50    80.8/82.0/81.5/79.9 89.8/87.2/89.1/88.5 93.3/92.3/92.2/91.7 94.9/92.3/92.9/93.8
100   81.2/81.1/80.7/80.8 89.3/88.3/89.2/88.8 92.8/91.2/92.8/93.3 94.9/93.1/92.9/92.9
10000 79.6/81.4/79.3/80.8 89.3/88.4/88.9/88.9 92.8/92.0/93.0/92.0 94.5/93.8/92.5/92.9
""",
    tuple(MODELS),
)
ACCURACY = {(data, f"{model}/λ={scale}", "value"): value for (data, scale, model), value in BY_SCALE.items()}
EFFECTS = (
    "Accuracy in percent. Polarity above chance: class words whose polarity names their class, a share. Class over "
    "neutral, gap: Cliff's delta of attention scores, class words against neutral ones and class against class (its "
    "size; gap as V·W: positive if it has the sign of V·W). Spread: between the groups' mean attention scores. "
    "Weights as scores: Spearman's rho."
)
DRAWN, UNDRAWN = AttentionScores(), AttentionScores(drawn=0)
PICTURED = "Of the first seed, at most 300 words; the numbers are over all words."


@dataclass(frozen=True)
class Sizes(Scale):
    """A scale that also says which λ are tried, and whether on synthetic texts, which are trained on otherwise."""

    lambdas: tuple[float, ...] = (*SMALL_SCALES, USUAL, 20.0, 50.0, LARGE, HUGE)
    synthetic: bool = False
    l2: tuple[float, ...] = ()  # weights that are tried for AD; none: 1e-4, as for DP-A and DP-L
    slow_seeds: int | None = None  # of DP-L at the λ of which nothing is claimed; None: as many as the others

    @property
    def caps(self) -> tuple[str, ...]:
        """Also which weights of AD are tried, and where it has fewer seeds."""
        caps = super().caps
        if "AD" in self.families and not self.synthetic:
            weights = ", ".join(f"{weight:g}" for weight in self.l2)
            caps = (*caps, f"l2 of AD {weights} by dev" if weights else "l2 of AD 0.0001")
        if self.slow_seeds is None:
            return caps
        return (*caps, f"{in_seeds(self.slow_seeds)} for {SLOW} at λ other than {USUAL:g} and {HUGE:g}")

    def seeds_of(self, model: str, size: float) -> int | None:
        """Give the most seeds of a model with a λ, None if all."""
        return self.slow_seeds if model == SLOW and size not in (USUAL, HUGE) else None


SMOKE = Sizes(
    datasets=("planted:easy,train=200,dev=40,test=40",),
    seeds=2,
    families=tuple(MODELS),
    training={"epochs": 2},
    lambdas=(SMALL_SCALES[0], USUAL, HUGE),
    l2=L2[:2],
)
SMALL = Sizes(
    datasets=(SST, "20ng_sports", THREE_CLASSES),
    seeds=3,
    families=tuple(MODELS),
    training={"patience": 10},
    slow_seeds=1,
)
FULL = Sizes(datasets=(SST, "20ng_sports", THREE_CLASSES, "imdb"), seeds=5, families=tuple(MODELS), l2=L2)
IMDB = replace(SMALL, datasets=("imdb",), l2=L2)
EIGHT = replace(SMALL, seeds=8, slow_seeds=None, l2=L2)
SYNTHETIC = Sizes(
    datasets=("planted:sun-lu-1", "planted:sun-lu-2"), seeds=4, families=TRACED, lambdas=(USUAL, HUGE), synthetic=True
)


def variant_of(model: str, scale: Sizes, size: float, penalty: float = 0.0, ratio: str | None = None) -> Variant:
    """Describe one variant as the paper and its code do, as far as they tell; the rate does not decay as theirs."""
    method = {"name": "polarity-attention", "kind": MODELS[model]["kind"], "scale": size, "penalty": penalty}
    training = SYNTHETIC_TRAINING if scale.synthetic else TRAINING
    settings = {
        "method": {**method, "start": "wide" if scale.synthetic else "linear", "trace": model in TRACED},
        "encoder": {**MODELS[model]["encoder"], "dropout": 0.5},
        "training": {**training, "patience": None, "clip": None, **scale.training},
    }
    name = f"{model}-{size:g}" + ("-penalty" if penalty else "") + (f"-{ratio}" if ratio else "")
    search = (("method.l2", scale.l2),) if model == "AD" and scale.l2 else ()
    return Variant(name, settings, longest=LONGEST if model == SLOW else None, ratio=ratio, search=search)


def tables(scale: Scale) -> tuple[TableOrFigure, ...]:
    """Describe tables 1 and 2, figures 2 to 5, what the appendix tells of a penalty and unequal classes, and more."""
    assert isinstance(scale, Sizes)
    grid = list(product(scale.families, scale.lambdas))
    accuracies = accuracy_rows(
        replace(_row(f, scale, size, Accuracy(), accuracy_on_test), read_texts=right_on_test) for f, size in grid
    )
    scores = {
        name_of(f, size): _row(f, scale, size, DRAWN if _is_drawn(f, size) else UNDRAWN, effects) for f, size in grid
    }
    ends = _some(scores, scale.families, (USUAL, HUGE))
    traced = _some(scores, [f for f in scale.families if f in TRACED], (USUAL, HUGE))
    return (
        statistics_table("table 1"),
        TableOrFigure(
            "appendix words",
            "Words of the classes, and neutral ones",
            (Row("words", variant_of(scale.families[0], scale, USUAL), DRAWN, group_sizes),),
            GROUPS,
            note="Theirs on another split of 20 newsgroups, and on a part of IMDB. They do not tell which sport is "
            "positive: taken to be hockey, which has more words here too.",
        ),
        TableOrFigure(
            "table 2",
            "Test accuracy by scale λ",
            accuracies,
            ACCURACY,
            _accuracy_claims(scale),
            note=f"Published: one run each. DP-L reads the first {LONGEST} words here.",
        ),
        TableOrFigure(
            "figure 2",
            "Polarity and attention scores of each group",
            ends,
            claims=_score_claims(scale),
            draw=draw_groups,
            note=f"{EFFECTS} {PICTURED}",
        ),
        *_other_boxes(scores, scale),
        TableOrFigure(
            "figure 5",
            "Mean attention weight of the words of each group",
            _only(ends, "weights as scores"),
            claims=tuple(
                Claim(
                    f"5. {f}, λ = 10: attention weights follow scores",
                    name_of(f, USUAL),
                    None,
                    "weights as scores",
                    relevant=SLIGHT,
                )
                for f in scale.families
            ),
            draw=draw_weights,
            note=f"A box for each group; words far above it, such as one of a single text, are dots. {PICTURED}",
        ),
        TableOrFigure(
            "appendix dots",
            "Attention score against polarity and against attention weight, word by word",
            _only(ends, "class over neutral", "weights as scores"),
            draw=draw_words,
            note=f"Not in the paper. {PICTURED}",
        ),
        TableOrFigure(
            "appendix training",
            "Scores of each group and V·W, epoch by epoch",
            _only(traced, "size of V·W"),
            draw=draw_training,
            note="Not in the paper. Of the first seed, on dev texts. The numbers are the size of V·W at the end.",
        ),
        TableOrFigure(
            "appendix updates",
            "What moves the scores: the terms A to F",
            _only(traced, "size of V·W"),
            draw=draw_updates,
            note="Not in the paper. Of the first seed, on training texts, at the final weights.",
        ),
        TableOrFigure("appendix scores", "Effects at every λ", tuple(scores.values()), note=EFFECTS),
        _penalty(scale),
        _skew(scale),
        convergence({name_of(f, size): variant_of(f, scale, size) for f, size in grid if size in (USUAL, HUGE)}),
    )


def _other_boxes(scores: Mapping[str, Row], scale: Sizes) -> tuple[TableOrFigure, ...]:
    """Describe figures 3 and 4: the boxes of figure 2 at λ = 100 on SST, at λ = 10 on 20News II, and of AD."""
    start = "Polarity and attention scores of each group"
    other = ((SST, name_of("DP", LARGE)), (THREE_CLASSES, name_of("DP", USUAL)))  # a picture each
    title = f"{start}: DP at λ = 100 on SST, and at λ = 10 on the three newsgroups"
    figures = []
    if rows := tuple(scores[row] for _, row in other if row in scores):
        draw = partial(draw_groups_of, pictures=other)
        datasets = scale.only([data for data, _ in other])
        figures.append(TableOrFigure("figure 3", title, rows, draw=draw, note=PICTURED, datasets=datasets))
    if rows := _some(scores, [f for f in scale.families if f == "AD"], (USUAL,)):
        title = f"{start}: additive attention at λ = 10"
        figures.append(TableOrFigure("figure 4", title, rows, draw=draw_groups, note=PICTURED))
    return tuple(figures)


def _row(model: str, scale: Sizes, size: float, evaluation: Evaluation, read: Read) -> Row:
    seeds = scale.seeds_of(model, size)
    return Row(name_of(model, size), variant_of(model, scale, size), evaluation, read, seeds=seeds)


def _is_drawn(model: str, size: float) -> bool:
    return size in (USUAL, HUGE) or (model == "DP" and size == LARGE)


def name_of(model: str, size: float) -> str:
    """Name the row of a model with a λ."""
    return f"{model}/λ={size:g}"


def _accuracy_claims(scale: Sizes) -> tuple[Claim, ...]:
    claims = []
    if "DP" in scale.families:
        usual = name_of("DP", USUAL)
        for size in (size for size in SMALL_SCALES if size in scale.lambdas):
            sentence = f"2. DP is more than {POINTS:g} points better at λ = 10 than at λ = {size:g}"
            claims.append(Claim(sentence, usual, name_of("DP", size), "value", POINTS))
    for f in scale.families:
        sentence = f"2. {f}: λ = 10000 is within {POINTS:g} points of λ = 10"
        claims.append(Claim(sentence, name_of(f, HUGE), name_of(f, USUAL), "value", POINTS, within=True))
    return tuple(claims)


def _score_claims(scale: Scale) -> tuple[Claim, ...]:
    claims = []
    for f in scale.families:
        usual, huge = name_of(f, USUAL), name_of(f, HUGE)
        claims += [
            Claim(
                f"1. {f}, λ = 10: polarity follows the class",
                usual,
                None,
                "polarity above chance",
                bounded=True,
                relevant=SLIGHT,
            ),
            Claim(
                f"1. {f}, λ = 10: class words are attended to more than neutral",
                usual,
                None,
                "class over neutral",
                relevant=SLIGHT,
            ),
            Claim(
                f"2. {f}: attention scores spread less at λ = 10000 than at λ = 10",
                usual,
                huge,
                "spread",
                relevant=SLIGHT,
            ),
            Claim(
                f"2. {f}, λ = 10000: the gap of the classes has the sign of V·W",
                huge,
                None,
                "gap as V·W",
                bounded=True,
                relevant=SLIGHT,
            ),
        ]
    return tuple(claims)


def _penalty(scale: Sizes) -> TableOrFigure:
    """Compare DP and DP-A with and without a penalty on |V·W|."""
    weight = SYNTHETIC_PENALTY if scale.synthetic else PENALTY
    rows, claims = [], []
    for f in (f for f in scale.families if f in TRACED):
        for size in (USUAL, HUGE):
            free, held = name_of(f, size), f"{name_of(f, size)}/penalty"
            rows.append(Row(free, variant_of(f, scale, size), DRAWN, effects))
            rows.append(Row(held, variant_of(f, scale, size, weight), UNDRAWN, effects))
            start = f"3. {f}, λ = {size:g}: a penalty"
            claims += [
                Claim(f"{start} makes V·W smaller", free, held, "size of V·W", relevant=SLIGHT),
                Claim(f"{start} makes the gap of the classes smaller", free, held, "gap", relevant=SLIGHT),
                Claim(f"{start} leaves accuracy within {POINTS:g} points", held, free, "accuracy", POINTS, within=True),
            ]
    title = f"A penalty of {weight:g} on |V·W|"
    return TableOrFigure("appendix penalty", title, tuple(rows), claims=tuple(claims), note=EFFECTS)


def _skew(scale: Sizes) -> TableOrFigure:
    """Compare training on unequal classes with training on equal ones."""
    f = scale.families[0]
    variants = {ratio: variant_of(f, scale, USUAL, ratio=ratio) for ratio in RATIOS}
    return TableOrFigure(
        "appendix skew",
        f"{f} trained on unequal classes (second to first)",
        tuple(Row(ratio, variant, UNDRAWN, effects) for ratio, variant in variants.items()),
        claims=tuple(
            Claim(
                f"4. V·W is larger with classes of {ratio} than of 1:1",
                ratio,
                RATIOS[0],
                "size of V·W",
                relevant=SLIGHT,
            )
            for ratio in RATIOS[1:]
        ),
        note=f"All ratios keep equally many training texts. The paper has four seeds. {EFFECTS}",
        datasets=tuple(name for name in ("planted", *_names(scale)) if name != THREE_CLASSES),
    )


def _names(scale: Scale) -> list[str]:
    """Give the names of data sets, which the scale has by name, by file or folder, or from the hub."""
    hub = [data.removeprefix(PREFIX) for data in scale.datasets if data.startswith(PREFIX)]
    return [*hub, *(name_of_file(Path(data)) for data in scale.datasets if ":" not in data)]


def _some(rows: Mapping[str, Row], families: Sequence[str], sizes: Sequence[float]) -> tuple[Row, ...]:
    wanted = [name_of(f, size) for f in families for size in sizes]
    return tuple(rows[name] for name in wanted if name in rows)


def _only(rows: Sequence[Row], *columns: str) -> tuple[Row, ...]:
    def read(result: Result) -> dict[str, float]:
        return {column: value for column, value in effects(result).items() if column in columns}

    return tuple(replace(row, read=read) for row in rows)


PAPER = Paper(
    "sun-lu",
    "Sun & Lu (ACL 2020): understanding attention for text classification",
    {"smoke": SMOKE, "small": SMALL, "full": FULL, "imdb": IMDB, "eight": EIGHT, "synthetic": SYNTHETIC},
    tables,
)
