"""Commands that are killed, stopped or refused by the disk at any step: nothing is lost, a sentence says what to do.

A few steps of each command are drawn; benchmarks/campaign.py and the tests of the data sets take all of them.
"""

import os
import random
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from whyword.data import store, token_store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are forked")

if sys.platform == "linux":
    import campaign
    import faults
    from campaign import CASES, IN_PLACE
    from faults import KILL, LIMIT, Fault, digest

DRAWN = 2  # steps of each command and kind of fault


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    before = Path.cwd(), sys.argv, campaign_seconds(), (store.BLOCK, token_store.TOGETHER)
    yield campaign.Workshop(tmp_path_factory.mktemp("workshop"))
    os.chdir(before[0])
    sys.argv = before[1]
    set_seconds(before[2])
    store.BLOCK, token_store.TOGETHER = before[3]


def campaign_seconds():
    from whyword.models import train

    return train.CHECKPOINT_SECONDS


def set_seconds(value):
    from whyword.models import train

    train.CHECKPOINT_SECONDS = value


def check(shop, name, fault):
    case = CASES[name]
    folder = shop.fresh(case)
    ended = faults.run(case.words, folder, fault)
    assert shop.problem(case, folder, ended, name not in IN_PLACE) is None, (fault, ended.err)
    assert shop.finish(case, folder) is None, fault
    return ended


def drawn(shop, name, kind, count=DRAWN):
    steps = shop.whole(CASES[name])[2].steps
    return [Fault(kind, at) for at in random.Random(f"{name} {kind}").sample(range(1, steps + 1), count)]


COMMANDS = ["train", "explain", "predict", "compare", "learn-explainer"]
RUNS_OF_THEIR_OWN = ["train --stream", "train vat", "train evarm", "train word-regularized"]


@pytest.mark.parametrize("name", [*COMMANDS, *RUNS_OF_THEIR_OWN])
def test_a_command_killed_at_a_step_leaves_the_old_output_and_ends_the_same_when_given_again(shop, name):
    for fault in drawn(shop, name, KILL, 1 if name in RUNS_OF_THEIR_OWN else DRAWN):
        assert check(shop, name, fault).code == -signal.SIGKILL


@pytest.mark.parametrize("kind", ["ENOSPC", "EACCES"])
@pytest.mark.parametrize("name", [*COMMANDS, "train --stream"])
def test_a_disk_that_refuses_a_step_is_one_sentence_and_nothing_is_lost(shop, name, kind):
    for fault in drawn(shop, name, kind, 1):
        check(shop, name, fault)


@pytest.mark.parametrize("name", ["train", "train --stream", "explain"])
def test_a_full_disk_names_the_output_and_what_to_do(shop, name):
    ended = check(shop, name, Fault(LIMIT, 250))
    assert ended.code == 2
    assert re.match(r"whyword: \S+ cannot be written \(File too large\): make room, then give the same", ended.err)


@pytest.mark.real
@pytest.mark.parametrize("name", ["reproduce", *COMMANDS, *RUNS_OF_THEIR_OWN] if sys.platform == "linux" else [])
@pytest.mark.parametrize("kind", ["kill", "ENOSPC", "EACCES"])
def test_every_step_of_a_command_may_fail(shop, name, kind):
    for at in range(1, shop.whole(CASES[name])[2].steps + 1):
        check(shop, name, Fault(kind, at))


def wait_for(place):
    deadline = time.monotonic() + 60
    while not place.exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(("number", "code", "says"), [("SIGTERM", 143, "Terminated."), ("SIGINT", 130, "Interrupted.")])
def test_sigterm_is_as_good_as_ctrl_c(shop, number, code, says):
    case = CASES["train"]
    slow = (*case.words, "--epochs", 2000, "--set", "training.patience=none")
    folder = shop.fresh(case)
    before = digest(folder / "m")
    process = faults.start(slow, folder)
    wait_for(folder / "m.training" / "checkpoint.safetensors")
    os.kill(process, getattr(signal, number))
    ended = faults.wait(process, folder)
    assert ended.code == code, ended.err
    assert ended.err.startswith(f"whyword: {says} The run is saved in m.training; resume it with  whyword train ")
    assert ended.err.count("\n") == 1
    assert digest(folder / "m") == before


def test_of_two_runs_with_one_output_the_second_is_told_who_has_it(shop):
    case = CASES["train"]
    folder = shop.fresh(case)
    process = faults.start((*case.words, "--epochs", 2000, "--set", "training.patience=none"), folder)
    wait_for(folder / "m.training" / "checkpoint.safetensors")
    second = faults.run(case.words, folder)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    assert second.code == 2
    assert second.err.startswith(f"whyword: m is being written by process {process} on ")
    assert shop.finish(case, folder) is not None, "other settings than those of the run that is resumed"
    assert faults.run(case.words, folder).code == 0


@pytest.mark.parametrize(("folder", "file"), [("train", "texts.bin"), ("train/tokens-*", "tokens.bin")])
def test_rows_that_were_half_written_when_killed_are_written_again(shop, folder, file):
    case = CASES["train --stream"]
    steps = shop.whole(case)[2].steps
    place = shop.fresh(case)
    for at in range(1, steps):  # the first step that leaves a part of the file behind
        faults.run(case.words, place, Fault(KILL, at))
        found = list((place / "m.rows").glob(f"{folder}/{file}"))
        if found and found[0].stat().st_size and not (found[0].parent / "store.json").exists():
            break
        place = shop.fresh(case)
    assert found
    assert not (place / "m.training" / "run.json").exists()
    assert shop.finish(case, place) is None


def test_the_harness_notices_a_half_written_output(shop):
    case = CASES["explain"]
    folder = shop.fresh(case)
    (folder / case.output).write_text('{"text": "half')
    with pytest.raises(ValueError, match="Unterminated"):
        shop.problem(case, folder, faults.Ended(-9, "", "", 0), True)
    assert "Traceback" in shop.problem(case, folder, faults.Ended(1, "", "Traceback", 0), True)
    (folder / case.output).write_text("")
    assert "neither the old output" in shop.problem(case, folder, faults.Ended(-9, "", "", 0), True)
