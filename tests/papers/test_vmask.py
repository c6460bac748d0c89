import pytest

from reference.papers import check_plan, make_smoke, plan_without_data
from whyword.papers.reproduction.paper import load_paper
from whyword.papers.vmask import ACCURACY, AOPC, DEV_ACCURACY, PAPER, PEARSON, SECONDS


@pytest.mark.parametrize("scale", PAPER.scales)
def test_every_scale_can_be_planned(scale, tmp_path, monkeypatch):
    assert load_paper("vmask") is PAPER
    check_plan(PAPER, scale, plan_without_data(PAPER, scale, tmp_path, monkeypatch))


@pytest.mark.parametrize(
    ("numbers", "dataset", "row", "value"),
    [
        (ACCURACY, "imdb", "CNN-base", 89.06),
        (ACCURACY, "sst1", "CNN-VMASK", 48.92),
        (ACCURACY, "trec", "LSTM-L2X", 46.00),
        (ACCURACY, "subj", "BERT-VMASK", 96.40),
        (DEV_ACCURACY, "subj", "CNN-VMASK", 91.60),
        (DEV_ACCURACY, "trec", "LSTM-IBA", 86.35),
        (DEV_ACCURACY, "imdb", "BERT-L2X", 65.34),
        (AOPC, "sst2", "LSTM-VMASK/lime", 22.14),
        (AOPC, "trec", "BERT-base/lime", 59.22),
        (AOPC, "ag_news", "CNN-base/shapley", 9.88),
        (AOPC, "subj", "BERT-VMASK/shapley", 34.22),
        (PEARSON, "imdb", "CNN-VMASK", -0.045),
        (PEARSON, "yelp", "LSTM-VMASK", 0.004),
        (PEARSON, "trec", "BERT-VMASK", 0.028),
        (SECONDS, "trec", "CNN-VMASK", 2.58),
        (SECONDS, "imdb", "LSTM-base", 3.81),
    ],
)
def test_the_published_numbers_are_those_of_the_paper(numbers, dataset, row, value):
    assert numbers[dataset, row, "value"] == value


def test_everything_is_made_at_the_smallest_scale(tmp_path):
    made = make_smoke(PAPER, tmp_path)
    assert len(made) == 14  # tables 2 to 6, 8, 9 and 11, two normalized ones, figures 1 to 3, convergence
    assert {number.row for number in made["table 4"].numbers} == {
        f"{family}-{method}/{explainer}"
        for family in ("CNN", "LSTM")
        for method in ("base", "VMASK")
        for explainer in ("lime", "shapley")
    }
