"""Tables and curves of fewer_passes.py, from its records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from whyword.grids.runner import RECORDS, read_records
from whyword.grids.variant import Result
from whyword.papers.reproduction.report import save_figure

FITS_WELL = 0.9  # share of the variance of the answers that the additive surrogate explains
TAU = 0.9
SHOWN = 8  # passes for each word at which the table says how far estimators are


def mean_curve(records: Sequence[Result], family: str, label: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Give mean passes for each word, and mean agreement at each point of the grid."""
    found = [
        [{**point, "passes": point["passes"] / record["words"]} for point in curve]
        for record in records
        for curve in record["families"][family]["curves"][label]
    ]
    shared = min(map(len, found))  # a run that was stopped may have taken some texts further
    values = {
        key: np.mean([[point[key] for point in curve[:shared]] for curve in found], axis=0)
        for key in ("passes", "tau", "top5", "error")
    }
    passes = values.pop("passes")
    return passes, values


def passes_to_reach(passes: np.ndarray, tau: np.ndarray) -> float:
    """Give the passes for each word from which on the mean tau stays at 0.9, between points of the grid."""
    below = np.flatnonzero(tau < TAU)
    last = int(below[-1]) if len(below) else -1
    if last == len(tau) - 1:
        return float("inf")
    if last < 0:
        return float(passes[0])
    share = (TAU - tau[last]) / (tau[last + 1] - tau[last])
    return float(np.exp(np.log(passes[last]) + share * np.log(passes[last + 1] / passes[last])))


def in_words(passes: float, last: float) -> str:
    return f"{passes:.1f}" if np.isfinite(passes) else f"> {last:.0f}"


def times_fewer(plain: float, last: float, reached: float) -> str:
    """Compare with the plain estimator, or with the last passes it was given if these were too few."""
    if np.isinf(reached):
        return "–"
    return f"{plain / reached:.1f}" if np.isfinite(plain) else f"> {last / reached:.1f}"


def halved(records: Sequence[Result], family: str, plain: str, label: str) -> str:
    """Count the texts for which half of the plain passes is enough, among those for which that can be told."""
    enough = []
    for record in records:
        ours, theirs = (
            passes_to_reach(at, seen["tau"])
            for at, seen in (mean_curve([record], family, name) for name in (label, plain))
        )
        if np.isfinite(min(ours, theirs)):
            enough.append(2 * ours <= theirs)
    return f"{sum(enough)} of {len(enough)}"


def report(out: Path, families: Mapping[str, Sequence[str]]) -> str:
    """Write table.md, curves.json and curves.png from the records; of each family the plain estimator comes first."""
    texts: dict[tuple[str, str], list[Result]] = {}
    records = sorted(read_records(out / RECORDS), key=lambda record: str(record.settings["evaluation"]["number"]))
    for record in records:  # in one order, whatever their names are, so that sums have the same last digits
        texts.setdefault((record.encoder, record.settings["evaluation"]["length"]), []).append(record.result)
    lines = [
        "Passes for each word of a text to Kendall tau 0.9 with the converged explanation (mean over texts and",
        "repeats), and how many times fewer that is than with the plain estimator. Well-fitted texts are those of",
        f"whose answers an additive surrogate explains at least {FITS_WELL:.0%} of the variance. Texts with half:",
        "those whose own curve reaches 0.9 with at most half of the passes of the plain one.",
        "",
        f"| encoder | texts | number | surrogate fit | estimator | passes / word | times fewer | texts with half "
        f"| tau at {SHOWN} / word "
        f"| top 5 at {SHOWN} / word | squared error at {SHOWN} / word |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    curves: list[dict[str, Any]] = []
    for (encoder, length), everything in sorted(texts.items()):
        well = [record for record in everything if record["surrogate_fit"] >= FITS_WELL]
        for kind, records in ((length, everything), (f"{length}, well-fitted", well)):
            if not records:
                continue
            fit = np.mean([record["surrogate_fit"] for record in records])
            for name, labels in families.items():
                measured = [record for record in records if name in record["families"]]
                plain, furthest = 0.0, 0.0
                for label in labels if measured else ():
                    if any(label not in record["families"][name]["curves"] for record in measured):
                        continue  # models without contributions
                    passes, values = mean_curve(measured, name, label)
                    at = int(np.abs(passes - SHOWN).argmin())
                    reached = passes_to_reach(passes, values["tau"])
                    plain, furthest = plain or reached, furthest or passes[-1]
                    about = f"| {encoder} | {kind} | {len(measured)} | {fit:.2f} | {name}: {label} "
                    lines.append(
                        f"{about}| {in_words(reached, passes[-1])} | {times_fewer(plain, furthest, reached)} "
                        f"| {'–' if label == labels[0] else halved(measured, name, labels[0], label)} "
                        f"| {values['tau'][at]:.3f} | {values['top5'][at]:.2f} | {values['error'][at]:.4f} |"
                    )
                    curves.append(
                        {"encoder": encoder, "texts": kind, "family": name, "estimator": label}
                        | {"passes_per_word": passes.tolist()}
                        | {key: value.tolist() for key, value in values.items()}
                    )
    lines += ["", "Stopping by itself (the default), when the top 5 words are settled with 95 % confidence:", ""]
    lines += ["| encoder | texts | passes | passes / word | settled | top 5 | tau |", "|---|---|---|---|---|---|---|"]
    for (encoder, length), records in sorted(texts.items()):
        for key, start in (("automatic", ""), ("automatic_started", ", from contributions")):
            if any(key not in record for record in records):
                continue
            found = [record[key] for record in records]
            mean = {name: np.mean([one[name] for one in found]) for name in ("passes", "top5", "tau")}
            per_word = np.mean([record[key]["passes"] / record["words"] for record in records])
            converged = np.mean([one["converged"] >= 0.95 for one in found])
            lines.append(
                f"| {encoder} | {length}{start} | {mean['passes']:.0f} | {per_word:.1f} | {converged:.0%} "
                f"| {mean['top5']:.2f} | {mean['tau']:.3f} |"
            )
        if all("contributions" in record for record in records):
            known = {key: np.mean([record["contributions"][key] for record in records]) for key in ("top5", "tau")}
            lines.append(
                f"| {encoder} | {length}, contributions alone | 1 | – | – | {known['top5']:.2f} | {known['tau']:.3f} |"
            )
    (out / "table.md").write_text("\n".join(lines) + "\n")
    (out / "curves.json").write_text(json.dumps(curves, indent=1))
    draw_curves(curves, out / "curves.png")
    return "\n".join(lines)


def draw_curves(curves: Sequence[dict[str, Any]], place: Path) -> None:
    rows = [
        key for key in dict.fromkeys((c["encoder"], c["texts"], c["family"]) for c in curves) if "well" not in key[1]
    ]
    names = {"tau": "Kendall tau", "top5": "top-5 overlap", "error": "relative squared error"}
    colors = {"whyword": "tab:orange"}  # the same in every panel
    ticks = [4, 8, 16, 32, 64, 128]
    figure, axes = plt.subplots(len(rows), 3, figsize=(12, 3 * len(rows)), squeeze=False, layout="constrained")
    for row, (encoder, texts, family) in zip(axes, rows, strict=True):
        for axis, (key, label) in zip(row, names.items(), strict=True):
            for curve in curves:
                if (curve["encoder"], curve["texts"], curve["family"]) == (encoder, texts, family):
                    color = colors.get(curve["estimator"], "tab:blue" if "plain" in curve["estimator"] else "tab:gray")
                    axis.plot(curve["passes_per_word"], curve[key], marker=".", color=color, label=curve["estimator"])
            axis.set(xscale="log", xlabel="forward passes for each word", ylabel=label)
            axis.set_title(f"{family}, {encoder}, {texts}", fontsize=10)
            axis.set_xticks(ticks, ticks)
            axis.minorticks_off()
            if key == "error":
                axis.set_yscale("log")
        row[0].axhline(TAU, color="gray", linewidth=0.5)
        row[0].legend()
    save_figure(figure, place)
