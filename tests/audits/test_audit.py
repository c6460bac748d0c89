import json
from dataclasses import replace

import numpy as np
import pytest

from audits.audit_data import smallest
from whyword.analysis.attention_tests import AttentionTests
from whyword.audits.audit import Audit
from whyword.audits.data import MaskHealth, ScoreRow, Share, Verdict
from whyword.audits.verdicts import NO_MARKS
from whyword.evaluation.measure import Scores
from whyword.interfaces.errors import OptionError
from whyword.interfaces.metric import Score

WARNING = "the mask has collapsed."


def made(**more):
    score = Score("m", "lime", np.array([0.4, 0.6]), (0.4, 0.6), True, "what it is")
    few = smallest()
    data = replace(
        few,
        model=replace(few.model, name="mine"),
        data=replace(few.data, name="reviews.csv", texts=2, of=1000, has_rationales=True),
        accuracy=Share(0.9, 0.8, 0.95, 2),
        verdicts=(
            Verdict("lime", "trust", "All 3 rules hold.", ()),
            Verdict("own", "do not trust", "Word " * 40, ()),
        ),
        human_like=(
            Verdict("lime", "partly human-like", "Another finds more.", ()),
            Verdict("own", "human-like", "Both rules hold.", ()),
        ),
        scores=(ScoreRow("m", "lime", 0.5, 0.4, 0.6, 2, True, "what it is", None, None, None, None, (), None),),
    )
    return Audit(replace(data, **more), Scores((score,), 2, 7))


def test_a_person_sees_the_verdicts_first_and_then_the_numbers():
    lines = str(made()).splitlines()
    assert lines[:2] == ["mine, asked about 2 of 1,000 texts: reviews.csv", "Accuracy 90.0% [80.0%, 95.0%]"]
    assert lines[3:6] == [
        "      true to the model?  human-like?",
        "lime  trust               partly human-like",
        "own   do not trust        human-like",
    ]
    assert lines[7:11] == ["lime: trust", "  All 3 rules hold.", "lime: partly human-like", "  Another finds more."]
    assert "own: do not trust" in lines
    assert any(line.startswith("m ↑") for line in lines)
    assert max(map(len, lines)) <= 100


def test_without_marked_words_being_human_like_is_not_measured_and_the_reason_is_said_once():
    audited = made()
    unmarked = tuple(replace(one, verdict="not measured", because=NO_MARKS) for one in audited.data.human_like)
    audited = made(human_like=unmarked, data=replace(audited.data.data, has_rationales=False))
    assert set(audited.human_like.values()) == {"not measured"}
    assert str(audited).count("No text says which words people marked.") == 1
    assert "lime  trust               not measured" in str(audited).splitlines()


def test_a_warning_stands_before_the_verdicts():
    shown = str(made(warnings=("own is convincing, but not the model's reason.",)))
    assert shown.index("Warning: own is convincing") < shown.index("true to the model?")


def test_without_labels_there_is_no_accuracy_to_show():
    assert "Accuracy" not in str(made(accuracy=None))
    assert made(accuracy=None).accuracy is None


def test_a_dead_mask_and_the_tests_of_attention_are_shown():
    uniform = Score("uniform", "own", np.array([0.5, 0.5]), (0.4, 0.6), True, "what it is")
    undefined = Score("gradient", "own", np.array([np.nan]), (np.nan, np.nan), True, "what it is")
    shown = str(made(mask=MaskHealth({}, WARNING), attention_tests=AttentionTests((uniform, undefined))))
    assert "Warning: the mask has collapsed." in shown
    assert "Is the attention faithful?\nuniform                 0.500 [0.400, 0.600]  what it is" in shown
    assert "   nan" in shown


def test_verdicts_accuracy_and_all_values_can_be_read():
    found = made()
    assert found.verdicts == {"lime": "trust", "own": "do not trust"}
    assert found.human_like == {"lime": "partly human-like", "own": "human-like"}
    assert found.accuracy == 0.9
    assert found.to_dict() == found.data.to_dict()
    assert json.loads(found.to_json()) == found.to_dict()
    frame = found.to_frame()
    assert list(frame.explainer) == ["lime"]
    assert "curve" not in frame


def test_numbers_that_json_does_not_know_are_never_written(monkeypatch):
    assert made(accuracy=Share(float("nan"), 0.0, 1.0, 2)).to_dict()["accuracy"]["value"] is None
    monkeypatch.setattr(Audit, "to_dict", lambda self: {"accuracy": float("nan")})
    with pytest.raises(ValueError, match="JSON"):
        made().to_json()


def test_json_is_written_alone_and_a_page_with_json_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(Audit, "to_html", lambda self: '<!doctype html><p title="a&b">')
    found = made()
    assert found.save(tmp_path / "new" / "one.json") == [tmp_path / "new" / "one.json"]
    assert json.loads((tmp_path / "new" / "one.json").read_text()) == found.to_dict()
    assert found.save(str(tmp_path / "r.html")) == [tmp_path / "r.html", tmp_path / "r.json"]
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "r.html", "r.json"]
    assert '<iframe srcdoc="&lt;!doctype html&gt;&lt;p title=&quot;a&amp;b' in found._repr_html_()


def test_other_files_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(OptionError, match=r"r\.pdf"):
        made().save(tmp_path / "r.pdf")
    assert not list(tmp_path.iterdir())
