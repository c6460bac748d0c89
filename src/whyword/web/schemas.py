"""The bodies of requests and responses, as the OpenAPI document shows them; class names are its component names."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

NAME = 200  # characters
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
Name = Annotated[str, Field(min_length=1, max_length=NAME)]
Number = Annotated[int, Field(ge=1, le=1_000_000)]


class Asked(BaseModel):
    """Texts for a model."""

    model_config = ConfigDict(extra="forbid", strict=True)

    texts: list[str | Pair] = Field(
        min_length=1, description="Texts, or pairs of texts.", examples=[["a wonderful film", "dull from start to end"]]
    )
    model: Name | None = Field(None, description="A name from /v1/models. Left out: the first.")


class AskedToExplain(Asked):
    """Texts for a model and an explainer."""

    explainer: Name | None = Field(
        None, description="A name from /v1/models. Left out: the model's own scores, or occlusion if it has none."
    )
    target: Name | int | None = Field(
        None,
        description="Explain this class instead of the predicted one; all: give all_scores, whatever the explainer; "
        "score: the expected score, where classes have an order.",
    )
    against: Name | int | None = Field(None, description="Take the scores of this class off those of the target.")
    top: Number | None = Field(None, description="Number of words to give, the strongest.")
    samples: Number | Literal["auto"] | None = Field(None, description="Sub-texts to predict, if it samples.")
    budget: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="Seconds for each text, if the explainer samples."
    )


class Prediction(BaseModel):
    """The class of a text."""

    label: str | int
    labels: list[str | int] | None = Field(None, description="All predicted, of a model of several labels a text.")
    expected: float | None = Field(None, description="The expected score, of a model whose classes have an order.")
    probability: float
    probabilities: dict[str, float]


class Predictions(BaseModel):
    """The classes of the texts, in their order."""

    model: str
    predictions: list[Prediction]


class Together(BaseModel):
    """Two words whose joint effect is not the sum of what each does alone."""

    words: list[str]
    spans: list[list[int]]
    segments: list[int] | None = Field(None, description="Of pairs of texts: which text each word stands in.")
    score: float | None
    speaks_for: str | None = Field(description="The class that the two speak for together, where it is known.")


class Explained(BaseModel):
    """One score per word of a text; the higher, the more the word speaks for the label."""

    model_config = ConfigDict(extra="allow")

    text: str
    text_pair: str | None = None
    label: str | int
    probability: float
    probabilities: dict[str, float]
    explainer: str
    signed: bool = Field(description="False for weights and gates, which have no direction.")
    words: list[str]
    spans: list[list[int]] = Field(description="Character offsets [start, end) of the words, each in its own text.")
    scores: list[float | None]
    segments: list[int] | None = Field(None, description="Of pairs: which text each word stands in, 0 or 1.")
    speaks_for: list[str | None] | None = Field(
        None, description="The class that each word speaks for; null where it is not known. Weights have none."
    )
    against: str | int | None = Field(None, description="Of a contrast: the class the label is held against.")
    target: str | None = Field(None, description="score, where the words' scores are for the expected score.")
    expected: float | None = Field(None, description="The expected score, of a model whose classes have an order.")
    scale: dict[str, float] | None = Field(None, description="Where each class stands on the scale of that score.")
    all_scores: dict[str, list[float | None]] | None = Field(None, description="The scores for every class.")
    base_value: float | None = Field(None, description="What the scores add up from.")
    base_values: dict[str, float | None] | None = Field(None, description="The same for every class.")
    error: float | None = Field(None, description="Of the scores, in probability, where sub-texts were asked.")
    interactions: list[Together] | None = Field(None, description="Words that act together, strongest first.")
    std_error: list[float | None] | None = Field(None, description="Where scores were sampled.")
    tied: list[bool] | None = Field(None, description="Words whose place in or out of the top is undecided.")
    grouped: list[bool] | None = Field(None, description="Words of a long text that share the score of their group.")
    forbidden_words: list[bool] | None = Field(None, description="Words that the model does not read, if any.")
    would_mark: list[float | None] | None = Field(
        None, description="How likely a person is to mark each word, where that was learned; no reason of the model."
    )
    converged: float | None = Field(None, description="Confidence that the top words are the right ones.")
    forward_passes: int
    seconds: float
    truncated_words: int = Field(description="Words at the end that the encoder could not read.")
    known_words: int | None = Field(None, description="Words in the model's vocabulary, if it is one of words.")


class Explanations(BaseModel):
    """The explanations of the texts, in their order."""

    model: str
    explainer: str
    explanations: list[Explained]


class Model(BaseModel):
    """A model and what it can be asked."""

    name: str
    method: str
    encoder: str
    classes: list[str | int]
    scale: dict[str, float] | None = Field(description="Where each class stands, if classes have an order; else null.")
    precision: str = Field(description="In which the network computes: float32, bfloat16 or int8.")
    explainers: list[str]
    unsigned: list[str] = Field(description="Explainers that give weights, not reasons for a class: without target.")
    about: dict[str, str] = Field(description="What a score of each explainer is, and what it costs.")
    default_explainer: str
    pairs: bool | None = Field(description="Whether it was trained on pairs of texts; null if it is not known.")


class Models(BaseModel):
    """All models of the server, the default first."""

    models: list[Model]
    examples: list[str | list[str]] = Field(description="Texts to begin with; a list of two strings is a pair.")


class Word(BaseModel):
    """How much a word matters to a model, and how often it occurs in the training texts."""

    word: str
    score: float
    frequency: int


class WordList(BaseModel):
    """Words from the highest score down."""

    model: str
    source: str
    words: list[Word]


class Health(BaseModel):
    """The server is up."""

    status: Literal["ok"]


class Readiness(BaseModel):
    """The models are loaded and the queue takes work."""

    status: Literal["ready"]


class Error(BaseModel):
    """Why there is no answer."""

    error: str = Field(description="One sentence: what came, what was expected, what to do.")


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """List the errors of a route for the OpenAPI document."""
    return {code: {"model": Error, "description": REASONS[code]} for code in codes}


REASONS = {
    400: "The body is not UTF-8 text or nests too deeply.",
    401: "The token is missing or wrong.",
    404: "There is no such model or text, or the model has no such words.",
    405: "The method is not allowed here.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    422: "The request is not as described, or over a limit.",
    502: "The model that is served failed, or the endpoint behind it.",
    503: "The queue is full, or the disk; Retry-After says when to come again.",
    504: "The answer took too long.",
}
