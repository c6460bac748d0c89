import json
from pathlib import Path
from xml.etree import ElementTree

from claims_chart import in_units
from results_page import find_folders, page, publish

ROOT = Path(__file__).parents[2]


def claimed(claim="ours is better", verdict="holds", value=2.0, half=1.0, seeds=(3,), p=0.01, at_floor=False):
    effect = {
        "value": value,
        "low": None if half is None else value - half,
        "high": None if half is None else value + half,
    }
    by_dataset = {
        name: {"effect": effect, "seeds": count, "with_texts": False, "at_floor": at_floor}
        for name, count in zip(("sst2", "trec"), seeds, strict=False)
    }
    known = {"claim": claim, "effect": effect, "by_dataset": by_dataset, "p": p, "verdict": verdict}
    return {**known, "margin": 0.0, "within": False, "relevant": 1.0, "obstacle": ""}


def number(dataset, row, ours, published):
    difference = None if published is None else ours - published
    values = {"dataset": dataset, "row": row, "column": "value", "ours": {"value": ours}}
    return {**values, "published": published, "difference": difference}


def write(results, name, paper, scale="small", tables=()):
    values = {"paper": paper, "title": "Somebody (2020): something", "scale": {"name": scale}, "tables": tables}
    values |= {"command": f"whyword reproduce {paper}", "hours": 1.5, "versions": "torch 2"}
    (results / name).mkdir()
    (results / name / "reproduction.json").write_text(json.dumps(values))


def table(claims=(), numbers=(), name="table 2"):
    return {"name": name, "title": "Accuracy", "claims": list(claims), "numbers": list(numbers)}


def test_claims_are_counted_by_study_and_listed_with_effect_interval_and_corrected_p(tmp_path):
    third = {**claimed("a third", "not tested", half=None, seeds=(1,), p=None), "obstacle": "too short"}
    claims = [claimed(seeds=(3, 5)), claimed("theirs is worse", "fails", -3.0, at_floor=True)]
    write(tmp_path, "vat", "vat", tables=[table(claims)])
    write(tmp_path, "vmask", "vmask", tables=[table([third])])
    lines = page(find_folders(tmp_path)).splitlines()
    assert [line for line in lines if line.startswith(("| VMASK", "| VAT", "| all"))] == [
        "| VMASK | 1 | 0 | 0 | 1 |",
        "| VAT | 2 | 1 | 1 | 0 |",
        "| all | 3 | 1 | 1 | 1 |",
    ]
    assert [line for line in lines if "(table 2)" in line] == [
        "| a third (table 2) | +2 | – | – | 1 | not tested: too short | sst2 |",
        "| ours is better (table 2) | +2 | +1 to +3 | 0.01 | 3–5 | **holds** | sst2, trec |",
        "| theirs is worse (table 2) | -3 | -4 to -2 | 0.01 | 3 | **fails** | sst2 (at the floor) |",
    ]


def test_claims_are_drawn_in_units_of_what_would_matter(tmp_path):
    within = {**claimed("close", "not tested", 1.0, 3.0), "margin": 2.0, "within": True}
    large = {**claimed("large", value=9.0), "margin": 1.0, "relevant": 4.0}
    assert [in_units(within, 1.0), in_units(large, 9.0)] == [0.5, 2.0]
    write(tmp_path, "vat", "vat", tables=[table([within, large, claimed("far", "fails", -90.0)])])
    (folder,) = find_folders(tmp_path)
    (tmp_path / "vat" / "reproduction.md").write_text("")
    publish(folder)
    drawn = ElementTree.parse(tmp_path / "vat" / "claims.svg").getroot()
    marks = [part.get("class") for part in drawn.iter() if (part.get("class") or "").startswith("dot")]
    assert marks == ["dot not-tested", "dot holds"]  # the third lies outside: an arrow points to it
    assert "![claims](../results/vat/claims.svg)" in page([folder])


def test_distances_from_published_numbers_are_told_with_the_furthest(tmp_path):
    numbers = [number("sst2", "a", 85.0, 80.0), number("trec", "b", 88.0, 90.0), number("subj", "c", 50.0, None)]
    write(tmp_path, "vat", "vat", tables=[table(numbers=numbers)])
    row = "| table 2, Accuracy | 2 | +1.5 | 3.5 | a on sst2: 85 instead of 80 |"
    assert row in page(find_folders(tmp_path)).splitlines()


def test_papers_have_their_order_their_remarks_and_a_few_pictures(tmp_path):
    write(tmp_path, "vat-minilm", "vat", "minilm", [table(name="figure 4"), table(name="figure 5")])
    write(tmp_path, "vat", "vat")
    write(tmp_path, "vmask", "vmask")
    (tmp_path / "vat-minilm" / "remarks.md").write_text("It did not hold.\n")
    for file in ("figure-4-sst2.png", *(f"figure-5-{i}.png" for i in range(7))):
        (tmp_path / "vat-minilm" / file).touch()
    written = page(find_folders(tmp_path))
    heads = [line for line in written.splitlines() if line.startswith("## ")]
    assert heads == ["## Claims", "## VMASK: something", "## VAT: something", "## VAT, minilm: something"]
    assert "\n\nIt did not hold.\n\n" in written
    assert "![figure-4-sst2](../results/vat-minilm/figure-4-sst2.png)" in written
    assert "figure-5" not in written
    assert '```sh title="not run by tests: takes the data sets and hours"\nwhyword reproduce vmask\n```' in written


def test_many_pictures_of_a_figure_are_left_to_the_command_that_draws_them(tmp_path):
    write(tmp_path, "vat", "vat", tables=[table(name="figure 4"), table(name="figure 5")])
    names = ["figure-4-sst2.png", *(f"figure-5-{i}.png" for i in range(7))]
    images = [f"![{name}]({name})" for name in names]
    place = tmp_path / "vat" / "reproduction.md"
    place.write_text("\n\n".join(["# VAT", images[0], "Four.", *images[1:], "Five.\n"]))
    for name in names:
        (tmp_path / "vat" / name).touch()
    (folder,) = find_folders(tmp_path)
    publish(folder)
    assert [path.name for path in (tmp_path / "vat").glob("*.png")] == names[:1]
    told = "7 pictures, which the command above draws from the records with `--finished`."
    assert place.read_text() == "\n\n".join(["# VAT", images[0], "Four.", told, "Five.\n"])
    publish(folder)
    assert told in place.read_text()


def test_the_page_in_the_docs_is_what_the_results_say():
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == page(find_folders(ROOT / "results"))
