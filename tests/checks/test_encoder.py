import pytest

from whyword import catalog
from whyword.checks import ENCODER_CONTRACT, check_encoder
from whyword.checks.samples import maker_of_encoder, tokenizer_for


@pytest.mark.parametrize("clause", ENCODER_CONTRACT, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("encoder", catalog.names("encoders"))
def test_every_encoder_keeps_its_contract(encoder, clause):
    clause(maker_of_encoder(encoder), tokenizer_for(encoder))


def test_an_encoder_of_ones_own_can_be_checked_in_one_line():
    check_encoder(maker_of_encoder("bag"))
