from functools import cache

import pytest

from whyword import catalog
from whyword.checks import EXPLAINER_CONTRACT, check_explainer
from whyword.checks.contract import expect_untouched
from whyword.checks.explainer import (
    DOCUMENTS,
    explaining_leaves_the_model_untouched,
    one_finite_score_per_word,
)
from whyword.checks.samples import maker_of_method, pairs, small_explainer, tokenizer_for, untrained
from whyword.interfaces.errors import OptionError


@cache
def model(method, encoder):
    return untrained(maker_of_method(method, encoder), tokenizer_for(encoder))


def serves(explainer, classifier):
    try:
        explainer.explain(classifier, DOCUMENTS[:1])
    except OptionError:
        return False
    return True


@cache
def a_method_it_serves(explainer, encoder):
    """Attention where it can be: it has its own scores, and no thresholds that the last digit of a state can cross."""
    methods = [name for name in ("attention", *catalog.names("methods")) if (name, encoder) in pairs()]
    served = [name for name in methods if serves(small_explainer(explainer), model(name, encoder))]
    return served[0] if served else None


@pytest.mark.parametrize("explainer", catalog.names("explainers"))
def test_every_explainer_serves_a_method(explainer):
    assert a_method_it_serves(explainer, "bag")


@pytest.mark.parametrize("clause", EXPLAINER_CONTRACT, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("encoder", catalog.names("encoders"))
@pytest.mark.parametrize("explainer", catalog.names("explainers"))
def test_every_explainer_keeps_its_contract_on_every_encoder(explainer, encoder, clause):
    method = a_method_it_serves(explainer, encoder)
    if method is None:
        pytest.skip(f"no method that goes with {encoder} has the scores of {explainer}")
    clause(small_explainer(explainer), model(method, encoder))


@pytest.mark.parametrize("explainer", catalog.names("explainers"))
@pytest.mark.parametrize("method", catalog.names("methods"))
def test_every_explainer_serves_every_method_or_refuses_it_in_a_sentence(method, explainer):
    chosen, classifier = small_explainer(explainer), model(method, "lstm")
    if serves(chosen, classifier):
        one_finite_score_per_word(chosen, classifier)
        explaining_leaves_the_model_untouched(chosen, classifier)
    else:
        assert chosen.needs_open
        with expect_untouched(classifier.method, "Refusing"), pytest.raises(OptionError, match=r"\.$"):
            chosen.explain(classifier, DOCUMENTS)


def test_an_explainer_of_ones_own_can_be_checked_in_one_line():
    check_explainer(small_explainer("occlusion"))
