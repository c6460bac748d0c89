import json
import math

from whyword.web.responses import JsonAnswer, error_answer


def test_what_is_no_number_is_null():
    answer = JsonAnswer({"scores": [1.5, math.nan], "inner": {"error": math.inf}, "pair": (1, -math.inf)})
    assert json.loads(answer.body) == {"scores": [1.5, None], "inner": {"error": None}, "pair": [1, None]}


def test_readable_text_stays_readable_and_half_characters_are_escaped():
    answer = error_answer(404, "größe \ud800")
    assert answer.body == '{"error":"größe \\ud800"}'.encode()
    assert json.loads(answer.body) == {"error": "größe \ud800"}
