from dataclasses import dataclass, replace

import pytest
import torch

from whyword import TextClassifier, load
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.interfaces.document import Words
from whyword.interfaces.errors import OptionError
from whyword.models.fingerprint import (
    describe_explainer,
    fingerprint,
    model_fingerprint,
    named_fingerprint,
    text_fingerprint,
)


@pytest.fixture(scope="module")
def trained():
    documents = planted("easy,train=40,dev=0,test=0").train
    texts = [document.words.texts[0] for document in documents]
    return TextClassifier("attention", "bag", epochs=1).fit(texts, [document.label for document in documents])


def test_a_saved_and_loaded_model_is_the_same(trained, tmp_path):
    trained.save(tmp_path / "model")
    assert model_fingerprint(load(tmp_path / "model").model_) == model_fingerprint(trained.model_)


def test_another_weight_class_word_or_setting_is_another_model(trained, tmp_path):
    model = trained.model_
    seen = {model_fingerprint(model)}

    def differs(other):
        before = len(seen)
        seen.add(model_fingerprint(other))
        return len(seen) == before + 1

    classifier = model.classifier
    assert differs(replace(model, classifier=replace(classifier, classes=("no", "yes"))))
    tokenizer = type(classifier.tokenizer)([*classifier.tokenizer.vocabulary, "new"])
    assert differs(replace(model, classifier=replace(classifier, tokenizer=tokenizer)))
    assert differs(replace(model, config=replace(model.config, method="base")))
    trained.save(tmp_path / "model")
    other = load(tmp_path / "model").model_
    with torch.no_grad():
        next(other.classifier.method.parameters()).view(-1)[0] += 1e-6
    assert differs(other)


def test_the_story_of_the_training_does_not_matter(trained):
    model = trained.model_
    other = replace(model, metrics={}, history=[], classifier=replace(model.classifier, frequencies=None))
    assert model_fingerprint(other) == model_fingerprint(model)


def test_a_model_of_another_owner_is_told_by_its_name_and_classes():
    names = {named_fingerprint("v1", ("a", "b")), named_fingerprint("v2", ("a", "b")), named_fingerprint("v1", (0, 1))}
    assert len(names) == 3
    assert named_fingerprint("v1", ("a", "b")) in names


def test_an_explainer_is_told_by_its_kind_and_settings():
    described = [describe_explainer(explainer) for explainer in (Random(1), Random(2), Occlusion())]
    assert described[0]["settings"] == {"seed": 1}
    assert len(set(map(fingerprint, described))) == 3


class Bare(Random):
    """No dataclass of its own, but a child of one."""


def test_settings_that_cannot_be_written_are_refused():
    @dataclass(frozen=True)
    class Odd(Random):
        way: object = print

    with pytest.raises(OptionError, match="Odd cannot be compared between runs"):
        describe_explainer(Odd())
    assert describe_explainer(Bare())["explainer"].endswith("Bare")


def test_texts_are_told_by_their_letters_their_cut_and_their_seam():
    texts = [
        split("a b"),
        split("a", "b"),
        split("a b "),
        split("A b"),
        Words(("a b",), (((0, 3),),)),
        split("\N{PILE OF POO}"),
    ]
    assert len({text_fingerprint(text) for text in texts}) == len(texts)
    assert text_fingerprint(split("a b")) == text_fingerprint(texts[0])
