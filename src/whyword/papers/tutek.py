"""Tutek & Šnajder (RepL4NLP 2020): whether states that keep their words make attention more faithful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from matplotlib.figure import Figure

from ..analysis.adversarial_model import WEIGHTS
from ..grids.variant import Settings, Variant
from ..plots.curves import Point, jsd_tvd
from .evaluations.attention_faithfulness import (
    GRID,
    MEAN,
    AdversarialModels,
    AttentionTests,
    Probing,
    above_floor,
    attention_test_values,
    knowledge,
    price_above_floor,
    tvd_cost,
)
from .evaluations.convergence import convergence
from .evaluations.explanation_metrics import Explained, Reading, measured_row
from .reproduction.paper import Claim, Paper, Results, Row, Scale, TableOrFigure

VARIANTS: dict[str, Settings] = {
    "base": {"tying": 0.0},
    "concat": {"tying": 0.0, "concat": True},
    "tying": {"tying": 1.0},
    "mlm": {"tying": 0.0, "mlm": 1.0},
}
MARKED = ("twitter_phrases", "hatexplain", "movies", "planted")  # data sets that have them
AGREEMENT = "rationale-auprc"
POINTS = 2.0  # of accuracy, within which a variant is as good as base
UNKNOWN = "The paper's own numbers could not be had: what it says is tested as orderings."


@dataclass(frozen=True)
class Sizes(Scale):
    """A scale that also says how wide the LSTM is and how adversaries are trained and searched for."""

    hidden: int = 50  # in each direction; both are as wide as 100-d vectors, so that states can be tied to them
    weights: tuple[float, ...] = WEIGHTS  # λ, an adversary each
    epochs: int = 80  # of an adversary, at most
    stale: int = 10  # epochs without a lower loss before it stops
    steps: int = 500  # of the search for other attention to one text
    layers: int = 1  # of the LSTM; with two, the paper says, the gains are not consistent

    @property
    def caps(self) -> tuple[str, ...]:
        """Also how many adversaries there are, and for how long they are trained."""
        layers = () if self.layers == 1 else (f"an LSTM of {self.layers} layers",)
        return (*super().caps, f"{len(self.weights)} adversaries of at most {self.epochs} epochs each", *layers)


SMOKE = Sizes(
    datasets=("planted:easy,train=80,dev=20,test=20",),
    seeds=2,
    families=("LSTM",),
    sample=10,
    training={"epochs": 3, "learning_rate": 0.02, "batch_size": 8},
    vectors=False,
    hidden=8,
    weights=(0.0, 0.3),
    epochs=3,
    stale=2,
    steps=20,
)
SMALL = Sizes(
    datasets=("sst2", "trec"),
    seeds=3,
    families=("LSTM",),
    weights=(0.0, 3e-4, 1e-3, 3e-3, 1e-2),
    epochs=20,
    stale=3,
)
LONG = replace(SMALL, seeds=5, weights=WEIGHTS, epochs=80, stale=10)
DEEP = replace(SMALL, layers=2)
RATIONALES = replace(SMALL, datasets=("twitter_phrases",))
FULL = Sizes(datasets=("sst2", "trec", "imdb", "subj"), seeds=5, families=("LSTM",), sample=1_000)


def variant_of(name: str, scale: Sizes) -> Variant:
    """Describe one variant: a bidirectional LSTM with attention over its states, frozen word vectors."""
    encoder = {"name": "lstm", "dim": 2 * scale.hidden, "hidden": scale.hidden, "bidirectional": True}
    encoder |= {} if scale.layers == 1 else {"layers": scale.layers}
    settings = {
        "method": {"name": "word-regularized", **VARIANTS[name]},
        "encoder": {**encoder, "frozen": scale.vectors},
        "vocabulary": {"from_vectors": False},
        "training": {"learning_rate": 1e-3, "batch_size": 32, **scale.training},
    }
    return Variant(name, settings, scale.vectors)


def tables(scale: Scale) -> tuple[TableOrFigure, ...]:
    """Describe accuracy and information, tests of the attention, marked words, and curves of trained adversaries."""
    assert isinstance(scale, Sizes)
    variants = {name: variant_of(name, scale) for name in VARIANTS}
    adversaries = AdversarialModels(scale.weights, scale.epochs, scale.stale)
    better = [name for name in VARIANTS if name != "base"]
    grid = f"{GRID[0]:g} to {GRID[-1]:g}"
    prices = (
        f"The lowest TVD of answers at which attention differs by a JSD of {grid} or more, on straight lines between "
        f"{len(scale.weights)} adversaries; '{MEAN}' is over this grid, and left out where no adversary got to its end."
    )
    harder = "(iii) {} costs an adversary a larger TVD at equal JSD than base"
    return (
        TableOrFigure(
            "table 1",
            "Accuracy, and what states tell about their words",
            tuple(Row(name, variant, Probing(), knowledge) for name, variant in variants.items()),
            claims=(
                *(
                    Claim(
                        f"(i) {name} is within {POINTS:g} points of base", name, "base", "accuracy", POINTS, within=True
                    )
                    for name in better
                ),
                *(
                    Claim(
                        f"(ii) states of {name} tell more of their words than those of base",
                        name,
                        "base",
                        "MI share",
                        relevant=0.01,
                    )
                    for name in better
                ),
            ),
            note="MI share: mutual information above chance, as a share of all there is, of the LSTM's states alone, "
            f"also where word vectors stand beside them (concat). {UNKNOWN}",
        ),
        TableOrFigure(
            "table 2",
            "Attention replaced, and compared with other explainers",
            tuple(
                Row(name, variant, AttentionTests(scale.sample, scale.steps), attention_test_values)
                for name, variant in variants.items()
            ),
            note="High values speak for the attention, but for adversarial ones low values do.",
        ),
        _agreement(variants, scale),
        convergence(variants),
        TableOrFigure(
            "figure 1",
            "How differently a model can attend at what cost (JSD and TVD)",
            tuple(Row(name, variant, adversaries, tvd_cost) for name, variant in variants.items()),
            claims=tuple(Claim(harder.format(name), name, "base", MEAN, relevant=0.01) for name in better),
            draw=_curves,
            note=f"{prices} λ = 0 is imitation alone. The picture is of the first seed.",
        ),
        TableOrFigure(
            "figure 2",
            "The same above what imitation alone costs (λ = 0)",
            tuple(Row(name, variant, adversaries, price_above_floor) for name, variant in variants.items()),
            claims=tuple(
                Claim(f"{harder.format(name)}, above λ = 0", name, "base", MEAN, relevant=0.01) for name in better
            ),
            draw=_curves_above_floor,
            note=prices,
        ),
    )


def _agreement(variants: Mapping[str, Variant], scale: Sizes) -> TableOrFigure:
    """Describe what the paper leaves to others: whether the attention agrees with the words that people mark."""
    measured = Explained("own", {AGREEMENT: {}}, scale.sample)
    rows = [(name, variant, "words") for name, variant in variants.items()]
    return TableOrFigure(
        "rationales",
        "Agreement of the attention with words that people marked (AUPRC × 100)",
        tuple(
            measured_row(name, variant, measured, Reading(AGREEMENT, None, who))
            for name, variant, who in (*rows, ("random", variants["base"], "random"))
        ),
        note="Not in the paper, which leaves it to future work. On test texts with marked words; random: random words.",
        datasets=MARKED,
    )


def _curves(results: Results) -> dict[str, Figure]:
    return _pictures({key: by_seed[0]["curve"] for key, by_seed in results.items()}, "")


def _curves_above_floor(results: Results) -> dict[str, Figure]:
    return _pictures({key: above_floor(by_seed[0]) for key, by_seed in results.items()}, ", less the TVD at λ = 0")


def _pictures(curves: Mapping[tuple[str, str], Sequence[Point]], suffix: str) -> dict[str, Figure]:
    """Draw a picture for each data set, with a line for each variant."""
    return {
        data: jsd_tvd({row: curve for (name, row), curve in curves.items() if name == data}, f"{data}{suffix}")
        for data in dict.fromkeys(data for data, _ in curves)
    }


PAPER = Paper(
    "tutek",
    "Tutek & Šnajder (RepL4NLP 2020): staying true to your word",
    {"smoke": SMOKE, "small": SMALL, "long": LONG, "deep": DEEP, "rationales": RATIONALES, "full": FULL},
    tables,
)
