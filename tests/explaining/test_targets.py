from dataclasses import replace

import numpy as np
import pytest

from whyword import TextClassifier, explain, write_explanations
from whyword.checks.samples import sample_classifier
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explainers.gradient import Gradient
from whyword.explainers.integrated_gradients import IntegratedGradients
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.explainers.random import Random
from whyword.explaining.cache import ExplanationCache
from whyword.explaining.stream import explain_documents
from whyword.explaining.targets import Target, check_before_reading, read_target
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.interfaces.explanation import Explanation

WEIGHTS = {"red": (0.2, -0.1, -0.1), "green": (-0.1, 0.3, -0.2), "blue": (0.0, -0.05, 0.05)}


def ask(texts):
    """Three classes; every word adds its weights to a third each."""
    return np.array([1 / 3 + np.sum([WEIGHTS[word] for word in text.split()] or [[0, 0, 0]], 0) for text in texts])


BOX = BlackBox(ask, ("r", "g", "b"))
DOCUMENTS = [Document(split("red green blue")), Document(split("blue"))]


def test_a_target_is_a_class_or_predicted_or_all():
    assert read_target(BOX.classes) == read_target(BOX.classes, "predicted") == Target()
    assert read_target(BOX.classes, "all") == Target(every=True)
    assert read_target(BOX.classes, "b", "r") == Target(2, 0)


def test_a_class_of_such_a_name_comes_first():
    box = BlackBox(ask, ("all", "predicted", 3))
    assert read_target(box.classes, "all") == Target(0)
    assert read_target(box.classes, "predicted", "3") == Target(1, 2)


@pytest.mark.parametrize(
    ("target", "against", "said"),
    [
        ("x", None, "No 'x' in the classes of this model: choose from b, g, r"),
        ("r", "x", "No 'x' in the classes of this model"),
        (None, "g", "To explain a class against 'g', name that class as target too"),
        ("all", "g", "To explain a class against 'g'"),
        ("g", "g", "'g' cannot be explained against itself: name another class of r, g, b"),
    ],
)
def test_what_makes_no_sense_is_refused(target, against, said):
    with pytest.raises(OptionError, match=said):
        read_target(BOX.classes, target, against)


def test_a_contrast_of_an_additive_model_is_the_difference_of_its_weights():
    first, second = explain_documents(BOX, DOCUMENTS, Occlusion(), Target(1, 0))
    np.testing.assert_allclose(first.scores, [-0.3, 0.4, -0.05], atol=1e-12)
    np.testing.assert_allclose(second.scores, [-0.05], atol=1e-12)
    assert (first.label, first.against) == ("g", 0)


@pytest.mark.parametrize("explainer", [Gradient(), IntegratedGradients(steps=5), Occlusion()])
def test_every_class_has_the_scores_it_has_alone(explainer):
    model = sample_classifier()
    documents = [Document(split("good film")), Document(split("a bad film with good songs"))]
    every = list(explain_documents(model, documents, explainer, Target(every=True)))
    for number in range(len(model.classes)):
        alone = list(explain_documents(model, documents, explainer, Target(number)))
        for one, all_of_them in zip(alone, every, strict=True):
            np.testing.assert_allclose(all_of_them.all_scores[number], one.scores, atol=1e-7)
            if one.base_value is not None:
                assert all_of_them.base_values[number] == pytest.approx(one.base_value)
    for explanation in every:
        assert explanation.target == explanation.probabilities.argmax()
        views = Target(every=True).views(explanation)
        assert [view.label for view in views] == list(model.classes)
    assert Target().views(every[0]) == [every[0]]


def test_explainers_of_one_class_are_held_against_another_by_asking_about_both():
    model, documents = sample_classifier(), [Document(split("a bad film with good songs"))]
    (one,), (other,) = (list(explain_documents(model, documents, Gradient(), Target(n))) for n in (0, 1))
    (contrast,) = explain_documents(model, documents, Gradient(), Target(0, 1))
    np.testing.assert_allclose(contrast.scores, one.scores - other.scores, atol=1e-9)


def test_what_was_asked_for_every_class_is_found_in_the_cache(tmp_path):
    asked = []
    box = BlackBox(lambda texts: (asked.extend(texts), ask(texts))[1], ("r", "g", "b"))
    cache = ExplanationCache(tmp_path, "model")
    first = list(explain_documents(box, DOCUMENTS, Occlusion(), Target(1, 2), cache))
    asked.clear()
    again = list(explain_documents(box, DOCUMENTS, Occlusion(), Target(1, 2), cache))
    other = list(explain_documents(box, DOCUMENTS, Occlusion(), Target(1, 0), cache))
    assert asked == []
    assert [e.scores.tolist() for e in again] == [e.scores.tolist() for e in first]
    assert other[0].against == 0


@pytest.mark.parametrize(("target", "against"), [(0, None), ("all", None), (0, 1)])
@pytest.mark.parametrize("explainer", [Own(), Random()])
def test_weights_are_refused_for_a_class(explainer, target, against):
    model = sample_classifier()
    names = [name if name in (None, "all") else model.classes[name] for name in (target, against)]
    chosen = read_target(model.classes, *names)
    said = rf"'{explainer.name}' gives weights, which are the same for every class"
    with pytest.raises(OptionError, match=said):
        check_before_reading(chosen, explainer, model)
    check_before_reading(Target(), explainer, model)
    check_before_reading(chosen, Occlusion(), model)
    if chosen.number is None or against is not None:
        with pytest.raises(OptionError, match=said):
            next(explain_documents(model, [Document(split("good film"))], explainer, chosen))


def test_weights_of_a_black_box_are_refused_too():
    with pytest.raises(OptionError, match="'random' gives weights"):
        explain(ask, ["red green"], "random", target="r", classes=["r", "g", "b"])


def test_all_ways_to_explain_take_target_and_against(tmp_path):
    documents = planted("easy,train=40,dev=0,test=0").train
    texts = [document.words.texts[0] for document in documents]
    model = TextClassifier("base", "bag", epochs=2, contributions=False).fit(texts, [d.label for d in documents])
    (one,) = model.explain(texts[:1], "occlusion", target="negative", against="positive")
    assert one.against == 1
    np.testing.assert_allclose(one.scores, one.all_scores[0] - one.all_scores[1])
    (other,) = explain(model, texts[:1], "occlusion", target="negative", against="positive")
    (foreign,) = explain(
        model.predict_proba, texts[:1], target="negative", against="positive", classes=["negative", "positive"]
    )
    for same in (other, foreign):
        np.testing.assert_allclose(same.scores, one.scores, atol=1e-6)
    file = tmp_path / "out.jsonl"
    write_explanations(model, texts[:1], file, explainer="occlusion", target="negative", against="positive")
    assert '"against": "positive"' in file.read_text(encoding="utf-8")
    (every,) = model.explain(texts[:1], "gradient", target="all")
    assert every.all_scores.shape == (2, len(every.scores))


def test_the_views_of_a_text_are_painted_on_one_scale():
    document = Document(split("good food"))
    table = np.array([[0.4, -0.2], [0.04, -0.032]])
    several = Explanation(
        document, table[0], 0, ("praise", "food"), np.array([0.9, 0.6]), "lime", all_scores=table, labels=(0, 1)
    )
    for target in (Target(), Target(every=True)):
        strong, weak = target.views(several)
        assert weak.label == "food"
        for view, painted in ((strong, (0.55, 0.275)), (weak, (0.055, 0.044))):
            assert all(f",{share:g})" in view.to_html() for share in painted)
            assert all(f'fill-opacity="{share:g}"' in view.to_svg() for share in painted)
        texts = [view.__rich__().split("\n\n")[1] for view in (strong, weak)]
        assert [" on #" in text for text in texts] == [True, False]  # the weak one is too pale for a terminal
    assert ",0.55)" in several.for_class("food").to_html()  # by itself
    assert several.for_class("food").full_paint is weak.for_class("praise").full_paint is None
    (silent, _) = Target().views(replace(several, all_scores=0 * table, scores=0 * table[0]))
    assert "No word stands out." in silent.to_html()
