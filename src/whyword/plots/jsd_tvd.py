"""How different attention can be at what cost: one line per model, Wiegreffe & Pinter's figure 5."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

Point = Mapping[str, float]  # jsd, tvd, and tvd_low and tvd_high, the ends of its interval


def jsd_tvd(curves: Mapping[str, Sequence[Point]], title: str = "") -> Figure:
    """Draw TVD of the answers against JSD of the attention, with the intervals of TVD; lower is easier to deceive."""
    figure = Figure(figsize=(6.4, 4.4), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for (name, curve), marker in zip(curves.items(), _markers(len(curves)), strict=True):
        points = sorted(curve, key=lambda point: point["jsd"])
        x, y = ([point[key] for point in points] for key in ("jsd", "tvd"))
        spread = [
            [max(0.0, point["tvd"] - point["tvd_low"]) for point in points],
            [max(0.0, point["tvd_high"] - point["tvd"]) for point in points],
        ]
        axes.errorbar(x, y, yerr=spread, marker=marker, markersize=5, capsize=2, linewidth=1.2, label=name)
    axes.set_xlim(0, math.log(2))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("JSD between the attention of model and adversary (at most ln 2)")
    axes.set_ylabel("TVD between their answers")
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    if curves:
        axes.legend(frameon=False, fontsize=8, title="higher: harder to deceive", title_fontsize=8)
    return figure


def _markers(count: int) -> str:
    return ("osD^vPX*" * (count // 8 + 1))[:count]
