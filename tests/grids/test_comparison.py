import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

from reference.run_records import run_record
from whyword.grids.comparison import Comparison
from whyword.maths.stats.comparisons import crossed_difference, holm

SEEDS, TEXTS = 3, 200


def answers(share, seed):
    return np.random.default_rng(seed).random(TEXTS) < share


def records(dataset="reviews", encoder="lstm", **shares):
    """Give methods by name with the share of right answers, which is also how much better than chance they explain."""
    found = []
    for number, (method, share) in enumerate(shares.items()):
        for seed in range(SEEDS):
            right = answers(share, 10 * number + seed)
            better = share + 0.1 * np.random.default_rng(99 + 10 * number + seed).normal(size=50)
            found.append(run_record(right, better, dataset, encoder, method, seed))
    return found


def test_accuracy_is_the_mean_over_seeds_with_the_t_interval():
    found = records(base=0.7)
    accuracies = [record.result["accuracy"] for record in found]
    (row,) = Comparison(found).rows
    interval = stats.t.interval(0.95, SEEDS - 1, np.mean(accuracies), stats.sem(accuracies))
    assert (row.accuracy.mean.low, row.accuracy.mean.high) == pytest.approx(interval)
    assert row.accuracy.difference is None


def test_differences_are_paired_with_the_baseline_of_the_same_encoder_and_corrected_together():
    comparison = Comparison(records(base=0.6, vmask=0.65, vat=0.72))
    right = {
        m: np.stack([answers(s, 10 * n + k) for k in range(SEEDS)])
        for n, (m, s) in enumerate({"base": 0.6, "vmask": 0.65, "vat": 0.72}.items())
    }
    expected = [crossed_difference(right[m].astype(float), right["base"].astype(float)) for m in ("vmask", "vat")]
    found = [row.accuracy.difference for row in comparison.rows[1:]]
    assert [d.value for d in found] == pytest.approx([d.value for d in expected])
    assert [d.p for d in found] == pytest.approx(holm(np.array([d.p for d in expected])).tolist())


def test_another_encoder_has_a_baseline_of_its_own_or_none():
    found = records(base=0.5, vmask=0.6) + records(encoder="cnn", vmask=0.9)
    by_encoder = {(row.encoder, row.method): row.accuracy.difference for row in Comparison(found).rows}
    assert by_encoder["lstm", "vmask"] is not None
    assert by_encoder["cnn", "vmask"] is None


def test_only_what_is_better_beyond_chance_is_marked_as_best():
    clear = Comparison(records(base=0.5, vmask=0.9, vat=0.6)).rows
    assert [row.accuracy.best for row in clear] == [False, True, False]
    assert [row.interpretability.best for row in clear] == [False, True, False]
    close = Comparison(records(base=0.8, vmask=0.81)).rows
    assert not any(row.accuracy.best for row in close)
    assert not Comparison(records(base=0.9)).rows[0].accuracy.best


def test_only_shared_seeds_are_paired():
    found = [record for record in records(base=0.5, vmask=0.9) if (record.method, record.seed) != ("base", 2)]
    base, vmask = Comparison(found).rows
    assert (len(base.records), len(vmask.records)) == (2, 3)
    assert vmask.accuracy.difference.value == pytest.approx(
        np.mean([r.result["accuracy"] for r in found[2:4]]) - np.mean([r.result["accuracy"] for r in found[:2]])
    )


def test_a_failed_run_is_told_everywhere_and_leaves_the_numbers_alone():
    found = records(base=0.7)
    failure = replace(found[0], method="vmask", failed="It does not suit.")
    comparison = Comparison([*found, failure], command="whyword compare reviews")
    assert comparison.values() == Comparison(found).values()
    for text in (str(comparison), comparison.to_markdown(), comparison.to_latex(), comparison.to_html()):
        assert "It does not suit." in text


def test_a_cap_of_the_training_texts_is_told_everywhere():
    comparison = Comparison([replace(record, rows=1500) for record in records(base=0.7)])
    for text in (str(comparison), comparison.to_markdown(), comparison.to_latex(), comparison.to_html()):
        assert re.search(r"capped at\s1,500", text)
    assert comparison.values()[0]["rows"] == 1500
    assert "capped" not in Comparison(records(base=0.7)).to_markdown()


def test_csv_json_and_frame_hold_the_same_numbers():
    pandas = pytest.importorskip("pandas")
    comparison = Comparison(records(base=0.5, vmask=0.9))
    values = comparison.values()
    for read, row in zip(csv.DictReader(io.StringIO(comparison.to_csv())), values, strict=True):
        assert {name: "" if value is None else str(value) for name, value in row.items()} == read
    assert json.loads(json.dumps(comparison.to_dict()))["rows"] == values
    frame = comparison.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["accuracy"].tolist() == [row["accuracy"] for row in values]


def test_markdown_is_one_table_with_the_best_in_bold():
    table, _, notes = Comparison(records(base=0.5, vmask=0.9)).to_markdown().partition("\n\n")
    lines = table.splitlines()
    assert len(lines) == 4
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    assert "**" in lines[3]
    assert "**" not in lines[2]
    assert all(line.startswith("- ") for line in notes.splitlines())


def test_latex_is_booktabs_and_names_are_escaped():
    text = Comparison(records(r"50%_{a}&b\c", base=0.5, vmask=0.9)).to_latex()
    assert r"50\%\_\{a\}\&b\textbackslash{}c & lstm & base" in text
    assert all(rule in text for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\textbf{"))
    head, *rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {head.count("&")}


def test_intervals_of_shares_stay_between_0_and_100_percent_in_every_form():
    right = [np.arange(TEXTS) < share * TEXTS for share in (0.66, 0.86)]  # 76 % ± 127 %, were there no bounds
    two = [run_record(answer, [0.5, 0.7], method=m, seed=n) for m in ("base", "vat") for n, answer in enumerate(right)]
    comparison = Comparison(two)
    for form in (str(comparison), comparison.to_markdown(), comparison.to_latex()):
        assert "76.0 (0.0 to 100.0)" in form
        assert "Two seeds: the interval is wide" in form
    page = comparison.to_html()
    assert "0.0% to 100.0%" in page
    assert "Two seeds" in page
    for row in comparison.values():
        assert (row["accuracy_low"], row["accuracy_high"]) == (0, 1)
    low, high = (comparison.values()[1][f"accuracy_difference_{end}"] for end in ("low", "high"))
    assert -1 <= low <= 0 <= high <= 1
    assert "Two seeds" not in str(Comparison(records(base=0.7)))


def test_scores_that_are_shares_have_such_intervals_and_others_their_own():
    found = records(base=0.7)[:2]
    for record, value in zip(found, (0.1, 0.9), strict=True):
        record.result["scores"] = {
            name: {"value": value, "advantages": [0.1]} for name in ("rationale-f1", "sufficiency")
        }
    (row,) = Comparison(found, measure="sufficiency").rows
    assert (row.score("rationale-f1").low, row.score("rationale-f1").high) == (0, 1)
    assert row.score("sufficiency").low < 0 < 1 < row.score("sufficiency").high


def test_one_seed_gives_no_interval_and_no_method_to_compare_with_no_differences():
    comparison = Comparison(records(base=0.7)[:1])
    assert "±" not in str(comparison).splitlines()[1]
    assert "Δ" not in comparison.to_markdown()
    assert comparison.values()[0]["accuracy_low"] is None
    assert any("One seed" in note for note in comparison.notes())


def test_nothing_explained_leaves_accuracy_alone():
    found = [
        replace(r, result={k: v for k, v in r.result.items() if k not in ("scores", "explainer", "explained_texts")})
        for r in records(base=0.5, vmask=0.9)
    ]
    comparison = Comparison(found)
    assert "comprehensiveness" not in comparison.to_markdown()
    assert comparison.values()[1]["interpretability"] is None
    assert "<figure" not in comparison.to_html()


def test_some_rows_may_lack_explanations():
    found = records(base=0.5, vmask=0.9)
    found = [replace(r, result={**r.result, "scores": {}}) if r.method == "base" else r for r in found]
    base, vmask = Comparison(found).rows
    assert base.interpretability is None
    assert vmask.interpretability.difference is None
    assert "–" in str(Comparison(found))


def test_save_writes_every_form(tmp_path):
    comparison = Comparison(records(base=0.5, vmask=0.9))
    comparison.save(tmp_path / "deep" / "out")
    names = sorted(path.name for path in (tmp_path / "deep" / "out").iterdir())
    assert names == ["comparison.html", "comparison.json", "leaderboard.csv", "leaderboard.md", "leaderboard.tex"]


def test_if_all_runs_failed_there_is_still_a_report(tmp_path):
    failure = replace(records(base=0.7)[0], failed="No.")
    comparison = Comparison([failure])
    comparison.save(tmp_path)
    assert "No." in str(comparison)


EVIL = '<script>alert("1")</script>&'


class Reader(HTMLParser):
    """Lists tags, and all attributes that could fetch something."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.addresses, self.open = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "srcset")]
        if tag not in ("meta", "link", "br", "path", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("path", "rect"):
            return
        assert self.open.pop() == tag


def page(dataset="reviews", command="whyword compare reviews", rows=(("base", 0.5), ("vmask", 0.9))):
    records = [
        run_record([i < 20 * share for i in range(20)], [share + seed / 100] * 5, dataset, "lstm", method, seed)
        for method, share in rows
        for seed in range(2)
    ]
    return Comparison(records, command=command).to_html()


def test_the_page_is_whole_and_asks_nobody_for_anything():
    reader = Reader(page())
    assert reader.open == []
    assert "script" not in reader.tags
    assert all(address.startswith("#") for address in reader.addresses)


def test_it_shows_each_data_set_with_a_picture_and_a_table():
    text = page()
    reader = Reader(text)
    assert reader.tags.count("figure") == reader.tags.count("details") == 1
    assert reader.tags.count("table") == 2
    assert "prefers-color-scheme: dark" in text
    assert "90.0%" in text


def test_strangers_names_are_escaped():
    text = page(dataset=EVIL, command=f"whyword compare '{EVIL}'", rows=((EVIL, 0.5), ("b", 0.6)))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_command_that_reproduces_it_is_shown_if_there_is_one():
    assert "<code>whyword compare reviews</code>" in page()
    assert "This command again" not in page(command=None)


def test_the_picture_says_its_numbers_in_words():
    assert "vmask: accuracy 90.0 %" in page()
    assert "Not beaten in both: vmask." in page()


@pytest.mark.parametrize("count", [1, 9], ids=["one method", "nine methods"])
def test_any_number_of_methods_fits(count):
    text = page(rows=[(f"method{i}", 0.1 * (i + 1)) for i in range(count)])
    assert Reader(text).open == []
