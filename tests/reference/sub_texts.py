"""Sub-texts the slow way: one at a time, alone in their batch."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from whyword.data.batching import collate
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Tokens, Words


def keep_words(text: Words, kept: Sequence[bool]) -> Words:
    """Give the same strings with only the kept words in them."""
    stays = iter(kept)
    return Words(text.texts, tuple(tuple(span for span in spans if next(stays)) for spans in text.spans))


def keep_tokens(tokens: Tokens, kept: Sequence[bool]) -> Tokens:
    """Drop the pieces of removed words; special tokens stay."""
    chosen = [i for i, word in enumerate(tokens.word) if word < 0 or kept[word]]
    return Tokens(tokens.ids[chosen], tokens.word[chosen], tokens.segment[chosen], tokens.words)


def replace_tokens(tokens: Tokens, kept: Sequence[bool], replacement: int) -> Tokens:
    """Write the replacement over every piece of a removed word; special tokens stay."""
    ids = [
        number if word < 0 or kept[word] else replacement for number, word in zip(tokens.ids, tokens.word, strict=True)
    ]
    return Tokens(np.array(ids, dtype=np.int64), tokens.word, tokens.segment, tokens.words)


def probabilities_one_by_one(
    classifier: FittedClassifier, text: Words, kept: Tensor, replacement: int | None = None
) -> Tensor:
    """Give (subset, class), each row from a batch of one; a sub-text of no token becomes one unknown token."""
    tokenizer, answers = classifier.tokenizer, []
    whole = tokenizer([text])[0]
    for row in kept.tolist():
        left = keep_tokens(whole, row) if replacement is None else replace_tokens(whole, row, replacement)
        if not len(left):
            left = Tokens(np.array([tokenizer.unknown]), np.array([-1]), np.array([0]), 0)
        with torch.inference_mode():
            logits = classifier.method.eval()(collate([left], tokenizer.padding)).logits
        answers.append(logits.softmax(-1)[0])
    return torch.stack(answers) if answers else torch.empty(0, len(classifier.classes))
