import shutil
from dataclasses import replace
from math import isnan

import pytest

from reference.variants import TEXTS, tiny_trained, tiny_variant
from whyword.data.planted import planted
from whyword.interfaces.errors import OptionError, WhywordError
from whyword.papers.evaluations.explanation_metrics import Explained
from whyword.papers.evaluations.words import Examples
from whyword.papers.reproduction import accuracy
from whyword.papers.reproduction.accuracy import (
    FLOOR,
    Accuracy,
    accuracy_on_test,
    accuracy_row,
    accuracy_rows,
    majority_on_test,
    right_on_test,
)
from whyword.papers.reproduction.paper import Claim, Paper, Row, Scale, TableOrFigure
from whyword.papers.reproduction.report import ReproductionReport
from whyword.papers.reproduction.tables import all_jobs, choose_tables, collect, plan, resize, run, stages

VALUE = accuracy_on_test
OURS, THEIRS = tiny_variant("vmask", "ours"), tiny_variant("base", "theirs")
SCALE = Scale(datasets=(TEXTS,), seeds=2, families=("LSTM", "BERT"))
TABLE = TableOrFigure(
    "table 1",
    "Accuracy",
    (Row("ours", OURS, Accuracy(), VALUE), Row("theirs", THEIRS, Accuracy(), VALUE)),
    {(TEXTS, "ours", "value"): 90.0},
    (Claim("ours is better", "ours", "theirs", "value"),),
)
FIGURE = TableOrFigure("figure 1", "Words", (Row("ours", OURS, Examples(), lambda _: {}),))
PAPER = Paper("paper", "A paper", {"small": SCALE}, lambda scale: (TABLE, FIGURE))


def recorded(todo, reached):
    """Records as they would be, with an accuracy for each variant and seed."""
    accuracies = {
        job.name: (job, reached[job.trained.variant.name][job.trained.seed])
        for job in todo.jobs.values()
        if job.trained.seed in reached[job.trained.variant.name]
    }
    return {
        name: replace(job.fail(OSError()), failed=None, result={"test_accuracy": accuracy, "texts": []})
        for name, (job, accuracy) in accuracies.items()
    }


def write_data(folder):
    folder.mkdir(parents=True)
    data = planted("train=20,dev=5,test=5")
    for split in ("train", "dev", "test"):
        rows = [f'"{d.words.texts[0]}",{d.label}\n' for d in getattr(data, split)]
        (folder / f"{split}.csv").write_text("text,label\n" + "".join(rows))


def test_tables_are_chosen_by_name_in_the_order_asked_for():
    assert choose_tables(PAPER, SCALE, None) == choose_tables(PAPER, SCALE, []) == (TABLE, FIGURE)
    assert choose_tables(PAPER, SCALE, ["figure 1", "table 1", "figure 1"]) == (FIGURE, TABLE)
    both = replace(FIGURE, also=("figure 2",))
    paper = replace(PAPER, tables=lambda scale: (TABLE, both))
    assert choose_tables(paper, SCALE, ["figure 2", "figure 1"]) == (both,)
    with pytest.raises(WhywordError, match=r"No 'table 2' in the tables and figures of paper.*figure 1.*table 1"):
        choose_tables(PAPER, SCALE, ["table 2"])


def test_every_row_is_run_on_every_data_set_with_every_seed(tmp_path):
    scale = replace(SCALE, datasets=(TEXTS, "planted:train=30,dev=10,test=12"))
    todo = plan([TABLE, FIGURE], scale, tmp_path)
    assert len(todo.jobs) == (2 + 1) * 2 * 2
    assert {seed for *_, seed in todo.jobs} == {0, 1}


def test_a_path_that_ends_in_the_name_of_a_data_set_meets_its_published_numbers(tmp_path):
    write_data(tmp_path / "copy" / "sst2")
    table = replace(TABLE, published={("sst2", "ours", "value"): 85.5}, datasets=("sst2",))
    todo = plan([table], replace(SCALE, datasets=(str(tmp_path / "copy" / "sst2"),)), tmp_path)
    (reproduced,) = collect(todo, recorded(todo, {"ours": {0: 0.8, 1: 0.9}, "theirs": {}}))
    (number,) = reproduced.numbers
    assert (number.dataset, number.published) == ("sst2", 85.5)
    assert number.difference == pytest.approx(-0.5)


def test_two_data_sets_of_one_name_are_refused_but_the_same_one_twice_is_read_once(tmp_path):
    write_data(tmp_path / "a" / "sst2")
    write_data(tmp_path / "b" / "sst2")
    places = tuple(str(tmp_path / folder / "sst2") for folder in "ab")
    with pytest.raises(OptionError, match="Two of the data sets are called sst2"):
        plan([TABLE], replace(SCALE, datasets=places), tmp_path)
    assert len(plan([TABLE], replace(SCALE, datasets=places[:1] * 2), tmp_path).jobs) == 4


def test_a_table_is_reproduced_for_the_data_sets_it_is_about_and_left_out_elsewhere(tmp_path):
    elsewhere = replace(TABLE, name="table 2", datasets=("twitter",))
    todo = plan([TABLE, elsewhere], SCALE, tmp_path)
    assert todo.tables == (TABLE,)
    assert len(plan([replace(TABLE, datasets=("planted",))], SCALE, tmp_path).jobs) == 4
    with pytest.raises(OptionError, match="nothing of table 2 to make for planted"):
        plan([elsewhere], SCALE, tmp_path)


def test_a_scale_is_brief_about_some_data_sets_and_makes_only_the_main_rows_of_them(tmp_path):
    table = replace(TABLE, rows=(TABLE.rows[0], replace(TABLE.rows[1], main=False)))
    todo = plan([table], replace(SCALE, brief=(TEXTS,)), tmp_path)
    assert {row for _, _, row, _ in todo.jobs} == {"ours"}
    assert {row for _, _, row, _ in plan([table], SCALE, tmp_path).jobs} == {"ours", "theirs"}


def test_a_run_that_starts_from_word_vectors_asks_for_their_file(tmp_path):
    table = replace(TABLE, rows=(replace(TABLE.rows[0], variant=replace(OURS, vectors=True)),))
    with pytest.raises(OptionError, match="ours starts from word vectors: name their file with --embeddings"):
        plan([table], SCALE, tmp_path)
    (tmp_path / "vectors.txt").write_text("good 1 2\n")
    (first, _) = plan([table], SCALE, tmp_path, tmp_path / "vectors.txt").jobs.values()
    assert first.trained.config.embeddings == str(tmp_path / "vectors.txt")
    (tmp_path / "vectors.txt").write_text("good 1 3\n")
    (changed, _) = plan([table], SCALE, tmp_path, tmp_path / "vectors.txt").jobs.values()
    assert changed.name != first.name


def judged_by(judge):
    return TableOrFigure("table 2", "", (Row("ours", OURS, Explained("own", {}, 5, judge=judge), lambda _: {}),))


def named(jobs):
    return sorted((job.trained.variant.name, job.evaluation.name) for job in jobs)


def test_what_a_judge_says_comes_when_both_models_are_trained(tmp_path):
    todo = plan([judged_by(THEIRS), TABLE, FIGURE], replace(SCALE, seeds=1), tmp_path)
    first, second = stages(all_jobs(todo))
    assert named(first) == [("ours", "accuracy"), ("ours", "examples"), ("theirs", "accuracy")]
    assert named(second) == [("ours", "explained")]


def test_models_that_are_gone_are_trained_before_they_are_evaluated_or_judge(tmp_path):
    todo = plan([judged_by(THEIRS)], replace(SCALE, seeds=1), tmp_path)
    assert [job.evaluation.name for job in all_jobs(todo)] == ["accuracy", "accuracy", "explained"]
    left = [job for job in all_jobs(todo) if job.judge is not None]
    first, second = stages(left)
    assert named(first) == [("ours", "accuracy"), ("theirs", "accuracy")]
    for trained in (left[0].trained, left[0].judge):
        trained.folder.mkdir(parents=True)
        (trained.folder / "config.json").write_text("{}")
    assert stages(left) == ([], second)


def test_two_evaluations_of_a_model_that_is_gone_train_it_once(tmp_path):
    both = replace(FIGURE, rows=tuple(Row(f"{n}", OURS, Examples(texts=n), lambda _: {}) for n in (1, 2)))
    todo = plan([TABLE, both], replace(SCALE, seeds=1), tmp_path)
    list(run(todo, tmp_path))
    shutil.rmtree(tmp_path / "models")
    for place in (tmp_path / "records").glob("*-examples-*"):
        place.unlink()
    records = list(run(todo, tmp_path, workers=2))
    assert [record.failed for record in records] == [None, None]
    assert [path.name for path in (tmp_path / "models").iterdir()] == [all_jobs(todo)[0].trained.name]


def test_what_is_recorded_is_not_run_again(tmp_path):
    todo = plan([TABLE, FIGURE], replace(SCALE, seeds=1), tmp_path)
    assert sorted(record.evaluation for record in run(todo, tmp_path)) == ["accuracy", "accuracy", "examples"]
    assert list(run(todo, tmp_path)) == []
    (place,) = (tmp_path / "records").glob("*-examples-*")
    place.unlink()
    (again,) = run(todo, tmp_path)
    assert again.evaluation == "examples"


def test_ours_stand_beside_the_published_numbers_and_claims_are_judged(tmp_path):
    todo = plan([TABLE, FIGURE], SCALE, tmp_path)
    table, figure = collect(todo, recorded(todo, {"ours": {0: 0.8, 1: 0.9}, "theirs": {0: 0.7, 1: 0.79}}))
    ours, theirs = table.numbers
    assert (ours.row, ours.seeds, ours.published) == ("ours", 2, 90.0)
    assert ours.ours.value == pytest.approx(85.0)
    assert ours.difference == pytest.approx(-5.0)
    assert (theirs.row, theirs.published, theirs.difference) == ("theirs", None, None)
    (result,) = table.claims
    assert result.effect.value == pytest.approx(10.5)
    assert result.verdict == "holds"  # 10 and 11: 10.5 ± 6.4
    assert result.by_dataset[TEXTS].seeds == 2
    assert (figure.numbers, figure.claims) == ((), ())
    assert list(figure.records) == [(TEXTS, "ours")]
    values = ReproductionReport(PAPER, "small", SCALE, [table]).to_dict()["tables"][0]
    assert values["numbers"][0]["difference"] == pytest.approx(-5.0)
    assert values["claims"][0]["verdict"] == "holds"


def test_what_has_no_record_yet_is_left_out_and_rows_keep_their_order(tmp_path):
    todo = plan([TABLE], SCALE, tmp_path)
    (reproduced,) = collect(todo, recorded(todo, {"ours": {1: 0.9}, "theirs": {0: 0.5, 1: 0.6}}))
    assert [(number.row, number.seeds) for number in reproduced.numbers] == [("ours", 1), ("theirs", 2)]
    assert isnan(reproduced.numbers[0].ours.low)
    (result,) = reproduced.claims
    assert (result.by_dataset[TEXTS].seeds, result.verdict) == (1, "not tested")
    (reproduced,) = collect(todo, {})
    assert (reproduced.numbers, reproduced.claims, reproduced.records) == ((), (), {})


def test_a_scale_is_changed_to_what_was_asked_for():
    changed = resize(SCALE, ["a", "b"], ["BERT"], 7, "small")
    assert (changed.datasets, changed.families, changed.seeds) == (("a", "b"), ("BERT",), 7)
    assert resize(SCALE, None, None, None, "small") == SCALE
    with pytest.raises(WhywordError, match=r"No 'BRT' in the encoders of the scale 'small'.*Did you mean 'BERT'"):
        resize(SCALE, None, ["BRT"], None, "small")


def test_the_accuracies_are_shares_of_right_answers_in_percent(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    model = trained.model(dataset)
    result = Accuracy().evaluate(model, dataset, trained)
    for split, read in (("test", accuracy.accuracy_on_test), ("dev", accuracy.accuracy_on_dev)):
        documents = getattr(dataset, split)
        chosen = model.classifier.probabilities([d.words for d in documents]).argmax(1)
        right = [model.classifier.classes[c] == d.label for c, d in zip(chosen, documents, strict=True)]
        assert read(result) == {"value": 100 * sum(right) / len(right)}
    assert result["epochs"] == 1
    assert accuracy.epoch_seconds(result) == {"value": model.metrics["seconds"]}
    assert result["weights"] == sum(p.numel() for p in model.classifier.method.parameters())
    assert result["iterations"] is None
    assert right_on_test(result)["value"].mean() == pytest.approx(accuracy_on_test(result)["value"])
    most = max({d.label for d in dataset.train}, key=[d.label for d in dataset.train].count)
    share = sum(d.label == most for d in dataset.test) / len(dataset.test)
    assert majority_on_test(result) == {"value": pytest.approx(100 * share)}


def test_data_without_a_test_split_have_no_test_accuracy(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = replace(trained.dataset(), test=())
    result = Accuracy().evaluate(trained.model(dataset), dataset, trained)
    assert accuracy.accuracy_on_test(result) == right_on_test(result) == majority_on_test(result) == {}


def test_records_from_before_texts_were_told_apart_have_none():
    assert right_on_test({"test_accuracy": 0.5, "test_texts": 2}) == majority_on_test({}) == {}


def test_test_texts_are_in_the_interval_where_every_record_tells_of_them(tmp_path):
    rows = (accuracy_row(OURS), accuracy_row(THEIRS))
    table = replace(TABLE, rows=rows, claims=(replace(TABLE.claims[0], row="ours", other="theirs"),))
    todo = plan([table], SCALE, tmp_path)
    rights = {("ours", 0): "f0", ("ours", 1): "f8", ("theirs", 0): "80", ("theirs", 1): "c0"}  # 8 texts, a bit each
    records = {}
    for job in todo.jobs.values():
        bits = rights[job.trained.variant.name, job.trained.seed]
        result = {"test_accuracy": int(bits, 16).bit_count() / 8, "test_texts": 8, "right": bits}
        records[job.name] = replace(job.fail(OSError()), failed=None, result=result)
    (reproduced,) = collect(todo, records)
    (result,) = reproduced.claims
    (found,) = result.by_dataset.values()
    assert found.with_texts
    assert found.effect.value == pytest.approx(37.5)  # 3 more of 8 in both seeds: no spread but over texts
    assert found.effect.low < 37.5 < found.effect.high


def test_accuracies_stand_below_those_of_the_majority_and_of_a_linear_model(tmp_path):
    table = replace(TABLE, rows=accuracy_rows([accuracy_row(OURS)]), claims=(), floor=FLOOR)
    scale = replace(SCALE, seeds=1)
    todo = plan([table], scale, tmp_path)
    (reproduced,) = collect(todo, {record.name: record for record in run(todo, tmp_path)})
    assert [number.row for number in reproduced.numbers] == ["majority", "TF-IDF", "ours"]


def test_vat_also_says_what_each_iteration_reached_on_dev(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("vat", iterations=1))
    dataset = trained.dataset()
    assert len(Accuracy().evaluate(trained.model(dataset), dataset, trained)["iterations"]["learner"]) == 2


def test_what_is_not_here_is_known_by_the_records_where_nothing_is_run(tmp_path):
    write_data(tmp_path / "sst2")
    (tmp_path / "vectors.txt").write_text("good 1 2\n")
    table = replace(TABLE, rows=(replace(TABLE.rows[0], variant=replace(OURS, vectors=True)),))
    scale = replace(SCALE, datasets=("sst2",), seeds=1)
    there = plan([table], scale, tmp_path, tmp_path / "vectors.txt", str(tmp_path))
    (job,) = there.jobs.values()
    settings = {"data": job.trained.source.contents, "embeddings": job.trained.vectors}
    record = replace(job.fail(OSError()), failed=None, settings=settings)
    gone = plan([table], scale, tmp_path, tmp_path / "gone.txt", str(tmp_path / "nowhere"), [record])
    assert [found.name for found in gone.jobs.values()] == [job.name]
    with pytest.raises(WhywordError, match="does not exist"):
        plan([table], scale, tmp_path, tmp_path / "vectors.txt", str(tmp_path / "nowhere"))


def test_claims_of_rows_that_were_not_run_stay_on_the_list(tmp_path):
    todo = plan([TABLE], SCALE, tmp_path)
    (reproduced,) = collect(todo, recorded(todo, {"ours": {0: 0.8}, "theirs": {}}))
    (result,) = reproduced.claims
    assert isnan(result.effect.value)
    assert (result.by_dataset, result.verdict) == ({}, "not tested")
    report = ReproductionReport(PAPER, "small", SCALE, [reproduced])
    assert "| ours is better | – | – | – | not tested | not run |" in report.markdown()
