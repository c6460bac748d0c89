import json
import logging

from whyword.web.logs import Log, ToLog, write


def test_a_record_is_one_line_of_json_with_the_time(capsys):
    write({"route": "/", "status": 200})
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("+00:00")
    assert line == {"route": "/", "status": 200}


def lines(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def hear(level: int, message: str, error: BaseException | None = None, quiet: bool = False) -> None:
    log = Log(quiet)
    info = None if error is None else (type(error), error, error.__traceback__)
    ToLog(log).handle(logging.LogRecord("asyncio", level, "", 0, message, (), info))


def test_what_libraries_say_is_json_too_and_errors_are_told_without_their_message(capsys):
    try:
        raise KeyError("a secret text")
    except KeyError as error:
        hear(logging.ERROR, "broken\nfuture: a secret text", error)
    (line,) = lines(capsys)
    assert (line["level"], line["message"], line["bug"]) == ("error", "broken", "KeyError")
    assert line["where"][0].startswith("test_logs.py:")
    assert "secret" not in json.dumps(line)


def test_what_the_system_refuses_is_no_bug(capsys):
    hear(logging.ERROR, "socket.accept() out of system resource", OSError(24, "Too many open files"))
    (line,) = lines(capsys)
    assert line["cause"] == "OSError: Too many open files"
    assert "bug" not in line


def test_many_lines_of_a_kind_in_a_second_are_counted_and_not_written(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("whyword.web.logs.time.monotonic", lambda: now[0])
    log = Log()
    for _ in range(500):
        log({"route": "/", "status": 400})
        log({"level": "warning", "message": "invalid"})
    log({"route": "/", "status": 200})
    written = lines(capsys)
    assert [sum(line.get(name) == value for line in written) for name, value in (("status", 400), ("status", 200))] == [
        100,
        1,
    ]
    assert len(written) == 102
    now[0] += 1
    log({"route": "/", "status": 400})
    assert lines(capsys)[0]["left_out"] == 400
    log.close()
    assert [line["left_out"] for line in lines(capsys)] == [499]


def test_a_quiet_log_holds_only_what_is_wrong_with_the_server(capsys):
    log = Log(quiet=True)
    log({"route": "/", "status": 400})
    hear(logging.WARNING, "Invalid HTTP request received.", quiet=True)
    assert not lines(capsys)
    log({"route": "/", "status": 500, "bug": "KeyError"})
    hear(logging.ERROR, "broken", quiet=True)
    assert len(lines(capsys)) == 2
