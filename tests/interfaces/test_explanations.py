from whyword import TextClassifier
from whyword.interfaces.explanations import SHOWN, Explanations


def test_a_list_of_explanations_shows_the_first_of_them_in_a_notebook():
    texts, labels = ["a good film", "a bad film"] * 8, ["good", "bad"] * 8
    model = TextClassifier(encoder="bag", epochs=1, contributions=False).fit(texts, labels)
    explanations = model.explain([f"a good film, number {i}" for i in range(SHOWN + 3)])
    assert isinstance(explanations, Explanations)
    assert isinstance(explanations, list)
    shown = explanations._repr_html_()
    assert shown.count('<div class="whyword"') == SHOWN
    assert "… and 3 more" in shown
    assert isinstance(explanations[:2], Explanations)
    assert explanations[:2]._repr_html_().count('<div class="whyword"') == 2
    assert "more" not in explanations[:2]._repr_html_()
    assert explanations[0] is next(iter(explanations))
