from whyword.plots.group_colors import CLASSES, group_color


def test_classes_differ_and_neutral_words_and_those_of_no_group_are_gray():
    assert len({group_color(number, 6) for number in range(6)}) == len(CLASSES)
    assert group_color(3, 3) == group_color(-1, 3) == "#828282"
    assert group_color(len(CLASSES), 9) == group_color(0, 9)
