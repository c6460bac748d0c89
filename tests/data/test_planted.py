import re
from collections import Counter
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.planted import (
    NEGATIVE,
    NEGATORS,
    POSITIVE,
    SPURIOUS,
    Planted,
    generate,
    parse,
    planted,
    rated,
    review,
    unmark,
)
from whyword.data.planted_words import (
    ADJECTIVE_FRAMES,
    DOMAINS,
    LEADS,
    QUESTIONS,
    SLOTS,
    SPURIOUS_FRAMES,
    VERB_FRAMES,
    VERBS,
)
from whyword.data.words import split
from whyword.interfaces.errors import OptionError

SIGN = dict.fromkeys(POSITIVE, 1) | dict.fromkeys(NEGATIVE, -1)
EVERY = [
    "easy",
    "medium",
    "hard",
    "spurious",
    "spurious,hard",
    "pairs",
    "pairs,medium",
    "pairs,hard",
    "sun-lu-2",
]
REVIEWS = [
    "easy",
    "medium",
    "hard",
    "easy,classes=3",
    "medium,classes=3",
    "hard,classes=3",
    "spurious",
    "spurious,hard",
]

STARS = ["ordinal", "ordinal,hard"]


@cache
def corpus(options):
    return planted(f"{options},train=600,dev=60,test=120")


def words_of(text):
    return re.findall(r"\w+", text)


def all_documents(dataset):
    return (*dataset.train, *dataset.dev, *dataset.test)


def marked_words(document):
    return [
        [text[start:end] for start, end in spans]
        for text, spans in zip(document.words.texts, document.rationale, strict=True)
    ]


def signed_cues(text):
    """Read a text anew with the lexicon alone: (negator or None, cue, sign) of every cue in it."""
    words = words_of(text)
    for before, word in zip([None, *words], words, strict=False):
        if word in SIGN:
            negator = before if before in NEGATORS else None
            yield negator, word, -SIGN[word] if negator else SIGN[word]


def label_of(total):
    return "positive" if total > 0 else "negative" if total < 0 else "neutral"


def test_the_lexicon_has_at_least_forty_words_of_each_sign_and_no_word_twice():
    assert len(POSITIVE) == len(NEGATIVE) >= 40
    words = (*POSITIVE, *NEGATIVE, *NEGATORS, *SPURIOUS)
    assert len(set(words)) == len(words)


def test_neutral_sentences_hold_no_cue_and_name_no_aspect_of_their_domain():
    for domain in DOMAINS:
        sentences = (*domain.openings, *domain.closings, *QUESTIONS, *LEADS, *SPURIOUS_FRAMES)
        slots = {name for sentence in sentences for name in re.findall(r"{(\w+)}", sentence)}
        filler = [re.sub(r"{\w+}", "", sentence) for sentence in sentences]
        filler += [choice for name in slots & SLOTS.keys() for choice in SLOTS[name]]
        words = {word.lower() for sentence in filler for word in words_of(sentence)}
        assert words.isdisjoint(SIGN)
        assert words.isdisjoint(aspect.noun for aspect in domain.aspects)


@pytest.mark.parametrize("options", [*EVERY, *STARS])
def test_the_same_options_give_the_same_corpus_and_another_seed_another(options):
    options += ",train=100,dev=20,test=20"
    assert planted(options) == planted(options)
    assert planted(options).train != planted(f"{options},seed=1").train


def test_generation_neither_reads_nor_moves_the_global_random_state():
    import random

    random.seed(5)
    state = random.getstate()
    first = planted("train=50,test=9")
    assert random.getstate() == state
    random.seed(6)
    assert planted("train=50,test=9") == first


def test_the_test_texts_do_not_depend_on_the_size_of_the_training_split():
    assert planted("train=100").test == planted("train=500").test


@pytest.mark.parametrize("options", EVERY)
def test_sizes_are_exact_classes_balanced_and_no_text_comes_twice(options):
    dataset = planted(f"{options},train=101,dev=21,test=40")
    assert [len(part) for part in (dataset.train, dataset.dev, dataset.test)] == [101, 21, 40]
    for part in (dataset.train, dataset.dev, dataset.test):
        counts = Counter(document.label for document in part).values()
        assert len(counts) == 2
        assert max(counts) - min(counts) <= 1
    texts = [document.words.texts[-1] for document in all_documents(dataset)]
    assert len(set(texts)) == len(texts)


def test_texts_that_would_come_twice_are_written_anew(monkeypatch):
    monkeypatch.setattr("whyword.data.planted.review", lambda rng, *_: f"A <text> of {rng.randrange(40)} words.")
    texts = {document.words.texts[0] for document in all_documents(planted("train=20,dev=5,test=10"))}
    assert len(texts) == 35


def test_every_class_of_three_is_as_frequent():
    dataset = corpus("medium,classes=3")
    assert Counter(document.label for document in dataset.train) == {"positive": 200, "negative": 200, "neutral": 200}


@pytest.mark.parametrize("options", [*EVERY, *REVIEWS, *STARS])
def test_marked_passages_are_whole_words_of_the_splitter(options):
    for document in all_documents(corpus(options)):
        assert document.words == split(*document.words.texts)
        for spans, marked in zip(document.words.spans, document.rationale, strict=True):
            assert set(marked) <= set(spans)
            assert list(marked) == sorted(set(marked))


@pytest.mark.parametrize("options", REVIEWS)
def test_the_label_is_the_majority_of_the_cues_and_the_reason_is_exactly_those_that_agree(options):
    for document in all_documents(corpus(options)):
        cues = list(signed_cues(document.words.texts[0]))
        assert label_of(sum(sign for *_, sign in cues)) == document.label
        agreeing = [(negator, cue) for negator, cue, sign in cues if label_of(sign) == document.label]
        assert marked_words(document)[0] == [word for pair in agreeing for word in pair if word]
        assert bool(document.rationale[0]) == (document.label != "neutral")


def test_easy_texts_have_one_to_three_cues_of_their_class_among_six_to_twenty_other_words():
    seen = Counter()
    for document in all_documents(corpus("easy")):
        cues = list(signed_cues(document.words.texts[0]))
        assert {label_of(sign) for *_, sign in cues} == {document.label}
        assert all(negator is None for negator, *_ in cues)
        assert 6 <= len(words_of(document.words.texts[0])) - len(cues) <= 20
        seen[len(cues)] += 1
    assert set(seen) == {1, 2, 3}


@pytest.mark.parametrize("options", STARS)
def test_stars_are_one_and_the_cues_that_praise_and_every_cue_is_a_reason(options):
    negated = 0
    for document in all_documents(corpus(options)):
        cues = list(signed_cues(document.words.texts[0]))
        assert len(cues) == 4
        assert document.label == 1 + sum(sign > 0 for *_, sign in cues)
        assert marked_words(document)[0] == [word for negator, cue, _ in cues for word in (negator, cue) if word]
        negated += any(negator for negator, *_ in cues)
    assert Counter(document.label for document in corpus(options).train) == dict.fromkeys(range(1, 6), 120)
    assert (negated > 100) == ("hard" in options)
    assert {type(document.label) for document in corpus(options).test} == {int}


def test_the_words_around_the_cues_do_not_depend_on_the_stars():
    for seed in range(20):
        texts = {stars: unmark(rated(Random(seed), "easy", stars))[0] for stars in (1, 5)}
        plain = [[word for word in words_of(text) if word not in SIGN] for text in texts.values()]
        assert plain[0] == plain[1]


def test_easy_neutral_texts_have_no_cues():
    for document in corpus("easy,classes=3").train:
        if document.label == "neutral":
            assert not list(signed_cues(document.words.texts[0]))
            assert len(words_of(document.words.texts[0])) >= 6


@pytest.mark.parametrize(("options", "negation"), [("medium", False), ("hard", True)])
def test_distractors_come_from_medium_on_and_negation_with_hard(options, negation):
    texts = [(document.label, list(signed_cues(document.words.texts[0]))) for document in corpus(options).train]
    with_distractor = sum(any(label_of(sign) != label for *_, sign in cues) for label, cues in texts)
    with_negation = sum(any(negator for negator, *_ in cues) for _, cues in texts)
    assert len(texts) / 3 < with_distractor < len(texts)
    assert (len(texts) / 3 < with_negation < len(texts)) if negation else with_negation == 0


@given(
    seed=st.integers(0, 10**9), difficulty=st.sampled_from(["easy", "medium", "hard"]), classes=st.sampled_from([2, 3])
)
def test_a_text_of_the_other_class_differs_in_nothing_but_its_cue_words(seed, difficulty, classes):
    positive, negative = (unmark(review(Random(seed), difficulty, sign, classes)) for sign in (1, -1))
    assert len(positive[1]) == len(negative[1])
    for one, other in zip(words_of(positive[0]), words_of(negative[0]), strict=True):
        assert one == other or SIGN[one] == -SIGN[other]


def assert_equally_frequent(vocabulary, one, other):
    """Two-proportion z-test per word on two lists of word sets of equal length.

    |z| <= 5 has a false alarm in 1 of 1.7 million words, so in fewer than 1 of 1000 corpora: at most 600 words, twice.
    """
    n = len(one)
    assert n == len(other)
    assert 100 < len(vocabulary) <= 600
    counts = [Counter(word for words in texts for word in words) for texts in (one, other)]
    for word in vocabulary:
        first, second = counts[0][word], counts[1][word]
        share = (first + second) / (2 * n)
        spread = (2 * n * share * (1 - share)) ** 0.5
        assert abs(first - second) <= 5 * max(spread, 1), word


def word_sets(documents, label):
    return [{word.lower() for word in document.words.strings} for document in documents if document.label == label]


@pytest.mark.parametrize("options", ["easy", "medium", "hard"])
def test_no_neutral_word_tells_the_label(options):
    train = planted(f"{options},train=3000,dev=0,test=0").train
    positive, negative = (word_sets(train, label) for label in ("positive", "negative"))
    assert_equally_frequent(set().union(*positive, *negative) - SIGN.keys(), positive, negative)


def test_filler_sentences_are_alike_in_all_three_classes():
    frames = (*ADJECTIVE_FRAMES, *VERB_FRAMES, *LEADS, "was were and")
    outside = {word.lower() for frame in frames for word in words_of(frame)}
    outside |= {word for domain in DOMAINS for aspect in domain.aspects for word in (aspect.noun, aspect.done)}
    filler = [sentence for domain in DOMAINS for sentence in (*domain.openings, *domain.closings)]
    filler += [choice for choices in SLOTS.values() for choice in choices]
    vocabulary = {word.lower() for sentence in filler for word in words_of(sentence)} - outside - SLOTS.keys()
    train = planted("easy,classes=3,train=4500,dev=0,test=0").train
    neutral = word_sets(train, "neutral")
    for label in ("positive", "negative"):
        assert_equally_frequent(vocabulary, word_sets(train, label), neutral)


@pytest.mark.parametrize(("options", "chance"), [("spurious", 1 / 2), ("spurious,medium,classes=3", 1 / 3)])
def test_the_spurious_word_goes_with_the_label_in_train_and_dev_and_by_chance_in_test(options, chance):
    dataset = corpus(options)
    own = dict(zip(("positive", "negative", "neutral"), SPURIOUS, strict=True))
    for part, rate in ((dataset.train, 0.95), (dataset.dev, 0.95), (dataset.test, chance)):
        matches = Counter()
        for document in part:
            (word,) = set(words_of(document.words.texts[0])) & set(SPURIOUS)
            assert word not in marked_words(document)[0]
            matches[document.label] += word == own[document.label]
        for label, count in Counter(document.label for document in part).items():
            assert matches[label] == round(rate * count)
    classes = len({document.label for document in dataset.train})
    assert all(word in " ".join(dataset.notes) for word in SPURIOUS[:classes])


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_answer_of_a_pair_is_what_the_review_says_about_the_aspect_asked(difficulty):
    for document in all_documents(corpus(f"pairs,{difficulty}")):
        (asked,), (aspect, *reason) = marked_words(document)
        assert aspect == asked
        question, text = document.words.texts
        assert question.endswith(f"the {asked}?")
        clause = next(clause for clause in re.split(r"\.| and | but | yet ", text) if asked in words_of(clause))
        ((negator, cue, sign),) = signed_cues(clause)
        assert reason == ([negator, cue] if negator else [cue])
        assert document.label == ("yes" if sign > 0 else "no")


@pytest.mark.parametrize("difficulty", ["medium", "hard"])
def test_from_medium_on_the_review_of_a_pair_says_nothing_without_the_question(difficulty):
    for document in corpus(f"pairs,{difficulty}").train:
        assert sum(sign for *_, sign in signed_cues(document.words.texts[1])) == 0


@pytest.mark.parametrize("variant", ["sun-lu-1", "sun-lu-2"])
def test_sun_and_lu_mix_ten_neutral_words_with_two_of_the_class(variant):
    dataset = planted(variant)
    documents = all_documents(dataset)
    assert Counter(document.label for document in documents) == {"positive": 6000, "negative": 6000}
    kinds = Counter()
    types = set()
    for document in documents:
        words = document.words.strings
        types |= set(words)
        assert len(set(words)) == 12
        own, other = ("p", "m") if document.label == "positive" else ("m", "p")
        assert marked_words(document)[0] == [word for word in words if word[0] == own]
        kinds[tuple(sum(word[0] == kind for word in words) for kind in ("n", own, other))] += 1
    assert Counter(word[0] for word in types) == {"n": 1000, "p": 50, "m": 50}
    if variant == "sun-lu-1":
        assert set(kinds) == {(10, 2, 0)}
    else:  # a tenth of 12,000 texts is 1200, with standard deviation 33: five of them miss once in a million corpora
        assert set(kinds) == {(10, 2, 0), (9, 2, 1)}
        assert abs(kinds[9, 2, 1] - 1200) < 5 * 33


@pytest.mark.parametrize("options", REVIEWS + EVERY[5:8])
def test_texts_are_written_as_people_write(options):
    for document in corpus(options).train:
        for text in document.words.texts:
            assert re.fullmatch(r"[A-Z][A-Za-z ,.;]+[.?]", text), text
            assert not re.search(r"  | [,.;]|[,.;][A-Za-z]", text), text
            assert all(sentence[0].isupper() for sentence in re.split(r"\. ", text)), text
            assert not re.search(rf"\bnot ({'|'.join((*VERBS[0], *VERBS[1]))})\b", text), text
            assert not re.search(r"\b[Aa] [aeiou]|\b[Aa]n [^aeiou]", text), text


def test_options_are_read_in_any_order_and_with_spaces():
    assert parse("") == Planted()
    assert parse("seed=3, hard ,train=2000") == Planted("hard", train=2000, seed=3)
    assert parse("sun-lu-2") == Planted(variant="sun-lu-2", train=9600, dev=1200, test=1200)
    assert parse("sun-lu-2,train=10").train == 10


@given(
    st.builds(
        Planted,
        difficulty=st.sampled_from(["easy", "medium", "hard"]),
        variant=st.sampled_from(["reviews", "spurious"]),
        train=st.integers(1, 5000),
        dev=st.integers(0, 500),
        classes=st.sampled_from([2, 3]),
        seed=st.integers(0, 9),
    )
    | st.builds(Planted, variant=st.sampled_from(["pairs", "sun-lu-1", "sun-lu-2"]), test=st.integers(0, 2000))
)
def test_the_name_of_a_corpus_holds_the_options_that_give_it_again(settings):
    assert parse(settings.options) == settings


def test_the_corpus_is_named_after_its_options():
    assert planted("train=10").name == "planted:train=10"
    assert generate(Planted()).name == "planted"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("hrad", "Did you mean 'hard'"),
        ("spurius", "Did you mean 'spurious'"),
        ("trian=3", "Did you mean 'train='"),
        ("hard=3", "No 'hard=3' in the options of planted"),
        ("train=many", "train=many .* whole number"),
        ("train", "train= .* whole number"),
        ("train=0", "train=0 is too small .* at least 1"),
        ("dev=-1", "dev=-1 is too small .* at least 0"),
        ("classes=1", "classes=1 is too small"),
        ("classes=4", "choose 2 or 3"),
        ("pairs,classes=3", "pairs of planted has two classes"),
        ("sun-lu-1,hard", "one difficulty: leave out hard"),
    ],
)
def test_wrong_options_are_refused_with_a_hint(options, message):
    with pytest.raises(OptionError, match=message):
        planted(options)


def test_settings_made_by_hand_are_checked_too():
    with pytest.raises(OptionError, match="Did you mean 'hard'"):
        Planted("hrd")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="Did you mean 'pairs'"):
        Planted(variant="pair")  # type: ignore[arg-type]
