import json
from pathlib import Path

import pytest

from whyword.data.annotators import agreement, label_counts, summarize, word_counts
from whyword.data.decisions import Decision, Decisions, read_decision, read_decisions, same_decision, text_id
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError

TEXT = "a truly dull film"
REASON, NOT = ((2, 12),), ((13, 17),)  # "truly dull", "film"


def decide(author="ann", text=TEXT, label="bad", rationale=(REASON,), **more) -> Decision:
    rationale = ((),) if rationale is not None and len(text) < len(TEXT) else rationale
    return Decision(Document(split(text), label, rationale), author, "2025-01-01T00:00:00.000+00:00", **more)


def read(*decisions: Decision) -> Decisions:
    """Read decisions as a file has them."""
    lines = [json.loads(json.dumps(decision.to_record())) for decision in decisions]
    return Decisions(read_decisions(lines, Path("out.jsonl")))


def test_a_line_holds_what_training_reads():
    assert decide(not_rationale=(NOT,), row=3).to_record() == {
        "text": TEXT,
        "label": "bad",
        "rationale": [[2, 12]],
        "not_rationale": [[13, 17]],
        "author": "ann",
        "time": "2025-01-01T00:00:00.000+00:00",
        "id": text_id(split(TEXT)),
        "row": 3,
    }


@pytest.mark.parametrize(
    "decision",
    [
        decide(not_rationale=(NOT,), row=3, saw_reasons=True),
        decide(rationale=None),
        decide(rationale=((),), label=4),
        decide(state="skipped"),
        Decision(Document(split("a", "b c"), None, ((), ((0, 1),)), labels=("x", "y")), "bo", "now"),
        Decision(Document(split("a"), None, None, labels=()), "bo", "now"),
    ],
    ids=["marked", "label alone", "no reason", "skipped", "several labels of a pair", "no labels"],
)
def test_lines_are_read_as_they_were_written(decision):
    record = json.loads(json.dumps(decision.to_record()))
    expected = (
        decision
        if decision.state == "decided"
        else Decision(Document(decision.document.words), "ann", decision.time, state="skipped")
    )
    assert read_decision(record, "here") == expected


def test_the_latest_line_of_an_author_and_a_text_wins():
    decisions = read(decide(), decide("bo"), decide(label="good", rationale=((),)))
    assert {one.author: one.document.label for one in decisions.of_text(text_id(split(TEXT)))} == {
        "ann": "good",
        "bo": "bad",
    }
    assert decisions.counts() == {"ann": 1, "bo": 1}


def test_undo_takes_steps_back_one_by_one_also_after_a_restart():
    other = "a fine film"
    lines = [decide(), decide(text=other), decide(label="good")]
    for expected in [("bad", "bad"), ("bad", None), (None, None)]:
        decisions = read(*lines)
        lines.append(decisions.undoing("ann", "later"))
        decisions = read(*lines)
        found = [decisions.find(text_id(split(text)), "ann") for text in (TEXT, other)]
        assert tuple(one and one.document.label for one in found) == expected
    assert read(*lines).undoing("ann", "later") is None
    assert read(*lines).undoing("nobody", "later") is None
    assert lines[-1].to_record().keys() == {"text", "author", "time", "id", "row", "undo"}, "no label, no rationale"


def test_the_text_before_is_the_one_this_author_decided_before():
    texts = ["one", "two", "three"]
    ids = [text_id(split(text)) for text in texts]
    decisions = read(decide("bo", "three"), *(decide(text=text, state="skipped") for text in texts))
    assert decisions.before("ann", "new") == ids[2]
    assert [decisions.before("ann", text) for text in ids] == [None, *ids[:2]]
    assert decisions.before("nobody", "new") is None


def test_the_same_again_is_no_new_decision():
    assert same_decision(decide(), decide())
    assert not same_decision(None, decide())
    assert not same_decision(decide(), decide(rationale=((),)))
    assert not same_decision(decide(), decide(state="skipped"))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"text": "a"}, "has no author"),
        ({"text": 3, "author": "ann"}, "must hold text"),
        ({"text": "abc", "author": "ann", "rationale": [[1, 9]]}, "does not lie in its text"),
        ({"text": "abc", "author": "ann", "rationale": [], "not_rationale": "x"}, "must be a list"),
    ],
)
def test_what_is_no_annotation_is_refused_with_its_place(line, sentence):
    with pytest.raises(DataError, match=sentence) as error:
        Decisions(read_decisions([line], Path("out.jsonl")))
    assert str(error.value).startswith("out.jsonl, annotation 1")


def test_who_marks_a_reason_judges_all_words_and_who_marks_none_only_those_refused():
    counts = word_counts([decide(), decide("bo", rationale=((),)), decide("cy", rationale=None, not_rationale=(NOT,))])
    assert counts.tolist() == [[2, 0], [1, 1], [1, 1], [3, 0]]  # a, truly, dull, film
    assert word_counts([decide(rationale=None)]).sum() == 0


def test_agreement_is_measured_on_texts_of_two_people_who_decided():
    shared = [decide(), decide("bo", rationale=(((8, 12),),), label="good")]
    alone = [decide(text="another"), decide("bo", "another", state="skipped")]
    found = agreement(read(*shared, *alone))
    # words: a truly dull film; 0 0, 1 0, 1 1, 0 0: 5 zeros and 3 ones, one unit of four disagrees
    assert found.words == pytest.approx(1 - 7 * 1 / (5 * 3))
    assert found.labels == pytest.approx(0.0)
    assert found.texts == 1
    assert agreement(read(*alone)).words is None


def test_with_several_labels_each_is_a_question_of_its_own():
    def labelled(author, *labels):
        return Decision(Document(split("a"), None, None, labels=labels), author, "now")

    assert label_counts([[labelled("ann", "x", "y"), labelled("bo", "x")]]).tolist() == [[0, 2], [1, 1]]


def test_a_summary_counts():
    found = summarize(read(decide(), decide("bo", rationale=((),)), decide("bo", "x", "good", rationale=None)))
    assert (found.texts, found.decisions, found.no_reason) == (2, 3, 1)
    assert found.labels == {"bad": 2, "good": 1}
    assert found.authors == {"ann": 1, "bo": 2}
