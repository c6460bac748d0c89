import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.words import split
from whyword.interfaces.document import Batch, Document, Span, Words

PAIR = Words(("A man sleeps.", "He is awake."), (((0, 1), (2, 5), (6, 12)), ((0, 2), (3, 5), (6, 11))))


def test_words_are_the_strings_at_their_spans_second_text_last() -> None:
    assert PAIR.strings == ("A", "man", "sleeps", "He", "is", "awake")
    assert PAIR.segments == (0, 0, 0, 1, 1, 1)
    assert len(PAIR) == 6


def test_a_text_without_words_has_length_zero() -> None:
    assert len(Words(("",), ((),))) == 0
    assert Words(("...",), ((),)).strings == ()


def test_documents_of_equal_words_are_equal_and_can_be_keys() -> None:
    assert Document(PAIR, "no") == Document(Words(PAIR.texts, PAIR.spans), "no")
    assert len({Document(PAIR, "no"), Document(PAIR, "no"), Document(PAIR, "yes")}) == 2


def test_no_rationale_differs_from_an_empty_one() -> None:
    assert Document(PAIR).rationale_words is None
    assert Document(PAIR, rationale=((), ())).rationale_words == (False,) * 6


def test_a_word_belongs_to_the_rationale_if_a_marked_passage_overlaps_it() -> None:
    marked = Document(PAIR, rationale=(((4, 6),), ((2, 3), (11, 12), (6, 7))))
    assert marked.rationale_words == (False, True, False, False, False, True)


@st.composite
def spans(draw: st.DrawFn) -> tuple[Span, ...]:
    cuts = sorted(draw(st.sets(st.integers(0, 20), max_size=8)))
    return tuple(zip(cuts[::2], cuts[1::2], strict=False))


@given(spans(), spans())
def test_the_rationale_holds_every_word_that_shares_a_character_with_it(
    words: tuple[Span, ...], marked: tuple[Span, ...]
) -> None:
    characters = {position for start, end in marked for position in range(start, end)}
    document = Document(Words(("x" * 20,), (words,)), rationale=(marked,))
    assert document.rationale_words == tuple(bool(characters & set(range(start, end))) for start, end in words)


def test_a_batch_tells_words_from_special_tokens_and_padding() -> None:
    batch = Batch(
        tokens=torch.tensor([[2, 7, 8, 3, 0]]),
        mask=torch.tensor([[True, True, True, True, False]]),
        word_of_token=torch.tensor([[-1, 0, 0, -1, -1]]),
        segments=torch.zeros(1, 5, dtype=torch.long),
        labels=torch.tensor([1]),
    )
    assert len(batch) == 1
    assert batch.is_word.tolist() == [[False, True, True, False, False]]


def test_a_batch_moves_to_a_device_as_a_whole() -> None:
    zeros = torch.zeros(1, 2, dtype=torch.long)
    batch = Batch(zeros, zeros.bool(), zeros, zeros).to("meta")
    assert {tensor.device.type for tensor in (batch.tokens, batch.mask, batch.word_of_token, batch.segments)} == {
        "meta"
    }
    assert batch.labels is None
    labelled = Batch(zeros, zeros.bool(), zeros, zeros, zeros[0]).to("meta")
    assert labelled.labels is not None
    assert labelled.labels.device.type == "meta"


@pytest.mark.parametrize(
    ("rationale", "refused", "states"),
    [
        (None, None, None),
        (((2, 10),), None, (0, 1, 0)),
        ((), None, (0, 0, 0)),
        (((2, 10),), ((0, 1),), (0, 1, 0)),
        (None, ((0, 1),), (0, -1, -1)),
        ((), ((0, 1),), (0, -1, -1)),
        ((), (), (0, 0, 0)),
        (None, (), None),
    ],
)
def test_a_word_was_marked_or_was_not_or_nobody_knows(rationale, refused, states):
    marked = [None if spans is None else (spans,) for spans in (rationale, refused)]
    document = Document(split("a splendid film"), "good", marked[0], not_rationale=marked[1])
    assert document.word_marks == states


def test_passages_that_were_marked_for_any_label_count():
    of_labels = (("good", (((2, 10),),)), ("long", (((11, 15),),)))
    assert Document(split("a splendid film"), rationales=of_labels).word_marks == (0, 1, 1)
