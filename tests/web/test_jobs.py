import threading

import pytest

from whyword.data.words import split
from whyword.explainers.lime import Lime
from whyword.interfaces.document import Document
from whyword.web.errors import ClientGoneError
from whyword.web.jobs import ExplainJob, PredictJob

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


def test_an_explanation_stops_between_forward_passes_when_nobody_waits(models):
    looks = []

    def wanted() -> bool:
        looks.append(None)
        return len(looks) < 3

    with pytest.raises(ClientGoneError):
        ExplainJob(models[0], Lime(samples=5000)).run([Document(split(" ".join(TEXTS[:20])))], wanted)
    assert len(looks) == 3


def test_predictions_in_another_thread_are_not_stopped_with_an_explanation(models):
    predictions = []

    def wanted() -> bool:
        predict = threading.Thread(
            target=lambda: predictions.extend(PredictJob(models[0]).run(DOCUMENTS, lambda: False))
        )
        predict.start()
        predict.join()
        return False

    with pytest.raises(ClientGoneError):
        ExplainJob(models[0], Lime()).run(DOCUMENTS, wanted)
    assert len(predictions) == 2
    assert len(PredictJob(models[0]).run(DOCUMENTS, lambda: False)) == 2


def test_predictions_and_explanations_have_tokenizers_of_their_own(models):
    assert models[0].predictor.tokenizer is not models[0].explained.tokenizer
    assert models[0].predictor.method is models[0].explained.method
