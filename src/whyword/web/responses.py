"""JSON answers, and the one shape of all errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from ..interfaces.values import json_ready


class JsonAnswer(Response):
    """Readable JSON of any values: half characters are escaped, and what is no number is null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write the body."""
        try:
            text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except ValueError:
            text = json.dumps(json_ready(content), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes \udXXX, as JSON writes it


def error_answer(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JsonAnswer:
    """Refuse with one clear sentence."""
    return JsonAnswer({"error": sentence}, status, headers)
