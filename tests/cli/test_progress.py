import io
import re

import pytest
from rich.console import Console

from whyword.cli import progress
from whyword.explaining.parts import Progress
from whyword.training.loop import Step


class Clock:
    """Time that passes only when told to."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch):
    """Standard error as a terminal of a hundred columns."""
    stream = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=stream, force_terminal=True, width=100))
    return stream


def seen(stream) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())


def test_where_there_is_no_terminal_a_line_comes_now_and_then(clock, capsys):
    for _ in progress.track(range(100), "explain", lambda: 100, quiet=False):
        clock.now += 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "explain: 5 of 100 texts, 1.0 texts/s, 2 min left",
        "explain: 35 of 100 texts, 1.0 texts/s, 1 min left",
        "explain: 65 of 100 texts, 1.0 texts/s, 35 s left",
        "explain: 95 of 100 texts, 1.0 texts/s, 5 s left",
    ]


def test_an_unknown_number_of_texts_has_no_time_left(clock, capsys):
    for _ in progress.track(range(6), "explain", lambda: None, quiet=False):
        clock.now += 1
    assert capsys.readouterr().err == "explain: 5 texts, 1.0 texts/s\n"


def test_short_work_is_not_spoken_of(capsys):
    assert list(progress.track(range(3), "explain", lambda: 3, quiet=False)) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_texts_come_in_chunks_after_those_of_an_earlier_run(clock, capsys):
    with progress.TextProgress("explain") as show:
        for texts in (60, 70, 80, 90, 100):
            show(Progress(texts, 100))
            clock.now += 5
    assert capsys.readouterr().err == "explain: 70 of 100 texts, 2.0 texts/s, 15 s left\n"


def test_a_sentence_about_an_earlier_run_is_shown(capsys):
    with progress.TextProgress("explain") as show:
        show("Resuming after the 8 texts.")
    assert capsys.readouterr().err == "Resuming after the 8 texts.\n"


def test_quiet_counts_nothing(capsys):
    def count():
        raise AssertionError

    assert list(progress.track(range(3), "explain", count, quiet=True)) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_a_terminal_has_a_bar_with_rate_and_time_left(terminal):
    assert list(progress.track(range(300), "explain", lambda: 400, quiet=False)) == list(range(300))
    assert re.search(r"explain .*300/400 [\d,.]+ texts/s \d:\d\d:\d\d", seen(terminal))


def test_a_bar_starts_after_the_texts_of_an_earlier_run(terminal):
    with progress.TextProgress("explain") as show:
        for texts in (60, 70, 80, 90, 100):
            show(Progress(texts, 400))
    assert re.search(r"explain .*100/400", seen(terminal))


def test_a_terminal_shows_the_epoch_its_rate_and_its_result(terminal):
    record = {
        "phase": "train",
        "epoch": 1,
        "losses": {"task": 0.5},
        "dev_accuracy": 0.75,
        "seconds": 2.0,
        "best": True,
    }
    with progress.TrainingProgress(quiet=False) as show:
        show("A note [1].")
        show(Step("train", 0, 1, 2, 100))
        show(Step("train", 0, 2, 2, 200, record))
    text = seen(terminal)
    assert "A note [1]." in text
    assert re.search(r"train epoch 1 .*2/2 [\d,]+ tokens/s", text)
    assert "train epoch  1  task 0.500  dev accuracy 0.750  2.0 s *" in text


def test_a_terminal_shows_how_much_contributions_explain_and_not_the_accuracy_they_leave_alone(terminal):
    record = {"phase": "contributions", "epoch": 1, "losses": {"sub-texts": 0.01}, "dev_accuracy": 0.75}
    record |= {"seconds": 2.0, "best": True, "health": {"explained": 0.875, "texts": 50.0}}
    with progress.TrainingProgress(quiet=False) as show:
        show(Step("train", 5, 1, 1, 100))
        show(Step("contributions: asking", 0, 30, 60, 0))
        assert "contributions: asking epoch 1" in show.bar.tasks[-1].description
        assert show.bar.tasks[-1].total == 60
        show(Step("contributions", 0, 1, 1, 200, record))
    text = seen(terminal)
    assert "contributions epoch  1  sub-texts 0.010  explained 87.5%  2.0 s *" in text
    assert "0.750" not in text


def test_the_whole_phase_and_its_time_left_are_shown_from_the_first_seconds(clock, terminal, capsys):
    with progress.TrainingProgress(quiet=False) as show:
        show(Step("train", 0, 1, 10, 100, epochs=30))
        show(Step("train", 0, 2, 10, 200, epochs=30))
        (task,) = show.bar.tasks
        assert (task.description, task.completed, task.total) == ("train epoch 1 of at most 30", 2, 300)
        show(Step("train", 1, 1, 10, 100, epochs=30))
        (task,) = show.bar.tasks
        assert (task.description, task.completed, task.total) == ("train epoch 2 of at most 30", 11, 300)
        show(Step("next", 0, 1, 4, 100))
        (task,) = show.bar.tasks
        assert (task.description, task.completed, task.total) == ("next epoch 1", 1, 4)


def test_where_there_is_no_terminal_a_long_epoch_says_how_long_the_phase_takes(clock, capsys):
    with progress.TrainingProgress(quiet=False) as show:
        for step in range(1, 41):
            show(Step("train", 0, step, 100, 10 * step, epochs=2))
            clock.now += 1
    assert capsys.readouterr().err.splitlines() == [
        "train epoch 1 of at most 2: step 6 of 100, at most 3 min left",
        "train epoch 1 of at most 2: step 36 of 100, at most 3 min left",
    ]


def test_a_run_that_resumes_counts_its_time_from_there(clock, capsys):
    with progress.TrainingProgress(quiet=False) as show:
        for step in range(81, 91):
            show(Step("train", 0, step, 100, 10 * step, epochs=1))
            clock.now += 1
    assert capsys.readouterr().err.splitlines() == ["train epoch 1: step 86 of 100, at most 14 s left"]


def test_texts_that_are_asked_about_before_an_epoch_are_counted_as_texts(clock, capsys):
    with progress.TrainingProgress(quiet=False) as show:
        for number in (0, 1200):
            show(Step("contributions: asking", 0, number, 5200, 0, epochs=0))
            clock.now += 6
    assert capsys.readouterr().err == "contributions: asking: 1,200 of 5,200 texts, at most 20 s left\n"
