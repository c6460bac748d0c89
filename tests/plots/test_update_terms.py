import io

from whyword.plots.update_terms import update_terms

TERMS = {name: (-i, i, 0.1) for i, name in enumerate(["A", "B", "C", "D", "E", "F", "A_layer", "D_layer"], start=1)}


def test_terms_of_polarity_and_attention_have_a_panel_each_and_a_bar_per_group():
    figure = update_terms(TERMS, ("$x_{$", "good", "neutral"))
    polarity, attention = figure.axes
    assert [label.get_text() for label in polarity.get_xticklabels()] == ["A", "A\nlayer", "B", "C"]
    assert [label.get_text() for label in attention.get_xticklabels()] == ["D", "D\nlayer", "E", "F"]
    assert sorted(bar.get_height() for bar in polarity.patches) == sorted(
        height for name in ("A", "A_layer", "B", "C") for height in TERMS[name]
    )
    figure.savefig(io.BytesIO(), format="png")
