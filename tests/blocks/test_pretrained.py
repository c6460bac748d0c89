"""How pretrained models read, on tiny ones with random weights."""

import pytest
import torch
from torch import nn

from whyword.blocks.pretrained import examine, natural_pooling, position_limit, settle, text_encoder
from whyword.interfaces.errors import ModelError

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # of DeBERTa

SIZES = {
    "vocab_size": 40,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 32,
}
HALVES = {
    "vocab_size": 40,
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 16,
    "max_position_embeddings": 32,
}


def built(config, **settings):
    return transformers.AutoModel.from_config(getattr(transformers, config)(**settings))


def test_scaled_word_vectors_are_scaled_as_for_token_ids():
    model = text_encoder(built("MarianConfig", scale_embedding=True, pad_token_id=0, init_std=0.1, **HALVES)).eval()
    reader = examine(model, "marian")
    assert reader.scale == 4  # the root of the width
    tokens = torch.tensor([[3, 4, 5]])
    mask = torch.ones(1, 3, dtype=torch.bool)
    with torch.no_grad():
        states = reader(model, model.get_input_embeddings()(tokens) * reader.scale, mask, torch.zeros_like(tokens))[-1]
        expected = model(input_ids=tokens, attention_mask=mask.long()).last_hidden_state
    torch.testing.assert_close(states, expected)


@pytest.mark.parametrize(
    ("config", "settings", "limit"),
    [
        ("BertConfig", SIZES, 32),
        ("RobertaConfig", {**SIZES, "pad_token_id": 1}, 30),
        ("OPTConfig", {**SIZES, "ffn_dim": 16, "word_embed_proj_dim": 16}, 32),
        ("BartConfig", HALVES, 32),
        ("NystromformerConfig", SIZES, 32),
        ("LongformerConfig", {**SIZES, "attention_window": [4, 8], "pad_token_id": 1}, 24),
        ("LlamaConfig", SIZES, 32),
        ("XLNetConfig", {"vocab_size": 40, "d_model": 16, "n_layer": 1, "n_head": 2, "d_inner": 16}, None),
        ("T5Config", {"vocab_size": 40, "d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}, None),
        ("DebertaV2Config", {**SIZES, "relative_attention": True, "position_biased_input": False}, None),
    ],
)
def test_the_limit_is_what_the_model_can_read(config, settings, limit):
    model = text_encoder(built(config, **settings)).eval()
    assert position_limit(model) == limit
    ids = torch.full((1, limit or 600), 5)
    with torch.no_grad():
        model(input_ids=ids)
        if config in ("BertConfig", "RobertaConfig", "BartConfig", "OPTConfig", "NystromformerConfig"):
            with pytest.raises((IndexError, RuntimeError, ValueError)):
                model(input_ids=torch.full((1, limit + 1), 5))


@pytest.mark.parametrize(("config", "causal"), [("BertConfig", False), ("LlamaConfig", True), ("GPTNeoXConfig", True)])
def test_whether_tokens_see_those_behind_them_is_seen(config, causal):
    assert examine(built(config, **SIZES), config).causal is causal


def test_modernbert_says_how_it_pools():
    for said, pooling in (("mean", "mean"), ("cls", "first")):
        settings = {**SIZES, "classifier_pooling": said, "pad_token_id": 0}
        model = built("ModernBertConfig", **settings, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2)
        assert natural_pooling(model, examine(model, "modernbert"), half=False) == pooling


def test_texts_of_equal_length_are_read_together_where_padding_would_change_them():
    model = built("FNetConfig", **{name: SIZES[name] for name in SIZES if name != "num_attention_heads"}).eval()
    settle(model)
    reader = examine(model, "fnet")
    assert not reader.padded
    embedded = torch.randn(4, 6, 16)
    lengths = torch.tensor([6, 2, 4, 2])
    mask = torch.arange(6) < lengths.unsqueeze(1)
    segments = torch.zeros(4, 6, dtype=torch.long)
    with torch.no_grad():
        together = reader(model, embedded, mask, segments)[-1]
        for row, length in enumerate(lengths.tolist()):
            alone = model(inputs_embeds=embedded[row : row + 1, :length]).last_hidden_state
            torch.testing.assert_close(together[row, :length], alone[0])
            assert not together[row, length:].any()


def test_a_text_too_short_for_a_model_is_padded():
    settings = {"vocab_size": 40, "block_sizes": [1, 1], "d_model": 16, "n_head": 2, "d_head": 8, "d_inner": 16}
    model = transformers.FunnelModel(transformers.FunnelConfig(**settings)).eval()
    reader = examine(model, "funnel")
    assert 1 < reader.shortest < 9
    ones = torch.ones(1, 1, dtype=torch.long)
    with torch.no_grad():
        states = reader(model, torch.randn(1, 1, 16), ones.bool(), torch.zeros_like(ones))
    assert all(layer.shape == (1, 1, 16) for layer in states)


def test_bigbird_does_not_change_its_attention_with_the_texts_it_has_read():
    model = built("BigBirdConfig", **SIZES, block_size=4).eval()
    settle(model)
    assert model.attention_type == "original_full"


def test_a_model_that_takes_no_word_vectors_is_refused():
    settings = {name: SIZES[name] for name in SIZES if name not in ("vocab_size", "max_position_embeddings")}
    model = built("ViTConfig", **settings, image_size=4, patch_size=2)
    with pytest.raises(ModelError, match=r"'photos' \(vit\) cannot be given word vectors"):
        examine(model, "photos")


class Lookalike(nn.Module):
    """Takes what a text encoder takes."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 4)
        self.config = transformers.PretrainedConfig()

    def get_input_embeddings(self):
        return self.table

    def forward(self, input_ids=None, inputs_embeds=None, attention_mask=None, **_):
        states = self.read(self.table(input_ids) if inputs_embeds is None else inputs_embeds, input_ids is None)
        return transformers.modeling_outputs.BaseModelOutput(states, hidden_states=(states, states))


class Different(Lookalike):
    def read(self, embedded, from_vectors):
        return embedded * (2 if from_vectors else 1)


class Deaf(Lookalike):
    def read(self, embedded, from_vectors):
        return embedded.detach().requires_grad_() + 0 * embedded


class Broken(Lookalike):
    def read(self, embedded, from_vectors):
        raise RuntimeError("no such thing\nand a long story")


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (Different, "reads word vectors differently from token ids"),
        (Deaf, "do not reach its words"),
        (Broken, r"does not read a text of 9 tokens \(no such thing\)"),
    ],
)
def test_what_could_not_be_explained_is_refused_in_one_sentence(kind, complaint):
    model = kind().train()
    with pytest.raises(ModelError, match=complaint) as caught:
        examine(model, "mine")
    assert "\n" not in str(caught.value)
    assert model.training
