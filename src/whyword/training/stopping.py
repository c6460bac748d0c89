"""When a phase of training ends: one rule for every method, and schedules that are fitted to it."""

from __future__ import annotations

from collections.abc import Sequence

from ..interfaces.method import Phase
from .optimizer import Training

SCHEDULE_EPOCHS = 10  # in which a schedule runs to its end, where the user names no number of epochs


def schedule_epochs(phase: Phase, settings: Training) -> int:
    """Give the epochs that progress takes from 0 to 1: those of a schedule, else those of the phase."""
    given = settings.epochs is not None or phase.refinement is not None or settings.stopping == "best"
    return phase.epochs if given or not _has_schedule(phase, settings) else min(phase.epochs, SCHEDULE_EPOCHS)


def most_epochs(phase: Phase, settings: Training) -> int:
    """Give the epochs that are run if nothing stops the phase: where a learning rate ends at 0, so does the phase."""
    return schedule_epochs(phase, settings) if settings.schedule != "constant" else phase.epochs


def is_over(phase: Phase, settings: Training, accuracies: Sequence[float], epochs_since_best: int) -> bool:
    """Say whether a phase has nothing more to expect, from the dev accuracies of its epochs so far.

    It ends when as many epochs as patience has went by without a new best and, at a plateau, when their mean is no
    longer above that of as many epochs before them: where accuracy rises slowly, dev noise hides it from a single best.
    A schedule is run to its end first.
    """
    epoch, patience = len(accuracies), settings.patience
    if epoch >= most_epochs(phase, settings):
        return True
    if patience is None or epochs_since_best < patience or (phase.run_all_epochs and phase.refinement is not None):
        return False
    if settings.stopping == "best":
        return not phase.run_all_epochs
    if _has_schedule(phase, settings) and epoch < schedule_epochs(phase, settings):
        return False
    last, before = accuracies[-patience:], accuracies[-2 * patience : -patience]
    return not before or sum(last) / len(last) <= sum(before) / len(before)


def _has_schedule(phase: Phase, settings: Training) -> bool:
    return phase.run_all_epochs or settings.schedule != "constant"
