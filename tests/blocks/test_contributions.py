"""The head: what it says adds up, does not depend on company or padding, and is saved with its model."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from reference.contributions import QUICK, with_random_head
from whyword import catalog
from whyword.blocks.contributions import ContributionHead, add_head, words_present
from whyword.blocks.neighborhood import features_of
from whyword.checks.contract import expect_untouched
from whyword.checks.samples import AWKWARD, EIGHT, maker_of_method, pairs, sample_batch, tokenizer_for
from whyword.data.planted import planted
from whyword.interfaces.document import Batch
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.folder import load_model, save_model
from whyword.models.train import train_model

TEXTS = [document.words for document in (*EIGHT, *AWKWARD)]
every_method_and_encoder = pytest.mark.parametrize(("method", "encoder"), pairs())


def random_head(features=3, classes=2, **settings):
    head = ContributionHead(features, classes, None, ContributionHead.Config(width=4, hidden=4, **settings))
    head.weigh[-1].weight.data *= 100
    return head.eval()


def pieces(*word_of_token):
    """A batch of one text whose tokens belong to these words."""
    word = torch.tensor([word_of_token])
    return Batch(torch.arange(1, len(word_of_token) + 1).unsqueeze(0), torch.ones_like(word) > 0, word, 0 * word)


@every_method_and_encoder
def test_base_and_contributions_add_up_to_the_probabilities_of_every_text(method, encoder):
    classifier = with_random_head(method, encoder)
    found = classifier.contributions(TEXTS)
    torch.testing.assert_close(found.probabilities, classifier.probabilities(TEXTS))
    for text, scores, probabilities in zip(TEXTS, found.scores, found.probabilities, strict=True):
        assert scores.shape == (3, len(text))
        if scores.any():
            np.testing.assert_allclose(found.base + scores.sum(1), probabilities, atol=1e-5)
            np.testing.assert_allclose(scores.sum(0), 0, atol=1e-5)
    silent = 6 if encoder == "tfidf" else 4  # texts without a token, which for tfidf must be a known word
    assert sum(bool(scores.any()) for scores in found.scores) >= len(TEXTS) - silent
    assert any(np.ptp(scores, axis=1).max() > 1e-5 for scores in found.scores if scores.shape[1] > 1)


@pytest.mark.parametrize(("method", "encoder"), [p for p in pairs() if p[0] in ("base", "attention", "vmask")])
def test_a_text_gets_the_same_contributions_alone_and_in_company(method, encoder):
    classifier = with_random_head(method, encoder)
    together = classifier.contributions(TEXTS).scores
    for text, scores in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(classifier.contributions([text]).scores[0], scores, atol=1e-4)


@pytest.mark.parametrize("encoder", catalog.names("encoders"))
def test_padding_changes_nothing(encoder):
    classifier = with_random_head("base", encoder)
    batch, tokenizer = sample_batch(classifier.tokenizer), classifier.tokenizer
    method = classifier.method
    with torch.inference_mode():
        narrow = method.explain(batch).contributions
        more = Batch(*(torch.cat([table, torch.full((len(batch), 7), filler)], 1) for table, filler in (
            (batch.tokens, tokenizer.padding), (batch.mask, False), (batch.word_of_token, -1), (batch.segments, 0)
        )))  # fmt: skip
        torch.testing.assert_close(method.explain(more).contributions, narrow, atol=1e-5, rtol=1e-4)
        under = replace(more, tokens=more.tokens.masked_fill(~more.mask, 3))
        torch.testing.assert_close(method.explain(under).contributions, narrow, atol=1e-5, rtol=1e-4)


def test_explaining_gives_the_prediction_of_the_classifier_and_leaves_it_untouched():
    classifier = with_random_head("attention", "lstm")
    batch = sample_batch(classifier.tokenizer)
    with torch.inference_mode(), expect_untouched(classifier.method, "Explaining"):
        explained, plain = classifier.method.explain(batch), classifier.method(batch)
    assert torch.equal(explained.logits, plain.logits)
    assert plain.contributions is None


def test_weights_of_a_text_add_up_to_what_its_words_change_and_pieces_of_a_word_are_summed():
    head = random_head()
    head.base.copy_(torch.tensor([0.3, 0.7]).log())
    raw, logits = torch.randn(1, 6, 2), torch.randn(1, 2)
    weights = head.normalize(raw, logits, pieces(-1, 0, 0, 1, 3, -1))
    rise = logits.log_softmax(-1) - head.base
    torch.testing.assert_close(weights.sum(1), rise)
    summed = torch.stack([raw[0, 1] + raw[0, 2], raw[0, 3], raw[0, 4]])
    expected = summed + (rise - summed.sum(0)) / 3
    torch.testing.assert_close(weights[0, [0, 1, 3]], expected)
    assert (weights[0, 2] == 0).all()  # no token of this word was read


def test_the_formula_is_right_about_the_whole_text_and_about_no_words():
    head, batch = random_head(), pieces(0, 1, 2)
    logits = torch.randn(1, 2)
    weights = head.weights(torch.randn(1, 3, 3), logits, batch)
    answers = head.probabilities(weights, torch.tensor([[[True] * 3, [False] * 3, [True, False, False]]]))
    torch.testing.assert_close(answers[0, 0], logits[0].softmax(-1))
    torch.testing.assert_close(answers[0, 1], head.base.softmax(-1))
    torch.testing.assert_close(answers[0, 2], (head.base + weights[0, 0]).softmax(-1))


def test_words_present_are_those_with_a_token():
    batch = pieces(-1, 0, 2, 2, -1)
    assert words_present(batch).tolist() == [[True, False, True]]
    assert words_present(pieces(-1, -1)).tolist() == [[False]]


def test_features_tell_what_was_pooled_of_each_state_or_how_much_it_weighed():
    classifier = with_random_head("base", "lstm")
    batch = sample_batch(classifier.tokenizer)
    with torch.inference_mode():
        embedded, prediction = classifier.method.read(batch)
        features = features_of(embedded, prediction, "largest")
    dim = prediction.states.shape[-1]
    largest = features[..., -dim:]
    has_words = batch.mask.any(1)
    torch.testing.assert_close(largest.amax(1)[has_words].clamp(min=0), prediction.pooled[has_words].clamp(min=0))
    assert ((largest == 0) | (largest == prediction.states)).all()
    attending = with_random_head("attention", "lstm")
    with torch.inference_mode():
        embedded, prediction = attending.method.read(batch)
        weighed = features_of(embedded, prediction, "share")[..., -prediction.states.shape[-1] :]
    torch.testing.assert_close(weighed, prediction.states * prediction.token_weights.unsqueeze(-1))


@pytest.mark.parametrize("method", catalog.names("methods"))
def test_adding_a_head_leaves_the_classifier_and_its_mode_as_they_were(method):
    torch.manual_seed(0)
    made = maker_of_method(method, "bag")(tokenizer_for("bag"), 3)
    before = {name: tensor.clone() for name, tensor in made.state_dict().items()}
    add_head(made, ContributionHead.Config())
    assert made.training
    after = made.state_dict()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())
    assert {name for name in after if name not in before} == {
        f"contributions.{name}" for name in made.contributions.state_dict()
    }


@pytest.mark.parametrize("setting", ["pairs", "texts", "epochs", "steps", "batch_size", "learning_rate", "width"])
def test_settings_out_of_range_are_refused(setting):
    with pytest.raises(OptionError, match=setting):
        ContributionHead.Config(**{setting: 0})
    with pytest.raises(OptionError, match="dropout"):
        ContributionHead.Config(dropout=1.0)


@pytest.fixture(scope="module")
def trained():
    values = {"method": "base", "encoder": {"name": "lstm", "dim": 8, "hidden": 8}, "training": {"epochs": 1}}
    return train_model(make_config({**values, "contributions": QUICK}), planted("train=60,dev=20,test=0"))


def test_a_model_folder_holds_the_contributions(trained, tmp_path):
    save_model(trained, tmp_path)
    loaded = load_model(tmp_path)
    assert loaded.config == trained.config
    assert loaded.config.contributions == ContributionHead.Config(**QUICK)
    one, other = (model.classifier.contributions(TEXTS) for model in (trained, loaded))
    np.testing.assert_array_equal(one.base, other.base)
    for ours, theirs in zip(one.scores, other.scores, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_folder_written_before_there_were_contributions_loads_without(tmp_path):
    values = {"method": "base", "encoder": {"name": "bag", "dim": 8}, "training": {"epochs": 1}}
    model = train_model(make_config(values), planted("train=20,dev=10,test=0"))
    save_model(model, tmp_path)
    (tmp_path / "manifest.json").unlink()
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config.pop("contributions") is None
    assert config["training"].pop("subtexts") == 0
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    loaded = load_model(tmp_path)
    assert not loaded.classifier.has_contributions
    assert torch.equal(loaded.classifier.probabilities(TEXTS), model.classifier.probabilities(TEXTS))
    with pytest.raises(OptionError, match="learn-explainer"):
        loaded.classifier.contributions(TEXTS)
