"""How labels of texts are found among the classes of a model."""

import pytest

from whyword.errors import OptionError
from whyword.explaining.any_model import known_label


def test_a_label_is_given_as_the_model_spells_it():
    assert known_label((1, 2), "2") == 2


def test_a_label_that_is_no_class_of_the_model_is_said_to_come_from_a_text():
    with pytest.raises(
        OptionError, match=r"No 'c' in the classes of this model, though a text is labelled so: choose from a, b"
    ):
        known_label(("a", "b"), "c")
