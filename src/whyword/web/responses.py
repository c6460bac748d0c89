"""JSON answers, and the one shape of all errors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response


class JsonAnswer(Response):
    """Readable JSON of any values: half characters are escaped, and what is no number is null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write the body."""
        try:
            text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except ValueError:
            text = json.dumps(_finite(content), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes \udXXX, as JSON writes it


def error_answer(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JsonAnswer:
    """Refuse with one clear sentence."""
    return JsonAnswer({"error": sentence}, status, headers)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
