import pytest

from whyword import catalog
from whyword.checks import ENCODER_PROMISES, check_encoder
from whyword.checks.found import maker_of_encoder, tokenizer_for


@pytest.mark.parametrize("promise", ENCODER_PROMISES, ids=lambda promise: promise.__name__)
@pytest.mark.parametrize("encoder", catalog.names("encoders"))
def test_every_encoder_keeps_its_promises(encoder, promise):
    promise(maker_of_encoder(encoder), tokenizer_for(encoder))


def test_an_encoder_of_ones_own_can_be_checked_in_one_line():
    check_encoder(maker_of_encoder("bag"))
