import json
from dataclasses import replace

import numpy as np
import pytest

from models.test_forbidden_words import proxy_data
from whyword import audit
from whyword.audits.forbidden import without_forbidden
from whyword.audits.run import load_rules
from whyword.audits.verdicts import judge_forbidden
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.models.config import make_config
from whyword.models.train import train_model

ODDS = {"city": 1.0, "superb": 2.0, "dull": -2.0}
TEXTS = ["a superb city", "dull city and city", "a dull place", "superb place"]


def bag(texts):
    """Each word adds a number to the log-odds of the second class."""
    odds = np.array([sum(ODDS.get(word, 0.0) for word in text.split()) for text in texts])
    return np.stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))], 1)


def moved(entries, texts=TEXTS):
    return without_forbidden(BlackBox(bag, ("bad", "good")), [Document(split(text)) for text in texts], entries)


def test_answers_are_asked_for_without_the_words():
    found = moved(["CITY"])
    sure = [1 / (1 + np.exp(-odds)) for odds in (3, 2, 0, -2)]
    assert (found.texts, found.of, found.answered_otherwise) == (2, 4, 0)
    assert found.largest == pytest.approx(sure[2] - sure[3], abs=1e-6)
    assert found.mean.value == pytest.approx((sure[0] - sure[1] + sure[2] - sure[3]) / 2, abs=1e-6)
    assert found.largest_without == ("city", "city")
    assert str(moved(["nowhere"])).startswith("Forbidden words stand in none of the 4 texts")
    assert moved([]) is None
    assert moved(["superb", "dull"]).answered_otherwise == 2


def test_the_rule_asks_about_every_text():
    rules = load_rules()
    (result,) = judge_forbidden(moved(["city"]), rules).rules
    assert (result.holds, result.threshold, result.answer) == (False, 0.01, "They still decide.")
    (result,) = judge_forbidden(moved(["place"]), rules).rules
    assert (result.holds, result.value) == (True, pytest.approx(0, abs=1e-6))


def test_a_report_says_how_far_they_move_answers(tmp_path):
    options = {"explainers": ["occlusion"], "metrics": ["comprehensiveness"], "draws": 1, "classes": ("bad", "good")}
    report = audit(bag, TEXTS * 5, forbid=["city"], **options)
    assert "Forbidden words stand in 10 of 20 texts; without them answers move by 0.226 on average and" in " ".join(
        str(report).split()
    )
    values = json.loads(report.to_json())["forbidden"]
    assert values["rules"][0]["holds"] is False
    assert all("forbidden" not in rule["quantity"] for v in report.data.verdicts for rule in [vars(r) for r in v.rules])
    assert "Words that must not decide" in report.to_html()
    file = tmp_path / "words.txt"
    file.write_text("city\n")
    again = audit(bag, TEXTS * 5, forbid=file, **options)
    assert again.data.forbidden == report.data.forbidden
    assert audit(bag, TEXTS * 5, **options).data.forbidden is None


def test_a_report_names_the_words_that_took_over():
    documents = proxy_data()
    data = Dataset("proxies", tuple(documents[:300]), tuple(documents[300:]), ())
    model = train_model(make_config({"encoder": "tfidf", "contributions": True, "forbid": ["chicago"]}), data)
    report = audit(model, documents[300:320], explainers=["own"], metrics=["comprehensiveness"], draws=1)
    (proxy,) = report.data.forbidden.proxies
    assert (proxy.word, proxy.beside, proxy.label) == ("lake", "chicago", "good")
    assert f"Words that may have taken over from them: {proxy}." in " ".join(str(report).split())
    assert json.loads(report.to_json())["forbidden"]["proxies"][0]["word"] == "lake"
    assert '<th scope="row">lake</th><td>chicago</td>' in report.to_html()
    assert "taken over" not in str(replace(report.data.forbidden, proxies=()))
