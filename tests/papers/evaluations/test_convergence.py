import pytest

from reference.variants import tiny_variant
from whyword.papers.evaluations.convergence import convergence
from whyword.papers.reproduction.accuracy import LAST, ends_at_best


def run(best, *curve, phase="train"):
    return {"epoch": best, "phase": phase, "curve": [[name, epoch, score] for name, epoch, score in curve]}


def test_a_run_whose_last_epoch_is_best_is_flagged_in_the_phase_that_was_chosen():
    rising = run(2, ("train", 1, 0.5), ("train", 2, 0.6))
    assert ends_at_best(rising) == {"epochs": 2, "best": 2, LAST: 100.0}
    chosen = run(1, ("joint", 1, 0.5), ("joint", 2, 0.6), ("learn 1", 1, 0.7), ("learn 1", 2, 0.6), phase="learn 1")
    assert ends_at_best(chosen)[LAST] == 0.0
    assert ends_at_best({"epoch": 2, "epochs": 2}) == {}  # an older record


def test_curves_are_means_over_the_seeds_that_got_so_far():
    table = convergence({"ours": tiny_variant("base")})
    runs = [run(1, ("train", 1, 0.5)), run(2, ("train", 1, 0.7), ("train", 2, 0.8))]
    (figure,) = table.draw({("sst2", "ours"): runs, ("trec", "ours"): [{"epochs": 2}]}).values()
    (line,) = figure.axes[0].lines
    assert line.get_ydata() == pytest.approx([60.0, 80.0])
