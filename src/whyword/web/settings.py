"""What a server takes in and how long it works on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..interfaces.errors import OptionError


@dataclass(frozen=True)
class Settings:
    """Limits of requests, of the queue and of the batches."""

    queue: int = 512  # texts that may wait, of all clients together
    max_texts: int = 64  # of a request
    max_words: int = 1_000  # of a text, or of a pair together
    max_body: int = 1_000_000  # bytes of a request
    max_samples: int = 5_000  # of an explainer; as many as the lime package takes
    timeout: float = 60.0  # seconds until a body has come, and again until it is answered
    batch_wait: float = 5.0  # milliseconds a text waits for others to share its batch
    batch_texts: int = 64  # most texts of a batch
    token: str | None = field(default=None, repr=False)  # what clients must show; None: nothing

    def __post_init__(self) -> None:
        """Refuse limits that contradict each other."""
        if self.queue < self.max_texts:
            raise OptionError(
                f"--queue {self.queue} holds fewer texts than one request may bring (--max-texts {self.max_texts}): "
                "raise the one or lower the other."
            )
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise OptionError("--token is empty or holds characters that no header can carry: use ASCII letters.")
