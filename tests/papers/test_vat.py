import pytest

from reference.papers import FEW, check_plan, make_smoke, plan_without_data
from whyword.papers.reproduction.paper import load_paper
from whyword.papers.vat import ACCURACY, AOPC, DETECTION, ITERATIONS, PAPER, POSTHOC


@pytest.mark.parametrize("scale", PAPER.scales)
def test_every_scale_can_be_planned(scale, tmp_path, monkeypatch):
    assert load_paper("vat") is PAPER
    check_plan(PAPER, scale, plan_without_data(PAPER, scale, tmp_path, monkeypatch))


@pytest.mark.parametrize(
    ("numbers", "dataset", "row", "column", "value"),
    [
        (ACCURACY, "imdb", "LSTM-base", "value", 88.79),
        (ACCURACY, "trec", "LSTM-VAT", "value", 92.80),
        (ACCURACY, "twitter", "BERT-VAT", "value", 77.13),
        (AOPC, "subj", "LSTM-random", "value", 1.50),
        (AOPC, "trec", "LSTM-VAT", "value", 37.20),
        (AOPC, "ag_news", "BERT-ATT", "value", 52.22),
        (POSTHOC, "sst2", "LSTM-ATT", "value", 82.70),
        (POSTHOC, "imdb", "BERT-VAT", "value", 53.40),
        (DETECTION, "twitter", "LSTM-VAT", "positive@1 precision", 65.20),
        (DETECTION, "twitter", "LSTM-VAT", "positive@1 f1", 36.60),
        (DETECTION, "twitter", "BERT-VAT", "negative@5 recall", 44.55),
        (DETECTION, "twitter", "LSTM-random", "negative@5 f1", 17.97),
        (ITERATIONS, "twitter", "BERT-VAT", "2", 77.71),
        (ITERATIONS, "imdb", "LSTM-VAT", "5", 88.60),
    ],
)
def test_the_published_numbers_are_those_of_the_paper(numbers, dataset, row, column, value):
    assert numbers[dataset, row, column] == value


def test_the_judge_is_the_plain_model_of_the_same_encoder(tmp_path, monkeypatch):
    todo = plan_without_data(PAPER, "full", tmp_path, monkeypatch)
    for (table, _, row, _), job in todo.jobs.items():
        if table in ("table 3", "table 4", "figure 4", "figure 5"):
            assert job.evaluation.judge.name == f"{row.split('-')[0]}-base"


def test_marked_words_are_looked_for_where_there_are_some(tmp_path, monkeypatch):
    todo = plan_without_data(PAPER, "full", tmp_path, monkeypatch)
    assert {dataset for table, dataset, *_ in todo.jobs if table == "table 5"} == {"twitter"}


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("small", {"appendix iterations"}), ("minilm", {"figure 6"}), ("full", {"appendix iterations", "figure 6"})],
)
def test_text_vectors_by_iteration_are_figure_6_for_bert_and_beside_the_paper_for_the_lstm(scale, expected):
    tables = PAPER.tables(PAPER.scales[scale])
    assert {table.name for table in tables if table.title.startswith("Text vectors by iteration")} == expected


def test_everything_is_made_at_the_smallest_scale(tmp_path):
    made = make_smoke(PAPER, tmp_path)
    assert set(made) == {
        *(f"table {number}" for number in range(1, 7)),
        *("table 3 normalized", "table 4 normalized", "appendix iterations", "convergence"),
        *(f"figure {number}" for number in (3, 4, 5, 7)),  # figure 6 is of BERT
    }
    assert all(0 <= number.ours.value <= 100 for number in made["table 3 normalized"].numbers)
    random = {n.row: n.ours.value for n in made["table 3"].numbers}
    assert set(random) == {"LSTM-random", "LSTM-ATT", "LSTM-VAT"}
    assert (FEW, "LSTM-VAT") in made["figure 7"].records
