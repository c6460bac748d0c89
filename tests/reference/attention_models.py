"""Models whose attention is known to matter, or not to."""

import torch
from torch import nn

from reference.samples import fitted
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.words import split
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm
from whyword.interfaces.document import Document
from whyword.methods.attention import Attention
from whyword.methods.base import Base

NEUTRAL = ["the", "plot", "of", "this", "long", "film", "with", "its", "many", "songs"]
CUES = ("good", "bad")


def _document(number):
    """Between three and nine neutral words, and one that decides."""
    words = [NEUTRAL[(number + 3 * place) % len(NEUTRAL)] for place in range(3 + number % 7)]
    words.insert(number % len(words), CUES[number % 2])
    return Document(split(" ".join(words)), number % 2)


DOCUMENTS = [_document(number) for number in range(24)]
TEXTS = [document.words for document in DOCUMENTS]
TOKENIZER = learn_vocabulary(TEXTS)


class AllAlike(Bag):
    """Every state is the mean of the text: where the attention goes cannot matter."""

    def encode(self, embedded, batch):
        mean = self.summarize(embedded, batch).unsqueeze(1)
        return (mean.expand_as(embedded),)


class SeparateAttention(Attention):
    """Attends by the word vectors, so that weights differ even where the states do not."""

    def attention_and_states(self, embedded, batch):
        return self.attention(embedded, batch.mask), self.encoder.encode(embedded, batch)[-1]


def ignores_its_attention():
    """A model whose states are all equal; its attention is sharp."""
    return loud(SeparateAttention(AllAlike(Bag.Config(dim=6), TOKENIZER.size, 0), 2, Attention.Config()))


def decides_by_its_attention():
    """A bag that looks at the one word that decides, nine parts in ten, and is as sure as it looks hard."""
    model = Attention(Bag(Bag.Config(dim=2), TOKENIZER.size, 0), 2, Attention.Config(width=1)).double().eval()
    table = torch.zeros(TOKENIZER.size, 2)
    for word, side in zip(CUES, (1.0, -1.0), strict=True):
        table[TOKENIZER.token_strings().index(word)] = torch.tensor([side, 10.0])
    model.encoder.embedding.table.weight.data = table.double()
    model.attention.hidden.weight.data = torch.tensor([[0.0, 1.0]]).double()  # tanh is 1 on the cue, 0 elsewhere
    model.attention.query.weight.data = torch.tensor([[4.0]]).double()
    model.head.linear.weight.data = torch.tensor([[1.0, 0.0], [-1.0, 0.0]]).double()
    model.head.linear.bias.data.zero_()
    return fitted(model, TOKENIZER)


def loud(method):
    nn.init.normal_(method.encoder.embedding.table.weight, std=2.0)
    for layer in (method.attention.hidden, method.attention.query, method.head.linear):
        nn.init.normal_(layer.weight, std=2.0)
    return fitted(method.double().eval(), TOKENIZER)


def small_lstm(seed=0):
    """An untrained attention model."""
    torch.manual_seed(seed)
    encoder = Lstm(Lstm.Config(dim=6, hidden=5), TOKENIZER.size, 0)
    return loud(Attention(encoder, 2, Attention.Config()))


def without_attention():
    """A model that has no attention to be replaced."""
    return fitted(Base(Bag(Bag.Config(dim=6), TOKENIZER.size, 0), 2, Base.Config()).eval(), TOKENIZER)
