import json

from whyword.demo import METHODS, run_demo
from whyword.models.folder import load_model


def test_the_demo_leaves_models_and_a_report_on_each(tmp_path):
    told = []
    result = run_demo(
        tmp_path / "a b", 0, "cpu", told.append, data="planted:train=60,dev=20,test=20", encoder="bag", epochs=3
    )
    for method in METHODS:
        assert load_model(tmp_path / "a b" / method).config.method == method
        assert set(result.agreement[method]) == {"own", "occlusion", "random"}
        assert all(0 <= value <= 1 for value in result.agreement[method].values())
        assert "Can its explanations be trusted?" in result.page(method).read_text(encoding="utf-8")
        values = json.loads(result.page(method).with_suffix(".json").read_text(encoding="utf-8"))
        assert values["data"]["texts"] == 20
        assert {row["explainer"]: row["verdict"] for row in values["verdicts"]} == result.audits[method].verdicts
    assert f"whyword explain '{tmp_path}/a b/" in result.summary
    assert any(isinstance(event, str) and "Training attention" in event for event in told)
    assert result.to_dict()["test_accuracy"] == dict(result.accuracy)
