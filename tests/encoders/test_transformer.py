"""The transformer encoder against the Hugging Face model called the usual way."""

import json
import shutil

import pytest
import torch

from whyword.blocks.heads import Dropout
from whyword.data.batching import collate
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer
from whyword.data.words import split
from whyword.encoders.transformer import Transformer, resolve
from whyword.interfaces.document import Batch
from whyword.interfaces.errors import ModelError, OptionError

transformers = pytest.importorskip("transformers")

TEXTS = [split("A truly well-made film, and I don't regret it."), split("Dull."), split("So so 🙂 überraschend")]
PAIRS = [split("Is it good?", "It's not dreadful at all."), split("Long?", "No")]


@pytest.fixture(scope="module")
def minilm(minilm_path):
    usual = transformers.AutoModel.from_pretrained(minilm_path).eval()
    return (
        Transformer.from_pretrained(Transformer.Config()).eval(),
        usual,
        WordPieceTokenizer.from_pretrained(minilm_path, 512),
    )


@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["single", "pairs"])
def test_states_of_minilm_are_those_of_the_model_called_with_input_ids(minilm, texts):
    ours, usual, tokenizer = minilm
    batch = collate(tokenizer(texts), tokenizer.padding)
    with torch.inference_mode():
        states = ours.encode(ours.embed(batch), batch)
        theirs = usual(
            input_ids=batch.tokens,
            attention_mask=batch.mask.long(),
            token_type_ids=batch.segments,
            output_hidden_states=True,
        ).hidden_states[1:]
    assert len(states) == len(theirs) == len(ours.layer_dims) == 6
    for mine, their in zip(states, theirs, strict=True):
        torch.testing.assert_close(mine[batch.mask], their[batch.mask], atol=1e-5, rtol=0)
    assert torch.equal(ours.summarize(states[-1], batch), states[-1][:, 0])


def test_a_padded_text_has_the_states_it_has_alone(minilm):
    ours, _, tokenizer = minilm
    with torch.inference_mode():
        batch = collate(tokenizer(TEXTS), tokenizer.padding)
        together = ours.encode(ours.embed(batch), batch)[-1]
        for row, text in enumerate(TEXTS):
            alone = collate(tokenizer([text]), tokenizer.padding)
            states = ours.encode(ours.embed(alone), alone)[-1][0]
            torch.testing.assert_close(together[row, : len(states)], states, atol=1e-5, rtol=0)


def test_the_second_text_of_a_pair_is_told_apart(minilm):
    ours, _, tokenizer = minilm
    batch = collate(tokenizer(PAIRS), tokenizer.padding)
    assert set(batch.segments[0].tolist()) == {0, 1}
    without = collate(tokenizer(PAIRS), tokenizer.padding)
    without.segments.zero_()
    with torch.inference_mode():
        embedded = ours.embed(batch)
        assert not torch.allclose(ours.encode(embedded, batch)[-1], ours.encode(embedded, without)[-1], atol=1e-2)


def test_no_weight_is_left_that_never_learns(tiny_bert):
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tiny_bert)))
    tokenizer = WordPieceTokenizer.from_pretrained(str(tiny_bert), encoder.limit)
    batch = collate(tokenizer(PAIRS), tokenizer.padding)
    encoder.encode(encoder.embed(batch), batch)[-1].pow(2).sum().backward()
    assert [name for name, parameter in encoder.named_parameters() if parameter.grad is None] == []


def test_the_architecture_rebuilds_the_same_network_without_weights(tiny_bert):
    config = Transformer.Config(model=str(tiny_bert))
    encoder = Transformer.from_pretrained(config)
    again = Transformer.from_architecture(config, encoder.architecture)
    again.load_state_dict(encoder.state_dict())
    tokenizer = WordPieceTokenizer.from_pretrained(str(tiny_bert), encoder.limit)
    batch = collate(tokenizer(PAIRS), tokenizer.padding)
    with torch.inference_mode():
        first, second = (part.eval().encode(part.embed(batch), batch)[-1] for part in (encoder, again))
    assert torch.equal(first, second)
    assert again.limit == encoder.limit == 40  # the model has fewer positions than the setting allows
    assert again.layer_dims == encoder.layer_dims == (12, 12)
    assert not any("tiny-bert" in str(value) for value in encoder.architecture.values())


def test_frozen_keeps_the_piece_vectors_and_nothing_else(tiny_bert):
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tiny_bert), frozen=True))
    still = {name for name, parameter in encoder.named_parameters() if not parameter.requires_grad}
    assert still == {"model.embeddings.word_embeddings.weight"}


def test_gradient_checkpointing_gives_the_same_gradients(tiny_bert):
    gradients = []
    for checkpointing in (False, True):
        config = Transformer.Config(model=str(tiny_bert), gradient_checkpointing=checkpointing)
        encoder = Transformer.from_pretrained(config).train()
        for part in encoder.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0
        tokenizer = WordPieceTokenizer.from_pretrained(str(tiny_bert), encoder.limit)
        batch = collate(tokenizer(PAIRS), tokenizer.padding)
        encoder.encode(encoder.embed(batch), batch)[-1].pow(2).sum().backward()
        gradients.append({name: parameter.grad for name, parameter in encoder.named_parameters()})
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient)


def test_bfloat16_is_for_products_alone_and_states_stay_close(minilm):
    plain, _, tokenizer = minilm
    coarse = Transformer.from_pretrained(Transformer.Config(precision="bfloat16")).eval()
    batch = collate(tokenizer(TEXTS), tokenizer.padding)
    states, expected = (encoder.encode(encoder.embed(batch), batch) for encoder in (coarse, plain))
    for mine, theirs in zip(states, expected, strict=True):
        error = (mine - theirs)[batch.mask].norm() / theirs[batch.mask].norm()
        assert 0 < error < 0.02  # 8 bits of mantissa
    assert {state.dtype for state in states} == {torch.float32}
    states[-1].pow(2).sum().backward()
    assert {(weight.dtype, weight.grad.dtype) for weight in coarse.parameters()} == {(torch.float32, torch.float32)}


def test_a_name_that_cannot_be_loaded_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(OptionError, match="could not be loaded") as caught:
        Transformer.from_pretrained(Transformer.Config(model=str(tmp_path / "nothing")))
    assert "\n" not in str(caught.value)


def test_only_minilm_is_an_abbreviation(minilm_path):
    assert resolve("minilm") == minilm_path
    assert resolve("roberta-base") == "roberta-base"


def test_its_dropout_draws_quickly_and_as_often_as_the_model_says(tiny_bert):
    usual = transformers.AutoModel.from_pretrained(str(tiny_bert))
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tiny_bert)))
    expected = {name: part.p for name, part in usual.named_modules() if isinstance(part, torch.nn.Dropout)}
    drawn = {name: part for name, part in encoder.model.named_modules() if isinstance(part, torch.nn.Dropout)}
    assert {name: part.p for name, part in drawn.items()} == expected
    assert {type(part) for part in drawn.values()} == {Dropout}


@pytest.mark.parametrize("pooling", ["first", "last", "mean", None])
def test_pooling_reads_the_real_tokens_whatever_the_padding(tiny_bert, pooling):
    encoder = Transformer.from_pretrained(Transformer.Config(str(tiny_bert), pooling=pooling)).eval()
    states = torch.arange(12, dtype=torch.float32).reshape(2, 3, 2)
    mask = torch.tensor([[True, True, False], [True, True, True]])
    batch = Batch(torch.zeros(2, 3).long(), mask, torch.zeros(2, 3).long(), torch.zeros(2, 3).long())
    expected = {"first": [[0, 1], [6, 7]], "last": [[2, 3], [10, 11]], "mean": [[1, 2], [8, 9]]}[pooling or "first"]
    assert encoder.summarize(states, batch).tolist() == expected


def test_a_folder_with_pickled_weights_only_is_refused(tiny_bert, tmp_path):
    shutil.copytree(tiny_bert, tmp_path / "old")
    (tmp_path / "old" / "model.safetensors").unlink()
    (tmp_path / "old" / "pytorch_model.bin").touch()
    with pytest.raises(ModelError, match=r"pickled \(pytorch_model.bin\)"):
        Transformer.from_pretrained(Transformer.Config(model=str(tmp_path / "old")))


def test_code_of_a_repository_is_never_run(tiny_bert, tmp_path):
    shutil.copytree(tiny_bert, tmp_path / "own")
    config = json.loads((tmp_path / "own" / "config.json").read_text(encoding="utf-8"))
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config", "AutoModel": "mine.Model"}}
    (tmp_path / "own" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "own" / "mine.py").write_text("raise SystemExit('run')", encoding="utf-8")
    with pytest.raises(OptionError, match="could not be loaded") as caught:
        Transformer.from_pretrained(Transformer.Config(model=str(tmp_path / "own")))
    assert "\n" not in str(caught.value)


def test_a_model_saved_before_there_was_a_choice_reads_its_first_token(tiny_bert):
    encoder = Transformer.from_pretrained(Transformer.Config(str(tiny_bert)))
    assert Transformer.from_architecture(encoder.config, encoder.architecture).config.pooling == "first"


@pytest.mark.parametrize(("leads", "pooling"), [(True, "first"), (False, "mean")])
def test_without_a_token_in_front_all_tokens_are_read(tiny_bert, leads, pooling):
    encoder = Transformer.from_pretrained(Transformer.Config(str(tiny_bert)))
    encoder.choose_pooling(leads)
    assert encoder.config.pooling == pooling


def test_weights_kept_in_half_precision_are_trained_in_full(tiny_bert, tmp_path):
    shutil.copytree(tiny_bert, tmp_path / "half")
    transformers.BertModel.from_pretrained(tiny_bert).to(torch.bfloat16).save_pretrained(tmp_path / "half")
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tmp_path / "half")))
    again = Transformer.from_architecture(encoder.config, encoder.architecture)
    assert {weight.dtype for part in (encoder, again) for weight in part.parameters()} == {torch.float32}
