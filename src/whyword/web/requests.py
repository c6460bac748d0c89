"""What clients send becomes documents and questions, or one sentence about what is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ..explaining.any_model import class_number
from ..explaining.inputs import read_texts
from ..explaining.stream import make_explainer
from ..interfaces.document import Document
from ..interfaces.errors import OptionError, unknown_name
from .errors import NotFoundError
from .jobs import Explain
from .models import ServedModel
from .schemas import AskedToExplain
from .settings import Settings

CHARACTERS_PER_WORD = 50  # a text with more of them is refused before it is cut into words, which takes time
AT_ONCE = 20_000  # characters: cut into words in a few milliseconds


def find_model(models: Sequence[ServedModel], name: str | None) -> ServedModel:
    """Look a model up by its name; without one, take the first."""
    for model in models:
        if name in (None, model.name):
            return model
    raise NotFoundError(str(unknown_name(str(name), "models", [model.name for model in models])))


async def read_documents(texts: Sequence[str | list[str]], settings: Settings) -> list[Document]:
    """Cut texts into words, if there are not too many of either; other requests go on meanwhile."""
    if len(texts) > settings.max_texts:
        raise OptionError(
            f"The request holds {len(texts):,} texts, and at most {settings.max_texts:,} are taken: send several "
            "requests."
        )
    characters = [len(text) if isinstance(text, str) else sum(map(len, text)) for text in texts]
    for number, count in enumerate(characters):
        most = CHARACTERS_PER_WORD * settings.max_words
        if count > most:
            raise OptionError(
                f"Text {number} has {count:,} characters, and at most {most:,} are taken: shorten or divide it."
            )
    if sum(characters) <= AT_ONCE:
        return _cut(texts, settings.max_words)
    return await asyncio.to_thread(_cut, texts, settings.max_words)


def _cut(texts: Sequence[str | list[str]], max_words: int) -> list[Document]:
    documents = []
    for number, text in enumerate(texts):
        (words,) = read_texts([text])
        if len(words) > max_words:
            raise OptionError(
                f"Text {number} has {len(words):,} words, and at most {max_words:,} are taken: shorten or divide it."
            )
        documents.append(Document(words))
    return documents


def explanation_question(model: ServedModel, asked: AskedToExplain, settings: Settings) -> Explain:
    """Check the explainer, its settings and the target."""
    if asked.explainer is not None and asked.explainer not in model.explainers:
        raise unknown_name(asked.explainer, f"the explainers of the model '{model.name}'", model.explainers)
    if isinstance(asked.samples, int) and asked.samples > settings.max_samples:
        raise OptionError(f"samples is {asked.samples:,}, and at most {settings.max_samples:,} are taken: lower it.")
    given = {"samples": asked.samples, "budget": asked.budget}
    values = {name: value for name, value in given.items() if value is not None}
    target = None if asked.target is None else class_number(model.explained.classes, asked.target)
    return Explain(model, make_explainer(asked.explainer, model.explained, settings=values), target)
