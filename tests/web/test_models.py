import re
from pathlib import Path

from whyword import catalog
from whyword.web.models import distinct_names, load_models


def test_models_are_called_after_their_folders_and_numbered_where_two_are_called_the_same(folders):
    assert [model.name for model in load_models([folders[0], folders[1], folders[0]])] == [
        "vmask",
        "attention",
        "vmask-2",
    ]


def test_a_number_that_is_already_taken_is_not_given():
    assert distinct_names(["a", "a-2", "a", "a"]) == ["a", "a-2", "a-3", "a-4"]


def test_what_an_explainer_costs_is_what_the_docs_say():
    rows = [
        line.split("|")
        for line in (Path(__file__).parents[2] / "docs" / "explainers.md").read_text(encoding="utf-8").splitlines()[:20]
    ]
    told = {name: cells[3] for cells in rows if len(cells) > 4 for name in re.findall(r"`([a-z-]+)`", cells[1])}
    costs = {name: catalog.load("explainers", name).cost for name in catalog.built_in_names("explainers")}
    assert costs == {name: cost.partition(";")[0].replace("`", "").strip() for name, cost in told.items()}


def test_every_explainer_of_a_model_is_described(models):
    about = models[0].describe()["about"]
    assert list(about) == list(models[0].signs)
    assert about["lime"].startswith("LIME: ")
    assert about["lime"].endswith(" Forward passes of a text: until converged, at most 5,000.")
