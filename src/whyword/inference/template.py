"""How an HTTP endpoint is asked about texts and where its answer says what: the JSON of a template."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..interfaces.document import Label
from ..interfaces.errors import ModelError, OptionError, first_line, unknown_name
from ..interfaces.settings import check_above_zero, check_from
from .black_box import ROUNDING

Text = str | tuple[str, ...]

LONGEST_QUOTE = 80  # characters of an answer in an error
LISTS = ("predictions", "probabilities", "outputs", "results")  # where answers usually are
_NUMBER: Any = int | float
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("batch", "parallel", "retries", "remembered"), int),
    **dict.fromkeys(("rate", "timeout", "backoff"), _NUMBER),
    "response": str,
    "classes": list,
}
_CALLED = {int: "a whole number", _NUMBER: "a number", str: "a path, such as data.*.scores", list: "a list of names"}


@dataclass(frozen=True)
class Template:
    """How an endpoint is asked and its answer read; the keys of a template file are these fields."""

    request: Any = field(default_factory=lambda: {"texts": "$texts"})  # "$texts", or $text (and $text_pair) in strings
    response: str | None = None  # path to the answers, such as choices.0.message.content; * is every item of a list
    headers: Mapping[str, str] = field(default_factory=dict)  # ${NAME} is that variable of the environment
    classes: Sequence[Label] | None = None  # in the order of the probabilities
    multi_label: bool = False  # whether a text may have several labels
    batch: int = 32  # texts of a request, where it takes several
    parallel: int = 4  # requests at a time
    rate: float | None = None  # most requests per second
    timeout: float = 30.0  # seconds for an answer
    retries: int = 5  # further attempts after what may pass: no connection, 429, 503, ...
    backoff: float = 0.5  # seconds before the first of them; each further one waits twice as long
    remembered: int = 100_000  # answers kept in memory, so that no text is asked about twice

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        check_above_zero(self, "batch", "parallel", "rate", "timeout")
        check_from(self, 0, "retries", "backoff", "remembered")

    @property
    def one_by_one(self) -> bool:
        """Whether a request holds a single text."""
        return '"$texts"' not in json.dumps(self.request)


def read_template(file: Path) -> Template:
    """Read a template file."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(f"The template {file} cannot be read ({first_line(error)}): give a JSON file.") from error
    known = [setting.name for setting in fields(Template)]
    if not isinstance(values, dict):
        raise OptionError(f"The template {file} is no JSON object: give one with some of {', '.join(known)}.")
    for name in values:
        if name not in known:
            raise unknown_name(name, f"the settings of the template {file}", known)
    for name, value in values.items():
        kind = _KINDS.get(name)
        if kind is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise OptionError(f"The template {file} sets {name} to {json.dumps(value)}: give {_CALLED[kind]}.")
    headers = values.get("headers", {})
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise OptionError(f"The headers of the template {file} must be strings by name: fix them.")
    template = Template(**values)
    if template.one_by_one and "$text" not in json.dumps(template.request):
        raise OptionError(
            f'The request of the template {file} holds no text: write "$texts" or $text where it belongs.'
        )
    return template


def write_request(part: Any, texts: Sequence[Text]) -> Any:
    """Put texts into a request."""
    if isinstance(part, dict):
        return {name: write_request(value, texts) for name, value in part.items()}
    if isinstance(part, list):
        return [write_request(value, texts) for value in part]
    if part == "$texts":
        return [text if isinstance(text, str) else list(text) for text in texts]
    if not isinstance(part, str):
        return part
    first = (texts[0],) if isinstance(texts[0], str) else texts[0]
    parts = {"$text": first[0], "$text_pair": first[1] if len(first) > 1 else ""}
    return re.sub(r"\$text_pair|\$text", lambda found: parts[found.group()], part)


def find_answers(answer: Any, template: Template, texts: int, url: str) -> list[Any]:
    """Find the answer to each text, where the template says or in one of the usual places."""
    path = template.response
    found = _usual(answer) if path is None else _follow(answer, path, url)
    rows = [found] if template.one_by_one and path is not None else found
    if not isinstance(rows, list) or len(rows) != texts:
        where = "its usual places" if path is None else f"'{path}'"
        raise ModelError(
            f"{url} was asked about {texts} texts and does not answer with a list of as many in {where}, but with "
            f"{quoted(answer)}: say in a template (--http-template) where its answers are."
        )
    return [_by_label(row) for row in rows]


def _usual(answer: Any) -> Any:
    """Find the answers in one of their usual places."""
    if isinstance(answer, dict):
        answer = next((answer[name] for name in LISTS if isinstance(answer.get(name), list)), None)
    if not isinstance(answer, list):
        return None
    return [part.get("probabilities", part) if isinstance(part, dict) else part for part in answer]


def _follow(answer: Any, path: str, url: str) -> Any:
    """Go down a path of names and numbers; * goes on in every item of a list."""
    steps = path.split(".")
    for number, step in enumerate(steps):
        if step == "*" and isinstance(answer, list):
            rest = ".".join(steps[number + 1 :])
            return [_follow(part, rest, url) if rest else part for part in answer]
        if isinstance(answer, dict) and step in answer:
            answer = answer[step]
        elif isinstance(answer, list) and step.isdigit() and int(step) < len(answer):
            answer = answer[int(step)]
        else:
            raise ModelError(f"The answer of {url} has no '{step}' on the path '{path}': fix it in the template.")
    return answer


def _by_label(answer: Any) -> Any:
    """Turn lists of labels with scores, as Hugging Face's servers give them, into scores by label."""
    if isinstance(answer, list) and answer and all(isinstance(part, dict) for part in answer):
        if all(isinstance(part.get("label"), str | int) and "score" in part for part in answer):
            return {part["label"]: part["score"] for part in answer}
        if all("token" in part and isinstance(part.get("logprob"), int | float) for part in answer):
            return [(str(part["token"]), float(part["logprob"])) for part in answer]
    return answer


def read_row(answer: Any, classes: Sequence[Label], url: str) -> list[float]:
    """Read one answer: numbers, numbers by label, tokens with their log-probabilities, or a label alone."""
    names = [str(label) for label in classes]
    values = answer
    if isinstance(answer, dict):
        by_name = {str(name): value for name, value in answer.items()}
        values = [by_name.get(name) for name in names]
    if isinstance(values, list) and values and all(isinstance(part, tuple) for part in values):
        return _from_tokens(values, names, url)
    if isinstance(values, list) and len(values) == len(names) and all(map(_is_probability, values)):
        return [float(value) for value in values]
    if isinstance(answer, str):
        said = [float(answer.strip().strip(".").casefold() == name.casefold()) for name in names]
        if sum(said) == 1:
            return said
    raise ModelError(
        f"{url} answers {quoted(answer)} where probabilities of {', '.join(names)} are expected, numbers from 0 to 1: "
        "fix the path, or the classes, in the template."
    )


def quoted(answer: Any) -> str:
    """Give the beginning of what was answered, on one line, to be quoted in a sentence."""
    text = " ".join((answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)).split())
    return repr(text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…")


def _is_probability(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -ROUNDING <= value <= 1 + ROUNDING


def _from_tokens(tokens: Sequence[tuple[str, float]], names: Sequence[str], url: str) -> list[float]:
    """Share out the probability of each token among the classes that begin with it, where that is one alone."""
    chances = dict.fromkeys(names, 0.0)
    for token, log_probability in tokens:
        start = token.strip().casefold()
        begun = [name for name in names if start and name.casefold().startswith(start)]
        if len(begun) == 1:
            chances[begun[0]] += math.exp(log_probability)
    total = sum(chances.values())
    if not total:
        said = ", ".join(repr(token) for token, _ in tokens[:3])
        raise ModelError(f"{url} answers {said}, none of which begins one class alone: ask for the name of a class.")
    return [chance / total for chance in chances.values()]
