import pytest

from whyword.checks import METHOD_CONTRACT, check_method
from whyword.checks.samples import maker_of_method, pairs, tokenizer_for


@pytest.mark.parametrize("clause", METHOD_CONTRACT, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize(("method", "encoder"), pairs())
def test_every_method_keeps_its_contract_on_every_encoder(method, encoder, clause):
    clause(maker_of_method(method, encoder), tokenizer_for(encoder))


def test_a_method_of_ones_own_can_be_checked_in_one_line():
    check_method(maker_of_method("attention", "bag"))
