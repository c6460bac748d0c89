import json
from pathlib import Path

from results_page import find_folders, page, publish

ROOT = Path(__file__).parents[2]


def finding(dataset, value, half, verdict, claim="ours is better"):
    effect = {"value": value, "low": value - half, "high": value + half}
    return {"claim": claim, "dataset": dataset, "effect": effect, "seeds": 3, "verdict": verdict}


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


def test_a_claim_is_told_once_by_what_was_found_over_all_data_sets(tmp_path):
    found = [
        finding("sst2", 2, 1, "holds"),
        finding("trec", 0.5, 1, "undecided"),
        finding("all data sets", 1.25, 0.5, "holds"),
        finding("sst2", -3, 1, "fails", "theirs is worse"),
    ]
    write(tmp_path, "vat", "vat", tables=[table(found)])
    lines = page(find_folders(tmp_path)).splitlines()
    assert "2 claims: 1 hold, 1 fail, 0 are undecided." in lines
    assert [line for line in lines if line.startswith("| VAT")] == [
        "| VAT | ours is better (table 2) | sst2 holds, trec undecided | +1.25 | +0.75 to +1.75 | 3 | **holds** |",
        "| VAT | theirs is worse (table 2) | sst2 | -3 | -4 to -2 | 3 | **fails** |",
    ]


def test_data_sets_with_one_seed_are_named_beside_what_was_found_over_the_others(tmp_path):
    found = [finding("sst2", 2, 1, "holds"), finding("qqp", 0.5, 1, "undecided"), finding("trec", 1, 0.5, "holds")]
    write(tmp_path, "vat", "vat", tables=[table([*found, finding("data sets with several seeds", 1.5, 0.5, "holds")])])
    row = "| VAT | ours is better (table 2) | sst2 holds, qqp undecided, trec holds | +1.5 | +1 to +2 | 3 | **holds** |"
    assert row in page(find_folders(tmp_path)).splitlines()


def test_verdicts_that_all_data_sets_share_and_all_together_do_not_are_told_once(tmp_path):
    found = [finding(name, 1, 2, "undecided") for name in ("sst2", "trec")]
    write(tmp_path, "vat", "vat", tables=[table([*found, finding("all data sets", 1, 0.5, "holds")])])
    row = "| VAT | ours is better (table 2) | sst2, trec: each undecided | +1 | +0.5 to +1.5 | 3 | **holds** |"
    assert row in page(find_folders(tmp_path)).splitlines()


def test_a_claim_with_one_seed_has_no_interval(tmp_path):
    one = finding("sst2", 2, 1, "undecided")
    one["effect"] = {"value": 2, "low": None, "high": None}
    write(tmp_path, "vat", "vat", tables=[table([one])])
    assert "| VAT | ours is better (table 2) | sst2 | +2 | – | 3 | undecided |" in page(find_folders(tmp_path))


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
    assert "```sh\nwhyword reproduce vmask\n```" in written


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


def test_older_reproductions_are_read_too(tmp_path):
    write(tmp_path, "vat", "vat", tables=[table([finding("sst2", 2, 1, "holds")])])
    place = tmp_path / "vat" / "reproduction.json"
    place.write_text(place.read_text().replace('"tables"', '"exhibits"'))
    assert "1 claims: 1 hold" in page(find_folders(tmp_path))


def test_the_page_in_the_docs_is_what_the_results_say():
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == page(find_folders(ROOT / "results"))
