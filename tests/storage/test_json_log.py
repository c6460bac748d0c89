import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from whyword.interfaces.errors import DataError, OptionError, WriteError
from whyword.storage.json_log import JsonLog, NotWrittenError, read_json_log


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "log.jsonl"


def write(path, *records):
    """Append to a file, and give what was there before."""
    with JsonLog(path) as log:
        for record in records:
            log.append(record)
        return log.records, log.cut


def test_lines_are_read_as_they_were_written(path):
    write(path, {"a": "é\n\u2028"}, {"b": [1, 2]})
    write(path, {"c": None})
    assert write(path)[0] == read_json_log(path) == [{"a": "é\n\u2028"}, {"b": [1, 2]}, {"c": None}]


@pytest.mark.parametrize("end", [b'{"half": "a lin', b'{"half": "\xc3', b"{"])
def test_half_a_line_at_the_end_is_cut(path, end):
    write(path, {"a": 1})
    with path.open("ab") as file:
        file.write(end)
    assert read_json_log(path) == [{"a": 1}]
    assert write(path, {"b": 2}) == ([{"a": 1}], end)
    assert path.read_bytes() == b'{"a": 1}\n{"b": 2}\n'


def test_a_last_line_that_only_lacks_its_end_stays(path):
    path.parent.mkdir()
    path.write_bytes(b'{"a": 1}')
    assert write(path, {"b": 2}) == ([{"a": 1}], b"")
    assert path.read_bytes() == b'{"a": 1}\n{"b": 2}\n'


def test_a_line_in_the_midst_that_is_no_object_is_named(path):
    path.parent.mkdir()
    path.write_text('{"a": 1}\n\n{"a": \n{"b": 2}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"log\.jsonl, line 3 is no JSON object"):
        JsonLog(path)


def test_a_file_of_another_kind_is_refused_and_stays_as_it_was(path):
    path.parent.mkdir()
    for content in (b"text,label\na film,good", b"important notes", b'[{"a": 1}]', b"text,label\na film,good\n{half"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="is no JSON object"):
            JsonLog(path)
        assert path.read_bytes() == content


def test_a_second_process_is_refused_until_the_first_is_gone(path):
    code = f"from pathlib import Path; from whyword.storage.json_log import JsonLog; log = JsonLog(Path({str(path)!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; print('has it', flush=True); input()"],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    ) as other:
        assert other.stdout.readline() == b"has it\n"
        with pytest.raises(OptionError, match=r"is being written by process \d+ on .*stop it"):
            JsonLog(path)
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert write(path)[0] == []


def test_a_line_that_the_disk_does_not_take_leaves_the_file_as_it_was(path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with JsonLog(path) as log:
        log.append({"a": 1})
        before = path.read_bytes()
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
        try:
            with pytest.raises(NotWrittenError, match="nothing of it was saved"):
                log.append({"long": "x" * 5_000})
            assert path.read_bytes() == before
            log.append({"b": 2})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"a": 1}, {"b": 2}]


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="cannot be written"):
        JsonLog(tmp_path / "file" / "log.jsonl")
    with pytest.raises(WriteError, match=f"cannot be written .{os.strerror(21)}"):
        JsonLog(tmp_path)
