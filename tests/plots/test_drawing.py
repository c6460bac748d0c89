from matplotlib.figure import Figure

from whyword.plots.drawing import EMPTY_BOX, LONGEST, drawable, group_color, ruler
from whyword.views.highlight import class_color, hexadecimal


def test_letters_that_the_font_lacks_become_boxes_and_others_stay():
    assert drawable(("good", "naïve", "日本", "a\x00b", "")) == [
        "good",
        "naïve",
        2 * EMPTY_BOX,
        "a\N{REPLACEMENT CHARACTER}b",
        "",
    ]


def test_long_words_are_cut():
    assert drawable(("x" * LONGEST, "x" * (LONGEST + 1))) == ["x" * LONGEST, "x" * (LONGEST - 1) + "…"]


def test_a_longer_word_is_wider_and_a_larger_one_higher_and_dollars_are_no_formula():
    measure = ruler(Figure())
    assert measure("mm", 10)[0] > measure("m", 10)[0]
    assert measure("m", 20)[1] > measure("m", 10)[1]
    assert measure("g", 20)[2] > measure("m", 20)[2]
    assert measure("$x$", 20)[0] > measure("x", 20)[0] + measure("$", 20)[0]


def test_classes_differ_and_neutral_words_and_those_of_no_group_are_gray():
    assert [group_color(number, 8) for number in range(8)] == [hexadecimal(class_color(number)) for number in range(8)]
    assert len({group_color(number, 8) for number in range(8)}) == 8
    assert group_color(3, 3) == group_color(-1, 3) == "#828282"
