import math
import operator
import os
import pickle
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from whyword.interfaces.errors import MissingExtraError, OptionError, WhywordError
from whyword.parallel import WorkerError, parallel_map


class TwoPartsError(WhywordError):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def no_way_back(_):
    raise TwoPartsError("one", "two")


def check_roots(found):
    """4, 9 and 16 have roots, -1 has none."""
    results = dict(found)
    assert {item: results.pop(item) for item in (4, 9, 16)} == {4: 2.0, 9: 3.0, 16: 4.0}
    assert list(results) == [-1]
    assert isinstance(results[-1], ValueError)


def test_one_worker_works_in_this_process_and_takes_items_as_it_goes():
    taken = []

    def items():
        for item in (4, -1, 9, 16):
            taken.append(item)
            yield item

    results = parallel_map(math.sqrt, items())
    assert next(results) == (4, 2.0)
    assert taken == [4]
    check_roots([(4, 2.0), *results])


def test_several_processes_give_what_one_gives():
    check_roots(parallel_map(math.sqrt, [4, -1, 9, 16], workers=2))


def test_an_item_that_kills_its_process_is_given_up_and_the_others_are_done():
    items = [signal.SIGCHLD, signal.SIGKILL, signal.SIGCONT, signal.SIGURG]  # all but one are ignored
    results = dict(parallel_map(signal.raise_signal, items, workers=2))
    assert isinstance(results.pop(signal.SIGKILL), WorkerError)
    assert results == dict.fromkeys((signal.SIGCHLD, signal.SIGCONT, signal.SIGURG))


def test_who_stops_reading_stops_the_processes():
    started = time.monotonic()
    results = parallel_map(time.sleep, [0, 1000, 1000], workers=2)
    next(results)
    results.close()
    assert time.monotonic() - started < 100


def test_an_error_that_cannot_be_pickled_comes_back_with_its_words():
    from whyword.parallel.outcome import run_safely_apart

    error = run_safely_apart(no_way_back, 0)
    assert type(error) is WhywordError
    assert str(error) == "one and two"


def test_a_missing_extra_comes_back_as_what_it_is():
    error = pickle.loads(pickle.dumps(MissingExtraError("This", "ray")))
    assert type(error) is MissingExtraError
    assert str(error) == "This needs the extra 'ray': run  pip install 'whyword[ray]'."


def test_a_bug_brings_its_traceback_along():
    ((_, error),) = parallel_map(partial(operator.truediv, 1), [0])
    assert "ZeroDivisionError" in error.__notes__[0]


def test_processes_end_when_the_one_that_started_them_is_killed(tmp_path):
    code = (
        "import sys, functools, subprocess\n"
        "from whyword.parallel import parallel_map\n"
        "if __name__ == '__main__':\n"
        "    touch = \"import os, sys, time; open(f'{sys.argv[1]}/{os.getppid()}', 'w').close(); time.sleep(1000)\"\n"
        "    work = functools.partial(subprocess.run, stdin=subprocess.DEVNULL)\n"
        "    list(parallel_map(work, [[sys.executable, '-c', touch, sys.argv[1]]] * 2, workers=2))\n"
    )
    script, folder = tmp_path / "script.py", tmp_path / "workers"
    script.write_text(code)
    folder.mkdir()
    parent = subprocess.Popen([sys.executable, script, folder], stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until(lambda: len(list(folder.iterdir())) == 2)
        workers = [int(file.name) for file in folder.iterdir()]
        parent.kill()
        parent.wait()
        wait_until(lambda: not any(map(is_running, workers)))
    finally:
        os.killpg(parent.pid, signal.SIGKILL)


def wait_until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_an_unknown_engine_is_refused_before_anything_is_done():
    with pytest.raises(OptionError, match="Did you mean 'ray'"):
        parallel_map(math.sqrt, [1], engine="rya")
    with pytest.raises(OptionError, match="0 workers"):
        parallel_map(math.sqrt, [1], workers=0)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"whyword\[ray\]"):
        list(parallel_map(math.sqrt, [1], engine="ray"))


def test_processes_have_one_torch_thread(monkeypatch):
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    ((_, threads),) = parallel_map(eval, ["__import__('torch').get_num_threads()"], workers=2)
    assert threads == 1
