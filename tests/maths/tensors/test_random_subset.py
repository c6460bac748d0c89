import torch
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.tensors.random_subset import some_of


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=4))
def test_only_candidates_are_drawn_at_least_one_where_there_is_one(rows):
    candidates = torch.tensor(rows)
    drawn = some_of(candidates)
    assert not (drawn & ~candidates).any()
    assert torch.equal(drawn.any(-1), candidates.any(-1))


def test_every_number_of_candidates_is_as_likely_and_so_is_every_candidate():
    candidates = torch.tensor([True, False, True, True, False, True]).expand(40_000, 6)
    drawn = some_of(candidates)
    torch.testing.assert_close(
        drawn.sum(-1).bincount(minlength=5)[1:] / 40_000, torch.full((4,), 0.25), atol=0.01, rtol=0
    )
    shares = drawn.double().mean(0)[candidates[0]]
    torch.testing.assert_close(shares, torch.full((4,), 2.5 / 4, dtype=torch.float64), atol=0.01, rtol=0)
