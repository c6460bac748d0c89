"""Where the words of a text begin and end: the one splitter, whatever the encoder."""

from __future__ import annotations

from functools import lru_cache

import regex

from ..interfaces.document import Span, Words

# Ideographs and kana are words of their own, so a LETTER is any other letter, mark or digit. What may repeat without
# bound is possessive or gives back only what it drops: time stays linear in the length of the text.
_ALONE = r"\p{Han}\p{Hiragana}\p{Katakana}ーｰﾞﾟ"
_ALPHA = rf"[A-Za-z[\p{{L}}--[{_ALONE}]]]"
_LETTER = rf"[A-Za-z0-9[[\p{{L}}\p{{M}}\p{{N}}]--[{_ALONE}]]]"
_NAME = rf"[A-Za-z0-9_[[\p{{L}}\p{{M}}\p{{N}}]--[{_ALONE}]]]"
_END = rf"(?!{_LETTER})"

# Penn Treebank contractions, the only ones pretrained vectors know: do|n't, it|'s, they|'ll.
_NOT = rf"[nN]['’][tT]{_END}"
_CLITIC = rf"['’](?:[sSmMdD]|[rR][eE]|[vV][eE]|[lL][lL]){_END}"

# A word is runs of letters, or of letters and dots (U.S., J.R.R.), with joints between them: a hyphen, an apostrophe,
# an underscore, an invisible joiner, the marks inside 1,000.50 and 3:30, the & of R&B.
_DOTTED = rf"{_ALPHA}\.(?:{_ALPHA}{_END}(?!\.)|(?:{_ALPHA}\.)++(?:{_ALPHA}{_END}(?!\.))?)"
_RUN = rf"(?:{_DOTTED}|{_LETTER}++(?<![nN](?=['’][tT]{_END})))"
_RUN_BEFORE_NOT = rf"{_LETTER}+(?={_NOT})"
_IN_NUMBER = r"(?<=\p{Nd})[.,:/](?=\p{Nd})"
_JOINT = rf"(?:[-‐‑_]|(?!{_CLITIC})['’]|[\u00ad\u200c\u200d\u2060]++|{_IN_NUMBER}|(?<=\p{{Lu}})&(?=\p{{Lu}}))"
_SHORT = r"(?i:mrs?|ms|dr|prof|rev|st|jr|sr|inc|ltd|vs|etc)"  # written with a dot

_LINK = rf"[^\s\p{{Cc}}\p{{Cf}}()<>\"“”«»{_ALONE}]"
_PATH = rf"(?:{_LINK}|\({_LINK}*+\))+(?<![.,;:!?'’…*])"
_HOST = rf"(?:[{_NAME}-]{{1,63}}+\.){{1,5}}"

# Alternatives in the order they are tried.
_FROM_LETTER = (
    r"[A-Za-z]++(?=[,!?;)\"])",  # only to be fast
    rf"{_SHORT}\.{_END}",
    rf"(?:[Hh][Tt][Tt][Pp][Ss]?+://|[Ff][Tt][Pp]://|[Ww][Ww][Ww]\.)(?={_LETTER}){_PATH}",
    rf"[{_NAME}.%+-]{{1,64}}+@{_HOST}{_ALPHA}{{2,24}}+{_END}",  # e-mail
    rf"{_HOST}(?:com|org|net|edu|gov){_END}(?:/{_PATH})?",  # amazon.com
    _NOT,
    rf"{_RUN}(?:{_JOINT}{_RUN})*+(?:[-‐‑_]{_RUN_BEFORE_NOT})?|{_RUN_BEFORE_NOT}",
)
_FROM_OTHER = (
    _CLITIC,
    rf"['’](?i:em|til|tis|twas|n['’]?|\d\ds?){_END}",  # 'em, rock 'n' roll, '90s
    r"\.{2,}+|…++|-{2,}+|[–—]++|[!?！？]++|``|''",
    rf"@{_NAME}++|#(?=[\p{{N}}_]*+\p{{L}})[\p{{L}}\p{{M}}\p{{N}}_]++",  # handle, hashtag
    rf"(?<!{_LETTER})(?:[:;]-?[DdPpOo3]|=[DPp]|</?3|\.\p{{Nd}}++){_END}",  # :D <3 .50
    rf"[:;=][-^']?(?:\)++|\(++|[\]\[/\\|*]){_END}(?!/)|\(-?[:;](?!\S)|\^[_.-]?\^|-_-",  # :-) (: ^_^
    r"(?=[^\p{Cc}\p{Cf}])\X",  # ideograph, emoji, any other mark
)
_WORD = regex.compile(
    rf"(?={_LETTER})(?:{'|'.join(_FROM_LETTER)})|(?!{_LETTER})(?:{'|'.join(_FROM_OTHER)})", regex.VERSION1
)

_COMMON_LENGTH = 32  # characters; longer chunks hardly recur
_SHARED: dict[Span, Span] = {}  # equal spans of different texts are one object: a corpus takes a fifth of the memory
_SHARED_MOST = 200_000


def split(text: str, text_pair: str | None = None) -> Words:
    """Cut a text, or a pair, into words; nothing but white space and invisible characters lies between them."""
    texts = (text,) if text_pair is None else (text, text_pair)
    return Words(texts, tuple(_spans(part) for part in texts))


def _spans(text: str) -> tuple[Span, ...]:
    """Split chunk by chunk: nothing above looks across white space, and most chunks were met before."""
    if len(_SHARED) > _SHARED_MOST:
        _SHARED.clear()
    share = _SHARED.setdefault
    spans: list[Span] = []
    end = 0
    for chunk in text.split():
        start = text.find(chunk, end)
        end = start + len(chunk)
        for first, last in _split_common(chunk) if len(chunk) <= _COMMON_LENGTH else _split_chunk(chunk):
            span = start + first, start + last
            spans.append(share(span, span))
    return tuple(spans)


def _split_chunk(chunk: str) -> tuple[Span, ...]:
    if chunk.isascii() and chunk.isalpha():  # as the pattern would, but faster
        return ((0, len(chunk)),)
    return tuple(match.span() for match in _WORD.finditer(chunk))


_split_common = lru_cache(maxsize=1 << 17)(_split_chunk)
