"""E-VarM (Ge et al., COLING 2022): word masks by gates that read every layer, and contrast between the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..grids.variant import Settings, Variant
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
from .evaluations.text_maps import SILHOUETTE, TextMap, draw_maps, separations
from .evaluations.words import Examples, texts_with_words
from .reproduction.accuracy import FLOOR, accuracy_row, accuracy_rows, matthews_on_test
from .reproduction.paper import Claim, Paper, Row, Scale, TableOrFigure, in_seeds, published

AT = (1, 5, 9)  # words removed, for AOPC; K in the paper
LAST_K = 9  # words kept at the end of the post-hoc curves
DROP, KEPT = "mean-probability-drop", "posthoc-accuracy"
DATA = "qnli qqp cola imdb ag_news yelp subj rt sst1 sst2"
PRINTED: Settings = {"gates": "soft", "inference": "choice"}  # relaxed gates (Eq. 4), argmax at test (Eq. 3)
OURS = "-ours"  # open or shut gates in training, the probability of keeping a word at test
KINDS = ("", OURS)
STAGES: dict[str, Settings] = {
    "E-VarM": {"name": "evarm"},
    "MASK": {"name": "evarm", "variant": "mask"},
    "ETE": {"name": "evarm", "variant": "ete"},
    "PPL": {"name": "evarm", "variant": "ppl"},
}
METHODS: dict[str, Settings] = {
    "base": {"name": "base"},
    "AGN": {"name": "agn"},
    "SCL": {"name": "scl"},
    "VMASK": {"name": "vmask"},
    **{name: {**stages, **PRINTED} for name, stages in STAGES.items()},
    **{f"{name}{OURS}": stages for name, stages in STAGES.items()},
}
PROPOSED = tuple(f"E-VarM{kind}" for kind in KINDS)
MAIN = ("base", "VMASK", *PROPOSED)  # for every data set, also where the others are left out
SIDE = ("AGN", *(f"{name}{kind}" for name in ("ETE", "PPL") for kind in KINDS))
# What dev chooses, with one seed for all and as many runs for each method: β and τ of masks and contrast, else rates.
GATED = (("method.beta", (0.1, 1.0, 10.0)), ("method.contrast_temperature", (0.5, 0.1, 0.9)))
RATES = (("training.learning_rate", (5e-5, 2e-5, 1e-4)), ("method.dropout", (0.2, 0.1, 0.5)))
SEARCH = {
    **dict.fromkeys(("base", "AGN"), RATES),
    "SCL": (("method.weight", (0.9, 0.5, 0.1)), ("method.temperature", (0.3, 0.1, 0.5))),
    "VMASK": (("method.beta", (1.0, 0.1, 10.0)), ("method.gate_learning_rate", (0.01, 0.001, 0.1))),
    **dict.fromkeys((f"{name}{kind}" for name in STAGES for kind in KINDS), GATED),
}
JUDGED_BY_MATTHEWS = ("cola", "planted")
ROWS = (
    "E-VarM, MASK, ETE and PPL have relaxed gates in training (Eq. 4) and the likelier choice at test (Eq. 3), as "
    "printed; those named ours have open or shut gates in training, and multiply words by the probability of keeping "
    "them."
)
BANDS: dict[str, Settings] = {  # layers that the gate reads, instead of all
    "BERT": {"bottom": "bottom", "middle": "middle", "top": "top"},
    "LSTM": {"words": (0,), "states": (1,)},  # one layer has no thirds
}

ACCURACY = published(f"""
             {DATA}
BERT-base    87.07 90.17 82.45 91.75 93.09 96.30 96.40 86.59 50.81 90.44
BERT-AGN     86.95 90.23 81.20 92.66 93.59 97.00 95.61 85.56 50.70 90.57
BERT-SCL     86.57 89.26 82.46 91.78 93.61 96.40 95.33 86.65 50.59 90.72
BERT-VMASK   85.03 86.04 79.41 92.06 93.52 96.30 96.68 87.82 51.99 91.21
BERT-E-VarM  87.94 91.08 83.99 92.73 94.00 97.28 97.30 88.67 53.44 92.37
BERT-MASK    86.00 87.21 80.19 92.67 93.58 96.32 96.90 88.00 51.96 92.04
BERT-ETE     71.44 79.54 69.70 85.72 90.78 93.92 93.80 82.94 46.87 87.04
BERT-PPL     87.59 89.89 82.64 92.76 94.00 96.64 96.80 88.19 52.67 91.76
""")
LAYERS = published(f"""
             {DATA}
BERT-bottom  86.02 89.31 81.36 92.34 92.72 96.98 96.32 87.97 52.58 91.54
BERT-middle  86.95 90.15 81.98 92.05 91.18 96.65 96.35 87.21 50.81 91.01
BERT-top     87.52 90.32 82.35 91.73 93.69 96.39 97.01 87.10 50.31 90.87
BERT-all     87.94 91.08 83.99 92.73 94.00 97.28 97.30 88.67 53.44 92.37
""")
AOPC = published(
    """
             qnli             qqp              rt               cola            imdb
BERT-VMASK   3.44/14.09/18.65 4.61/13.22/15.04 7.19/25.16/31.84 5.61/13.02/15.05 3.38/13.29/19.89
BERT-E-VarM  6.27/21.04/26.31 6.37/16.23/17.54 8.18/28.58/36.70 8.57/17.83/22.50 4.25/13.52/20.47
""",
    [str(k) for k in AT],
) | published(
    """
             sst1             sst2              ag_news         subj             yelp
BERT-VMASK   7.80/17.73/19.20 10.52/33.53/37.78 2.34/9.76/15.60 2.31/13.75/22.97 1.15/6.17/9.55
BERT-E-VarM  8.86/19.67/21.34 11.16/35.43/39.49 3.08/12.69/19.63 1.94/13.14/23.32 1.61/8.29/12.61
""",
    [str(k) for k in AT],
)


@dataclass(frozen=True)
class Sizes(Scale):
    """A scale that also says where it does less than elsewhere."""

    limed: int = 500  # test texts that LIME explains, at most
    side_seeds: int | None = None  # of the methods at the side; None: as many as the others
    banded: tuple[str, ...] = ()  # data sets on which alone bands of layers are compared, where it has one of them
    band_seeds: int | None = None
    precision: str = "float32"  # of the transformer's products
    methods: tuple[str, ...] = tuple(METHODS)
    searched: bool = False  # whether dev chooses settings, with equally many runs for each method
    contrasts: bool = True  # whether texts are drawn in the plane with and without contrast
    bands: bool = True  # whether bands of layers are compared
    obstacle: str = ""  # why no accuracy can be compared
    obstacle_to_vmask: str = ""  # why that of VMASK cannot

    @property
    def caps(self) -> tuple[str, ...]:
        """Also where it does less than elsewhere."""
        caps = [f"LIME on at most {self.limed:,} texts with {self.samples:,} samples"]
        if self.side_seeds is not None:
            caps.append(f"{in_seeds(self.side_seeds)} for {', '.join(SIDE)}")
        if self.band_seeds is not None:
            caps.append(f"{in_seeds(self.band_seeds)} for bands of layers")
        if self.searched:
            caps.append("settings searched on dev with one seed, five runs for each method")
        if len(self.methods) < len(METHODS):
            caps.append(f"only {', '.join(self.methods)}")
        if self.precision != "float32":
            caps.append(f"{self.transformer} in {self.precision}")
        return (*super().caps, *caps)


SMOKE = Sizes(
    datasets=("planted:easy,train=100,dev=30,test=30",),
    seeds=2,
    families=("LSTM",),
    sample=6,
    samples=50,
    limed=6,
    training={"epochs": 2, "batch_size": 10, "learning_rate": 0.01},
    vectors=False,
)
SMALL = Sizes(
    datasets=("sst2", "subj", "trec", "cola", "qnli", "qqp"),
    seeds=3,
    families=("BERT",),
    rows=2_000,
    samples=200,
    limed=50,
    side_seeds=1,
    banded=("sst2", "subj", "trec"),
    band_seeds=1,
    precision="bfloat16",
    training={"epochs": 2, "batch_size": 16, "learning_rate": 5e-5, "schedule": "linear", "warmup": 0.1},
    brief=("cola", "qnli", "qqp"),
    brief_seeds=1,
    obstacle="after two epochs most runs still rise",
    obstacle_to_vmask="VMASK has four epochs, E-VarM two",
)
LSTM = replace(
    SMALL,
    families=("LSTM",),
    rows=None,
    samples=500,
    limed=200,
    banded=("sst2", "subj"),
    precision="float32",
    training={},
    obstacle="",
    obstacle_to_vmask="VMASK runs all 30 epochs, E-VarM stops early",
)
CONVERGED = replace(  # equal epochs, search and choice of the epoch for all; dev decides everything
    SMALL,
    datasets=("sst2", "subj"),
    seeds=5,
    side_seeds=None,
    brief=(),
    methods=("base", "VMASK", *PROPOSED, *(f"PPL{kind}" for kind in KINDS)),
    searched=True,
    contrasts=False,
    bands=False,
    training={**SMALL.training, "epochs": 8, "patience": None},
    obstacle="",
    obstacle_to_vmask="",
)
FULL = Sizes(
    datasets=tuple(DATA.split()),
    seeds=5,
    families=("BERT", "LSTM"),
    sample=500,
    samples=1_000,
    transformer="bert-base-uncased",
)


def variant_of(family: str, name: str, method: Settings, scale: Sizes) -> Variant:
    """Describe one variant; the learning rate of BERT is the paper's, where the scale has no other."""
    bert = family == "BERT"
    transformer = {"name": scale.transformer, "precision": scale.precision}
    encoder = transformer if bert else {"name": "lstm", "frozen": scale.vectors}
    training = {**({"learning_rate": 1e-5} if bert else {}), **scale.training}
    settings = {"method": dict(method), "encoder": encoder, "training": training}
    search = SEARCH[name] if scale.searched else ()
    known = name.removesuffix(OURS) if name.endswith(OURS) else f"{name}-printed" if name in STAGES else name
    return Variant(f"{family}-{known}", settings, scale.vectors and not bert, search=search)


def tables(scale: Scale) -> tuple[TableOrFigure, ...]:
    """Describe tables 1 to 5 and figures 2 to 4."""
    assert isinstance(scale, Sizes)
    methods = {name: METHODS[name] for name in scale.methods}
    ways = {f: {name: variant_of(f, name, method, scale) for name, method in methods.items()} for f in scale.families}
    masks = {f"{f}-{name}": way[name] for f, way in ways.items() for name in ("VMASK", *PROPOSED)}
    named = {f"{f}-{name}": way[name] for f, way in ways.items() for name in ("base", "VMASK", *PROPOSED)}
    main = [f"{f}-{name}" for f in scale.families for name in MAIN]
    accuracies = [
        replace(
            accuracy_row(variant, name in MAIN, scale.side_seeds if name in SIDE else None), name=f"{family}-{name}"
        )
        for family, way in ways.items()
        for name, variant in way.items()
    ]
    claims = tuple(
        Claim(
            f"{f}-{mine} is more accurate than {f}-{other}",
            f"{f}-{mine}",
            f"{f}-{other}",
            "value",
            obstacle=scale.obstacle_to_vmask if other == "VMASK" else scale.obstacle,
        )
        for f in scale.families
        for kind, mine in zip(KINDS, PROPOSED, strict=True)
        for other in ("base", "AGN", "SCL", "VMASK", *(f"{name}{kind}" for name in STAGES if name != "E-VarM"))
        if other in methods
    )
    return (
        statistics_table("table 1"),
        TableOrFigure("table 2", "Test accuracy", accuracy_rows(accuracies), ACCURACY, claims, FLOOR, note=ROWS),
        _matthews(accuracies),
        *_words_of_lime(masks, scale),
        TableOrFigure(
            "table 4",
            "The words that LIME names in the same texts",
            tuple(
                Row(name, variant, Examples("lime", {"samples": scale.samples}), lambda _: {})
                for name, variant in named.items()
            ),
            show=texts_with_words,
        ),
        TableOrFigure(
            "words of the gates",
            "The words of the highest gates in the same texts",
            tuple(Row(name, variant, Examples(), lambda _: {}) for name, variant in masks.items()),
            show=texts_with_words,
        ),
        *_layers(ways, scale),
        *_figures(ways, masks, scale),
        convergence({f"{f}-{name}": variant for f, way in ways.items() for name, variant in way.items()}, main),
    )


def _matthews(accuracies: Sequence[Row]) -> TableOrFigure:
    """Describe Matthews' correlation, by which CoLA is judged."""
    return TableOrFigure(
        "matthews",
        "Matthews' correlation on test (× 100)",
        tuple(replace(row, read=matthews_on_test, read_texts=None) for row in accuracy_rows(accuracies)[1:]),
        note="0 is whoever always answers with the most frequent class. The paper reports accuracies of CoLA.",
        datasets=JUDGED_BY_MATTHEWS,
    )


def _words_of_lime(masks: Mapping[str, Variant], scale: Sizes) -> tuple[TableOrFigure, TableOrFigure]:
    """Describe table 3 as printed, and with normalized AOPC, from the same explanations."""
    lime = Explained("lime", {DROP: {"k": LAST_K}, REMOVED: {}}, scale.limed, {"samples": scale.samples}, each=AT)
    texts = f"On the same {scale.limed:,} test texts at most"
    note = f"{texts}, {scale.samples:,} samples of LIME, judged by the model itself."

    def claims(column: str, start: str = "") -> tuple[Claim, ...]:
        return tuple(
            Claim(
                f"{start}LIME's words matter more to {f}-{mine} than to {f}-VMASK", f"{f}-{mine}", f"{f}-VMASK", column
            )
            for f in scale.families
            for mine in PROPOSED
        )

    def rows(reading: Reading) -> tuple[Row, ...]:
        return tuple(measured_row(name, variant, lime, reading) for name, variant in masks.items())

    return (
        TableOrFigure(
            "table 3",
            "Mean probability lost while the top 1 to K words of LIME go (AOPC × 100)",
            rows(Reading(DROP, AT)),
            AOPC,
            claims(str(AT[1])),
            note=f"The losses summed over K + 1, for K = 1, 5, 9. {note}",
        ),
        TableOrFigure(
            "table 3 normalized",
            "The same on the scale of what each model and text allow (normalized comprehensiveness)",
            rows(Reading(REMOVED)),
            claims=claims("value", "normalized: "),
            note=f"{note} {NORMALIZED_NOTE}",
        ),
    )


def _layers(ways: Mapping[str, Mapping[str, Variant]], scale: Sizes) -> tuple[TableOrFigure, ...]:
    """Describe table 5, with our gates."""
    if not scale.bands:
        return ()
    return (
        TableOrFigure(
            "table 5",
            "Test accuracy by the layers that the gate reads",
            tuple(row for f in scale.families for row in _bands(f, ways[f][f"E-VarM{OURS}"], scale)),
            LAYERS,
            tuple(
                Claim(f"All layers are better than {band} ({f})", f"{f}-all", f"{f}-{band}", "value")
                for f in scale.families
                for band in BANDS[f]
            ),
            note="With hard gates in training, and probabilities at test.",
            datasets=scale.only(scale.banded),
        ),
    )


def _figures(
    ways: Mapping[str, Mapping[str, Variant]], masks: Mapping[str, Variant], scale: Sizes
) -> tuple[TableOrFigure, ...]:
    """Describe figures 2 to 4."""
    own = Explained("own", {KEPT: {"k": LAST_K, "longest": LAST_K}}, scale.sample, each=AT)
    limits = Explained("own", {LEFT: {}}, scale.limed)
    curves = tuple(measured_row(name, variant, own, Reading(KEPT, ())) for name, variant in masks.items())
    compared = [(f, mine) for f in scale.families for mine in PROPOSED]
    figures = (
        TableOrFigure(
            "figure 2",
            "Post-hoc accuracy of the words of the highest gates",
            curves,
            claims=tuple(
                Claim(
                    f"five words of {f}-{mine} suffice more often than five of {f}-VMASK",
                    f"{f}-{mine}",
                    f"{f}-VMASK",
                    "5",
                )
                for f, mine in compared
            ),
            draw=partial(draw_lines, read=curves, across="words kept", up="same prediction (%)"),
            note="Compared with the model's own prediction on the whole text.",
        ),
        TableOrFigure(
            "figure 2 normalized",
            "Normalized sufficiency of the words of the highest gates: lower is better",
            tuple(measured_row(name, variant, limits, Reading(LEFT)) for name, variant in masks.items()),
            claims=tuple(
                Claim(
                    f"normalized: the words of {f}-{mine} suffice more than those of {f}-VMASK",
                    f"{f}-VMASK",
                    f"{f}-{mine}",
                    "value",
                )
                for f, mine in compared
            ),
            note=f"On {scale.limed:,} test texts at most. {NORMALIZED_NOTE}",
        ),
    )
    if not scale.contrasts:
        return figures
    drawn = {
        f"{f}-{name}": way[name] for f, way in ways.items() for name in ("VMASK", "MASK", f"MASK{OURS}", *PROPOSED)
    }
    return (
        *figures,
        TableOrFigure(
            "figure 3",
            "Text vectors of VMASK (figure 4), with the mask alone, and with contrast",
            tuple(Row(name, variant, TextMap(), separations, main=False) for name, variant in drawn.items()),
            claims=tuple(
                Claim(
                    f"{f}-{mine} draws the classes further apart than {f}-{other}",
                    f"{f}-{mine}",
                    f"{f}-{other}",
                    SILHOUETTE,
                    relevant=0.05,
                )
                for f in scale.families
                for kind, mine in zip(KINDS, PROPOSED, strict=True)
                for other in (f"MASK{kind}", "VMASK")
            ),
            draw=draw_maps,
            also=("figure 4",),
        ),
    )


def _bands(family: str, everything: Variant, scale: Sizes) -> tuple[Row, ...]:
    """Give a row for each band of layers, and one for all of them."""
    methods = {name: {**STAGES["E-VarM"], "gate_layers": layers} for name, layers in BANDS[family].items()}
    variants = {name: variant_of(family, name, method, scale) for name, method in methods.items()}
    return tuple(
        replace(accuracy_row(variant, main=False, seeds=scale.band_seeds), name=f"{family}-{name}")
        for name, variant in {**variants, "all": everything}.items()
    )


PAPER = Paper(
    "evarm",
    "Ge et al. (COLING 2022): E-VarM, enhanced variational word masks",
    {"smoke": SMOKE, "small": SMALL, "lstm": LSTM, "converged": CONVERGED, "full": FULL},
    tables,
)
