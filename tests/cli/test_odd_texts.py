"""Texts no one writes on purpose, through every explainer, from the command line to the page."""

import json
import math

import pytest

from whyword import catalog
from whyword.checks.samples import AWKWARD

ODD = [document.words.texts[0] for document in AWKWARD if len(document.words.texts) == 1]
FEW_PASSES = {"own", "gradient", "integrated-gradients", "random"}  # however long a text is


def explained(whyword, model, explainer, texts, *options):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    with open("texts.jsonl", "w", encoding="utf-8") as file:
        file.write(lines)
    done = whyword("explain", model, "texts.jsonl", "--explainer", explainer, *options)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    return done


@pytest.mark.parametrize("explainer", catalog.names("explainers"))
def test_odd_texts_get_one_finite_score_per_word(whyword, model, gated_model, marked_model, explainer):
    served = {"gate": gated_model, "rationale": marked_model}.get(explainer, model)
    answers = explained(whyword, served, explainer, ODD, "--json").json
    assert [answer["text"] for answer in answers] == ODD
    for answer in answers:
        assert len(answer["scores"]) == len(answer["words"]) == len(answer["spans"])
        assert all(map(math.isfinite, answer["scores"]))
        assert 0 < answer["probability"] <= 1
        for word, (start, end) in zip(answer["words"], answer["spans"], strict=True):
            assert answer["text"][start:end] == word


@pytest.mark.parametrize("explainer", ["own", "occlusion"])
def test_odd_texts_are_shown_in_a_terminal_and_on_a_page(whyword, model, explainer, tmp_path):
    shown = explained(whyword, model, explainer, ODD).out
    assert "👩" in shown
    assert shown.count("The model knows no word of this text") >= 3  # the texts without words
    explained(whyword, model, explainer, ODD, "-o", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('class="whyword"') == len(ODD)
    assert "فيلم" in page


@pytest.mark.parametrize("explainer", sorted(FEW_PASSES))
def test_five_thousand_words_are_no_obstacle(whyword, model, explainer):
    (answer,) = explained(whyword, model, explainer, ["the plot is thin ! " * 1000], "--json").json
    assert len(answer["scores"]) == 5000
    assert all(map(math.isfinite, answer["scores"]))


def test_hundreds_of_words_can_be_left_out_one_by_one(whyword, model):
    (answer,) = explained(whyword, model, "occlusion", ["the plot is thin ! " * 80], "--json").json
    assert (len(answer["scores"]), answer["forward_passes"]) == (400, 401)
    first, last = answer["scores"][:5], answer["scores"][-5:]
    assert first == pytest.approx(last, abs=1e-6)  # a bag of words does not know where a word stands
