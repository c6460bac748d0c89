from whyword.models.card import model_card

CONFIG = {
    "whyword": "0.1.0",
    "labels": ["negative", "positive"],
    "method": {"name": "vmask", "beta": 1.0},
    "encoder": {"name": "lstm"},
    "vocabulary": {},
    "training": {"epochs": 3},
    "seed": 0,
}
CARD = model_card(CONFIG, {"dev_accuracy": 0.9}, [{}])


def test_the_card_says_what_the_model_is():
    assert CARD.startswith("# vmask on lstm")
    assert "negative, positive" in CARD
    assert "| dev accuracy | 0.9 |" in CARD
    assert "## Audit" not in CARD


def test_the_card_says_how_much_contributions_explain():
    config = {**CONFIG, "contributions": {"pairs": 3}}
    card = model_card(config, {"dev_accuracy": 0.9, "contributions": {"explained": 0.87654, "texts": 50.0}}, [{}])
    assert "| explained by contributions | 0.8765 |" in card
    assert "- contributions: pairs 3" in card
    assert "- contributions" not in CARD
    assert "{" not in card.partition("## Settings")[0]


def test_labels_cannot_break_the_card():
    labels = ["a|b", "two\nlines", "<script>x</script>", "`tick`", "[link](x)", "*bold*"]
    metrics = {"decision": {"thresholds": dict.fromkeys(labels, 0.5), "dev_macro_f1_before": 0.1, "dev_macro_f1": 0.2}}
    config = {**CONFIG, "labels": labels, "forbid": ["one`two"], "name": "a\n# b <i>"}
    card = model_card(config, metrics, [{}])
    assert "<" not in card.replace("&lt;", "")
    assert r"a\|b" in card
    assert "two lines" in card
    assert r"\`tick\`" in card
    assert r"\[link](x)" in card
    assert r"one\`two" in card
    rows = [line for line in card.splitlines() if line.startswith("| ")]
    assert {line.replace(r"\|", "").count("|") for line in rows} == {3}
    assert next(line for line in card.splitlines() if line.startswith("#")) == "# a # b &lt;i>"
