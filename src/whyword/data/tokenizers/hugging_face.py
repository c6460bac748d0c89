"""The library of Hugging Face, which is slow to import and talkative: imported when it is needed, and quiet."""

from __future__ import annotations

from typing import Any

from ...interfaces.errors import MissingExtraError


def import_transformers(feature: str) -> Any:
    """Give transformers without its progress bars and warnings, or say what the feature needs."""
    try:
        import transformers
    except ImportError:
        raise MissingExtraError(feature, "transformers") from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers
