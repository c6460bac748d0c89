import numpy as np
import pytest

from whyword.data.words import split
from whyword.experiments.demo import METHODS, agreement_with_truth, run_demo
from whyword.experiments.model_folder import load_model
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation


def explanation(scores: list[float], rationale) -> Explanation:
    document = Document(split("one two three"), rationale=rationale)
    return Explanation(document, np.array(scores), 0, (0, 1), np.ones(2) / 2, "x")


def test_agreement_is_perfect_when_the_true_words_score_highest():
    assert agreement_with_truth([explanation([0.1, 0.9, 0.2], (((4, 7),),))]) == 1.0
    assert agreement_with_truth([explanation([0.1, 0.0, 0.2], (((4, 7),),))]) == pytest.approx(1 / 3)


def test_texts_without_a_known_reason_do_not_count():
    known = explanation([0.1, 0.9, 0.2], (((4, 7),),))
    assert agreement_with_truth([known, explanation([1, 2, 3], None), explanation([1, 2, 3], ((),))]) == 1.0


def test_the_demo_leaves_models_and_a_page(tmp_path):
    told = []
    result = run_demo(
        tmp_path / "a b", 0, "cpu", told.append, data="planted:train=60,dev=20,test=20", encoder="bag", epochs=3
    )
    for method in METHODS:
        assert load_model(tmp_path / "a b" / method).config.method == method
        assert set(result.agreement[method]) == {"own", "occlusion", "random"}
    page = result.page.read_text(encoding="utf-8")
    assert page.count("<h2>") == 10
    assert page.count('<div class="whyword"') == 10 * len(METHODS) * 3
    assert f"whyword explain '{tmp_path}/a b/" in result.summary
    assert any(isinstance(news, str) and "Training attention" in news for news in told)
    assert result.to_dict()["test_accuracy"] == dict(result.accuracy)
