import pytest

from whyword.data.planted import planted
from whyword.models.budget import HEAD_ONLY, LSTM, MINILM, Candidate, decide, duration, estimate
from whyword.models.config import make_config

DATA = planted("easy,train=40,dev=10,test=0")
CONFIG = make_config({})


def plan(seconds, **estimates):
    names = {"lstm": LSTM, "head": HEAD_ONLY, "minilm": MINILM}
    found = {names[name]: Candidate(names[name], CONFIG, value) for name, value in estimates.items()}
    made = decide(found, DATA, seconds, 10)
    return [candidate.name for candidate in made.candidates], " ".join(made.sentences)


@pytest.mark.parametrize(
    ("seconds", "estimates", "names"),
    [
        (600, {"lstm": 50, "head": 30, "minilm": 500}, [HEAD_ONLY, MINILM]),
        (600, {"lstm": 50, "head": 30, "minilm": 590}, [MINILM]),  # both together would be too much
        (600, {"lstm": 50, "head": 30, "minilm": 900}, [HEAD_ONLY, LSTM]),
        (600, {"lstm": 700, "head": 30, "minilm": 900}, [HEAD_ONLY]),
        (600, {"lstm": 700, "head": 800, "minilm": 900}, []),
        (600, {"lstm": 50}, [LSTM]),
    ],
)
def test_the_most_able_model_that_fits_is_trained(seconds, estimates, names):
    assert plan(seconds, **estimates)[0] == names


def test_the_reason_and_the_price_of_the_next_better_choice_are_said():
    _, why = plan(590, lstm=50, head=30, minilm=840)
    assert "with 40 training texts of " in why
    assert "minilm with a linear head, about 30 seconds, and lstm, about 50 seconds, fit into 10 minutes here." in why
    assert why.endswith("minilm would take about 14 minutes: --budget 17.")  # 840 × 1.2 + 10 s
    _, why = plan(600, lstm=50, head=30, minilm=500)
    assert "--budget" not in why
    _, why = plan(600, lstm=7_000, minilm=70_000)
    assert "nothing more fits into 10 minutes here. lstm would take about 1.9 hours: --budget 140." in why
    assert why.endswith("minilm would take about 19.4 hours: --budget 1400.")


def test_an_estimate_is_measured_with_contributions_and_leaves_the_random_stream_alone():
    import torch

    state = torch.get_rng_state()
    found = estimate({LSTM: make_config({"training": {"epochs": 1}})}, DATA, torch.device("cpu"), True)
    assert torch.equal(torch.get_rng_state(), state)
    assert found[LSTM].seconds > 0
    assert found[LSTM].threads == 1
    assert found[LSTM].config.contributions is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 seconds"), (80, "80 seconds"), (840, "14 minutes"), (7_200, "2.0 hours")]
)
def test_durations_are_words(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "epochs", "kept"),
    [
        (700, None, [HEAD_ONLY, MINILM]),
        (550, 2, [HEAD_ONLY, MINILM]),
        (250, 1, [HEAD_ONLY, MINILM]),
        (190, None, [HEAD_ONLY, LSTM]),
    ],
)
def test_a_pretrained_encoder_is_trained_for_as_many_epochs_as_fit(seconds, epochs, kept):
    config = make_config({"training": {"epochs": 3}})
    estimates = {LSTM: 50, HEAD_ONLY: 10, MINILM: 600}
    found = {name: Candidate(name, config, value) for name, value in estimates.items()}
    made = decide(found, DATA, seconds, seconds / 60)
    assert [candidate.name for candidate in made.candidates] == kept
    last = made.candidates[-1]
    assert last.epochs == epochs
    assert last.shortened.training.epochs == (epochs or 3)
    assert last.seconds == (estimates[kept[-1]] if epochs is None else 200 * epochs)
    said = " ".join(made.sentences)
    if epochs is not None:
        assert f"minilm for {epochs} of 3 epochs, about " in said
        assert "All epochs of minilm would take about 10 minutes: --budget" in said
