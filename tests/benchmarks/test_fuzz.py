"""Inputs nobody writes on purpose are answered or refused."""

import pytest

fuzz = pytest.importorskip("fuzz")


@pytest.mark.parametrize("kind", [kind for kind in fuzz.KINDS if "minilm" not in kind])
def test_fuzzed_inputs_are_answered_or_refused(kind):
    assert not [problem for problem in fuzz.KINDS[kind](range(24)) if problem is not None]


@pytest.mark.parametrize("kind", ["texts through minilm", "texts explained on minilm"])
def test_fuzzed_texts_are_no_obstacle_for_minilm(minilm_path, kind):
    assert not [problem for problem in fuzz.KINDS[kind](range(16)) if problem is not None]


@pytest.mark.real
@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_thousands_of_fuzzed_inputs_are_answered_or_refused(minilm_path, kind):
    assert not [problem for problem in fuzz.KINDS[kind](range(2_000)) if problem is not None]


def test_a_model_that_answers_otherwise_in_a_batch_is_noticed():
    import torch

    class Moody:
        classes = ("a", "b")

        def probabilities(self, texts):
            return torch.tensor([[0.5, 0.5]] * len(texts) if len(texts) > 1 else [[0.6, 0.4]])

    assert set(fuzz.wrong_answers(Moody(), ["one", "two"])) == {0, 1}
