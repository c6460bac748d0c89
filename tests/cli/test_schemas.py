"""What the commands write is as the JSON Schemas of the documentation say."""

import json
from pathlib import Path

import jsonschema
import pytest

from whyword import TextClassifier
from whyword.data.planted import planted

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
HEAD = {"steps": 5, "epochs": 1, "least_texts": 10, "pairs": 2}
ANNOTATION = {"text": "a dull film", "label": "negative", "rationale": [[2, 6]], "not_rationale": None, "author": "Ann"}


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    for name, options in (("model", "easy"), ("multilabel", "multilabel"), ("ordinal", "ordinal")):
        documents = planted(f"{options},train=40,dev=0,test=0").train
        task = {"task": "ordinal"} if name == "ordinal" else {}
        texts = [document.words.texts[0] for document in documents]
        labels = [list(d.labels) if name == "multilabel" else d.label for d in documents]
        classifier = TextClassifier(encoder="bag", epochs=1, contributions=HEAD, forbid=["Monday"], **task)
        classifier.fit(texts, labels).save(folder / name)
        lines = [json.dumps({"text": text, "label": label}) + "\n" for text, label in zip(texts, labels, strict=True)]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("schema", "command"),
    [
        ("prediction", "predict model model.jsonl"),
        ("prediction", "predict multilabel multilabel.jsonl"),
        ("prediction", "predict ordinal ordinal.jsonl"),
        ("explanation", "explain model model.jsonl"),
        ("explanation", "explain model film --explainer shapley --interactions --check"),
        ("explanation", "explain model film --target positive --against negative --explainer lime --samples 20"),
        ("explanation", "explain multilabel multilabel.jsonl --target all --top 3"),
        ("explanation", "explain ordinal ordinal.jsonl --target score"),
        ("audit", "audit model model.jsonl --sample 4 --explainers own,occlusion"),
        ("diff", "diff model model model.jsonl --sample 4"),
        ("words", "words model model.jsonl"),
        ("check", "check model.jsonl"),
        ("verify", "verify model"),
    ],
)
def test_an_output_is_as_its_schema_says(schema, command, stock, whyword):
    words = [str(stock / word) if (stock / word).exists() else word for word in command.split()]
    done = whyword(*words, "--json")
    assert done.code == 0, done.err
    assert done.json
    for value in done.json:
        validator(schema).validate(value)


def test_a_saved_annotation_is_as_its_schema_says():
    validator("annotation").validate(ANNOTATION)


def test_a_value_that_is_not_as_the_schema_says_is_found():
    with pytest.raises(jsonschema.ValidationError, match="'author' is a required property"):
        validator("annotation").validate({"text": "a dull film"})
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        validator("prediction").validate(
            {"text": "a", "label": "b", "probability": 1, "probabilities": {"b": 1}, "surprise": 1}
        )
