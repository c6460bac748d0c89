import pytest

from whyword.papers.reproduction.paper import published


def test_published_numbers_are_read_by_data_set_and_row():
    assert published("""
              sst2  trec
    LSTM-VAT  86.22 .5
    BERT-VAT  -     97
    """) == {
        ("sst2", "LSTM-VAT", "value"): 86.22,
        ("trec", "LSTM-VAT", "value"): 0.5,
        ("trec", "BERT-VAT", "value"): 97.0,
    }


def test_a_row_may_have_several_columns():
    assert published("sst2 trec\nrow 1/-2 -", ["one", "two"]) == {("sst2", "row", "one"): 1, ("sst2", "row", "two"): -2}


@pytest.mark.parametrize("table", ["sst2 trec\nrow 1", "sst2\nrow 1 2", "sst2\nrow 1/2"], ids=["few", "many", "parts"])
def test_a_slip_in_a_table_of_numbers_is_no_number(table):
    with pytest.raises(ValueError, match="argument"):
        published(table)
