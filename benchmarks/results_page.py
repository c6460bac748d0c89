"""Write docs/results.md from what `whyword reproduce` left in results/: what reproduces, what does not, by how much.

Loose records are packed into one archive per study, and pictures that the page does not show are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from claims_chart import forest
from whyword.grids.runner import RECORDS, pack_records
from whyword.papers.reproduction.claims import FAILS, HOLDS, NOT_TESTED
from whyword.papers.reproduction.report import NOT_RUN, signed
from whyword.report.tables import Entry, Table, markdown

PAPERS = ("vmask", "vat", "sun-lu", "tutek", "evarm")
NAMES = {"vmask": "VMASK", "vat": "VAT", "sun-lu": "Sun & Lu", "tutek": "Tutek & Šnajder", "evarm": "E-VarM"}
CHART = "claims.svg"
PICTURES = 4  # a figure of more is left to its folder
HEAD = """# What reproduces

Written by `make results` from what `whyword reproduce` left in [results](../results); the remarks are ours. What else
was measured (word masks beside the authors' scripts, what training, explaining and serving cost) is in
[measured.md](measured.md).

Accuracies are on test texts, in percent, the epoch chosen on dev. An effect is the difference that a paper asserts,
between runs of the same seed, averaged over the data sets on which several seeds were run, with Student's 95 % interval
(Satterthwaite's degrees of freedom; for other seeds, and for other test texts too where the records tell of each text).

A claim **holds** if the effect lies where the paper says, and **fails** if it lies elsewhere or is surely smaller than
what would matter (mostly one point, written in the paper's file). All else is **not tested**: one seed decides nothing,
nor do runs that tell too little or compare unequal budgets, nor a data set on which a row is no better than TF-IDF.
A claim of rows that have no run is on the list as not run. Claims that compare drops of probability between models
stand twice, as printed and normalized: raw drops also tell how sure a model is.
Verdicts are corrected by Holm over all claims of a study, so that one of them is wrong by chance in one study of
twenty. The size that matters, and the claims that the records could not yet answer, were written down after the runs
at hand had been seen."""


@dataclass(frozen=True)
class Folder:
    """What is left of one reproduction."""

    path: Path

    @cached_property
    def values(self) -> dict[str, Any]:
        """All that reproduction.json holds."""
        values: dict[str, Any] = json.loads((self.path / "reproduction.json").read_text(encoding="utf-8"))
        return values

    @property
    def tables(self) -> Sequence[Mapping[str, Any]]:
        """All tables and figures."""
        tables: Sequence[Mapping[str, Any]] = self.values["tables"]
        return tables

    @property
    def name(self) -> str:
        """Name the paper, and the scale where it is not the usual one."""
        scale = self.values["scale"]["name"]
        return NAMES[self.values["paper"]] + ("" if scale == "small" else f", {scale}")

    def pictures(self, table: str) -> list[Path]:
        """Find the pictures of a figure."""
        return sorted(self.path.glob(f"{table.replace(' ', '-')}-*.png"))

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Give each claim with the table or figure that it is about."""
        return [
            {**claim, "sentence": f"{claim['claim']} ({table['name']})"}
            for table in self.tables
            for claim in table["claims"]
        ]


def page(folders: Sequence[Folder]) -> str:
    """Write the whole page."""
    parts = [HEAD, "## Claims", markdown(_counts(folders))]
    for folder in folders:
        parts += _section(folder)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _counts(folders: Sequence[Folder]) -> Table:
    """Count the verdicts of each study."""
    table = [[Entry("study"), *(Entry(word, right=True) for word in ("claims", HOLDS, FAILS, NOT_TESTED))]]
    total: Counter[str] = Counter()
    for folder in folders:
        verdicts = Counter(claim["verdict"] for claim in folder.claims)
        table.append(_line_of_counts(folder.name, verdicts))
        total += verdicts
    return [*table, _line_of_counts("all", total)]


def _line_of_counts(name: str, verdicts: Mapping[str, int]) -> list[Entry]:
    numbers = (sum(verdicts.values()), *(verdicts.get(word, 0) for word in (HOLDS, FAILS, NOT_TESTED)))
    return [Entry(name), *(Entry(str(number), right=True) for number in numbers)]


def _claim_table(folder: Folder) -> Table:
    numbers = [Entry(name, right=True) for name in ("effect", "95 %", "p", "seeds")]
    table = [[Entry("claim"), *numbers, Entry("verdict"), Entry("data")]]
    for claim in folder.claims:
        effect, found = claim["effect"], claim["by_dataset"]
        value = "–" if effect["value"] is None else signed(effect["value"])
        ends = "–" if effect["low"] is None else f"{signed(effect['low'])} to {signed(effect['high'])}"
        p = "–" if claim["p"] is None else f"{claim['p']:.2g}"
        seeds = sorted({one["seeds"] for one in found.values()}) or [0]
        words = (value, ends, p, "–".join(str(count) for count in (seeds[:1] + seeds[1:][-1:])))
        data = (
            ", ".join(name + (" (at the floor)" if one["at_floor"] else "") for name, one in found.items()) or NOT_RUN
        )
        why = f": {claim['obstacle']}" if claim["obstacle"] else ""
        verdict = Entry(claim["verdict"] + why, strong=claim["verdict"] != NOT_TESTED)
        table.append([Entry(claim["sentence"]), *(Entry(word, right=True) for word in words), verdict, Entry(data)])
    return table


def _section(folder: Folder) -> Iterator[str]:
    values, place = folder.values, f"../results/{folder.path.name}"
    yield f"## {folder.name}: {values['title'].partition(':')[2].strip()}"
    cost = f"{values['hours']:g} hours of one core, with {values['versions']}"
    yield f"[All tables and figures]({place}/reproduction.md): {cost}."
    yield f'```sh title="not run by tests: takes the data sets and hours"\n{values["command"]}\n```'
    if folder.claims:
        yield f"![claims]({place}/{CHART})"
        yield markdown(_claim_table(folder))
    remarks = folder.path / "remarks.md"
    if remarks.exists():
        yield remarks.read_text(encoding="utf-8")
    distances = _distances(folder.tables)
    if len(distances) > 1:
        yield "Ours minus the published numbers:"
        yield markdown(distances)
    for table in folder.tables:
        pictures = folder.pictures(table["name"])
        if 0 < len(pictures) <= PICTURES:
            yield f"{table['name'].capitalize()}. {table['title']}:"
            yield "\n".join(f"![{picture.stem}]({place}/{picture.name})" for picture in pictures)


def _distances(tables: Sequence[Mapping[str, Any]]) -> Table:
    lines = [
        [Entry("table"), *(Entry(name, right=True) for name in ("numbers", "mean", "mean size")), Entry("furthest")]
    ]
    for table in tables:
        numbers = [number for number in table["numbers"] if number["difference"] is not None]
        if numbers:
            apart = [number["difference"] for number in numbers]
            mean, size = sum(apart) / len(apart), sum(map(abs, apart)) / len(apart)
            furthest = max(numbers, key=lambda number: abs(number["difference"]))
            column = "" if furthest["column"] == "value" else f", {furthest['column']}"
            where = f"{furthest['row']}{column} on {furthest['dataset']}: {furthest['ours']['value']:.3g}"
            lines.append(
                [
                    Entry(f"{table['name']}, {table['title']}"),
                    *(Entry(words, right=True) for words in (str(len(apart)), signed(mean), f"{size:.3g}")),
                    Entry(f"{where} instead of {furthest['published']:g}"),
                ]
            )
    return lines


def publish(folder: Folder) -> None:
    """Draw the claims; leave out pictures of figures with too many of them, which `--finished` draws anew."""
    if folder.claims:
        (folder.path / CHART).write_text(forest(folder.claims), encoding="utf-8")
    place = folder.path / "reproduction.md"
    written = place.read_text(encoding="utf-8")
    for table in folder.tables:
        pictures = folder.pictures(table["name"])
        if len(pictures) > PICTURES:
            names = {picture.name for picture in pictures}
            images = [part for part in written.split("\n\n") if part in {f"![{name}]({name})" for name in names}]
            told = f"{len(pictures)} pictures, which the command above draws from the records with `--finished`."
            written = written.replace("\n\n".join(images), told)
            for picture in pictures:
                picture.unlink()
    place.write_text(written, encoding="utf-8")


def find_folders(results: Path) -> list[Folder]:
    """Find the reproductions, in the order of the papers, the usual scale of each first."""
    found = [Folder(place.parent) for place in results.glob("*/reproduction.json")]
    return sorted(found, key=lambda f: (PAPERS.index(f.values["paper"]), f.values["scale"]["name"] != "small", f.path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--out", type=Path, default=Path("docs/results.md"))
    options = parser.parse_args()
    for records in sorted(options.results.glob(f"**/{RECORDS}")):
        pack_records(records)
    folders = find_folders(options.results)
    for folder in folders:
        publish(folder)
    options.out.write_text(page(folders), encoding="utf-8")


if __name__ == "__main__":
    main()
