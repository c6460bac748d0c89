from math import nan

import pytest

from whyword.maths.stats.intervals import Estimate
from whyword.report.tables import Entry, escape_latex, latex, markdown, plain, with_interval

TABLE = [
    [Entry("name"), Entry("accuracy", right=True)],
    [Entry("a|b*<c>"), Entry("90.1 ± 0.3", strong=True, right=True)],
    [Entry("long_name\x1b[31m"), Entry("−1.0", right=True)],
]


def test_markdown_escapes_what_would_break_the_table():
    assert markdown(TABLE).splitlines() == [
        "| name | accuracy |",
        "| --- | --: |",
        r"| a\|b\*&lt;c> | **90.1 ± 0.3** |",
        "| long_name\ufffd[31m | −1.0 |",
    ]


def test_latex_escapes_and_aligns():
    lines = latex(TABLE).splitlines()
    assert lines[0] == r"\begin{tabular}{lr}"
    assert lines[4] == r"a|b*$<$c$>$ & \textbf{90.1 $\pm$ 0.3} \\"
    assert lines[5].endswith(r"& $-$1.0 \\")
    assert escape_latex(r"\{~^}") == r"\textbackslash{}\{\textasciitilde{}\textasciicircum{}\}"


def test_plain_text_is_in_columns_with_a_star_for_the_best_and_steers_no_terminal():
    assert plain(TABLE).splitlines() == [
        "name              accuracy",
        "a|b*<c>         90.1 ± 0.3*",
        "long_name\ufffd[31m        −1.0",
    ]


@pytest.mark.parametrize(
    ("estimate", "digits", "scale", "written"),
    [
        ((0.8, 0.75, 0.85), 1, 100, "80.0 ± 5.0"),
        ((0.98, 0.9, 1.0), 1, 100, "98.0 (90.0 to 100.0)"),
        ((-0.5, -1.0, 0.25), 2, 1, "−0.50 (−1.00 to 0.25)"),
        ((0.8, nan, nan), 3, 1, "0.800"),
        ((nan, nan, nan), 3, 1, "–"),
    ],
)
def test_a_mean_stands_with_half_of_its_interval_or_both_ends(estimate, digits, scale, written):
    assert with_interval(Estimate(*estimate), digits, scale) == written
