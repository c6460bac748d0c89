import os
import signal

import pytest

from whyword.models.interrupts import postponed_interrupt


def test_an_interrupt_is_held_back_until_it_is_asked_for():
    with postponed_interrupt() as interrupted:
        assert not interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupted()


def test_a_second_interrupt_comes_at_once():
    with postponed_interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_where_interrupts_are_ignored_they_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with postponed_interrupt() as interrupted:
            os.kill(os.getpid(), signal.SIGINT)
            assert not interrupted()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_handler_of_before_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    with postponed_interrupt():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
