"""E-VarM (Ge et al., COLING 2022): word masks by gates that read every layer, and contrast between the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..grids.variant import Evaluation, Settings, Variant
from .evaluations.explanation_metrics import Explained, draw_lines, metric_curve
from .evaluations.text_maps import SILHOUETTE, TextMap, draw_maps, separations
from .evaluations.words import Examples, texts_with_words
from .reproduction.accuracy import FLOOR, accuracy_row, accuracy_rows
from .reproduction.paper import Claim, Paper, Read, Row, Scale, TableOrFigure, in_seeds, published

REMOVED = (1, 5, 9)  # words, for AOPC; K in the paper
LAST_K = 9  # words kept at the end of the post-hoc curves
DROP, KEPT = "mean-probability-drop", "posthoc-accuracy"
DATA = "qnli qqp cola imdb ag_news yelp subj rt sst1 sst2"
METHODS: dict[str, Settings] = {
    "base": {"name": "base"},
    "AGN": {"name": "agn"},
    "SCL": {"name": "scl"},
    "VMASK": {"name": "vmask"},
    "E-VarM": {"name": "evarm"},
    "MASK": {"name": "evarm", "variant": "mask"},
    "ETE": {"name": "evarm", "variant": "ete"},
    "PPL": {"name": "evarm", "variant": "ppl"},
}
MAIN = ("base", "VMASK", "E-VarM")  # for every data set, also where the others are left out
SIDE = ("AGN", "ETE", "PPL")
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
    [str(k) for k in REMOVED],
) | published(
    """
             sst1             sst2              ag_news         subj             yelp
BERT-VMASK   7.80/17.73/19.20 10.52/33.53/37.78 2.34/9.76/15.60 2.31/13.75/22.97 1.15/6.17/9.55
BERT-E-VarM  8.86/19.67/21.34 11.16/35.43/39.49 3.08/12.69/19.63 1.94/13.14/23.32 1.61/8.29/12.61
""",
    [str(k) for k in REMOVED],
)


@dataclass(frozen=True)
class Sizes(Scale):
    """A scale that also says where it does less than elsewhere."""

    limed: int = 500  # test texts that LIME explains, at most
    side_seeds: int | None = None  # of the methods at the side; None: as many as the others
    banded: tuple[str, ...] = ()  # data sets on which alone bands of layers are compared, where it has one of them
    band_seeds: int | None = None
    precision: str = "float32"  # of the transformer's products
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
    return Variant(f"{family}-{name}", settings, scale.vectors and not bert)


def tables(scale: Scale) -> tuple[TableOrFigure, ...]:
    """Describe tables 2 to 5 and figures 2 to 4."""
    assert isinstance(scale, Sizes)
    ways = {f: {name: variant_of(f, name, method, scale) for name, method in METHODS.items()} for f in scale.families}
    masks = [variant for way in ways.values() for variant in (way["VMASK"], way["E-VarM"])]
    lime = Explained("lime", {DROP: {"k": LAST_K}}, scale.limed, {"samples": scale.samples})
    return (
        TableOrFigure(
            "table 2",
            "Test accuracy",
            accuracy_rows(
                accuracy_row(variant, name in MAIN, scale.side_seeds if name in SIDE else None)
                for way in ways.values()
                for name, variant in way.items()
            ),
            ACCURACY,
            tuple(
                Claim(
                    f"{f}-E-VarM is more accurate than {f}-{other}",
                    f"{f}-E-VarM",
                    f"{f}-{other}",
                    "value",
                    obstacle=scale.obstacle_to_vmask if other == "VMASK" else scale.obstacle,
                )
                for f in scale.families
                for other in METHODS
                if other != "E-VarM"
            ),
            FLOOR,
        ),
        TableOrFigure(
            "table 3",
            "Mean probability lost while the top 1 to K words of LIME go (AOPC × 100)",
            _rows(masks, lime, partial(metric_curve, metric=DROP, at=REMOVED)),
            AOPC,
            tuple(
                Claim(f"LIME's words matter more to {f}-E-VarM than to {f}-VMASK", f"{f}-E-VarM", f"{f}-VMASK", "5")
                for f in scale.families
            ),
            note=f"The losses summed over K + 1, for K = 1, 5, 9; on the same {scale.limed:,} test texts at most, "
            f"{scale.samples:,} samples of LIME, judged by the model itself.",
        ),
        TableOrFigure(
            "table 4",
            "The words of the highest gates in the same texts",
            _rows(masks, Examples(), lambda _: {}),
            show=texts_with_words,
        ),
        TableOrFigure(
            "table 5",
            "Test accuracy by the layers that the gate reads",
            tuple(row for f in scale.families for row in _bands(f, ways[f]["E-VarM"], scale)),
            LAYERS,
            tuple(
                Claim(f"All layers are better than {band} ({f})", f"{f}-all", f"{f}-{band}", "value")
                for f in scale.families
                for band in BANDS[f]
            ),
            datasets=scale.only(scale.banded),
        ),
        *_figures(ways, masks, scale),
    )


def _figures(
    ways: Mapping[str, Mapping[str, Variant]], masks: Sequence[Variant], scale: Sizes
) -> tuple[TableOrFigure, ...]:
    """Describe figures 2 to 4."""
    own = Explained("own", {KEPT: {"k": LAST_K, "longest": LAST_K}}, scale.sample)
    curves = _rows(masks, own, partial(metric_curve, metric=KEPT))
    return (
        TableOrFigure(
            "figure 2",
            "Post-hoc accuracy of the words of the highest gates",
            curves,
            claims=tuple(
                Claim(
                    f"five words of {f}-E-VarM suffice more often than five of {f}-VMASK",
                    f"{f}-E-VarM",
                    f"{f}-VMASK",
                    "5",
                )
                for f in scale.families
            ),
            draw=partial(draw_lines, read=curves, across="words kept", up="same prediction (%)"),
            note="Compared with the model's own prediction on the whole text.",
        ),
        TableOrFigure(
            "figure 3",
            "Text vectors with the mask alone and with contrast (figures 3 and 4)",
            tuple(
                Row(way[name].name, way[name], TextMap(), separations, main=False)
                for way in ways.values()
                for name in ("MASK", "E-VarM")
            ),
            claims=tuple(
                Claim(f"contrast draws the classes apart ({f})", f"{f}-E-VarM", f"{f}-MASK", SILHOUETTE, relevant=0.05)
                for f in scale.families
            ),
            draw=draw_maps,
            also=("figure 4",),
        ),
    )


def _rows(variants: Iterable[Variant], evaluation: Evaluation, read: Read) -> tuple[Row, ...]:
    return tuple(Row(variant.name, variant, evaluation, read) for variant in variants)


def _bands(family: str, everything: Variant, scale: Sizes) -> tuple[Row, ...]:
    """Give a row for each band of layers, and one for all of them."""
    methods = {name: {**METHODS["E-VarM"], "gate_layers": layers} for name, layers in BANDS[family].items()}
    variants = {name: variant_of(family, name, method, scale) for name, method in methods.items()}
    return tuple(
        replace(accuracy_row(variant, main=False, seeds=scale.band_seeds), name=f"{family}-{name}")
        for name, variant in {**variants, "all": everything}.items()
    )


PAPER = Paper(
    "evarm",
    "Ge et al. (COLING 2022): E-VarM, enhanced variational word masks",
    {"smoke": SMOKE, "small": SMALL, "lstm": LSTM, "full": FULL},
    tables,
)
