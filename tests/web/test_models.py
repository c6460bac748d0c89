from whyword.web.models import distinct_names, load_models


def test_models_are_called_after_their_folders_and_numbered_where_two_are_called_the_same(folders):
    assert [model.name for model in load_models([folders[0], folders[1], folders[0]])] == [
        "vmask",
        "attention",
        "vmask-2",
    ]


def test_a_number_that_is_already_taken_is_not_given():
    assert distinct_names(["a", "a-2", "a", "a"]) == ["a", "a-2", "a-3", "a-4"]
