"""Write docs/results.md from what `whyword reproduce` left in results/: what holds, what fails, what is not known.

Prose is written by hand: a paragraph a paper in summary.md of its first study, all else that was noticed in remarks.md
of each study, what the page as a whole has to say in results/remarks.md. Loose records are packed into one archive per
study, and pictures of figures with many of them are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from claims_chart import forest
from whyword.grids.runner import RECORDS, pack_records
from whyword.papers.reproduction.claims import FAILS, HOLDS, LEVEL, NOT_TESTED
from whyword.papers.reproduction.report import signed
from whyword.report.tables import Entry, Table, markdown

PAPERS = ("vmask", "vat", "sun-lu", "tutek", "evarm")
NAMES = {"vmask": "VMASK", "vat": "VAT", "sun-lu": "Sun & Lu", "tutek": "Tutek & Šnajder", "evarm": "E-VarM"}
CHART = "claims.svg"
PICTURES = 4  # a figure of more is left to the command that draws it
SUMMARY, REMARKS = "summary.md", "remarks.md"  # of a paper; of a study, and beside all studies of the page
HEAD = """# What reproduces

Written by `make results` from what `whyword reproduce` left in [results](../results); the paragraphs are ours. What
else was measured (word masks beside the authors' scripts, what training, explaining and serving cost) is in
[measured.md](measured.md).

A claim **holds** if its effect lies where the paper says, and **fails** if it lies elsewhere or is surely smaller than
what would matter (mostly one point, written in the paper's file). All else is **not tested**, with the reason; tested
with power are those that hold or fail. Effects are differences between runs of the same seed on test texts, the epoch
chosen on dev, averaged over the data sets with several seeds on which both rows are better than TF-IDF; intervals are
Student's, 95 %, over seeds, and over test texts too where the records tell of each text. Verdicts are corrected by
Holm over all claims of a study. What would matter, and the claims without a run, were written down after the runs at
hand had been seen."""


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


def page(folders: Sequence[Folder], remarks: str = "") -> str:
    """Write the whole page; the remarks are those on all studies."""
    parts = [HEAD, "## Summary", markdown(_counts(folders))]
    for paper, studies in groupby(folders, key=lambda folder: folder.values["paper"]):
        parts += _section(paper, list(studies))
    return "\n\n".join(part.rstrip("\n") for part in [*parts, remarks] if part) + "\n"


def _counts(folders: Sequence[Folder]) -> Table:
    """Count the verdicts of each study."""
    words = ("claims", "tested with power", HOLDS, FAILS, NOT_TESTED)
    table = [[Entry("study"), *(Entry(word, right=True) for word in words)]]
    total: Counter[str] = Counter()
    for folder in folders:
        verdicts = Counter(claim["verdict"] for claim in folder.claims)
        table.append(_line_of_counts(folder.name, verdicts))
        total += verdicts
    return [*table, _line_of_counts("all", total)]


def _line_of_counts(name: str, verdicts: Mapping[str, int]) -> list[Entry]:
    held, failed, untested = (verdicts.get(word, 0) for word in (HOLDS, FAILS, NOT_TESTED))
    numbers = (held + failed + untested, held + failed, held, failed, untested)
    return [Entry(name), *(Entry(str(number), right=True) for number in numbers)]


def _section(paper: str, studies: Sequence[Folder]) -> Iterator[str]:
    yield f"## {NAMES[paper]}: {studies[0].values['title'].partition(':')[2].strip()}"
    for folder in studies:
        if (folder.path / SUMMARY).exists():
            yield (folder.path / SUMMARY).read_text(encoding="utf-8")
    for folder in studies:
        if len(studies) > 1:
            yield f"### {folder.name}"
        yield from _study(folder)


def _study(folder: Folder) -> Iterator[str]:
    values, place = folder.values, f"../results/{folder.path.name}"
    if folder.claims:
        yield f"![claims]({place}/{CHART})"
        run = [claim for claim in folder.claims if claim["by_dataset"]]
        if run:
            yield markdown(_claim_table(run))
        if not_run := [claim["sentence"] for claim in folder.claims if not claim["by_dataset"]]:
            yield f"Not tested, as not run ({len(not_run)}): {'; '.join(not_run)}."
    if distances := _distances(folder.tables):
        yield f"Mean distance from the published numbers: {'; '.join(distances)}."
    remarks = f", [remarks]({place}/{REMARKS})" if (folder.path / REMARKS).exists() else ""
    yield f"[All tables and figures]({place}/reproduction.md){remarks}; {values['hours']:g} hours of one core:"
    yield f'```sh title="not run by tests: takes the data sets and hours"\n{values["command"]}\n```'


def _claim_table(claims: Sequence[Mapping[str, Any]]) -> Table:
    numbers = [Entry(name, right=True) for name in ("effect", "95 %", "p", "seeds")]
    table = [[Entry("claim"), *numbers, Entry("verdict"), Entry("data")]]
    for claim in claims:
        effect, found = claim["effect"], claim["by_dataset"]
        ends = "–" if effect["low"] is None else f"{signed(effect['low'])} to {signed(effect['high'])}"
        p = "–" if claim["p"] is None else f"{claim['p']:.2g}"
        seeds = sorted({one["seeds"] for one in found.values()})
        words = (signed(effect["value"]), ends, p, "–".join(str(count) for count in (seeds[:1] + seeds[1:][-1:])))
        data = ", ".join(name + (" (at the floor)" if one["at_floor"] else "") for name, one in found.items())
        untested = claim["verdict"] == NOT_TESTED
        verdict = Entry(f"{NOT_TESTED}: {_why(claim)}" if untested else claim["verdict"], strong=not untested)
        table.append([Entry(claim["sentence"]), *(Entry(word, right=True) for word in words), verdict, Entry(data)])
    return table


def _why(claim: Mapping[str, Any]) -> str:
    """Say why a claim of which there are runs is not tested."""
    if claim["obstacle"]:
        return str(claim["obstacle"])
    several = [one for one in claim["by_dataset"].values() if one["seeds"] > 1]
    if not several:
        return "one seed"
    if all(one["at_floor"] for one in several):
        return "a row no better than TF-IDF"
    if claim["p"] is None:
        return "seeds do not differ"
    if min(claim["p_holds"], claim["p_fails"]) < LEVEL:
        return f"would {'hold' if claim['p_holds'] < claim['p_fails'] else 'fail'} without Holm"
    return "interval too wide"


def _distances(tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say of each table how far ours lie from the published numbers."""
    told = []
    for table in tables:
        apart = [abs(number["difference"]) for number in table["numbers"] if number["difference"] is not None]
        if apart:
            numbers = "one number" if len(apart) == 1 else f"{len(apart)} numbers"
            told.append(f"{table['name']} {sum(apart) / len(apart):.3g} ({numbers})")
    return told


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


def read_remarks(results: Path) -> str:
    """Read what is said of all studies, if anything is."""
    place = results / REMARKS
    return place.read_text(encoding="utf-8") if place.exists() else ""


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
    options.out.write_text(page(folders, read_remarks(options.results)), encoding="utf-8")


if __name__ == "__main__":
    main()
