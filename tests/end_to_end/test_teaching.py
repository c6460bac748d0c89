"""The whole loop: what people marked on the page teaches a model, shows beside its reasons, and is audited apart."""

import json
from dataclasses import replace

import pytest

from whyword.audits.run import gather_audit
from whyword.data.decisions import Decision
from whyword.data.marked_rows import add_marks
from whyword.data.planted import planted
from whyword.explainers import Own
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model

DATA = planted("easy,train=120,dev=20,test=24")
SETTINGS = {
    "encoder": {"name": "bag", "dim": 16},
    "training": {"epochs": 8, "learning_rate": 0.02},
    "rationales": {"least_texts": 10, "epochs": 3, "steps": 20, "width": 8, "hidden": 8},
    "contributions": {"texts": 60, "least_texts": 60, "pairs": 2, "steps": 20, "width": 8, "hidden": 8},
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model of unmarked texts, and of the lines that two people left on the annotation page."""
    folder = tmp_path_factory.mktemp("teaching")
    file = folder / "reviews.jsonl.annotations.jsonl"
    decisions = [
        Decision(document, ("Ada", "Ben")[row % 2], "2026-01-01T00:00:00Z", row=row + 1)
        for row, document in enumerate(DATA.train[:60])
    ]
    skipped = Decision(DATA.train[60], "Ada", "2026-01-01T00:00:00Z", row=61, state="skipped")
    lines = [json.dumps(decision.to_record()) for decision in [*decisions, skipped]]
    file.write_text("\n".join(lines) + "\n")
    unmarked = replace(DATA, train=tuple(replace(document, rationale=None) for document in DATA.train))
    taught = add_marks(unmarked, file)
    assert sum(document.rationale is not None for document in taught.train) == 60
    train_model(make_config(SETTINGS), taught, folder=folder / "model")
    return load_model(folder / "model")


def test_an_explanation_shows_what_people_would_mark_beside_the_reason(model):
    explanations = Own().explain(model.classifier, DATA.test)
    assert all(one.would_mark.shape == one.scores.shape for one in explanations)


def test_an_audit_keeps_the_two_verdicts_apart_and_never_trusts_what_people_would_mark(model):
    report = gather_audit(model, DATA.test, ["own", "rationale", "occlusion"], draws=2)
    assert set(report.verdicts) == set(report.human_like) == {"own", "rationale", "occlusion"}
    assert report.verdicts["rationale"] == "do not trust"
    assert report.best.explainer != "rationale"
