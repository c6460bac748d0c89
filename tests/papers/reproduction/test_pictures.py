import numpy as np

from whyword.grids.trial import Run
from whyword.papers.evaluations.accuracy import Accuracy
from whyword.papers.reproduction.paper import Row
from whyword.papers.reproduction.pictures import lines_by_dataset

ANSWERS = {
    ("sst2", "ours"): [{"1": 10.0, "2": 20.0}, {"1": 30.0, "2": 20.0}],
    ("sst2", "theirs"): [{"1": 1.0, "2": 2.0}],
    ("trec", "ours"): [{"1": 5.0, "2": 6.0}],
}


def drawn(figure):
    (axes,) = figure.axes
    return {line.get_label(): list(map(tuple, line.get_xydata())) for line in axes.lines}


def test_each_data_set_has_a_picture_with_a_line_for_each_row_of_its_means_over_seeds():
    figures = lines_by_dataset(dict, "words", "share")(ANSWERS)
    assert list(figures) == ["sst2", "trec"]
    assert drawn(figures["sst2"]) == {"ours": [(1, 20), (2, 20)], "theirs": [(1, 1), (2, 2)]}
    assert drawn(figures["trec"]) == {"ours": [(1, 5), (2, 6)]}
    (axes,) = figures["sst2"].axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("sst2", "words", "share")


def test_rows_may_each_read_their_numbers_in_their_own_way():
    run = Run("run", {})
    rows = [
        Row("ours", run, Accuracy(), lambda answer: {"1": answer["1"]}),
        Row("theirs", run, Accuracy(), lambda answer: {"2": answer["2"]}),
    ]
    lines = drawn(lines_by_dataset(rows, "", "")(ANSWERS)["sst2"])
    assert np.allclose(lines["ours"], [(1, 20)])
    assert np.allclose(lines["theirs"], [(2, 2)])
