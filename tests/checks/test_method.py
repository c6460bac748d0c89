import pytest

from whyword import catalog
from whyword.checks import METHOD_PROMISES, check_method
from whyword.checks.found import maker_of_method, tokenizer_for


@pytest.mark.parametrize("promise", METHOD_PROMISES, ids=lambda promise: promise.__name__)
@pytest.mark.parametrize("encoder", catalog.names("encoders"))
@pytest.mark.parametrize("method", catalog.names("methods"))
def test_every_method_keeps_its_promises_on_every_encoder(method, encoder, promise):
    promise(maker_of_method(method, encoder), tokenizer_for(encoder))


def test_a_method_of_ones_own_can_be_checked_in_one_line():
    check_method(maker_of_method("attention", "bag"))
