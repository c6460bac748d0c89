from reference.variants import tiny_trained
from whyword.papers.evaluations.data_sets import SIZES, TextCounts, counts, statistics_table


def test_texts_classes_and_words_are_counted():
    trained = tiny_trained(None)
    dataset = trained.dataset()
    found = counts(TextCounts().evaluate(trained.model(dataset), dataset, trained))
    assert (found["train"], found["dev"], found["test"], found["classes"]) == (40, 10, 12, 2)
    words = [document.words.strings for document in dataset.train]
    assert found["words"] == sum(map(len, words)) / 40
    assert found["vocabulary"] == len({word.lower() for text in words for word in text})


def test_printed_sizes_are_of_the_data_sets_that_a_paper_has():
    assert SIZES["twitter", "texts", "test"] == 3795
    assert {data for data, *_ in statistics_table("table 2", ["sst2", "trec"]).published} == {"sst2", "trec"}
