import numpy as np
import torch
from scipy.stats import entropy

from whyword.data.batching import Corpus
from whyword.data.dataset import labels
from whyword.data.planted import SPURIOUS, planted
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.models.assemble import assemble
from whyword.models.baseline import read_corpora
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.training.ignored_words import answers_differ, with_ignored_words

DOCUMENTS = (
    Document(split("good film x"), "yes"),
    Document(split("bad x film here"), "no"),
    Document(split("fine"), "no"),
)


def test_the_difference_of_two_answers_is_jeffreys_divergence():
    one, other = torch.randn(2, 5, 3, dtype=torch.float64)
    p, q = one.softmax(1).numpy(), other.softmax(1).numpy()
    expected = entropy(p, q, axis=1) + entropy(q, p, axis=1)
    np.testing.assert_allclose(answers_differ(one, other, False), expected)


def test_of_several_labels_it_is_the_sum_of_that_of_each():
    one, other = torch.randn(2, 5, 3, dtype=torch.float64)
    p, q = (np.stack([x.sigmoid().numpy(), 1 - x.sigmoid().numpy()]) for x in (one, other))
    expected = (entropy(p, q, axis=0) + entropy(q, p, axis=0)).sum(1)
    np.testing.assert_allclose(answers_differ(one, other, True), expected)


def test_the_terms_compare_each_text_with_itself_without_the_ignored_words():
    parts = assemble(make_config({"forbid_soft": ["x"], "encoder": "bag"}), 2, [d.words for d in DOCUMENTS])
    method = parts.method.eval()
    corpus = Corpus.read(DOCUMENTS, ("no", "yes"), parts.tokenizer)
    marked = Corpus(
        corpus.texts,
        corpus.labels,
        corpus.padding,
        None,
        [np.array([0, 0, 1]) > 0, np.array([0, 1, 0, 0]) > 0, np.array([0]) > 0],
    )
    batch = marked.batch(np.arange(3))
    assert batch.ignored.tolist() == [[False, False, True, False], [False, True, False, False], [False] * 4]
    (phase,) = (with_ignored_words(method.plan(1)[0], 2.0, method),)
    terms = phase.objectives[0].losses(batch, 0.0)
    without = Corpus.read(
        [Document(split("good film"), "yes"), Document(split("bad film here"), "no")], ("no", "yes"), parts.tokenizer
    )
    other = method(without.batch(np.arange(2)))
    expected = 2.0 * answers_differ(method(batch).logits[:2], other.logits, False).sum() / 3
    torch.testing.assert_close(terms["forbidden"], expected)
    task = torch.nn.functional.cross_entropy(other.logits, torch.tensor([1, 0]))
    torch.testing.assert_close(terms["without forbidden"], task * 2 / 3)
    torch.testing.assert_close(terms["task"], method.losses(batch, 0.0)["task"])


def test_nothing_is_added_without_weight_or_without_such_words():
    parts = assemble(make_config({"encoder": "bag"}), 2, [d.words for d in DOCUMENTS])
    (phase,) = parts.method.plan(1)
    assert with_ignored_words(phase, 0.0, parts.method) is phase
    batch = Corpus.read(DOCUMENTS, ("no", "yes"), parts.tokenizer).batch(np.arange(3))
    assert set(with_ignored_words(phase, 1.0, parts.method).objectives[0].losses(batch, 0.0)) == {"task"}


def test_answers_move_less_than_without_the_term():
    data = planted("spurious,train=400,dev=60,test=60")
    moved = {}
    for weight in (0.0, 3.0):
        values = {"encoder": "bag", "training": {"epochs": 8, "forbid_weight": weight}}
        classifier = train_model(make_config({**values, "forbid_soft": SPURIOUS}), data).classifier
        texts = [d.words for d in data.test]
        kept = [torch.tensor([[True] * len(t), [w not in SPURIOUS for w in t.strings]]) for t in texts]
        answers = torch.stack(list(classifier.probabilities_of_many(zip(texts, kept, strict=True))))
        moved[weight] = float((answers[:, 0] - answers[:, 1]).abs().max(1).values.mean())
    assert moved[3.0] < 0.5 * moved[0.0]


def test_a_model_that_is_solved_does_not_read_them_at_all():
    data = planted("spurious,train=40,dev=20,test=10")
    config = make_config({"encoder": "tfidf", "forbid_soft": SPURIOUS})
    parts = assemble(config, 2, [d.words for d in data.train])
    assert parts.tokenizer.forbidden.entries == SPURIOUS
    assert read_corpora(parts, data, labels(data.train))[0].ignored is None
