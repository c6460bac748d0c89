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

from whyword.grids.runner import RECORDS, pack_records
from whyword.papers.reproduction.report import signed
from whyword.papers.reproduction.tables import EVERYWHERE, FAILS, HOLDS, REPEATED, UNDECIDED
from whyword.report.tables import Entry, Table, markdown

PAPERS = ("vmask", "vat", "sun-lu", "tutek", "evarm")
NAMES = {"vmask": "VMASK", "vat": "VAT", "sun-lu": "Sun & Lu", "tutek": "Tutek & Šnajder", "evarm": "E-VarM"}
TOGETHER = (EVERYWHERE, REPEATED)
PICTURES = 4  # a figure of more is left to its folder
HEAD = """# What reproduces

Written by `make results` from what `whyword reproduce` left in [results](../results); the remarks are ours. What else
was measured (word masks beside the authors' scripts, what training, explaining and serving cost) is in
[measured.md](measured.md).

Accuracies are on test texts, in percent, the epoch chosen on dev. An effect is the difference that a paper asserts,
between runs of the same seed, averaged over seeds, with Student's 95 % interval. A claim **holds** if the whole
interval lies where the paper says, **fails** if none of it does, and is undecided otherwise. The papers mostly give
one run each: what is undecided here often rests on more runs than it was published with. A data set with one seed is
left out of an effect over several that have more. Verdicts are not corrected for their number: where there is no effect
at all, one in twenty still holds or fails."""


@dataclass(frozen=True)
class Claimed:
    """One claim of a paper: the result over several data sets, and those of each."""

    sentence: str
    table: str
    results: Sequence[Mapping[str, Any]]

    @property
    def whole(self) -> Mapping[str, Any]:
        """The result that stands for all: over several data sets, or the only one."""
        return next((f for f in self.results if f["dataset"] in TOGETHER), self.results[0])

    @property
    def single(self) -> list[Mapping[str, Any]]:
        """The results of single data sets."""
        return [result for result in self.results if result["dataset"] not in TOGETHER]


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
        """All tables and figures; older reproductions call them exhibits."""
        tables: Sequence[Mapping[str, Any]] = self.values.get("tables", self.values.get("exhibits"))
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
    def claims(self) -> Iterator[Claimed]:
        """Give each claim once, with all its results."""
        for table in self.tables:
            for sentence in dict.fromkeys(result["claim"] for result in table["claims"]):
                results = [result for result in table["claims"] if result["claim"] == sentence]
                yield Claimed(sentence, table["name"], results)


def page(folders: Sequence[Folder]) -> str:
    """Write the whole page."""
    claims = [(folder, claim) for folder in folders for claim in folder.claims]
    verdicts = Counter(claim.whole["verdict"] for _, claim in claims)
    told = f"{verdicts[HOLDS]} hold, {verdicts[FAILS]} fail, {verdicts[UNDECIDED]} are undecided"
    parts = [HEAD, "## Claims", f"{len(claims)} claims: {told}.", markdown(_claim_table(claims))]
    for folder in folders:
        parts += _section(folder)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _claim_table(claims: Sequence[tuple[Folder, Claimed]]) -> Table:
    numbers = [Entry(name, right=True) for name in ("effect", "95 %", "seeds")]
    table = [[Entry("paper"), Entry("claim"), Entry("data"), *numbers, Entry("verdict")]]
    for folder, claim in claims:
        whole = claim.whole
        effect = whole["effect"]
        interval = "–" if effect["low"] is None else f"{signed(effect['low'])} to {signed(effect['high'])}"
        table.append(
            [
                Entry(folder.name),
                Entry(f"{claim.sentence} ({claim.table})"),
                Entry(_by_data(claim)),
                *(Entry(words, right=True) for words in (signed(effect["value"]), interval, str(whole["seeds"]))),
                Entry(whole["verdict"], strong=whole["verdict"] != UNDECIDED),
            ]
        )
    return table


def _by_data(claim: Claimed) -> str:
    """Name the data sets; where their verdicts differ, also these."""
    verdicts = {result["dataset"]: result["verdict"] for result in claim.single}
    distinct = {*verdicts.values()}
    if len(distinct) == 1:
        return ", ".join(verdicts) + ("" if claim.whole["verdict"] in distinct else f": each {distinct.pop()}")
    return ", ".join(f"{name} {verdict}" for name, verdict in verdicts.items())


def _section(folder: Folder) -> Iterator[str]:
    values, place = folder.values, f"../results/{folder.path.name}"
    yield f"## {folder.name}: {values['title'].partition(':')[2].strip()}"
    cost = f"{values['hours']:g} hours of one core, with {values['versions']}"
    yield f"[All tables and figures]({place}/reproduction.md): {cost}."
    yield f"```sh\n{values['command']}\n```"
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
    """Leave out the pictures of figures with too many of them, which `--finished` draws anew from the records."""
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
