import time

import reproduction_grid
from reproduction_grid import PARTS, Costs, Grid, Part, estimate
from whyword.grids.runner import RECORDS, read_records
from whyword.papers.reproduction.paper import load_paper

FEW = "planted:train=30,dev=10,test=10"
PART = Part("words", "study", "evarm", "smoke", ("words of the gates",), (FEW,))


def test_every_part_names_a_scale_and_tables_that_there_are():
    for part in PARTS:
        paper = load_paper(part.paper)
        assert set(part.tables) <= {table.name for table in paper.tables(paper.scales[part.scale])}
    assert len({part.name for part in PARTS}) == len(PARTS)


def test_cells_are_run_until_the_time_is_up_and_what_is_recorded_is_not_run_again(tmp_path, monkeypatch, capsys):
    grid = Grid(tmp_path, None, None)
    cells = grid.cells(PART)
    assert len(cells) == 3 * 2  # models and seeds
    times = iter([0.0, 0.0, 0.0, *[10.0] * 9])
    with monkeypatch.context() as clock:
        clock.setattr(reproduction_grid.time, "monotonic", lambda: next(times))
        assert not grid.run(PART, until=5.0)
    assert len(grid.cells(PART)) == 5
    assert grid.run(PART, until=time.monotonic() + 600)
    assert grid.cells(PART) == []
    assert list((tmp_path / "study" / "models").iterdir()) == []  # what nothing needs any longer is deleted
    estimate(grid, [PART])
    assert "0.0 h     0 models      0 runs  words (study)" in capsys.readouterr().out
    grid.write(PART)
    assert "runs still missing" in (tmp_path / "study" / "reproduction.md").read_text()  # of the whole scale


def test_a_search_counts_with_the_seed_that_runs_it(tmp_path):
    part = Part("searched", "study", "vmask", "equal", ("table 3",), (FEW,), ("CNN",))
    (tmp_path / "vectors.txt").write_text("good 1 2\n")
    jobs = [job for cell in Grid(tmp_path, None, tmp_path / "vectors.txt").cells(part) for job in cell]
    costs = Costs([])
    first, second = (
        costs.seconds(next(job for job in jobs if (job.trained.variant.name, job.trained.seed) == ("CNN-base", seed)))
        for seed in (0, 1)
    )
    assert first == 4 * second  # three rates are tried
    assert read_records(tmp_path / "study" / RECORDS) == []
