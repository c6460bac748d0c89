"""Each check is shown a class that breaks its contract, and must say so."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from whyword.checks import encoder as of_encoders
from whyword.checks import learning
from whyword.checks import method as of_methods
from whyword.checks.samples import sample_words
from whyword.encoders.bag import Bag
from whyword.interfaces.method import Objective, Phase
from whyword.methods.attention import Attention

WORDS = sample_words()


class SeesPadding(Bag):
    def encode(self, embedded, batch):
        return (embedded - embedded.mean(1, keepdim=True),)


class SeesPaddingTokens(Bag):
    def encode(self, embedded, batch):
        return (embedded + (batch.tokens * ~batch.mask).sum(),)


class SeesNeighbors(Bag):
    def encode(self, embedded, batch):
        return (embedded + embedded[:1, :1],)


class DrawsWhileReading(Bag):
    def encode(self, embedded, batch):
        return (embedded + torch.rand_like(embedded),)


class DeclaresAnotherWidth(Bag):
    def __init__(self, config, vocabulary, padding):
        super().__init__(config, vocabulary, padding)
        self.layer_dims = (3,)


@pytest.mark.parametrize(
    ("clause", "broken", "sentence"),
    [
        (of_encoders.padding_changes_nothing, SeesPadding, "layer 1 with five columns of padding"),
        (of_encoders.padding_changes_nothing, SeesPaddingTokens, "layer 1 with random tokens under the padding"),
        (of_encoders.batch_equals_one_by_one, SeesPadding, "layer 1 of text 0 alone and in a batch"),
        (of_encoders.batch_equals_one_by_one, SeesNeighbors, "layer 1 of text 1 alone and in a batch"),
        (of_encoders.reading_is_repeatable, DrawsWhileReading, "layer 1 asked for twice"),
        (of_encoders.layers_are_as_wide_as_declared, DeclaresAnotherWidth, r"widths \(8,\), not \(3,\)"),
    ],
)
def test_an_encoder_that_breaks_its_contract_is_found(clause, broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        clause(lambda tokens: broken(Bag.Config(dim=8), tokens.size, tokens.padding), WORDS)


class SeesTheBatch(Attention):
    def classify(self, embedded, batch):
        prediction = super().classify(embedded, batch)
        return replace(prediction, logits=prediction.logits - prediction.logits.mean(0))


class AttendsToPadding(Attention):
    def classify(self, embedded, batch):
        return super().classify(embedded, replace(batch, mask=torch.ones_like(batch.mask)))


class DrawsWhilePredicting(Attention):
    def classify(self, embedded, batch):
        prediction = super().classify(embedded, batch)
        return replace(prediction, logits=prediction.logits + torch.rand(1))


class RemembersTheLastBatch(Attention):
    def classify(self, embedded, batch):
        self.last = batch
        return super().classify(embedded, batch)


class GivesOneLogit(Attention):
    def classify(self, embedded, batch):
        prediction = super().classify(embedded, batch)
        return replace(prediction, logits=prediction.logits[:, :1])


class WeighsTwice(Attention):
    def classify(self, embedded, batch):
        prediction = super().classify(embedded, batch)
        return replace(prediction, token_weights=prediction.token_weights / 2)


class NamesNoScore(Attention):
    own_score = None


class CutsGradients(Attention):
    def classify(self, embedded, batch):
        return super().classify(embedded.detach() + 0 * embedded, batch)


class FeelsUnwell(Attention):
    def health(self, batches):
        return {"pulse": float("nan")}


class WarnsInAWord(Attention):
    def warnings(self, health):
        return ["Beware"]


class HasAnIdleWeight(Attention):
    def __init__(self, encoder, classes, config):
        super().__init__(encoder, classes, config)
        self.idle = nn.Parameter(torch.ones(2))


class ShiftsAllScores(Attention):
    def __init__(self, encoder, classes, config):
        super().__init__(encoder, classes, config)
        self.attention.query = nn.Linear(self.attention.query.in_features, 1)  # softmax is blind to the bias


class ForgetsTheEncoder(Attention):
    def plan(self, epochs):
        return [Phase("head", epochs, [Objective(self.losses, list(self.head.parameters()), weight_decay=0.1)])]


class TrainsByHand(ForgetsTheEncoder):
    def losses(self, batch, progress):
        self.attention.query.weight.data += 0.1
        return super().losses(batch, progress)


class DividesByZero(Attention):
    def losses(self, batch, progress):
        return {"task": super().losses(batch, progress)["task"], "extra": self.head.linear.bias.sum() / (1 - progress)}


class HasNoMemory(Attention):
    def classify(self, embedded, batch):
        prediction = super().classify(embedded, batch)
        return replace(prediction, logits=prediction.logits[:1].expand(len(batch), -1))


class CountsAllTrainings(Attention):
    steps = 0

    def losses(self, batch, progress):
        type(self).steps += 1
        return {
            "task": super().losses(batch, progress)["task"] * self.steps**0.5,
            "decay": self.head.linear.weight.sum(),
        }


class CountsItsSteps(Attention):
    def __init__(self, encoder, classes, config):
        super().__init__(encoder, classes, config)
        self.steps = 0

    def losses(self, batch, progress):
        self.steps += 1
        return {
            "sum": self.head.linear.weight.sum() * (1 if self.steps % 4 else -9)
            + super().losses(batch, progress)["task"]
        }

    def classify(self, embedded, batch):
        prediction = super().classify(embedded, batch)
        return replace(prediction, logits=prediction.logits + self.steps)


class NeverMoves(Attention):
    def __init__(self, encoder, classes, config):
        super().__init__(encoder, classes, config)
        for parameter in self.parameters():
            nn.init.ones_(parameter)

    def losses(self, batch, progress):
        return {"nothing": 0 * super().losses(batch, progress)["task"]}


@pytest.mark.parametrize(
    ("clause", "broken", "sentence"),
    [
        (of_methods.batch_equals_one_by_one, SeesTheBatch, "the logits of text 0 alone and in a batch"),
        (of_methods.padding_changes_nothing, AttendsToPadding, "the token weights with five columns of padding"),
        (of_methods.predictions_are_repeatable, DrawsWhilePredicting, "the logits asked for twice"),
        (of_methods.predicting_leaves_the_method_untouched, RemembersTheLastBatch, r"left attributes .*\.last"),
        (of_methods.predictions_have_their_shapes, GivesOneLogit, r"shape \(21, 1\), not \(21, 2\)"),
        (of_methods.own_scores_are_what_they_are_called, WeighsTwice, "sum of a text's token weights"),
        (of_methods.own_scores_are_what_they_are_called, NamesNoScore, "does not name them in own_score"),
        (of_methods.gradients_reach_the_words, CutsGradients, "No gradient .* reaches its word vectors"),
        (of_methods.gradients_reach_the_words, SeesTheBatch, "depend on the word vectors of another one"),
        (of_methods.health_is_told_in_numbers_and_sentences, FeelsUnwell, "'pulse' is nan, not a finite float"),
        (of_methods.health_is_told_in_numbers_and_sentences, WarnsInAWord, "no sentence: 'Beware'"),
        (learning.every_parameter_learns, HasAnIdleWeight, "idle may learn, but no loss of the plan"),
        (learning.every_parameter_learns, ShiftsAllScores, "attention.query.bias may learn"),
        (learning.every_parameter_learns, ForgetsTheEncoder, "encoder.embedding.table.weight may learn"),
        (learning.an_objective_moves_only_what_it_trains, TrainsByHand, "'head' moved attention.query.weight"),
        (learning.losses_are_finite, DividesByZero, "The loss 'extra' of phase 'train' is "),
        (learning.eight_texts_can_be_memorized, HasNoMemory, "only 50% of them"),
        (learning.same_seed_same_result, CountsAllTrainings, "two trainings with the same seed: .* differ"),
        (learning.same_seed_same_result, NeverMoves, "two different seeds gives the same weights"),
        (learning.stopping_and_resuming_changes_nothing, CountsItsSteps, "resumed after 3 steps"),
        (learning.save_and_load_agree, CountsItsSteps, "The logits before saving and after loading"),
    ],
)
def test_a_method_that_breaks_its_contract_is_found(clause, broken, sentence):
    def make(tokens, classes):
        return broken(Bag(Bag.Config(dim=8, dropout=0.0), tokens.size, tokens.padding), classes, Attention.Config())

    with pytest.raises(AssertionError, match=sentence):
        clause(make, WORDS)


def test_frozen_word_vectors_need_not_learn():
    def make(tokens, classes):
        return Attention(Bag(Bag.Config(dim=8, frozen=True), tokens.size, tokens.padding), classes, Attention.Config())

    learning.every_parameter_learns(make, WORDS)
