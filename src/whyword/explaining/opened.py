"""A model that is open, of whatever kind, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ..interfaces.adapter import Access
from ..interfaces.classifier import Classifier
from ..interfaces.errors import OptionError

if TYPE_CHECKING:
    from ..models.folder import TrainedModel


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A model that can be asked, and what is known of it."""

    classifier: Classifier
    name: str  # for people
    kind: str = "whyword"  # or the name of the adapter that opened it
    trained: TrainedModel | None = None  # of a model that is ours
    place: str | None = None  # where others can open it too: a path, a name or a URL
    fingerprint: Callable[[], str] | None = None  # names the contents; None where nobody can see that they change
    access: Access = field(default_factory=Access)  # how it was opened
    fidelity: Mapping[str, float] | None = None  # of contributions that were learned for it, on texts held out

    @cached_property
    def identity(self) -> str | None:
        """A name that changes whenever the model does; None if nobody can tell."""
        return None if self.fingerprint is None else self.fingerprint()

    def named(self, what: str) -> str:
        """Give the identity to what needs one."""
        if self.identity is None:
            raise OptionError(
                f"{what} cannot see when a model that is not whyword's changes: give fingerprint, a name for this very "
                "model, such as its version."
            )
        return self.identity
