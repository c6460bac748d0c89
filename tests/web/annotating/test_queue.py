import pytest

from whyword.data.decisions import Decision, Decisions, text_id
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.web.annotating.queue import AnnotationQueue, Item

TEXTS = {"dull": 0.1, "fine": 0.9, "odd": 0.5}  # and how useful each is
IDS = {text: text_id(split(text)) for text in TEXTS}
NAMES = {text_id: text for text, text_id in IDS.items()}


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def start(clock):
    def make(overlap: int = 1, decisions: Decisions | None = None) -> AnnotationQueue:
        queue = AnnotationQueue(decisions or Decisions(), overlap, 60.0, clock)
        queue.add(Item(Document(split(text), "bad"), row, value) for row, (text, value) in enumerate(TEXTS.items(), 1))
        return queue

    return make


def take(queue, author):
    return NAMES.get(queue.take(author))


def decide(queue, author, text, state="decided"):
    queue.decisions.add(Decision(Document(split(text), "bad", ((),)), author, "now", state=state))
    queue.settle(IDS[text])
    queue.release(author, IDS[text])


def test_the_most_useful_comes_first_and_stays_until_it_is_decided(start):
    queue = start()
    assert [take(queue, "ann"), take(queue, "ann")] == ["fine", "fine"]
    decide(queue, "ann", "fine")
    assert take(queue, "ann") == "odd"


def test_equally_useful_texts_come_in_the_order_of_the_file(clock):
    queue = AnnotationQueue(Decisions(), 1, 60.0, clock)
    queue.add(Item(Document(split(text)), row) for row, text in enumerate(["odd", "dull", "fine"], 1))
    assert take(queue, "ann") == "odd"


def test_two_people_do_not_get_the_same_text(start):
    queue = start()
    assert [take(queue, name) for name in ("ann", "bo", "cy", "di")] == ["fine", "odd", "dull", None]
    assert queue.awaited("di")
    decide(queue, "ann", "fine")
    assert take(queue, "di") is None


def test_with_an_overlap_each_text_goes_to_as_many_people(start):
    queue = start(overlap=2)
    assert [take(queue, name) for name in ("ann", "bo", "cy")] == ["fine", "fine", "odd"]
    decide(queue, "ann", "fine")
    assert "fine" in map(NAMES.get, queue.open)
    decide(queue, "bo", "fine")
    assert "fine" not in map(NAMES.get, queue.open)
    assert take(queue, "ann") == "odd", "not what she has decided"


def test_a_lease_runs_out(start, clock):
    queue = start()
    assert take(queue, "ann") == "fine"
    clock.now = 59.0
    assert take(queue, "bo") == "odd"
    clock.now = 61.0
    assert take(queue, "cy") == "fine"
    assert take(queue, "ann") == "dull", "hers went to another"


def test_a_text_that_one_person_skips_goes_to_another(start):
    queue = start()
    assert take(queue, "ann") == "fine"
    decide(queue, "ann", "fine", "skipped")
    assert take(queue, "ann") == "odd"
    assert take(queue, "bo") == "fine"


def test_what_is_taken_back_is_open_again(start):
    queue = start()
    take(queue, "ann")
    decide(queue, "ann", "fine")
    queue.decisions.add(queue.decisions.undoing("ann", "later"))
    queue.settle(IDS["fine"])
    assert take(queue, "ann") == "fine"


def test_decisions_of_an_earlier_run_count_and_those_about_other_files_are_not_given_out(start):
    earlier = Decisions(
        [Decision(Document(split(text), "good", ((),)), "bo", "now") for text in ("fine", "of another file")]
    )
    queue = start(decisions=earlier)
    assert take(queue, "ann") == "odd"
    assert queue.items[IDS["fine"]].document.label == "bad", "the label of the file"
    other = text_id(split("of another file"))
    queue.decisions.add(queue.decisions.undoing("bo", "later"))
    queue.settle(other)
    assert other in queue.items
    assert other not in queue.open


def test_a_text_that_stands_twice_in_the_file_is_one(start):
    queue = start()
    queue.add([Item(Document(split("fine"), "good"), 9, 1.0)])
    assert len(queue.open) == 3
    assert queue.items[IDS["fine"]].row == 2
