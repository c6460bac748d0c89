"""Small models and batches for methods that mask words, and their terms worked out one token at a time."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from reference.samples import VOCABULARY, random_batch
from whyword.blocks.gates import WordGate
from whyword.encoders.bag import Bag
from whyword.encoders.cnn import Cnn
from whyword.encoders.lstm import Lstm
from whyword.encoders.transformer import Transformer
from whyword.interfaces.document import Batch
from whyword.interfaces.method import Encoder, Method

KINDS = ("bag", "cnn", "lstm", "pieces")
TINY_BERT = {
    "model_type": "bert",
    "vocab_size": VOCABULARY,
    "pad_token_id": 0,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 8,
    "max_position_embeddings": 16,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


def small_encoder(kind: str) -> Encoder:
    """An encoder of eight numbers per token without dropout, its word vectors large enough to tell words apart."""
    if kind == "pieces":
        pytest.importorskip("transformers")
        encoder: Encoder = Transformer.from_architecture(Transformer.Config(), TINY_BERT)
        table = encoder.model.get_input_embeddings().weight
    else:
        encoder = {
            "bag": lambda: Bag(Bag.Config(dim=8, dropout=0.0), VOCABULARY, 0),
            "cnn": lambda: Cnn(Cnn.Config(dim=8, filters=4, dropout=0.0), VOCABULARY, 0),
            "lstm": lambda: Lstm(Lstm.Config(dim=8, hidden=6, dropout=0.0), VOCABULARY, 0),
        }[kind]()
        table = encoder.embedding.table.weight
    torch.nn.init.normal_(table)
    return encoder


def batch_for(kind: str) -> Batch:
    """Three texts of words, or two of pieces between special tokens: w0 w0 w0 w1 w2 w2, and a pair, w0 | w1 w1."""
    if kind != "pieces":
        return random_batch([3, 1, 5])
    return Batch(
        tokens=torch.tensor([[1, 4, 5, 6, 7, 8, 9, 2], [1, 10, 2, 4, 11, 2, 0, 0]]),
        mask=torch.tensor([[True] * 8, [True] * 6 + [False] * 2]),
        word_of_token=torch.tensor([[-1, 0, 0, 0, 1, 2, 2, -1], [-1, 0, -1, 1, 1, -1, -1, -1]]),
        segments=torch.tensor([[0] * 8, [0, 0, 0, 1, 1, 1, 0, 0]]),
        labels=torch.tensor([0, 1]),
    )


def force(gate: WordGate, logit: float) -> None:
    """Let the gate say the same about every word."""
    torch.nn.init.zeros_(gate.output.weight)
    torch.nn.init.constant_(gate.output.bias, logit)


def vectors_read(method: Method, call: Callable[[], object]) -> Tensor:
    """Give the word vectors that reach the encoder while something is called."""
    seen: list[Tensor] = []
    encode = method.encoder.encode
    method.encoder.encode = lambda embedded, batch: (seen.append(embedded), encode(embedded, batch))[1]
    try:
        call()
    finally:
        del method.encoder.encode
    (embedded,) = seen
    return embedded


def gate_outputs(method: Method, batch: Batch, whole_words: bool) -> list[list[float]]:
    """Ask the gate about one token at a time; the pieces of a word then share the mean of their answers."""
    embedded = method.encoder.embed(batch)
    table = [[method.gate(vector).item() for vector in row] for row in embedded]
    if not whole_words:
        return table
    for row, words in zip(table, batch.word_of_token.tolist(), strict=True):
        for word in set(words) - {-1}:
            places = [place for place, other in enumerate(words) if other == word]
            mean = sum(row[place] for place in places) / len(places)
            for place in places:
                row[place] = mean
    return table


def sigmoid(value: float) -> float:
    """1 / (1 + e^-value)."""
    return 1 / (1 + math.exp(-value))


def distance_from_coin(keep: float, prior: float) -> float:
    """KL of two Bernoulli variables as every textbook writes it."""
    return keep * math.log(keep / prior) + (1 - keep) * math.log((1 - keep) / (1 - prior))
