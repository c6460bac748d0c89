"""The bodies of requests and responses about annotations, as the OpenAPI document shows them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...data.decisions import LONGEST_AUTHOR
from ..schemas import Name

Author = Annotated[str, Field(min_length=1, max_length=LONGEST_AUTHOR, description="The name of the person.")]
TextId = Annotated[str, Field(min_length=1, max_length=40, description="The id of a text, as it was given out.")]
Offset = Annotated[int, Field(ge=0, le=1_000_000_000)]
Spans = list[Annotated[list[Offset], Field(min_length=2, max_length=2)]]
Labels = Name | int | list[Name | int]


class ByAuthor(BaseModel):
    """Who asks."""

    model_config = ConfigDict(extra="forbid", strict=True)

    author: Author


class OneText(ByAuthor):
    """Who asks, and about which text."""

    id: TextId


class Decided(OneText):
    """What a person decided about a text."""

    skip: bool = Field(False, description="Decide nothing, and do not show this text to this person again.")
    label: Labels | None = Field(None, description="The label or, of a model of several labels a text, a list of them.")
    rationale: Spans | None = Field(
        None,
        description="Character spans [start, end) of the words that are the reason. Empty: no word is. Left out: "
        "nothing is said about reasons.",
    )
    rationale_pair: Spans | None = Field(None, description="The same in the second text of a pair.")
    not_rationale: Spans | None = Field(None, description="Spans of words that must not count as a reason.")
    not_rationale_pair: Spans | None = Field(None, description="The same in the second text of a pair.")


class GivenText(BaseModel):
    """A text to mark."""

    id: str
    row: int | None = Field(description="Of the file, from 1 on.")
    text: str
    text_pair: str | None = None
    words: list[str]
    spans: list[list[int]] = Field(description="Character offsets [start, end) of the words, each in its own text.")
    segments: list[int] = Field(description="Which text each word stands in, 0 or 1.")
    label: str | int | list[str | int] | None = Field(description="That of the file.")
    decision: dict[str, Any] | None = Field(description="What this person decided before, as in the file.")
    previous: str | None = Field(description="The id of the text that this person decided before this one.")


class AgreementOfPeople(BaseModel):
    """Krippendorff's alpha, 1 at most, 0 by chance; null where it is not defined."""

    words: float | None
    labels: float | None
    texts: int = Field(description="Texts that two people or more decided.")


class Status(BaseModel):
    """How far the work is, and how it is done."""

    file: str
    annotations: str
    model: str
    classes: list[str | int]
    multi_label: bool
    order: str
    overlap: int = Field(description="People that each text needs.")
    show_reasons: bool
    texts: int | None = Field(description="About how many the file has, if that is known.")
    done: int = Field(description="Texts that need nobody more.")
    authors: dict[str, int] = Field(description="How many texts each has decided.")
    agreement: AgreementOfPeople
    notice: str


class NextText(BaseModel):
    """A text, or none at present."""

    text: GivenText | None
    previous: str | None = Field(description="The id of the text that this person decided before.")
    waiting: bool = Field(description="Without a text: whether others have some open that may become free.")
    status: Status


class GivenAgain(BaseModel):
    """A text that was asked for, decided, or whose decision was taken back."""

    text: GivenText
    status: Status
