"""VMASK (Chen & Ji, EMNLP 2020): variational word masks, with the baselines l2, L2X and IBA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from matplotlib.figure import Figure

from ..grids.variant import Evaluation, Result, Variant
from ..plots.frequency_importance import frequency_importance
from ..plots.word_cloud import word_cloud
from .evaluations.convergence import convergence
from .evaluations.data_sets import statistics_table
from .evaluations.explanation_metrics import (
    LEFT,
    NORMALIZED_NOTE,
    REMOVED,
    Explained,
    Reading,
    draw_lines,
    measured_row,
)
from .evaluations.words import (
    Examples,
    SpLime,
    WordScores,
    pearson_of_frequency,
    pictured,
    texts_with_words,
    word_lists,
)
from .reproduction.accuracy import FLOOR, Accuracy, accuracy_on_dev, accuracy_row, accuracy_rows, epoch_seconds
from .reproduction.paper import Claim, Paper, Read, Results, Row, Scale, TableOrFigure, published

K, LAST_K = 5, 10  # words removed for AOPC, and kept at the end of the post-hoc curves
FIRST_K = 2  # words kept, at which the claim on post-hoc accuracy is put
RATES = (("training.learning_rate", (5e-4, 1e-3, 2e-3)),)  # dev chooses one for each method, with one seed for all
DROP, KEPT = "probability-drop", "posthoc-accuracy"
METHODS = ("base", "l2", "L2X", "IBA", "VMASK")
DATA = "imdb sst1 sst2 yelp ag_news trec subj"

ACCURACY = published(f"""
            {DATA}
CNN-base    89.06 46.32 85.50 94.32 91.30 92.40 92.80
CNN-l2      89.12 46.01 85.56 94.46 91.28 90.62 92.39
CNN-L2X     78.94 37.92 80.01 83.14 84.36 61.00 82.40
CNN-IBA     88.31 41.40 84.24 93.82 91.37 89.80 91.80
CNN-VMASK   90.10 48.92 85.78 94.53 91.60 93.02 93.50
LSTM-base   88.39 43.84 83.74 95.06 91.03 90.40 90.20
LSTM-l2     88.40 43.91 83.36 95.00 91.09 90.20 89.10
LSTM-L2X    67.45 36.92 75.45 77.12 77.53 46.00 81.80
LSTM-IBA    88.48 42.99 83.53 94.74 91.14 85.40 89.50
LSTM-VMASK  90.07 44.12 84.35 95.41 92.19 90.80 91.20
BERT-base   91.80 53.43 92.25 96.42 93.59 96.40 95.10
BERT-l2     91.75 52.08 92.25 96.41 93.52 96.80 94.80
BERT-L2X    71.75 39.23 74.03 87.14 82.59 93.20 86.10
BERT-IBA    91.66 53.80 92.24 96.27 93.45 96.80 95.60
BERT-VMASK  93.04 54.53 92.26 96.80 94.24 97.00 96.40
""")
DEV_ACCURACY = published(f"""
            {DATA}
CNN-base    88.82 45.09 84.47 93.70 91.77 92.22 88.96
CNN-L2X     79.76 36.85 80.12 84.10 85.28 62.50 82.54
CNN-IBA     87.56 41.52 84.79 93.42 91.73 91.40 89.02
CNN-VMASK   88.98 44.78 85.56 94.34 91.78 92.60 91.60
LSTM-base   88.80 41.87 85.21 94.24 91.78 91.15 90.50
LSTM-L2X    67.72 37.00 77.49 76.50 78.84 47.28 82.07
LSTM-IBA    88.38 42.48 85.30 94.68 91.93 86.35 90.52
LSTM-VMASK  90.06 44.96 85.67 94.46 92.28 92.48 92.80
BERT-base   85.16 50.77 92.66 96.78 93.88 95.13 95.30
BERT-L2X    65.34 38.17 72.68 83.00 80.67 91.32 84.59
BERT-IBA    85.60 51.02 91.74 96.50 93.24 95.28 96.10
BERT-VMASK  86.00 51.96 92.74 96.87 94.88 95.49 96.90
""")
AOPC = published(f"""
                    {DATA}
CNN-base/lime       14.47 7.59 16.50 10.69 5.66 15.28 9.77
CNN-VMASK/lime      14.74 8.63 18.86 11.38 9.03 14.81 12.40
LSTM-base/lime      14.34 8.76 17.03 8.72 7.00 11.95 9.67
LSTM-VMASK/lime     15.10 9.52 22.14 9.70 7.39 11.97 11.68
BERT-base/lime      10.63 36.00 35.89 6.30 7.00 59.22 13.08
BERT-VMASK/lime     12.64 36.16 46.87 6.49 8.47 60.37 17.82
CNN-base/shapley    15.53 7.63 13.15 13.57 9.88 14.97 8.84
CNN-VMASK/shapley   15.53 8.33 15.95 15.06 9.98 15.03 12.88
LSTM-base/shapley   15.80 7.91 22.38 10.55 6.62 11.90 11.66
LSTM-VMASK/shapley  16.48 9.73 22.52 10.99 7.65 11.86 12.74
BERT-base/shapley   12.97 42.06 43.16 18.06 7.21 57.69 33.22
BERT-VMASK/shapley  13.18 44.57 50.44 18.17 10.02 58.26 34.22
""")
PEARSON = published(f"""
            {DATA}
CNN-VMASK   -.045 -.079 -.067 -.014 -.015 -.018 -.010
LSTM-VMASK  -.018 -.070 -.068 .004 -.040 -.026 -.003
BERT-VMASK  -.016 .017 -.023 -.038 -.030 .028 .008
""")
SECONDS = published("""
            sst2 trec imdb
CNN-base    .66  2.01 8.93
CNN-VMASK   1.21 2.58 12.29
LSTM-base   1.65 1.87 3.81
LSTM-VMASK  1.73 1.96 5.07
BERT-base   51.6 49.6 -
""")


@dataclass(frozen=True)
class Sizes(Scale):
    """A scale that also says what is searched on dev, the same for every method."""

    search: tuple[tuple[str, tuple[float, ...]], ...] = ()

    @property
    def caps(self) -> tuple[str, ...]:
        """Also what is searched."""
        searched = [f"{name} of {', '.join(f'{value:g}' for value in values)} by dev" for name, values in self.search]
        return (*super().caps, *searched)


SMOKE = Sizes(
    datasets=("planted:easy,train=200,dev=40,test=40",),
    seeds=2,
    families=("CNN", "LSTM"),
    sample=10,
    samples=50,
    training={"epochs": 2},
    vectors=False,
)
SMALL = Sizes(datasets=("sst2", "trec", "subj"), seeds=5, families=("CNN", "LSTM"), sample=200, samples=500)
EQUAL = replace(  # every method trains for all epochs of the mask's schedule, and dev chooses the epoch and the rate
    SMALL, seeds=8, training={"epochs": 30, "patience": None}, search=RATES
)
MINILM = replace(
    SMALL,
    datasets=("sst2", "subj"),
    families=("BERT",),
    rows=2_000,
    sample=50,
    samples=200,
    training={"epochs": 8, "patience": None, "batch_size": 16, "schedule": "linear", "warmup": 0.1},
    search=(("training.learning_rate", (2e-5, 5e-5, 1e-4)),),
)
FULL = Sizes(
    datasets=tuple(DATA.split()),
    seeds=5,
    families=("CNN", "LSTM", "BERT"),
    sample=1_000,
    samples=1_000,
    transformer="bert-base-uncased",
)


def variant_of(family: str, method: str, scale: Scale) -> Variant:
    """Describe one variant: frozen word vectors, a plain default for the rest."""
    bert = family == "BERT"
    encoder = {"name": scale.transformer} if bert else {"name": family.lower(), "frozen": scale.vectors}
    settings = {"method": {"name": method.lower()}, "encoder": encoder, "training": dict(scale.training)}
    search = scale.search if isinstance(scale, Sizes) else ()
    return Variant(f"{family}-{method}", settings, scale.vectors and not bert, search=search)


def tables(scale: Scale) -> tuple[TableOrFigure, ...]:
    """Describe tables 2 to 9 and 11, and figures 1 to 3."""
    plain = {method: [variant_of(family, method, scale) for family in scale.families] for method in METHODS}
    everything = [variant for variants in zip(*plain.values(), strict=True) for variant in variants]
    some = [variant for pair in zip(plain["base"], plain["VMASK"], strict=True) for variant in pair]
    masks = plain["VMASK"]
    scored = [variant for pair in zip(plain["IBA"], masks, strict=True) for variant in pair]
    own = Explained("own", {KEPT: {"k": LAST_K}, LEFT: {}}, scale.sample, each=(FIRST_K, K))
    frequency = _rows(masks, WordScores(), pearson_of_frequency)
    curve = Reading(KEPT, ())
    return (
        statistics_table("table 2", DATA.split(), also=("table 7",)),
        TableOrFigure(
            "table 3",
            "Test accuracy",
            accuracy_rows(accuracy_row(variant) for variant in everything),
            ACCURACY,
            tuple(
                Claim(f"{f}-VMASK is more accurate than {f}-{other}", f"{f}-VMASK", f"{f}-{other}", "value")
                for other in METHODS
                if other != "VMASK"
                for f in scale.families
            ),
            FLOOR,
        ),
        *_aopc(some, scale),
        TableOrFigure(
            "table 5",
            "Words that LIME names in the same texts",
            _rows(some, Examples("lime", {"samples": scale.samples}), lambda _: {}),
            show=texts_with_words,
        ),
        TableOrFigure(
            "table 6",
            "Words of the largest summed LIME scores",
            _rows(some, SpLime(scale.sample, scale.samples), lambda _: {}),
            show=word_lists,
        ),
        TableOrFigure("table 8", "Dev accuracy", _rows(everything, Accuracy(), accuracy_on_dev), DEV_ACCURACY),
        TableOrFigure(
            "table 9",
            "Seconds of an epoch",
            _rows(everything, Accuracy(), epoch_seconds),
            SECONDS,
            note="Ours on one CPU thread, theirs on a GTX 1080.",
        ),
        TableOrFigure(
            "table 11",
            "Correlation of frequency and importance (Pearson)",
            frequency,
            PEARSON,
            tuple(
                Claim(f"importance does not follow frequency ({mask.name})", mask.name, None, "value", 0.1, within=True)
                for mask in masks
            ),
        ),
        TableOrFigure(
            "figure 1",
            "Post-hoc accuracy of the top words of the mask",
            tuple(measured_row(variant.name, variant, own, curve) for variant in scored),
            claims=tuple(
                Claim(
                    f"two words of {f}-VMASK suffice more often than two of {f}-IBA",
                    f"{f}-VMASK",
                    f"{f}-IBA",
                    str(FIRST_K),
                )
                for f in scale.families
            ),
            draw=partial(draw_lines, read=curve, across="words kept", up="same prediction (%)"),
            note="Compared with the model's own prediction on the whole text.",
        ),
        TableOrFigure(
            "figure 1 normalized",
            "Normalized sufficiency of the words of the mask: lower is better",
            tuple(measured_row(variant.name, variant, own, Reading(LEFT)) for variant in scored),
            claims=tuple(
                Claim(f"the words of {f}-VMASK suffice more than those of {f}-IBA", f"{f}-IBA", f"{f}-VMASK", "value")
                for f in scale.families
            ),
            note=NORMALIZED_NOTE,
        ),
        TableOrFigure("figure 2", "Frequency and importance", frequency, draw=_scatter),
        TableOrFigure(
            "figure 3",
            "Words that the mask keeps, and IBA's",
            _rows(scored, WordScores(), pearson_of_frequency),
            draw=_cloud,
        ),
        convergence({variant.name: variant for variant in everything}),
    )


def _aopc(some: list[Variant], scale: Scale) -> tuple[TableOrFigure, TableOrFigure]:
    """Describe table 4 as printed, and with normalized AOPC, from the same explanations."""
    claims = tuple(
        Claim(
            f"{name}'s words matter more to {f}-VMASK than to {f}-base",
            f"{f}-VMASK/{name}",
            f"{f}-base/{name}",
            "value",
        )
        for name in ("lime", "shapley")
        for f in scale.families
    )
    rows = {
        reading: tuple(row for name in ("lime", "shapley") for row in _explained(some, name, scale, reading))
        for reading in (Reading(DROP, K), Reading(REMOVED))
    }
    raw, normalized = rows.values()
    note = (
        f"On the same {scale.sample:,} test texts at most, {scale.samples:,} samples of LIME, "
        f"{scale.permutations} permutations; judged by the model itself."
    )
    ceiling = (
        "The released LSTM puts its softmax into the cross-entropy, which applies another: no probability of 2, 4, 5 "
        "or 6 classes can then fall by more than 46.2, 30.0, 25.6 or 22.3. All published numbers of CNN and LSTM lie "
        "below that, so they may have been measured on such outputs (method.double_softmax trains so)."
    )
    return (
        TableOrFigure(
            "table 4",
            f"Probability lost without the top {K} words (AOPC × 100)",
            raw,
            AOPC,
            claims,
            note=f"{note} {ceiling}",
        ),
        TableOrFigure(
            "table 4 normalized",
            "The same on the scale of what each model and text allow (normalized comprehensiveness)",
            normalized,
            claims=tuple(replace(claim, sentence=f"normalized: {claim.sentence}") for claim in claims),
            note=f"{note} {NORMALIZED_NOTE}",
        ),
    )


def _rows(variants: list[Variant], evaluation: Evaluation, read: Read) -> tuple[Row, ...]:
    return tuple(Row(variant.name, variant, evaluation, read) for variant in variants)


def _explained(variants: list[Variant], name: str, scale: Scale, reading: Reading) -> tuple[Row, ...]:
    samples = scale.samples if name == "lime" else scale.permutations
    explained = Explained(name, {DROP: {"k": K}, REMOVED: {}}, scale.sample, {"samples": samples}, each=(K,))
    return tuple(measured_row(f"{variant.name}/{name}", variant, explained, reading) for variant in variants)


def _scatter(results: Results) -> dict[str, Figure]:
    return {name: frequency_importance(*pictured(result)) for name, result in _first_seeds(results)}


def _cloud(results: Results) -> dict[str, Figure]:
    return {name: word_cloud(pictured(result)[0].at_least(5)) for name, result in _first_seeds(results)}


def _first_seeds(results: Results) -> Iterator[tuple[str, Result]]:
    """Give the results that have words to draw."""
    for (data, row), by_seed in results.items():
        if by_seed[0]["words"] is not None:
            yield f"{data}-{row}", by_seed[0]


PAPER = Paper(
    "vmask",
    "Chen & Ji (EMNLP 2020): learning variational word masks",
    {"smoke": SMOKE, "small": SMALL, "equal": EQUAL, "minilm": MINILM, "full": FULL},
    tables,
)
