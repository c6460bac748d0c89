import shutil
from dataclasses import replace
from math import isnan

import pytest

from reference.trials import TEXTS, tiny_run
from whyword.data.planted import planted
from whyword.interfaces.errors import OptionError, WhywordError
from whyword.papers.evaluations import accuracy
from whyword.papers.evaluations.accuracy import Accuracy
from whyword.papers.evaluations.examples import Examples
from whyword.papers.evaluations.explained import Explained
from whyword.papers.reproduction.paper import Claim, Exhibit, Paper, Row, Scale
from whyword.papers.reproduction.plan import as_values, choose_exhibits, gather, interviews, plan, resize, run

VALUE = accuracy.accuracy_on_test
OURS, THEIRS = tiny_run("vmask", "ours"), tiny_run("base", "theirs")
SCALE = Scale(datasets=(TEXTS,), seeds=2, families=("LSTM", "BERT"))
TABLE = Exhibit(
    "table 1",
    "Accuracy",
    (Row("ours", OURS, Accuracy(), VALUE), Row("theirs", THEIRS, Accuracy(), VALUE)),
    {(TEXTS, "ours", "value"): 90.0},
    (Claim("ours is better", "ours", "theirs", "value"),),
)
FIGURE = Exhibit("figure 1", "Words", (Row("ours", OURS, Examples(), lambda _: {}),))
PAPER = Paper("paper", "A paper", {"small": SCALE}, lambda scale: (TABLE, FIGURE))


def answered(todo, reached):
    """Records as they would be, with an accuracy for each run and seed."""
    return {
        inquiry.name: {"answer": {"test_accuracy": reached[inquiry.trial.run.name][inquiry.trial.seed], "texts": []}}
        for inquiry in todo.inquiries.values()
        if inquiry.trial.seed in reached[inquiry.trial.run.name]
    }


def write_data(folder):
    folder.mkdir(parents=True)
    data = planted("train=20,dev=5,test=5")
    for split in ("train", "dev", "test"):
        rows = [f'"{d.words.texts[0]}",{d.label}\n' for d in getattr(data, split)]
        (folder / f"{split}.csv").write_text("text,label\n" + "".join(rows))


def test_tables_are_chosen_by_name_in_the_order_asked_for():
    assert choose_exhibits(PAPER, SCALE, None) == choose_exhibits(PAPER, SCALE, []) == (TABLE, FIGURE)
    assert choose_exhibits(PAPER, SCALE, ["figure 1", "table 1", "figure 1"]) == (FIGURE, TABLE)
    both = replace(FIGURE, also=("figure 2",))
    paper = replace(PAPER, exhibits=lambda scale: (TABLE, both))
    assert choose_exhibits(paper, SCALE, ["figure 2", "figure 1"]) == (both,)
    with pytest.raises(WhywordError, match=r"No 'table 2' in the tables and figures of paper.*figure 1.*table 1"):
        choose_exhibits(PAPER, SCALE, ["table 2"])


def test_every_row_is_asked_on_every_data_set_with_every_seed(tmp_path):
    scale = replace(SCALE, datasets=(TEXTS, "planted:train=30,dev=10,test=12"))
    todo = plan([TABLE, FIGURE], scale, tmp_path)
    assert len(todo.inquiries) == (2 + 1) * 2 * 2
    assert {seed for *_, seed in todo.inquiries} == {0, 1}


def test_a_path_that_ends_in_the_name_of_a_data_set_meets_its_published_numbers(tmp_path):
    write_data(tmp_path / "copy" / "sst2")
    table = replace(TABLE, published={("sst2", "ours", "value"): 85.5}, datasets=("sst2",))
    todo = plan([table], replace(SCALE, datasets=(str(tmp_path / "copy" / "sst2"),)), tmp_path)
    (made,) = gather(todo, answered(todo, {"ours": {0: 0.8, 1: 0.9}, "theirs": {}}))
    (number,) = made.numbers
    assert (number.dataset, number.published) == ("sst2", 85.5)
    assert number.difference == pytest.approx(-0.5)


def test_two_data_sets_of_one_name_are_refused_but_the_same_one_twice_is_read_once(tmp_path):
    write_data(tmp_path / "a" / "sst2")
    write_data(tmp_path / "b" / "sst2")
    places = tuple(str(tmp_path / folder / "sst2") for folder in "ab")
    with pytest.raises(OptionError, match="Two of the data sets are called sst2"):
        plan([TABLE], replace(SCALE, datasets=places), tmp_path)
    assert len(plan([TABLE], replace(SCALE, datasets=places[:1] * 2), tmp_path).inquiries) == 4


def test_a_table_is_made_for_the_data_sets_it_is_about_and_left_out_elsewhere(tmp_path):
    elsewhere = replace(TABLE, name="table 2", datasets=("twitter",))
    todo = plan([TABLE, elsewhere], SCALE, tmp_path)
    assert todo.exhibits == (TABLE,)
    assert len(plan([replace(TABLE, datasets=("planted",))], SCALE, tmp_path).inquiries) == 4
    with pytest.raises(OptionError, match="nothing of table 2 to make for planted"):
        plan([elsewhere], SCALE, tmp_path)


def test_a_scale_is_brief_about_some_data_sets_and_makes_only_the_main_rows_of_them(tmp_path):
    table = replace(TABLE, rows=(TABLE.rows[0], replace(TABLE.rows[1], main=False)))
    todo = plan([table], replace(SCALE, brief=(TEXTS,)), tmp_path)
    assert {row for _, _, row, _ in todo.inquiries} == {"ours"}
    assert {row for _, _, row, _ in plan([table], SCALE, tmp_path).inquiries} == {"ours", "theirs"}


def test_a_run_that_starts_from_word_vectors_asks_for_their_file(tmp_path):
    table = replace(TABLE, rows=(replace(TABLE.rows[0], run=replace(OURS, vectors=True)),))
    with pytest.raises(OptionError, match="ours starts from word vectors: name their file with --embeddings"):
        plan([table], SCALE, tmp_path)
    (tmp_path / "vectors.txt").write_text("good 1 2\n")
    (first, _) = plan([table], SCALE, tmp_path, tmp_path / "vectors.txt").inquiries.values()
    assert first.trial.config.embeddings == str(tmp_path / "vectors.txt")
    (tmp_path / "vectors.txt").write_text("good 1 3\n")
    (changed, _) = plan([table], SCALE, tmp_path, tmp_path / "vectors.txt").inquiries.values()
    assert changed.name != first.name


def judged_by(judge):
    return Exhibit("table 2", "", (Row("ours", OURS, Explained("own", {}, 5, judge=judge), lambda _: {}),))


def asked(interviews):
    return [[(i.trial.run.name, i.question.name) for i in interview.inquiries] for interview in interviews]


def test_a_trial_is_asked_everything_at_once_and_what_a_judge_says_comes_when_both_are_trained(tmp_path):
    todo = plan([judged_by(THEIRS), TABLE, FIGURE], replace(SCALE, seeds=1), tmp_path)
    first, second = interviews(todo.asked, tmp_path)
    assert sorted(map(sorted, asked(first))) == [[("ours", "accuracy"), ("ours", "examples")], [("theirs", "accuracy")]]
    assert asked(second) == [[("ours", "explained")]]


def test_models_that_are_gone_are_trained_before_they_are_asked_or_judge(tmp_path):
    todo = plan([judged_by(THEIRS)], replace(SCALE, seeds=1), tmp_path)
    assert [i.question.name for i in todo.asked] == ["accuracy", "accuracy", "explained"]
    left = [i for i in todo.asked if i.judge is not None]
    first, second = interviews(left, tmp_path)
    assert asked(first) == [[("ours", "accuracy")], [("theirs", "accuracy")]]
    for trial in (left[0].trial, left[0].judge):
        trial.folder.mkdir(parents=True)
        (trial.folder / "config.json").write_text("{}")
    assert interviews(left, tmp_path) == ([], second)


def test_two_questions_to_a_model_that_is_gone_train_it_once(tmp_path):
    both = replace(FIGURE, rows=tuple(Row(f"{n}", OURS, Examples(texts=n), lambda _: {}) for n in (1, 2)))
    todo = plan([TABLE, both], replace(SCALE, seeds=1), tmp_path)
    list(run(todo, tmp_path))
    shutil.rmtree(tmp_path / "models")
    for place in (tmp_path / "cells").glob("*-examples-*"):
        place.unlink()
    records = list(run(todo, tmp_path, workers=2))
    assert ["failed" in record for record in records] == [False, False]
    assert [path.name for path in (tmp_path / "models").iterdir()] == [todo.asked[0].trial.name]


def test_what_is_answered_is_not_asked_again(tmp_path):
    todo = plan([TABLE, FIGURE], replace(SCALE, seeds=1), tmp_path)
    assert sorted(record["question"] for record in run(todo, tmp_path)) == ["accuracy", "accuracy", "examples"]
    assert list(run(todo, tmp_path)) == []
    (asked,) = (tmp_path / "cells").glob("*-examples-*")
    asked.unlink()
    (again,) = run(todo, tmp_path)
    assert again["question"] == "examples"


def test_ours_stand_beside_the_published_numbers_and_claims_are_judged(tmp_path):
    todo = plan([TABLE, FIGURE], SCALE, tmp_path)
    table, figure = gather(todo, answered(todo, {"ours": {0: 0.8, 1: 0.9}, "theirs": {0: 0.7, 1: 0.79}}))
    ours, theirs = table.numbers
    assert (ours.row, ours.seeds, ours.published) == ("ours", 2, 90.0)
    assert ours.ours.value == pytest.approx(85.0)
    assert ours.difference == pytest.approx(-5.0)
    assert (theirs.row, theirs.published, theirs.difference) == ("theirs", None, None)
    (finding,) = table.findings
    assert finding.effect.value == pytest.approx(10.5)
    assert finding.verdict == "holds"  # 10 and 11: 10.5 ± 6.4
    assert (figure.numbers, figure.findings) == ((), ())
    assert list(figure.records) == [(TEXTS, "ours")]
    values = as_values(table)
    assert values["numbers"][0]["difference"] == pytest.approx(-5.0)
    assert values["claims"][0]["verdict"] == "holds"


def test_what_has_no_answer_yet_is_left_out_and_rows_keep_their_order(tmp_path):
    todo = plan([TABLE], SCALE, tmp_path)
    (made,) = gather(todo, answered(todo, {"ours": {1: 0.9}, "theirs": {0: 0.5, 1: 0.6}}))
    assert [(number.row, number.seeds) for number in made.numbers] == [("ours", 1), ("theirs", 2)]
    assert isnan(made.numbers[0].ours.low)
    (finding,) = made.findings
    assert (finding.seeds, finding.verdict) == (1, "undecided")
    (made,) = gather(todo, {})
    assert (made.numbers, made.findings, made.records) == ((), (), {})


def test_a_scale_is_changed_to_what_was_asked_for():
    changed = resize(SCALE, ["a", "b"], ["BERT"], 7, "small")
    assert (changed.datasets, changed.families, changed.seeds) == (("a", "b"), ("BERT",), 7)
    assert resize(SCALE, None, None, None, "small") == SCALE
    with pytest.raises(WhywordError, match=r"No 'BRT' in the encoders of the scale 'small'.*Did you mean 'BERT'"):
        resize(SCALE, None, ["BRT"], None, "small")
