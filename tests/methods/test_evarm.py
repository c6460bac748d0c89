"""E-VarM: its two passes and its views word by word, frozen weights to the bit, the plans of its variants."""

import re
from dataclasses import fields, replace

import pytest
import torch
from torch.nn.functional import cross_entropy

from reference.samples import SETTINGS, equal_weights, fitted, random_batch, sample, training_run, weights
from reference.word_masks import KINDS, TINY_BERT, batch_for, distance_from_coin, force, sigmoid, small_encoder
from whyword.analysis.tsne import panel, text_vectors
from whyword.blocks.gates import Units
from whyword.checks.samples import EIGHT, sample_pieces
from whyword.data.batching import collate
from whyword.data.dataset import load_dataset
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.words import split
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm
from whyword.encoders.transformer import Transformer
from whyword.explainers.own import Own
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.maths.tensors.distances import supervised_contrast
from whyword.methods.base import Base
from whyword.methods.evarm import Evarm
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model

DATA = sample()
PARTS = ("encoder", "head", "gate")


def build(kind="lstm", **settings):
    return Evarm(small_encoder(kind), 2, Evarm.Config(**{"dropout": 0.0, "widths": (5, 4)} | settings))


def deep(layers, **settings):
    """A transformer of some layers."""
    encoder = Transformer.from_architecture(Transformer.Config(), TINY_BERT | {"num_hidden_layers": layers})
    torch.nn.init.normal_(encoder.model.get_input_embeddings().weight)
    return Evarm(encoder, 2, Evarm.Config(**{"dropout": 0.0, "widths": (5, 4)} | settings))


def seeded(**settings):
    torch.manual_seed(7)
    encoder = Lstm(Lstm.Config(dim=5, hidden=4, dropout=0.3), DATA.tokenizer.size, 0)
    return Evarm(encoder, 2, Evarm.Config(**settings))


def passes(model, call):
    """Give the word vectors of every pass through the encoder while something is called."""
    seen, encode = [], model.encoder.encode
    model.encoder.encode = lambda embedded, batch: (seen.append(embedded.detach()), encode(embedded, batch))[1]
    try:
        call()
    finally:
        del model.encoder.encode
    return seen


def keep_logits(model, batch):
    """What the gate says of each token; the pieces of a word then share the mean of their answers."""
    embedded = model.encoder.embed(batch)
    layers = (embedded, *model.encoder.encode(embedded, batch))
    table = model.gate([layers[layer] for layer in model.layers]).detach()
    if model.whole_words:
        for row, words in enumerate(batch.word_of_token.tolist()):
            for word in set(words) - {-1}:
                places = [place for place, other in enumerate(words) if other == word]
                table[row, places] = table[row, places].mean()
    return table


def test_of_the_likelier_choice_words_below_one_half_are_not_read_at_all():
    torch.manual_seed(0)
    model, batch = build(inference="choice").eval(), batch_for("lstm")
    for weight in model.gate.parameters():
        torch.nn.init.normal_(weight)
    embedded = model.encoder.embed(batch)
    prediction = model.classify(embedded, batch)
    open_words = (prediction.token_weights > 0.5) | ~batch.is_word
    assert open_words.any()
    assert (~open_words).any()
    expected = model.head(
        model.encoder.summarize(model.encoder.encode(embedded * open_words.unsqueeze(-1), batch)[-1], batch)
    )
    torch.testing.assert_close(prediction.logits, expected)


@pytest.mark.parametrize("gates", ["hard", "soft"])
@pytest.mark.parametrize("kind", KINDS)
def test_gates_forced_open_give_the_plain_classifier_to_the_bit(kind, gates):
    model, batch = build(kind, gates=gates).eval(), batch_for(kind)
    force(model.gate, 60.0)
    base = Base(model.encoder, 2, Base.Config(dropout=0.0)).eval()
    base.head.load_state_dict(model.head.state_dict())
    expected = base(batch).logits
    assert torch.equal(model(batch).logits, expected)
    assert torch.equal(model.classify_sampled(model.encoder.embed(batch), batch)[0].logits, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gate_reads_the_unmasked_text_and_the_classifier_the_text_times_its_answer(kind):
    model, batch = build(kind).double().eval(), batch_for(kind)
    keep, embedded = keep_logits(model, batch).sigmoid(), model.encoder.embed(batch).detach()
    torch.testing.assert_close(model(batch).token_weights, keep)
    first, second = passes(model, lambda: model(batch))
    assert torch.equal(first, embedded)
    torch.testing.assert_close(second, embedded * torch.where(batch.is_word, keep, 1.0).unsqueeze(-1))


def test_a_word_is_judged_in_its_context():
    model, batch = deep(1).eval(), batch_for("pieces")
    other = replace(batch, tokens=torch.where(batch.word_of_token == 2, 3, batch.tokens))
    changed = model(batch).token_weights[0, 1:5] != model(other).token_weights[0, 1:5]  # words 0 and 1, which stay
    assert changed.all()


@pytest.mark.parametrize(
    ("gate_layers", "read"),
    [("all", [0, 1, 2, 3]), ("bottom", [1]), ("middle", [2]), ("top", [3]), ((0, 2), [0, 2])],
    ids=["all", "bottom", "middle", "top", "numbers"],
)
def test_a_band_reads_the_layers_it_says_and_no_other(gate_layers, read):
    model, batch = deep(3, gate_layers=gate_layers).eval(), batch_for("pieces")
    embedded = model.encoder.embed(batch)
    layers = (embedded, *model.encoder.encode(embedded, batch))
    units = Units(batch, True)
    plain = model._keep_logits(layers, units)
    for number in range(4):
        changed = [layer + (at == number) for at, layer in enumerate(layers)]
        assert torch.equal(model._keep_logits(changed, units), plain) == (number not in read)


@pytest.mark.parametrize("prior", [0.5, 0.2])
@pytest.mark.parametrize("per", ["word", "piece"])
@pytest.mark.parametrize("kind", ["cnn", "pieces"])
def test_the_first_stage_is_cross_entropy_and_the_distance_from_the_prior_over_real_words(kind, per, prior):
    model, batch = build(kind, per=per, prior=prior, beta=0.3).double(), batch_for(kind)
    torch.manual_seed(5)
    losses = model.losses(batch, 0.0)
    torch.manual_seed(5)
    logits = model.classify_sampled(model.encoder.embed(batch), batch)[0].logits
    torch.testing.assert_close(losses["task"], cross_entropy(logits, batch.labels))
    distances = [
        distance_from_coin(sigmoid(value), prior) for value in keep_logits(model, batch)[batch.is_word].tolist()
    ]
    assert losses["bottleneck"].item() == pytest.approx(0.3 * sum(distances) / len(distances), rel=1e-9)
    assert list(losses) == ["task", "bottleneck"]


@pytest.mark.parametrize("gates", ["hard", "soft"])
@pytest.mark.parametrize("per", ["word", "piece"])
@pytest.mark.parametrize("kind", ["bag", "lstm", "pieces"])
def test_views_keep_every_kept_word_and_the_third_masks_some_of_the_others(kind, per, gates):
    model, batch = build(kind, per=per, gates=gates), batch_for(kind)
    embedded, seen = model.encoder.embed(batch).detach(), set()
    for _ in range(30):
        first, both = passes(model, lambda: model.contrast_losses(batch, 0.0))  # x alone, then z and x' in one batch
        kept, fuller = both.split(len(batch))
        assert torch.equal(first, embedded)
        z, third = (
            torch.linalg.vecdot(view, embedded) / torch.linalg.vecdot(embedded, embedded) for view in (kept, fuller)
        )
        relevant = (z > 0.5) | ~batch.is_word
        torch.testing.assert_close(fuller[relevant], embedded[relevant])
        torch.testing.assert_close(kept[~batch.is_word], embedded[~batch.is_word])
        assert set(third.round(decimals=4).unique().tolist()) <= {0.0, 1.0}
        if gates == "hard":
            assert set(z.round(decimals=4).unique().tolist()) <= {0.0, 1.0}
        for row in range(len(batch)):
            shut, masked = ~relevant[row], third[row] < 0.5
            assert bool(masked.any()) == bool(shut.any())
            seen.add((int(shut.sum()), int(masked.sum())))
            if per == "word" and kind == "pieces":
                for word in range(3):
                    assert len(set(third[row, batch.word_of_token[row] == word].round(decimals=4).tolist())) <= 1
    assert any(0 < masked < shut for shut, masked in seen)
    assert any(masked == shut > 0 for shut, masked in seen)


@pytest.mark.parametrize("variant", ["full", "ppl", "ete"])
def test_the_second_stage_is_the_contrast_of_the_vectors_of_three_passes(variant):
    model, batch = (
        build(variant=variant, contrast_temperature=0.2, beta=0.3).double().eval(),
        random_batch([3, 1, 5, 4]),
    )
    step = model.joint_losses if variant == "ete" else model.contrast_losses
    got = []
    first, both = passes(model, lambda: got.append(step(batch, 0.0)))
    (losses,) = got
    views = [first, *both.split(len(batch))]
    vectors = [model.encoder.summarize(model.encoder.encode(view, batch)[-1], batch) for view in views]
    expected = supervised_contrast(torch.cat(vectors), torch.cat([batch.labels] * 3), 0.2)
    torch.testing.assert_close(losses["contrast"], expected)
    names = {"full": {"contrast"}, "ppl": {"task", "contrast"}, "ete": {"task", "contrast", "bottleneck"}}
    assert set(losses) == names[variant]
    if "task" in losses:
        torch.testing.assert_close(losses["task"], cross_entropy(model.head(vectors[1]), batch.labels))
    if "bottleneck" in losses:
        torch.testing.assert_close(losses["bottleneck"], model.losses(batch, 0.0)["bottleneck"])


@pytest.mark.parametrize(("variant", "reaches"), [("full", False), ("ppl", False), ("ete", True)])
def test_contrastive_gradients_reach_the_gate_only_in_the_variant_ete(variant, reaches):
    model, batch = build(variant=variant), random_batch([3, 1, 5, 4])
    (model.joint_losses if variant == "ete" else model.contrast_losses)(batch, 0.0)["contrast"].backward()
    assert all((parameter.grad is not None) == reaches for parameter in model.gate.parameters())
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.encoder.parameters())


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("full", [("mask and contrast", True, [{*PARTS}, {"encoder"}])]),
        ("mask", [("mask", True, [{*PARTS}])]),
        ("ppl", [("mask", False, [{*PARTS}]), ("contrast", True, [{"encoder", "head"}])]),
        ("ete", [("joint", True, [{*PARTS}])]),
    ],
    ids=["full", "mask", "ppl", "ete"],
)
def test_the_variants_are_plans_of_one_method(variant, expected):
    model = build(variant=variant)

    def trained(objective):
        ids = set(map(id, objective.parameters))
        return {part for part in PARTS if ids >= set(map(id, getattr(model, part).parameters()))}

    plan = model.plan(7)
    assert [(p.name, p.eligible, [trained(objective) for objective in p.objectives]) for p in plan] == expected
    assert all(phase.epochs == 7 for phase in plan)


def test_without_weights_that_contrast_could_move_there_is_only_the_first_stage():
    model = Evarm(Bag(Bag.Config(dim=5, frozen=True), 9, 0), 2, Evarm.Config())
    assert [[objective.losses for objective in phase.objectives] for phase in model.plan(3)] == [[model.losses]]


def test_the_gate_is_frozen_to_the_bit_in_the_second_stage():
    model = seeded()
    run = training_run(model, DATA, replace(SETTINGS, optimizer="adamw"))
    moved = []

    def spied(optimizer):
        step = optimizer.step_on

        def watched(*arguments):
            before = {part: weights(getattr(model, part)) for part in PARTS}
            losses = step(*arguments)
            moved.append({part for part in PARTS if not equal_weights(before[part], weights(getattr(model, part)))})
            return losses

        return watched

    for optimizer in run.optimizers:
        optimizer.step_on = spied(optimizer)
    list(run.steps())
    assert len(moved) > 4
    assert moved[0::2] == [set(PARTS)] * (len(moved) // 2)
    assert moved[1::2] == [{"encoder"}] * (len(moved) // 2)


def test_in_the_variant_ppl_the_gate_does_not_move_in_the_second_phase_but_the_head_does():
    model = seeded(variant="ppl")
    run, gates = training_run(model, DATA), []
    for step in run.steps():
        if step.phase == "contrast":
            gates.append((weights(model.gate), weights(model.head)))
    assert all(equal_weights(gate, gates[0][0]) for gate, _ in gates)
    assert not equal_weights(gates[0][1], gates[-1][1])
    assert run.chosen.phase == "contrast"


@pytest.mark.parametrize("variant", ["full", "ete"])
@pytest.mark.parametrize("logit", [-100.0, 30.0])
def test_losses_and_gradients_are_finite_however_sure_the_gate_is(logit, variant):
    model, batch = build("bag", variant=variant), batch_for("bag")  # all words shut: text vectors of zeros
    model.gate.output.bias.data.fill_(logit)
    for phase in model.plan(1):
        for objective in phase.objectives:
            torch.stack(tuple(objective.losses(batch, 0.0).values())).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


PAIR = Document(split("is the film funny ?", "a warm and funny cast"))


@pytest.mark.parametrize("kind", ["words", "pieces"])
def test_masks_and_explanations_cover_both_texts_of_a_pair(kind):
    if kind == "pieces":
        tokenizer = sample_pieces()
        encoder = Transformer.from_architecture(Transformer.Config(), TINY_BERT | {"vocab_size": tokenizer.size})
    else:
        tokenizer = learn_vocabulary([document.words for document in EIGHT])
        encoder = Lstm(Lstm.Config(dim=8, hidden=6), tokenizer.size, 0)
    model = Evarm(encoder, 2, Evarm.Config(dropout=0.0)).eval()
    (explanation,) = Own().explain(fitted(model, tokenizer), [PAIR])
    assert len(explanation.scores) == len(PAIR.words) == 10
    assert ((explanation.scores > 0) & (explanation.scores < 1)).all()
    assert len(set(explanation.scores.round(9).tolist())) > 8  # in context even funny and funny differ
    batch = collate(tokenizer([PAIR.words]), tokenizer.padding)
    force(model.gate, -200.0)
    _, second = passes(model, lambda: model(batch))
    assert (second[batch.is_word] == 0).all()
    assert set(batch.segments[batch.is_word].tolist()) == {0, 1}
    assert torch.equal(second[~batch.is_word], model.encoder.embed(batch)[~batch.is_word])


def test_its_text_vectors_are_those_of_the_masked_text_and_can_be_drawn():
    documents = load_dataset("planted:train=12,dev=1,test=1").train
    tokenizer = learn_vocabulary([document.words for document in documents])
    encoder = Lstm(Lstm.Config(dim=8, hidden=6), tokenizer.size, 0)
    classifier = FittedClassifier(Evarm(encoder, 2, Evarm.Config()), tokenizer, ("negative", "positive"))
    texts = [document.words for document in documents]
    vectors = torch.from_numpy(text_vectors(classifier, texts))
    torch.testing.assert_close(classifier.method.head.linear(vectors).softmax(-1), classifier.probabilities(texts))
    assert panel(classifier, documents, "full").separation is not None


def test_health_costs_two_passes_a_text(monkeypatch):
    model, batches, passes = build().eval(), [random_batch([3, 1, 5]), random_batch([4, 2])], []
    encode = model.encoder.encode
    monkeypatch.setattr(model.encoder, "encode", lambda *given: passes.append(1) or encode(*given))
    with torch.inference_mode():
        model.health(batches)
    assert len(passes) == 2 * len(batches)  # the unmasked text, and the masked one


def test_health_has_the_spread_of_the_mask_and_the_accuracy_with_sampled_gates():
    model, batches = build().double().eval(), [random_batch([3, 1, 5]), random_batch([4, 2])]
    torch.manual_seed(9)
    with torch.inference_mode():
        health = model.health(batches)
    torch.manual_seed(9)
    sampled = [model.classify_sampled(model.encoder.embed(batch), batch)[0].logits.argmax(-1) for batch in batches]
    right = torch.cat([one == batch.labels for one, batch in zip(sampled, batches, strict=True)])
    assert health["sampled_accuracy"] == pytest.approx(right.double().mean().item())
    keep = {}
    for batch in batches:
        for token, weight in zip(batch.tokens[batch.is_word], model(batch).token_weights[batch.is_word], strict=True):
            keep.setdefault(int(token), []).append(weight.item())
    means = [sum(values) / len(values) for values in keep.values()]
    assert [health["keep_min"], health["keep_max"]] == pytest.approx([min(means), max(means)])
    assert health["keep_mean"] == pytest.approx(sum(means) / len(means))
    assert 0 < health["keep_min"] < health["keep_mean"] < health["keep_max"] < 1
    force(model.gate, 0.0)
    with torch.inference_mode():
        (collapsed,) = model.warnings(model.health(batches))
    (saturated,) = model.warnings(health | {"keep_mean": 0.99, "keep_sd": 0.1})
    assert "collapsed" in collapsed
    assert "lets everything through" in saturated
    for warning in (collapsed, saturated):
        assert set(re.findall(r"method\.(\w+)", warning)) <= {field.name for field in fields(model.config)}


def test_a_saved_model_predicts_and_explains_the_same(tmp_path):
    dataset = load_dataset("planted:train=30,dev=10,test=10")
    method = {"name": "evarm", "gate_layers": "0,2", "widths": "6,5", "variant": "ppl"}
    encoder = {"name": "lstm", "dim": 8, "hidden": 6, "layers": 2}
    config = make_config({"method": method, "encoder": encoder, "training": {"epochs": 1, "batch_size": 8}})
    model = train_model(config, dataset, folder=tmp_path / "model")
    again = load_model(tmp_path / "model")
    texts = [document.words for document in dataset.test]
    assert again.classifier.method.layers == (0, 2)
    assert torch.equal(again.classifier.probabilities(texts), model.classifier.probabilities(texts))
    ours, theirs = (m.classifier.own_scores(texts)[0] for m in (model, again))
    assert all(torch.equal(one, other) for one, other in zip(ours, theirs, strict=True))


def test_a_contrast_without_a_temperature_is_refused():
    with pytest.raises(OptionError, match=r"evarm\.contrast_temperature is 0\.0: give a number above 0\."):
        Evarm.Config(contrast_temperature=0.0)
