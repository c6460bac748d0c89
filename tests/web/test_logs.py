import json
import logging
import sys

from whyword.web.logs import JsonLines, write


def test_a_record_is_one_line_of_json_with_the_time(capsys):
    write({"route": "/", "status": 200})
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("+00:00")
    assert line == {"route": "/", "status": 200}


def test_what_the_library_says_is_json_too_and_errors_are_told_without_their_message():
    try:
        raise KeyError("a secret text")
    except KeyError:
        record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, "broken\n", (), sys.exc_info())
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["message"], line["bug"]) == ("error", "broken", "KeyError")
    assert line["where"][0].startswith("test_logs.py:")
    assert "secret" not in json.dumps(line)
