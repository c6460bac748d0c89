from whyword.report.tables import Entry, escape_latex, latex, markdown, plain

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
