from collections import Counter

import pytest

from whyword.data.dataset import load_dataset
from whyword.grids.reshaping import first_words, with_ratio
from whyword.interfaces.errors import OptionError

DATA = load_dataset("planted:train=100,dev=10,test=10")


def test_texts_are_cut_to_their_first_words():
    short = first_words(DATA, 3)
    for split in ("train", "dev", "test"):
        for before, after in zip(getattr(DATA, split), getattr(short, split), strict=True):
            assert after.words.strings == before.words.strings[:3]
            assert after.label == before.label
    assert first_words(DATA, 10_000) == DATA


def test_each_text_of_a_pair_is_cut():
    pairs = load_dataset("planted:pairs,train=4,dev=2,test=2")
    assert [len(spans) for spans in first_words(pairs, 2).train[0].words.spans] == [2, 2]


@pytest.mark.parametrize("ratio", ["1:5", "2:5", "1:1", "5:2", "5:1"])
def test_the_second_class_stands_to_the_first_as_the_ratio_says_and_every_ratio_keeps_as_many(ratio):
    kept = with_ratio(DATA, ratio, seed=0)
    counts = Counter(document.label for document in kept.train)
    second, first = map(int, ratio.split(":"))
    assert counts["positive"] / counts["negative"] == pytest.approx(second / first, rel=0.1)
    smaller = min(Counter(document.label for document in DATA.train).values())
    assert len(kept.train) == pytest.approx(smaller * 6 / 5, abs=1)
    assert (kept.dev, kept.test) == (DATA.dev, DATA.test)


def test_the_texts_that_are_kept_stay_in_order_and_depend_on_the_seed_alone():
    kept = with_ratio(DATA, "1:5", seed=1)
    places = [DATA.train.index(document) for document in kept.train]
    assert places == sorted(places)
    assert with_ratio(DATA, "1:5", seed=1) == kept
    assert with_ratio(DATA, "1:5", seed=2) != kept


def test_a_ratio_is_refused_for_three_classes():
    with pytest.raises(OptionError, match="has 3 classes: a ratio is for two"):
        with_ratio(load_dataset("planted:classes=3,train=20,dev=5,test=5"), "1:1", seed=0)
