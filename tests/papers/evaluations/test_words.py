import json
from collections import Counter, defaultdict

import numpy as np
import pytest

from reference.variants import tiny_trained, tiny_variant
from whyword.catalog import make_explainer
from whyword.explaining.stream import explain_documents
from whyword.papers.evaluations.words import (
    Examples,
    SpLime,
    WordScores,
    pearson_of_frequency,
    pictured,
    texts_with_words,
    word_lists,
)


def test_the_same_texts_are_explained_by_every_model_with_their_own_scores(tmp_path):
    results = {}
    for method in ("attention", "vmask"):
        trained = tiny_trained(tmp_path, tiny_variant(method))
        dataset = trained.dataset()
        model = trained.model(dataset)
        results["planted", method] = [result] = [Examples(texts=2, top=2).evaluate(model, dataset, trained)]
        assert json.loads(json.dumps(result))["texts"][0]["words"]
        for found in result["texts"]:
            (document,) = (d for d in dataset.test if d.words.texts[0] == found["text"])
            (own,) = explain_documents(model.classifier, [document], make_explainer("own", model.classifier, 0))
            assert found["scores"] == pytest.approx(own.scores.tolist(), rel=1e-5)  # they were explained in one batch
            assert [word for word, _ in found["top"]] == [word for word, _ in own.top(2)]
            assert (found["gold"], found["label"]) == (document.label, own.label)
    first, second = ([text["text"] for text in result["texts"]] for (result,) in results.values())
    assert first == second
    assert first[0] in texts_with_words(results)


def test_both_texts_of_a_pair_are_kept(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("attention"), data="planted:pairs,train=20,dev=5,test=5")
    dataset = trained.dataset()
    (text,) = Examples(texts=1).evaluate(trained.model(dataset), dataset, trained)["texts"]
    assert any((text["text"], text["text_pair"]) == document.words.texts for document in dataset.test)


def test_the_top_words_have_the_largest_sums_of_their_scores_over_texts(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("base"))
    dataset = trained.dataset()
    model = trained.model(dataset)
    result = SpLime(sample=100, samples=30, top=4).evaluate(model, dataset, trained)
    sums = defaultdict(float)
    lime = make_explainer("lime", model.classifier, trained.seed, {"samples": 30})
    for explanation in explain_documents(model.classifier, dataset.test, lime):
        for word, score in zip(explanation.words, explanation.scores.tolist(), strict=True):
            sums[word.lower()] += score
    largest = sorted(sums.items(), key=lambda item: -item[1])[:4]
    assert [(row["word"], row["score"]) for row in result["top"]] == [(w, pytest.approx(s)) for w, s in largest]
    assert result["texts"] == len(dataset.test)


def test_the_correlation_is_that_of_counts_and_keep_probabilities_over_all_words(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    model = trained.model(dataset)
    result = WordScores(drawn=10_000).evaluate(model, dataset, trained)
    counts = Counter(word.lower() for document in dataset.train for word in document.words.strings)
    importance, pearson, spearman = pictured(result)  # so many are drawn that it is all words
    assert dict(zip(importance.words, importance.frequencies.tolist(), strict=True)) == counts
    expected = np.corrcoef(importance.frequencies, importance.scores)[0, 1]
    assert pearson_of_frequency(result)["value"] == pytest.approx(expected, abs=0.01)  # scores are rounded
    assert pearson.value == result["pearson"]["value"]
    assert -1 <= spearman.value <= 1


def test_the_words_that_are_named_are_frequent_enough_and_have_the_highest_scores(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    result = WordScores(least=3, top=5).evaluate(trained.model(dataset), dataset, trained)
    importance, *_ = pictured(result)
    frequent = importance.at_least(3).top(5)
    assert [row["word"] for row in result["top"]] == list(frequent.words)


def test_a_picture_holds_the_most_frequent_words_and_some_of_the_others(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    every, _, _ = pictured(WordScores(drawn=10_000).evaluate(trained.model(dataset), dataset, trained))
    some, _, _ = pictured(WordScores(drawn=40).evaluate(trained.model(dataset), dataset, trained))
    assert len(some) < len(every) / 2
    assert some.frequencies[:20].tolist() == sorted(every.frequencies.tolist(), reverse=True)[:20]


def test_a_mask_that_is_the_same_for_all_words_has_no_correlation():
    assert pearson_of_frequency({"pearson": None}) == {}


def text(words, label="good", top=("fine", "food"), **more):
    return {"text": words, "label": label, "gold": "bad", "probability": 0.754, "top": [(w, 1.0) for w in top], **more}


def test_a_text_stands_once_with_what_each_row_says_of_it_below():
    results = {
        ("sst2", "ours"): [{"texts": [text("fine food"), text("poor", top=["poor"])]}, {"texts": []}],
        ("sst2", "theirs"): [{"texts": [text("fine food", label="bad"), text("poor")]}],
        ("qqp", "ours"): [{"texts": [text("one", text_pair="two")]}],
    }
    assert texts_with_words(results).split("\n\n") == [
        "sst2, gold bad: fine food",
        "- ours: good (75%): fine, food\n- theirs: bad (75%): fine, food",
        "sst2, gold bad: poor",
        "- ours: good (75%): poor\n- theirs: good (75%): fine, food",
        "qqp, gold bad: one / two",
        "- ours: good (75%): fine, food",
    ]


def test_words_are_listed_for_each_row_of_each_data_set():
    top = [{"word": "fine", "score": 2.0}, {"word": "food", "score": 1.0}]
    results = {("sst2", "ours"): [{"top": top}, {"top": []}], ("trec", "ours"): [{"top": top[:1]}]}
    assert word_lists(results) == "sst2\n\n- ours: fine, food\n\ntrec\n\n- ours: fine"


def test_a_text_cannot_steer_the_terminal_or_be_read_as_markup():
    (whole, said) = texts_with_words({("a", "b"): [{"texts": [text("\x1b[1m *x* <b>\n# y", top=["_z_"])]}]}).split(
        "\n\n"
    )
    assert whole == "a, gold bad: \N{REPLACEMENT CHARACTER}\\[1m \\*x\\* \\<b> # y"
    assert said.endswith(": \\_z\\_")


def test_words_for_a_picture_are_recorded_for_the_first_seed_alone(tmp_path):
    for seed in (0, 1):
        trained = tiny_trained(tmp_path, seed=seed)
        dataset = trained.dataset()
        result = WordScores().evaluate(trained.model(dataset), dataset, trained)
        assert (result["words"] is None) == (seed == 1)
        assert result["top"]
