from collections.abc import Callable

import numpy as np
import pytest

from whyword.catalog import make_explainer
from whyword.data.words import split
from whyword.explainers.lime import Lime
from whyword.interfaces.document import Document
from whyword.web.errors import ClientGoneError
from whyword.web.jobs import ExplainJob, PredictJob, in_steps

from .conftest import TEXTS

DOCUMENTS = [Document(split(text)) for text in TEXTS[:2]]


def test_jobs_are_equal_when_model_explainer_settings_and_target_are(models):
    first, second, _ = models
    assert ExplainJob(first, Lime(samples=100), 1) == ExplainJob(first, Lime(samples=100), 1)
    for other in (
        ExplainJob(first, Lime(samples=200), 1),
        ExplainJob(first, Lime(samples=100)),
        ExplainJob(second, Lime(), 1),
    ):
        assert ExplainJob(first, Lime(samples=100), 1) != other
    assert PredictJob(first) == PredictJob(first) != PredictJob(second)


def stopping_after(steps: int) -> tuple[Callable[[], None], list[None]]:
    looks: list[None] = []

    def between_steps() -> None:
        looks.append(None)
        if len(looks) == steps:
            raise ClientGoneError

    return between_steps, looks


@pytest.mark.parametrize("name", ["lime", "shapley", "occlusion", "integrated-gradients", "own", "gradient"])
def test_whatever_is_computed_stops_between_steps_when_nobody_waits(models, name):
    words = TEXTS[0].split()
    document = Document(split(" ".join(words * (6 if name == "integrated-gradients" else 2))))
    for served in models[:2]:
        between_steps, looks = stopping_after(1 if name in ("own", "gradient") else 2)
        with pytest.raises(ClientGoneError):
            ExplainJob(served, make_explainer(name, served.explained)).run([document], between_steps)
        assert looks


def test_predictions_stop_too(models):
    between_steps, looks = stopping_after(1)
    with pytest.raises(ClientGoneError):
        PredictJob(models[0]).run(DOCUMENTS, between_steps)
    assert looks


def test_what_is_computed_in_between_does_not_change_what_was_interrupted(models):
    served = models[0]
    job, other = ExplainJob(served, Lime(samples=200)), ExplainJob(served, Lime(samples=100))
    alone, beside = job.run(DOCUMENTS, lambda: None), []

    def compute_something_else() -> None:
        if len(beside) < 3:
            beside.append(other.run(DOCUMENTS[:1], lambda: None)[0])

    interrupted = job.run(DOCUMENTS, compute_something_else)
    for one, again in zip(alone, interrupted, strict=True):
        np.testing.assert_array_equal(one.scores, again.scores)
    assert len(beside) == 3


def test_a_view_of_a_model_leaves_the_model_as_it_is(models):
    method = models[0].predictor.method
    in_steps(models[0].predictor, lambda: pytest.fail("the model itself was changed"))
    assert len(PredictJob(models[0]).run(DOCUMENTS, lambda: None)) == 2
    assert "classify" not in vars(method)


def test_predictions_and_explanations_have_tokenizers_of_their_own(models):
    assert models[0].predictor.tokenizer is not models[0].explained.tokenizer
    assert models[0].predictor.method is models[0].explained.method
