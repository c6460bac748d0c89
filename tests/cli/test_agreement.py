import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "annotate.md"
BAD, GOOD = "negative", "positive"
LINES = [
    {"text": "a truly dull film", "label": BAD, "rationale": [[2, 12]], "author": "Ann"},
    {"text": "a truly dull film", "label": GOOD, "rationale": [[8, 12]], "author": "Bo"},
    {"text": "another", "label": BAD, "rationale": [], "author": "Ann"},
    {"text": "another", "author": "Bo", "skipped": True},
]


@pytest.fixture
def saved(tmp_path) -> Path:
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def test_it_says_who_marked_what_and_how_far_they_agree_as_the_documentation_shows(whyword, saved):
    done = whyword("agreement", saved)
    assert (done.code, done.err) == (0, "")
    assert done.out in DOCS.read_text(encoding="utf-8")


def test_programs_get_numbers(whyword, saved):
    (found,) = whyword("agreement", saved, "--json").json
    assert found["agreement"] == {"words": pytest.approx(1 - 7 / 15), "labels": 0.0, "texts": 1}
    assert found["authors"] == {"Ann": 2, "Bo": 1}


def test_without_two_people_agreement_is_not_known(whyword, saved):
    saved.write_text(json.dumps(LINES[0]) + '\n{"half', encoding="utf-8")
    assert "no text was marked by two people" in whyword("agreement", saved).out


def test_a_file_of_another_kind_is_refused(refused, saved, tmp_path):
    saved.write_text('{"text": "a"}\n', encoding="utf-8")
    assert "annotation 1 has no author" in refused("agreement", saved)
    assert "cannot be read" in refused("agreement", tmp_path / "nothing.jsonl")
