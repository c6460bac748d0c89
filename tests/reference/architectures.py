"""Tiny random models of real architectures, as folders that Hugging Face writes, with tokenizers made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "initializer_range": 0.1,  # of a model this narrow; the usual 0.02 takes it hundreds of steps to leave
}
WIDE = {"d_model": 32, "initializer_range": 0.1, "init_std": 0.1}
LAYERS = {"encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
FEED = {"encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64}
T5 = {"initializer_factor": 0.1, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
GROUPED = {"num_key_value_heads": 2, "head_dim": 8}


def word_pieces(corpus: Sequence[str]) -> tokenizers.Tokenizer:
    """As BERT's."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=700, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def byte_pairs(corpus: Sequence[str], around: bool = True) -> tokenizers.Tokenizer:
    """As RoBERTa's, or as GPT-2's, which puts nothing around a text and has no padding."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] if around else ["<|endoftext|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(corpus, trainer)
    if around:
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def unigrams(corpus: Sequence[str], single: str, pair: str) -> tokenizers.Tokenizer:
    """As SentencePiece's, with the special tokens where the templates say; blanks are part of pieces."""
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<pad>", "<unk>", "<s>", "</s>", "<cls>", "<sep>"]
    trainer = trainers.UnigramTrainer(vocab_size=600, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(corpus, trainer)
    named = [(name, tokenizer.token_to_id(name)) for name in special]
    tokenizer.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=named)
    return tokenizer


Train = Callable[[Sequence[str]], tokenizers.Tokenizer]
BERT: tuple[Train, dict[str, str]] = (
    word_pieces,
    {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"},
)
ROBERTA: tuple[Train, dict[str, str]] = (
    byte_pairs,
    {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>"},
)
GPT: tuple[Train, dict[str, str]] = (
    lambda corpus: byte_pairs(corpus, around=False),
    {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"},
)
LLAMA: tuple[Train, dict[str, str]] = (
    lambda corpus: unigrams(corpus, "<s> $A", "<s> $A <s> $B"),
    {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
)
SENTENCE: tuple[Train, dict[str, str]] = (
    lambda corpus: unigrams(corpus, "$A </s>", "$A </s> $B </s>"),
    {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
)
XLMR: tuple[Train, dict[str, str]] = (
    lambda corpus: unigrams(corpus, "<s> $A </s>", "<s> $A </s> </s> $B </s>"),
    {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"},
)
XLNET: tuple[Train, dict[str, str]] = (
    lambda corpus: unigrams(corpus, "$A:0 <sep>:0 <cls>:2", "$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2"),
    {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<cls>", "sep_token": "<sep>"},
)


@dataclass(frozen=True)
class Architecture:
    """One kind of model: the class of its settings, those that make it tiny, and its tokenizer."""

    config: str
    tokenizer: tuple[Train, dict[str, str]]
    settings: dict[str, Any]
    model: str | None = None  # class to build; None: the one AutoModel builds
    pooling: str = "first"
    epochs: int = 5  # of training on planted:easy; those that mix words less directly take more


def _of(config: str, tokenizer: Any, pooling: str = "first", epochs: int = 5, **settings: Any) -> Architecture:
    return Architecture(config, tokenizer, {**SIZES, **settings}, None, pooling, epochs)


def _other(config: str, tokenizer: Any, pooling: str, settings: dict[str, Any], model: str | None = None) -> Any:
    return Architecture(config, tokenizer, settings, model, pooling)


ARCHITECTURES: dict[str, Architecture] = {
    "bert": _of("BertConfig", BERT),
    "roberta": _of("RobertaConfig", ROBERTA, max_position_embeddings=66),
    "distilbert": _other(
        "DistilBertConfig",
        BERT,
        "first",
        {
            "dim": 32,
            "n_layers": 2,
            "n_heads": 4,
            "hidden_dim": 48,
            "max_position_embeddings": 64,
            "initializer_range": 0.1,
        },
    ),
    "albert": _of("AlbertConfig", BERT, embedding_size=16),
    "electra": _of("ElectraConfig", BERT, embedding_size=16),
    "deberta": _of("DebertaConfig", ROBERTA, relative_attention=True, pos_att_type=["c2p", "p2c"]),
    "deberta-v2": _of(
        "DebertaV2Config", XLMR, relative_attention=True, pos_att_type=["c2p", "p2c"], position_biased_input=False
    ),
    "mpnet": _of("MPNetConfig", BERT),
    "camembert": _of("CamembertConfig", XLMR),
    "xlm-roberta": _of("XLMRobertaConfig", XLMR),
    "xlnet": _other(
        "XLNetConfig",
        XLNET,
        "last",
        {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48, "initializer_range": 0.1},
    ),
    "bart": _other("BartConfig", ROBERTA, "mean", {**WIDE, **LAYERS, **FEED}),
    "mbart": _other("MBartConfig", SENTENCE, "mean", {**WIDE, **LAYERS, **FEED}),
    "t5": _other("T5Config", SENTENCE, "mean", T5),
    "t5-encoder": _other("T5Config", SENTENCE, "mean", T5, "T5EncoderModel"),
    "gpt2": _other(
        "GPT2Config",
        GPT,
        "last",
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "initializer_range": 0.1},
    ),
    "gpt-neo": _other(
        "GPTNeoConfig",
        GPT,
        "last",
        {
            "hidden_size": 32,
            "num_layers": 2,
            "num_heads": 4,
            "max_position_embeddings": 64,
            "attention_types": [[["global", "local"], 1]],
            "initializer_range": 0.1,
        },
    ),
    "llama": _of("LlamaConfig", LLAMA, "last", **GROUPED),
    "mistral": _of("MistralConfig", LLAMA, "last", **GROUPED),
    "qwen2": _of("Qwen2Config", GPT, "last", **GROUPED),
    "opt": _of("OPTConfig", ROBERTA, "last", ffn_dim=48, word_embed_proj_dim=16, init_std=0.1),
    "longformer": _of("LongformerConfig", ROBERTA, attention_window=[8, 8]),
    "big-bird": _of("BigBirdConfig", XLMR, block_size=8, num_random_blocks=1),
    "funnel": _other(
        "FunnelConfig",
        BERT,
        "first",
        {"block_sizes": [1, 1], "num_decoder_layers": 1, "d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 48},
        "FunnelModel",
    ),
    "convbert": _of("ConvBertConfig", BERT, embedding_size=32),
    "squeezebert": _of("SqueezeBertConfig", BERT, embedding_size=32),
    "fnet": _of("FNetConfig", BERT, epochs=9),
    "modernbert": _of("ModernBertConfig", ROBERTA, local_attention=16),
    "nystromformer": _of("NystromformerConfig", XLMR, epochs=9),
    "roformer": _of("RoFormerConfig", BERT),
    "ernie": _of("ErnieConfig", BERT),
    "rembert": _of("RemBertConfig", XLMR, input_embedding_size=16, output_embedding_size=16),
    "gpt-neox": _of("GPTNeoXConfig", GPT, "last"),
}


def write(name: str, folder: Path, corpus: Sequence[str]) -> Path:
    """Write a model folder as save_pretrained does."""
    import transformers

    kind = ARCHITECTURES[name]
    train, special = kind.tokenizer
    backend = train(corpus)
    transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special).save_pretrained(folder)
    numbers = {
        f"{role}_id": backend.token_to_id(special[role]) if role in special else None
        for role in ("pad_token", "bos_token", "eos_token")
    }
    settings = {**numbers, **kind.settings, "vocab_size": backend.get_vocab_size()}
    config = getattr(transformers, kind.config)(**settings)
    build = transformers.AutoModel.from_config if kind.model is None else getattr(transformers, kind.model)
    build(config).save_pretrained(folder)
    return folder
