import re

from report.facts import explanation
from whyword.audits.highlighting import MOST_LETTERS, MOST_PAINTED, highlighted, legend

TEXT = "A gorgeous, witty, seductive movie that never once forgets its audience."


def shown(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


def test_the_text_is_kept_letter_by_letter() -> None:
    assert TEXT in shown(highlighted(explanation(TEXT, "lime", "positive", 0.9)))


def test_strong_words_are_painted_and_named() -> None:
    html = highlighted(explanation(TEXT, "lime", "positive", 0.9))
    assert re.search(r"<span[^>]*>gorgeous</span>", html)
    assert not re.search(r"<span[^>]*>movie</span>", html)
    assert "+0.318" in html


def test_at_most_so_many_words_are_painted_even_if_all_score_alike() -> None:
    text = "word " * 250
    one = explanation(text, "lime", "positive", 0.9) | {"scores": [1.0] * 250}
    assert highlighted(one).count("<span") == MOST_PAINTED
    gates = explanation(text, "own", "positive", 0.9) | {"scores": [n / 250 for n in range(250)]}
    assert highlighted(gates).count("<span") <= MOST_PAINTED


def test_a_long_text_is_cut() -> None:
    html = highlighted(explanation("word " * 10_000, "lime", "positive", 0.9))
    assert len(shown(html)) < MOST_LETTERS + 200
    assert "…" in html


def test_both_texts_of_a_pair_are_shown() -> None:
    first, second = explanation("love it", "lime", "x", 0.5), explanation("drags on", "lime", "x", 0.5)
    pair = first | {
        "text_pair": "drags on",
        "words": first["words"] + second["words"],
        "spans": first["spans"] + second["spans"],
        "scores": first["scores"] + second["scores"],
        "segments": [0, 0, 1, 1],
    }
    html = shown(highlighted(pair))
    assert "First text" in html
    assert "Second text" in html
    assert "drags on" in html


def test_scores_that_are_missing_and_texts_of_no_words_do_no_harm() -> None:
    assert "No word stands out." in highlighted(explanation("", "lime", "x", 0.5))
    nothing = explanation(TEXT, "lime", "x", 0.5)
    nothing["scores"] = [None] * len(nothing["words"])
    assert TEXT in shown(highlighted(nothing))
    assert shown(highlighted({}))


def test_the_legend_says_what_the_paint_means() -> None:
    assert "speaks against it" in shown(legend("it", True))
    assert "weighs more" in shown(legend("it", False))
