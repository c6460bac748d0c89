"""Tiny tokenizers of three families, made on the spot with Hugging Face's library."""

import string

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "the cast was superb and the plot was not dreadful",
    "I don't like it, but they'll love the well-made ending!",
    "naïve café owners can't stand 3.5 stars",
] * 4
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def letter_pieces() -> tokenizers.Tokenizer:
    """Word pieces of a few words and all single letters, with [CLS] and [SEP] around each text."""
    common = ["the", "was", "good", "##ly", "plot", "not"]
    names = [*SPECIAL, *common, *string.ascii_lowercase, *(f"##{c}" for c in string.ascii_lowercase), *"'.,!?-"]
    tokenizer = tokenizers.Tokenizer(models.WordPiece({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def byte_level(trim_offsets: bool = True) -> tokenizers.Tokenizer:
    """Byte-pair encoding over bytes, as RoBERTa's: leading blanks belong to pieces, a character may be many."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=trim_offsets)
    return tokenizer


def unigram() -> tokenizers.Tokenizer:
    """A unigram model over blanks written as ▁, as XLM-R's and T5's: pieces may cover marks and letters together."""
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=90, special_tokens=["<pad>", "<unk>", "</s>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)]
    )
    return tokenizer


def joined_marks(limit: int | None = None) -> tokenizers.Tokenizer:
    """A few words and two marks that are one piece, with nothing around a text."""
    vocabulary = {"?": 0, "good": 1, '."': 2, "film": 3}
    tokenizer = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="?"))
    pattern = tokenizers.Regex(r"\w+|[^\w\s]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(pattern, behavior="removed", invert=True)
    tokenizer.enable_padding(pad_id=0, pad_token="?")
    if limit is not None:
        tokenizer.enable_truncation(limit)
    return tokenizer
