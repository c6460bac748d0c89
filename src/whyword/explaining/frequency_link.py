"""Does importance simply follow frequency? VMASK's check of a mask: the correlation over all words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..interfaces.explanation import WordImportance
from ..maths.stats.correlation import pearson, spearman
from ..maths.stats.intervals import Estimate

WEAK, CLEAR = 0.1, 0.3  # correlations below which nothing, or only a leaning, is claimed


@dataclass(frozen=True)
class FrequencyLink:
    """Estimates of frequency and importance; None if one of them is the same for all words."""

    pearson: Estimate | None  # VMASK's measure; a few very frequent words weigh most
    spearman: Estimate | None  # of ranks: all words weigh the same

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {**asdict(self), "meaning": str(self)}

    def __str__(self) -> str:
        """Say in one sentence what the numbers are and what they mean."""
        if self.pearson is None or self.spearman is None:
            return "Frequency and importance cannot be correlated: one of them is the same for all words."
        strongest = max(self.pearson, self.spearman, key=lambda correlation: abs(correlation.value))
        return (
            f"Frequency against importance: Pearson r = {_shown(self.pearson)}, Spearman rho = "
            f"{_shown(self.spearman)}, so {_meaning(strongest)}."
        )


def frequency_link(importance: WordImportance) -> FrequencyLink:
    """Correlate frequency and importance over all words."""
    return FrequencyLink(*(measure(importance.frequencies, importance.scores) for measure in (pearson, spearman)))


def _shown(correlation: Estimate) -> str:
    return f"{correlation.value:.3f} [{correlation.low:.3f}, {correlation.high:.3f}]"


def _meaning(strongest: Estimate) -> str:
    if strongest.low <= 0.0 <= strongest.high:
        return "there is no sign that importance follows frequency"
    if abs(strongest.value) < WEAK:
        return "importance does not simply follow frequency"
    leans = "a little" if abs(strongest.value) < CLEAR else "clearly"
    return f"importance leans {leans} towards {'frequent' if strongest.value > 0 else 'rare'} words"
