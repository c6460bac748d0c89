import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from whyword.maths.arrays.rows import distinct_rows


@given(
    arrays.arrays(bool, arrays.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=12), elements=st.booleans())
)
def test_every_row_is_found_again_and_none_is_there_twice(rows):
    distinct, where = distinct_rows(rows)
    np.testing.assert_array_equal(distinct[where], rows)
    assert len(distinct) == len({row.tobytes() for row in rows})
