import json
from pathlib import Path
from xml.etree import ElementTree

from claims_chart import in_units
from results_page import find_folders, page, publish, read_remarks

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
    known |= {"p_holds": p, "p_fails": None if p is None else 1.0}
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
        "| VMASK | 1 | 0 | 0 | 0 | 1 |",
        "| VAT | 2 | 2 | 1 | 1 | 0 |",
        "| all | 3 | 2 | 1 | 1 | 1 |",
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


def test_a_claim_that_is_not_tested_says_why(tmp_path):
    untested = {
        "one seed": {**claimed("a", seeds=(1,), p=None)},
        "a row no better than TF-IDF": claimed("b", seeds=(3,), p=None, at_floor=True),
        "seeds do not differ": claimed("c", seeds=(3,), p=None),
        "would hold without Holm": {**claimed("d", p=0.2), "p_holds": 0.04},
        "would fail without Holm": {**claimed("e", p=0.2), "p_holds": 0.9, "p_fails": 0.04},
        "interval too wide": claimed("f", p=0.3),
        "too short": {**claimed("g", p=None), "obstacle": "too short"},
    }
    missing = [claimed(name, "not tested", value=None, half=None, seeds=(), p=None) for name in ("h", "i")]
    claims = [{**claim, "verdict": "not tested"} for claim in untested.values()]
    write(tmp_path, "vat", "vat", tables=[table([*claims, *missing])])
    written = page(find_folders(tmp_path))
    verdicts = [line.split(" | ")[5] for line in written.splitlines() if line.endswith(("sst2 |", "(at the floor) |"))]
    assert verdicts == [f"not tested: {why}" for why in untested]
    assert "\n\nNot tested, as not run (2): h (table 2); i (table 2).\n\n" in written


def test_distances_from_published_numbers_are_told_by_table(tmp_path):
    numbers = [number("sst2", "a", 85.0, 80.0), number("trec", "b", 88.0, 90.0), number("subj", "c", 50.0, None)]
    one = table(numbers=[number("sst2", "a", 1.0, 3.0)], name="table 3")
    write(tmp_path, "vat", "vat", tables=[table(numbers=numbers), one, table(name="table 4")])
    told = "Mean distance from the published numbers: table 2 3.5 (2 numbers); table 3 2 (one number)."
    assert told in page(find_folders(tmp_path)).splitlines()


def test_papers_have_their_order_a_paragraph_and_links_to_the_rest(tmp_path):
    write(tmp_path, "vat-minilm", "vat", "minilm", [table([claimed()])])
    write(tmp_path, "vat", "vat")
    write(tmp_path, "vmask", "vmask")
    (tmp_path / "vat" / "summary.md").write_text("It did not hold.\n")
    (tmp_path / "vat-minilm" / "remarks.md").write_text("At length.\n")
    assert read_remarks(tmp_path) == ""
    (tmp_path / "remarks.md").write_text("## Not tested here\n\nIMDB.\n")
    written = page(find_folders(tmp_path), read_remarks(tmp_path))
    heads = [line for line in written.splitlines() if line.startswith("##")]
    vat = ["## VAT: something", "### VAT", "### VAT, minilm"]
    assert heads == ["## Summary", "## VMASK: something", *vat, "## Not tested here"]
    assert "## VAT: something\n\nIt did not hold.\n\n### VAT\n" in written
    assert "At length." not in written
    assert "[All tables and figures](../results/vat/reproduction.md); 1.5 hours" in written
    assert "(../results/vat-minilm/reproduction.md), [remarks](../results/vat-minilm/remarks.md); 1.5" in written
    assert '```sh title="not run by tests: takes the data sets and hours"\nwhyword reproduce vmask\n```' in written
    assert written.endswith("\n\nIMDB.\n")


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
    results = ROOT / "results"
    written = page(find_folders(results), read_remarks(results))
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == written
