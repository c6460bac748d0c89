"""Everything a user can fix is a WhywordError: one sentence that says what came, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class WhywordError(Exception):
    """A mistake the user can fix; the command line prints it without a traceback and exits with 2."""


class DataError(WhywordError, ValueError):
    """A file, row or column that cannot be used as it is."""


class OptionError(WhywordError, ValueError):
    """An unknown name or a setting out of range."""


class SettingError(OptionError):
    """A setting out of range, as the class that has it sees it; who knows more of where it came from says so."""

    def __init__(self, owner: str, problem: str) -> None:
        super().__init__(owner, problem)
        self.owner, self.problem = owner, problem

    def __str__(self) -> str:
        """Name the setting after its class, as in lime.samples."""
        return f"{self.owner}.{self.problem}"


class ModelError(WhywordError, ValueError):
    """A model folder that is missing, damaged, foreign or of a newer format."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, which stops a command as Ctrl-C does: what was done is kept."""


class DivergedError(OptionError):
    """A training whose loss is no number any more, or far above where it started."""


class WriteError(WhywordError, OSError):
    """An output that cannot be written: a full or read-only disk, a missing right."""


class MissingExtraError(WhywordError, ImportError):
    """A feature whose optional packages are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra '{extra}': run  pip install 'whyword[{extra}]'.")
        self.feature, self.extra = feature, extra

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Let it travel between processes."""
        return type(self), (self.feature, self.extra)


def first_line(error: BaseException) -> str:
    """Give the first line of what another library says, without a full stop, to be quoted in a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".:")


def unknown_name(name: str, kind: str, known: Iterable[str]) -> OptionError:
    """Make the error for a name that is not among the known ones, with the nearest of them as a suggestion."""
    known = sorted(known)
    nearest = get_close_matches(name, known, n=1)
    hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
    return OptionError(f"No '{name}' in {kind}: choose from {', '.join(known)}.{hint}")
