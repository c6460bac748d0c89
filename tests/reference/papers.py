"""What every paper's file must keep: its tables can be planned at every scale, and made at the smallest."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyword.grids.variant import Source, find_source
from whyword.papers.reproduction import tables
from whyword.papers.reproduction.paper import Paper
from whyword.papers.reproduction.report import ReproductionReport
from whyword.papers.reproduction.tables import Plan, ReproducedTable, collect, plan, run

FEW = "planted:train=30,dev=10,test=10"


def plan_without_data(paper: Paper, scale: str, folder: Path, monkeypatch: Any) -> Plan:
    """Plan a whole scale as if its data sets were there."""

    def found(name: str, columns: Any, data_dir: Any, rows: int | None) -> Source:
        return find_source(name, rows=rows) if name.startswith("planted") else Source(name, name, name, rows=rows)

    monkeypatch.setattr(tables, "find_source", found)
    (folder / "vectors.txt").write_text("good 0.1 0.2\n")
    size = paper.scales[scale]
    return plan(paper.tables(size), size, folder, folder / "vectors.txt")


def check_plan(paper: Paper, scale: str, todo: Plan) -> None:
    """Every run can be configured, and every claim and published number is of a row that is there."""
    for job in {job.trained.variant.name: job for job in todo.jobs.values()}.values():
        assert job.trained.config.seed == job.trained.seed
    assert pickle.loads(pickle.dumps(todo.jobs)) == todo.jobs  # so that other processes can run them
    for table in paper.tables(paper.scales[scale]):
        rows = [row.name for row in table.rows]
        assert rows
        assert len(set(rows)) == len(rows), table.name
        for claim in table.claims:
            assert claim.row in rows, claim
            assert claim.other in (None, *rows), claim
        if scale == "full":
            assert {row for _, row, _ in table.published} <= set(rows), table.name
            assert {data for data, _, _ in table.published} <= set(paper.scales["full"].datasets), table.name


def make_smoke(paper: Paper, folder: Path) -> dict[str, ReproducedTable]:
    """Make everything at the smallest scale on even fewer texts, and write it."""
    size = replace(paper.scales["smoke"], datasets=(FEW,), seeds=1, sample=4, samples=20, permutations=2)
    size = replace(size, training={**size.training, "epochs": 1})
    todo = plan(paper.tables(size), size, folder)
    records = {record.name: record for record in run(todo, folder)}
    assert [record.failed for record in records.values() if record.failed] == []
    reproduced = collect(todo, records)
    whole = ReproductionReport(paper, "smoke", size, reproduced)
    whole.save(folder)
    assert "Nothing is there yet" not in str(whole)
    assert "no such numbers" not in whole.markdown()
    for one in reproduced:
        columns = {number.column for number in one.numbers}
        assert {claim.column for claim in one.table.claims} <= columns, one.table.name
        pictures = list(folder.glob(f"{one.table.name.replace(' ', '-')}-*.png"))
        assert bool(pictures) == (one.table.draw is not None)
    return {one.table.name: one for one in reproduced}
