import json
import math

from whyword.web.errors import JsonResponse, error_response


def test_what_is_no_number_is_null():
    response = JsonResponse({"scores": [1.5, math.nan], "inner": {"error": math.inf}, "pair": (1, -math.inf)})
    assert json.loads(response.body) == {"scores": [1.5, None], "inner": {"error": None}, "pair": [1, None]}


def test_readable_text_stays_readable_and_half_characters_are_escaped():
    response = error_response(404, "größe \ud800")
    assert response.body == '{"error":"größe \\ud800"}'.encode()
    assert json.loads(response.body) == {"error": "größe \ud800"}
