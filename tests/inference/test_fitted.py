"""A fitted classifier: whole texts, sub-texts and the method's own scores."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.samples import attention_on_lstm, fitted
from reference.sub_texts import keep_words, probabilities_one_by_one
from reference.tokenizers import joined_marks
from whyword.blocks.contributions import ContributionHead, add_head
from whyword.catalog import make_explainer
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer
from whyword.data.words import split
from whyword.encoders.affine import Affine
from whyword.encoders.bag import Bag
from whyword.encoders.cnn import Cnn
from whyword.encoders.lstm import Lstm
from whyword.encoders.transformer import Transformer
from whyword.inference import fitted as fitted_module
from whyword.inference.black_box import BlackBox
from whyword.inference.fitted import FittedClassifier, choose_device
from whyword.interfaces.classifier import REMOVALS, OpenClassifier
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.methods.attention import Attention
from whyword.methods.base import Base
from whyword.methods.vmask import Vmask

SINGLE = split("the cast was superb and the plot was not dreadful")
PAIR = split("is the plot dull", "no it was superb")
EMPTY = split("")
ODD = split("It's (really) good... don't you think? 🙂")
TOO_LONG = split("one two three four five six seven eight nine ten eleven twelve")  # for an encoder of 40 pieces
TOKENIZER = learn_vocabulary([SINGLE, PAIR])
ENCODERS = {
    "bag": Bag(Bag.Config(dim=5), TOKENIZER.size, 0),
    "affine": Affine(Affine.Config(dim=5, hidden=4), TOKENIZER.size, 0),
    "cnn": Cnn(Cnn.Config(dim=5, filters=3), TOKENIZER.size, 0),
    "lstm": Lstm(Lstm.Config(dim=5, hidden=4), TOKENIZER.size, 0),
    "both ways": Lstm(Lstm.Config(dim=5, hidden=4, bidirectional=True), TOKENIZER.size, 0),
}
for parameter in (p for encoder in ENCODERS.values() for p in encoder.parameters()):
    torch.nn.init.normal_(parameter)  # so that words matter


@pytest.fixture(params=ENCODERS)
def classifier(request):
    return fitted(Base(ENCODERS[request.param], 3, Base.Config(dropout=0.5)), TOKENIZER)


@pytest.fixture
def counted():
    """A classifier that counts the texts it is asked about."""
    model = attention_on_lstm(TOKENIZER.size)
    rows = []
    forward = model.forward
    model.forward = lambda batch: (rows.append(len(batch)), forward(batch))[1]
    return fitted(model, TOKENIZER), rows


@pytest.fixture
def on_pieces(tiny_bert):
    """A classifier that reads word pieces, 40 at most."""
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tiny_bert)))
    tokenizer = WordPieceTokenizer.from_pretrained(str(tiny_bert), encoder.limit)
    return FittedClassifier(Attention(encoder, 2, Attention.Config()), tokenizer, ("no", "yes"))


def some_subsets(words, count=12):
    return torch.from_numpy(np.random.default_rng(words).random((count, words)) < 0.6)


def test_it_is_an_open_classifier(classifier):
    assert isinstance(classifier, OpenClassifier)


def test_texts_answer_as_each_does_alone_in_the_order_asked(classifier):
    texts = [SINGLE, EMPTY, split("superb"), split("never seen words"), split("superb")] * 3
    together = classifier.probabilities(texts)
    alone = torch.cat([classifier.probabilities([text]) for text in texts])
    torch.testing.assert_close(together, alone)
    torch.testing.assert_close(together.sum(1), torch.ones(15))
    assert not classifier.method.training


def test_no_texts_have_no_answers(classifier):
    assert classifier.probabilities([]).shape == (0, 3)
    assert list(classifier.probabilities_of_many([])) == []


@pytest.mark.parametrize("text", [SINGLE, PAIR, ODD, EMPTY, split("", "one"), split("", "")])
def test_sub_texts_answer_as_the_kept_words_alone(classifier, text):
    kept = some_subsets(len(text))
    kept = torch.cat([kept, torch.zeros(1, len(text), dtype=torch.bool), torch.ones(1, len(text), dtype=torch.bool)])
    answers = classifier.probabilities_of_subsets(text, kept)
    again = torch.cat([classifier.probabilities([keep_words(text, row)]) for row in kept.tolist()])
    torch.testing.assert_close(answers, again)
    torch.testing.assert_close(answers, probabilities_one_by_one(classifier, text, kept))
    torch.testing.assert_close(answers[-1:], classifier.probabilities([text]))


@pytest.mark.parametrize("text", [SINGLE, PAIR])
def test_sub_texts_answer_as_their_strings_written_out_and_split_again(classifier, text):
    def from_strings(texts):
        return classifier.probabilities([split(t) if isinstance(t, str) else split(*t) for t in texts]).numpy()

    kept = some_subsets(len(text))
    closed = BlackBox(from_strings, classifier.classes)
    torch.testing.assert_close(
        classifier.probabilities_of_subsets(text, kept), closed.probabilities_of_subsets(text, kept).float()
    )


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from([SINGLE, PAIR, ODD, EMPTY]), st.integers(0, 6)), max_size=5))
def test_many_texts_in_one_stream_answer_in_order(wanted):
    classifier = fitted(Base(ENCODERS["lstm"], 3, Base.Config()), TOKENIZER)
    requests = [(text, some_subsets(len(text), count)) for text, count in wanted]
    answers = list(classifier.probabilities_of_many(iter(requests)))
    assert len(answers) == len(requests)
    for (text, kept), answer in zip(requests, answers, strict=True):
        torch.testing.assert_close(answer, probabilities_one_by_one(classifier, text, kept))


@pytest.mark.parametrize("removal", ["pad", "unknown", "mask"])
@pytest.mark.parametrize("text", [SINGLE, PAIR, ODD, EMPTY, split("", "one")])
def test_replaced_words_answer_as_their_tokens_written_over(classifier, text, removal):
    kept = torch.cat([some_subsets(len(text)), torch.tensor([[False] * len(text), [True] * len(text)])])
    replacement = {"pad": 0, "unknown": 1, "mask": 3}[removal]
    answers = classifier.probabilities_of_subsets(text, kept, removal)
    torch.testing.assert_close(answers, probabilities_one_by_one(classifier, text, kept, replacement))
    torch.testing.assert_close(answers[-1:], classifier.probabilities([text]))


@pytest.mark.parametrize("removal", ["pad", "unknown", "mask"])
def test_word_pieces_of_removed_words_are_replaced_and_special_tokens_stay(on_pieces, removal):
    tokenizer = on_pieces.tokenizer
    replacement = {"pad": tokenizer.padding, "unknown": tokenizer.unknown, "mask": tokenizer.mask}[removal]
    requests = [(text, some_subsets(len(text), 6)) for text in (SINGLE, PAIR, ODD, EMPTY, TOO_LONG)]
    for (text, kept), answer in zip(requests, on_pieces.probabilities_of_many(requests, removal), strict=True):
        again = probabilities_one_by_one(on_pieces, text, kept, replacement)
        torch.testing.assert_close(answer, again, atol=1e-5, rtol=1e-4)
    nothing = torch.zeros(1, len(PAIR), dtype=torch.bool)
    replaced, deleted = (on_pieces.probabilities_of_subsets(PAIR, nothing, way) for way in (removal, "delete"))
    assert not torch.allclose(replaced, deleted)


def test_an_unknown_way_to_remove_words_is_refused_with_the_nearest(classifier):
    with pytest.raises(OptionError, match=r"No 'masks' in the ways to remove words: .* Did you mean 'mask'\?"):
        classifier.probabilities_of_subsets(SINGLE, some_subsets(len(SINGLE)), "masks")


def test_a_model_without_a_mask_token_says_what_else_there_is(classifier):
    tokenizer = learn_vocabulary([SINGLE, PAIR])
    tokenizer.mask = None
    maskless = fitted(classifier.method, tokenizer)
    with pytest.raises(OptionError, match=r"^This model has no mask token: choose removal delete, pad or unknown\.$"):
        maskless.probabilities_of_subsets(SINGLE, some_subsets(len(SINGLE)), "mask")


@pytest.mark.parametrize("removal", ["delete", "mask"])
def test_a_request_too_large_for_memory_is_answered_part_by_part_and_in_order(monkeypatch, removal):
    classifier = fitted(Base(ENCODERS["lstm"], 3, Base.Config()), TOKENIZER)
    requests = [(text, some_subsets(len(text), count)) for text, count in ((PAIR, 3), (SINGLE, 40), (ODD, 2))]
    whole = list(classifier.probabilities_of_many(requests, removal))
    laid_out, lay_out = [], fitted_module.lay_out
    monkeypatch.setattr(fitted_module, "CHUNK_TOKENS", 60)
    monkeypatch.setattr(
        fitted_module, "lay_out", lambda *given: (laid_out.append(sum(map(np.size, given[1]))), lay_out(*given))[1]
    )
    parts = list(classifier.probabilities_of_many(iter(requests), removal))
    assert max(laid_out) <= 60
    for one, other in zip(parts, whole, strict=True):
        torch.testing.assert_close(one, other)


def test_the_stream_answers_before_it_has_read_all_requests(monkeypatch):
    monkeypatch.setattr(fitted_module, "CHUNK_TOKENS", 100)
    classifier, read = fitted(Base(ENCODERS["bag"], 3, Base.Config()), TOKENIZER), []

    def requests():
        for number in range(50):
            read.append(number)
            yield SINGLE, some_subsets(len(SINGLE), 5)

    stream = classifier.probabilities_of_many(requests())
    next(stream)
    assert len(read) < 6
    assert len(list(stream)) == 49


@pytest.mark.parametrize("removal", REMOVALS)
def test_equal_sub_texts_are_asked_about_once(counted, removal):
    classifier, rows = counted
    kept = torch.ones(500, len(SINGLE), dtype=torch.bool)
    kept[::2, 0] = False
    answers = classifier.probabilities_of_subsets(SINGLE, kept, removal)
    assert answers.shape == (500, 2)
    assert sum(rows) == 2


def test_sub_texts_of_many_texts_share_forward_passes(counted):
    classifier, rows = counted
    list(classifier.probabilities_of_many([(SINGLE, some_subsets(len(SINGLE)))] * 20))
    assert len(rows) == 1


def test_word_pieces_of_removed_words_go_and_special_tokens_stay(on_pieces):
    requests = [(text, some_subsets(len(text), 6)) for text in (SINGLE, PAIR, ODD, EMPTY, TOO_LONG)]
    for (text, kept), answer in zip(requests, on_pieces.probabilities_of_many(requests), strict=True):
        torch.testing.assert_close(answer, probabilities_one_by_one(on_pieces, text, kept), atol=1e-5, rtol=1e-4)
    whole = on_pieces.probabilities_of_subsets(PAIR, torch.ones(1, len(PAIR), dtype=torch.bool))
    torch.testing.assert_close(whole, on_pieces.probabilities([PAIR]))


def test_own_scores_are_the_attention_weights_of_the_words():
    classifier = fitted(attention_on_lstm(TOKENIZER.size, dropout=0.5), TOKENIZER)
    texts = [SINGLE, PAIR, EMPTY, split("superb")]
    scores, probabilities, truncated_words = classifier.own_scores(texts)
    torch.testing.assert_close(probabilities, classifier.probabilities(texts))
    assert truncated_words == [0] * 4
    assert [len(score) for score in scores] == [len(text) for text in texts]
    torch.testing.assert_close(scores[0].sum(), torch.tensor(1.0))
    assert float(scores[1].sum()) < 1  # the separator has the rest
    for text, score in zip(texts, scores, strict=True):
        (_, batch), *_ = classifier.batches([text])
        with torch.inference_mode():
            alone = classifier.method(batch).token_weights[0]
        torch.testing.assert_close(score, alone[batch.is_word[0]])


def test_own_scores_of_texts_without_words_are_empty():
    classifier = fitted(attention_on_lstm(TOKENIZER.size), TOKENIZER)
    scores, probabilities, _ = classifier.own_scores([EMPTY, EMPTY])
    assert [len(score) for score in scores] == [0, 0]
    torch.testing.assert_close(probabilities, classifier.probabilities([EMPTY, EMPTY]))


def test_truncated_words_have_score_zero_and_are_counted(tiny_bert):
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tiny_bert), limit=8))
    tokenizer = WordPieceTokenizer.from_pretrained(str(tiny_bert), encoder.limit)
    classifier = FittedClassifier(Attention(encoder, 2, Attention.Config()), tokenizer, (0, 1))
    scores, _, truncated_words = classifier.own_scores(
        [split("the plot was not the good plot was good"), split("good plot")]
    )
    assert truncated_words == [3, 0]
    assert classifier.truncated_words([split("the plot was not the good plot was good"), split("good plot")]) == [3, 0]
    assert (scores[0][:6] > 0).all()
    assert (scores[0][6:] == 0).all()


def test_a_method_without_scores_of_its_own_says_so(classifier):
    with pytest.raises(OptionError, match="This model has no word scores of its own"):
        classifier.own_scores([SINGLE])


def test_batches_come_with_the_positions_of_their_texts(classifier, monkeypatch):
    monkeypatch.setattr(fitted_module, "BATCH_TOKENS", 12)
    texts = [split("one"), SINGLE, split("two three"), split("four")]
    seen = {}
    for chosen, batch in classifier.batches(texts):
        for row, number in enumerate(chosen):
            seen[int(number)] = int(batch.mask[row].sum())
    assert seen == {0: 1, 1: 10, 2: 2, 3: 1}


def test_asking_leaves_the_weights_alone(classifier):
    before = {name: tensor.clone() for name, tensor in classifier.method.state_dict().items()}
    classifier.probabilities_of_subsets(SINGLE, some_subsets(len(SINGLE)))
    for name, tensor in classifier.method.state_dict().items():
        assert torch.equal(tensor, before[name])


@pytest.mark.parametrize(("cuda", "mps", "chosen"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")])
def test_auto_takes_the_fastest_there_is(monkeypatch, cuda, mps, chosen):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert choose_device("auto") == torch.device(chosen)


def test_a_device_may_have_a_number(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("cuda:1") == torch.device("cuda", 1)


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(OptionError, match="no cuda device: choose auto or cpu"):
        choose_device("cuda")


def test_an_unknown_name_gets_the_nearest_known_one():
    with pytest.raises(OptionError, match="Did you mean 'cuda'"):
        choose_device("cuds")


@pytest.mark.parametrize("name", ["cpu:x", "cuda:", "cuda:-1"])
def test_a_number_that_is_none_is_refused(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(OptionError, match="is no device: write"):
        choose_device(name)


@pytest.mark.parametrize("explainer", ["own", "gradient", "integrated-gradients", "occlusion", "shapley"])
def test_words_that_share_a_piece_share_its_score(explainer):
    tokenizer = WordPieceTokenizer(joined_marks())
    encoder = Bag(Bag.Config(dim=5), tokenizer.size, 0)
    torch.nn.init.normal_(encoder.embedding.table.weight)
    method = Base(encoder, 2, Base.Config())
    add_head(method, ContributionHead.Config())
    classifier = fitted(method, tokenizer)
    documents = [Document(split('good film."')), Document(split("film good good good film"))]
    first, second = make_explainer(explainer, classifier).explain(classifier, documents)
    good, film, dot, quote = first.scores
    assert dot == pytest.approx(quote, abs=1e-6)
    assert abs(quote) > 1e-6
    assert len({round(value, 6) for value in (good, film, dot)}) == 3
    assert np.abs(second.scores).min() > 0
    if explainer in ("own", "shapley"):
        assert first.base_value + first.scores.sum() == pytest.approx(first.probabilities[first.target], abs=1e-5)


def test_gates_of_words_that_share_a_piece_are_the_same_gate():
    tokenizer = WordPieceTokenizer(joined_marks())
    encoder = Bag(Bag.Config(dim=5), tokenizer.size, 0)
    torch.nn.init.normal_(encoder.embedding.table.weight)
    gates, _, _ = fitted(Vmask(encoder, 2, Vmask.Config()), tokenizer).own_scores([split('good film."')])
    assert gates[0][2] == gates[0][3] > 0
    weights, _, _ = fitted(Attention(encoder, 2, Attention.Config()), tokenizer).own_scores([split('good film."')])
    assert float(weights[0].sum()) == pytest.approx(1, abs=1e-6)
    assert weights[0][2] == weights[0][3] > 0
