from dataclasses import replace

import pytest

from audits.audit_data import smallest
from whyword.audits.card import BEGIN, END, add_audit
from whyword.audits.data import DataInfo, RankRow, Recommendation, Reproduction, ScoreRow, Share, Verdict

CARD = "# vmask on lstm\n\nA text classifier.\n"


def score(metric, explainer, value, over, higher_is_better=True):
    over = over or (None, None, None)
    return ScoreRow(metric, explainer, value, None, None, 500, higher_is_better, "", *over, None, None, None)


AUDIT = replace(
    smallest(),
    data=DataInfo("the test split of reviews", 500, 2000, True, False, False, 12.0),
    accuracy=Share(0.91, 0.88, 0.93, 500),
    verdicts=(
        Verdict("own", "trust", "It beats random words.", ()),
        Verdict("lime", "do not trust", "It does | not\nbeat <them>.", ()),
    ),
    scores=(
        score("comprehensiveness", "own", 0.4, (0.3, 0.25, 0.35)),
        score("comprehensiveness", "lime", None, None),
        score("comprehensiveness", "random", 0.1, None),
        score("sufficiency", "own", 0.05, (-0.2, -0.25, -0.15), higher_is_better=False),
        score("sufficiency", "lime", 0.2, None, higher_is_better=False),
        score("accuracy-drop", "own", 0.3, (0.1, 0.0, 0.2)),
    ),
    reproduce=Reproduction("whyword audit model 'my  data'", 7, 500, "default", {"torch": "2.13"}, "2026-11-16"),
)


@pytest.fixture
def readme(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(CARD, encoding="utf-8")
    return path


def test_the_card_says_who_is_human_like_and_warns_of_it(readme):
    like = (Verdict("own", "not human-like", "", ()), Verdict("lime", "human-like", "", ()))
    marked = replace(AUDIT.data, has_rationales=True)
    add_audit(readme.parent, replace(AUDIT, data=marked, human_like=like, warnings=("lime is\nconvincing.",)))
    text = section(readme)
    assert "| explainer | verdict | why | human-like | comprehensiveness ↑ | sufficiency ↓ |" in text
    assert "| own | trust | It beats random words. | not human-like | 0.400" in text
    assert "Warning: lime is convincing." in text


def section(path):
    text = path.read_bytes().decode()
    assert text.count(BEGIN) == text.count(END) == 1
    return text.partition(BEGIN)[2].partition(END)[0]


def test_the_card_gets_the_numbers_of_the_audit(readme):
    add_audit(readme.parent, AUDIT)
    text = section(readme)
    assert "## Audit" in text
    assert "500 of 2,000 texts of the test split of reviews on 2026-11-16" in text
    assert "Accuracy 91.0%, 95 % interval 88.0% to 93.0%" in text
    assert "| explainer | verdict | why | comprehensiveness ↑ | sufficiency ↓ |" in text
    own = (
        "| own | trust | It beats random words. | 0.400 (+0.300, +0.250 to +0.350) | 0.050 (-0.200, -0.250 to -0.150) |"
    )
    assert own in text
    assert "    whyword audit model 'my  data'" in text
    assert "Seed 7; torch 2.13." in text


def test_the_card_says_what_to_use_and_how_near_each_comes_to_the_best(readme):
    best = Recommendation("own", "lime", "lime", "Use own: 98% | of <it>.")
    ranking = (
        RankRow("lime", 1.0, 1.0, 1.0, 500, 722.3, 0.1, 0.0),
        RankRow("own", 0.98, 0.96, 1.0, 500, 1.0, 0.0, 0.0),
    )
    add_audit(readme.parent, replace(AUDIT, best=best, ranking=ranking))
    text = section(readme)
    assert "**Use own: 98% \\| of &lt;it>.**" in text
    assert "| own | trust | It beats random words. | 98% (96% to 100%) | 1 | 0.400" in text
    assert "| 100% | 722 | – |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


def test_every_line_of_the_table_has_as_many_cells_whatever_the_words(readme):
    add_audit(readme.parent, AUDIT)
    rows = [line for line in section(readme).splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert {row.replace("\\|", "").count("|") for row in rows} == {6}
    assert "| lime | do not trust | It does \\| not beat &lt;them>. | – | 0.200 |" in rows


def test_the_rest_of_the_card_stays_as_it_was(readme):
    add_audit(readme.parent, AUDIT)
    assert readme.read_text(encoding="utf-8").startswith(CARD + "\n" + BEGIN)
    assert [path.name for path in readme.parent.iterdir()] == ["README.md"]


def test_a_later_audit_takes_the_place_of_the_earlier_one(readme):
    add_audit(readme.parent, AUDIT)
    once = readme.read_bytes()
    add_audit(readme.parent, AUDIT)
    assert readme.read_bytes() == once
    later = replace(AUDIT, accuracy=Share(0.5, 0.4, 0.6, 500))
    readme.write_bytes(b"Mine above.\n" + once + b"\nMine below.")
    add_audit(readme.parent, later)
    assert "Accuracy 50.0%" in section(readme)
    assert "91.0%" not in section(readme)
    assert readme.read_bytes().startswith(b"Mine above.\n# vmask on lstm")
    assert readme.read_bytes().endswith(b"\nMine below.")


@pytest.mark.parametrize("gone", [BEGIN, END], ids=["begin", "end"])
def test_a_card_with_half_of_the_markers_loses_nothing(readme, gone):
    add_audit(readme.parent, AUDIT)
    edited = readme.read_text(encoding="utf-8").replace(gone, "") + "\nMine.\n"
    readme.write_text(edited, encoding="utf-8")
    add_audit(readme.parent, AUDIT)
    add_audit(readme.parent, AUDIT)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith(edited)
    assert text.count("## Audit") == 2


@pytest.mark.parametrize(
    "card",
    [
        b"",
        b"No line end",
        b"Windows\r\nlines\r\n",
        "Latin é\n".encode("latin-1"),
        b"\xef\xbb\xbfMark\n",
        b"\\1 \\g<0>\n",
    ],
    ids=["empty", "no line end", "windows", "latin-1", "byte order mark", "backslashes"],
)
def test_a_card_of_any_bytes_keeps_them(readme, card):
    readme.write_bytes(card)
    add_audit(readme.parent, AUDIT)
    add_audit(readme.parent, AUDIT)
    content = readme.read_bytes()
    assert content.startswith(card)
    assert content.count(b"## Audit") == 1
    if b"\r\n" in card:
        assert content.count(b"\n") == content.count(b"\r\n")


def test_a_folder_without_a_card_gets_one(tmp_path):
    add_audit(tmp_path, AUDIT)
    assert (tmp_path / "README.md").read_text(encoding="utf-8").startswith(BEGIN)


def test_an_audit_without_labels_or_command_leaves_those_lines_out(readme):
    reproduce = replace(AUDIT.reproduce, command=None)
    add_audit(readme.parent, replace(AUDIT, accuracy=None, scores=(), reproduce=reproduce))
    text = section(readme)
    assert "Accuracy" not in text
    assert "random words, with" not in text
    assert "whyword audit" not in text
    assert "| own | trust |" in text
