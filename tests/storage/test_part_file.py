import json

import pytest

from whyword.storage.part_file import PartFile

SETTINGS = {"model": "m", "top": None, "settings": {"widths": (3, 4)}}


def part_file(tmp_path, once=(), **changes):
    return PartFile(tmp_path / "deep" / "out.jsonl", {**SETTINGS, **changes}, once)


def chunks(count, first=0, stop=None):
    """Chunks of two rows and ten forward passes each; perhaps with an error after the last."""
    for number in range(first, first + count):
        yield [{"row": 2 * number, "text": "né\n"}, {"row": 2 * number + 1, "text": ""}], 10
    if stop is not None:
        raise stop


def stopped(tmp_path, count=3, error=KeyboardInterrupt):
    with pytest.raises(error) as caught:
        part_file(tmp_path).extend(chunks(count, stop=error))
    return caught.value


def numbers(path):
    return [json.loads(line)["row"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_finished_file_holds_all_rows_and_nothing_stays_beside_it(tmp_path):
    part = part_file(tmp_path)
    assert part.notice is None
    assert part.extend(chunks(3)) == 6
    part.put()
    assert numbers(part.output) == list(range(6))
    assert list(part.output.parent.iterdir()) == [part.output]


def test_the_same_settings_resume_where_the_last_run_stopped(tmp_path):
    stopped(tmp_path)
    part = part_file(tmp_path)
    assert (part.texts, part.passes) == (6, 30)
    assert part.notice == f"Resuming after the 6 texts in {part.rows}."
    assert part.extend(chunks(2, first=3)) == 10
    part.put()
    assert numbers(part.output) == list(range(10))


def test_a_run_can_be_stopped_any_number_of_times(tmp_path):
    for number in range(4):
        part = part_file(tmp_path)
        assert part.texts == 2 * number
        with pytest.raises(KeyboardInterrupt):
            part.extend(chunks(1, first=number, stop=KeyboardInterrupt()))
    assert numbers(part_file(tmp_path).rows) == list(range(8))


@pytest.mark.parametrize("torn", [b'{"row": 6, "te', b'{"row": 6}\n', b'{"row": 6}\n{"row"', b"\0\0\0\n"])
def test_rows_of_a_chunk_that_was_not_complete_are_dropped(tmp_path, torn):
    stopped(tmp_path)
    with part_file(tmp_path).rows.open("ab") as file:
        file.write(torn)
    part = part_file(tmp_path)
    part.extend(chunks(1, first=3))
    part.put()
    assert numbers(part.output) == list(range(8))


def test_half_a_line_of_the_log_is_dropped(tmp_path):
    stopped(tmp_path)
    log = part_file(tmp_path).log
    whole = log.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    log.write_bytes(whole[: -len(last)] + last[:4])
    part = part_file(tmp_path)
    assert part.texts == 4
    part.extend(chunks(2, first=2))
    assert part_file(tmp_path).texts == 8, "the log is whole again"


@pytest.mark.parametrize(
    ("changes", "names"), [({"top": 3}, "top"), ({"model": "other", "target": "x"}, "model, target")]
)
def test_other_settings_start_anew_and_say_what_is_new(tmp_path, changes, names):
    stopped(tmp_path)
    part = part_file(tmp_path, **changes)
    assert part.texts == 0
    assert part.notice == f"Starting anew, as {part.rows} was written with other settings ({names})."
    part.extend(chunks(1))
    part.put()
    assert numbers(part.output) == [0, 1]


def test_what_an_earlier_run_did_is_there_until_new_rows_come(tmp_path):
    stopped(tmp_path)
    part_file(tmp_path, top=3)
    assert part_file(tmp_path).texts == 6


def test_texts_that_cannot_be_read_again_start_anew(tmp_path):
    stopped(tmp_path)
    part = part_file(tmp_path, once=["standard input"])
    assert part.texts == 0
    assert "(standard input)" in part.notice


@pytest.mark.parametrize("content", [b"", b"not json\n", b"\xff\xfe\n", b"[]\n"])
def test_a_log_of_no_use_starts_anew(tmp_path, content):
    stopped(tmp_path)
    part_file(tmp_path).log.write_bytes(content)
    part = part_file(tmp_path)
    assert (part.texts, part.notice) == (0, None)


def test_rows_without_a_log_and_a_log_without_rows_start_anew(tmp_path):
    stopped(tmp_path)
    part_file(tmp_path).rows.unlink()
    assert part_file(tmp_path).texts == 0
    stopped(tmp_path)
    part_file(tmp_path).log.unlink()
    assert part_file(tmp_path).texts == 0


def test_the_error_says_where_the_rows_are_and_how_to_resume(tmp_path):
    rows = part_file(tmp_path).rows
    sentence = f"What was done before, 6 texts, is in {rows}"
    assert stopped(tmp_path).__notes__ == [f"{sentence}; the same command resumes from there."]
    rows.unlink()
    assert stopped(tmp_path, error=ValueError).__notes__ == [f"{sentence}."]


def test_an_error_before_the_first_row_leaves_nothing(tmp_path):
    stopped(tmp_path, count=0, error=ValueError)
    assert not list((tmp_path / "deep").iterdir())


def test_a_file_of_another_kind_is_made_of_the_rows_and_put_in_place_when_it_is_whole(tmp_path):
    part = part_file(tmp_path)
    part.extend(chunks(2))

    def fail(path):
        path.write_text("half", encoding="utf-8")
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011
        part.put(fail)
    assert not part.output.exists()
    assert part_file(tmp_path).texts == 4, "the rows are still there"
    part.put(lambda path: path.write_text(str(sum(row["row"] for row in part)), encoding="utf-8"))
    assert part.output.read_text(encoding="utf-8") == "6"
    assert list(part.output.parent.iterdir()) == [part.output]


def test_rows_that_the_disk_lost_are_computed_again(tmp_path):
    stopped(tmp_path)
    rows = part_file(tmp_path).rows
    content = rows.read_bytes()
    third = len(content) * 2 // 3
    rows.write_bytes(content[:third] + bytes(len(content) - third))  # as some disks do when the power is lost
    part = part_file(tmp_path)
    assert part.texts == 4
    part.extend(chunks(1, first=2))
    part.put()
    assert numbers(part.output) == list(range(6))


def test_no_row_holds_a_bare_nan(tmp_path):
    part = part_file(tmp_path)
    part.extend([([{"value": float("nan")}], 1)])
    part.put()
    assert part.output.read_text() == '{"value": null}\n'
