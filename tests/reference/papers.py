"""What every paper's file must keep: its tables can be planned at every scale, and made at the smallest."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyword.grids.source import Source, find_source
from whyword.papers.reproduction import plan as reproduction
from whyword.papers.reproduction.paper import Paper
from whyword.papers.reproduction.plan import Made, Plan, gather, plan, run
from whyword.papers.reproduction.report import Reproduced

FEW = "planted:train=30,dev=10,test=10"


def plan_without_data(paper: Paper, scale: str, folder: Path, monkeypatch: Any) -> Plan:
    """Plan a whole scale as if its data sets were there."""

    def found(name: str, columns: Any, data_dir: Any, rows: int | None) -> Source:
        return find_source(name, rows=rows) if name.startswith("planted") else Source(name, name, name, rows=rows)

    monkeypatch.setattr(reproduction, "find_source", found)
    (folder / "vectors.txt").write_text("good 0.1 0.2\n")
    size = paper.scales[scale]
    return plan(paper.exhibits(size), size, folder, folder / "vectors.txt")


def check_plan(paper: Paper, scale: str, todo: Plan) -> None:
    """Every run can be configured, and every claim and published number is of a row that is there."""
    for inquiry in {inquiry.trial.run.name: inquiry for inquiry in todo.inquiries.values()}.values():
        assert inquiry.trial.config.seed == inquiry.trial.seed
    assert pickle.loads(pickle.dumps(todo.inquiries)) == todo.inquiries  # so that other processes can be asked
    for exhibit in paper.exhibits(paper.scales[scale]):
        rows = [row.name for row in exhibit.rows]
        assert rows
        assert len(set(rows)) == len(rows), exhibit.name
        for claim in exhibit.claims:
            assert claim.row in rows, claim
            assert claim.other in (None, *rows), claim
        if scale == "full":
            assert {row for _, row, _ in exhibit.published} <= set(rows), exhibit.name
            assert {data for data, _, _ in exhibit.published} <= set(paper.scales["full"].datasets), exhibit.name


def make_smoke(paper: Paper, folder: Path) -> dict[str, Made]:
    """Make everything at the smallest scale on even fewer texts, and write it."""
    size = replace(paper.scales["smoke"], datasets=(FEW,), seeds=1, sample=4, samples=20, permutations=2)
    size = replace(size, training={**size.training, "epochs": 1})
    todo = plan(paper.exhibits(size), size, folder)
    records = {record["cell"]: record for record in run(todo, folder)}
    assert [record["failed"] for record in records.values() if "failed" in record] == []
    made = gather(todo, records)
    whole = Reproduced(paper, "smoke", size, made)
    whole.save(folder)
    assert "Nothing is there yet" not in str(whole)
    assert "no such numbers" not in whole.markdown()
    for one in made:
        columns = {number.column for number in one.numbers}
        assert {claim.column for claim in one.exhibit.claims} <= columns, one.exhibit.name
        pictures = list(folder.glob(f"{one.exhibit.name.replace(' ', '-')}-*.png"))
        assert bool(pictures) == (one.exhibit.draw is not None)
    return {one.exhibit.name: one for one in made}
