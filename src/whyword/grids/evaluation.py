"""Something that a paper asks of a trained model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..data.dataset import Dataset
from ..models.folder import TrainedModel

if TYPE_CHECKING:
    from .trial import Trial


class Question(ABC):
    """A frozen dataclass whose fields are its settings; the answer is plain values, ready for JSON."""

    @property
    def name(self) -> str:
        """The name of its file."""
        return type(self).__module__.rpartition(".")[2].replace("_", "-")

    @property
    def facts(self) -> dict[str, Any]:
        """All that decides the answer, beside the model and its data."""
        return {"question": self.name, **asdict(self)}  # type: ignore[call-overload]

    @abstractmethod
    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Answer for a model that was trained on the data set; the trial gives other models trained on it too."""
