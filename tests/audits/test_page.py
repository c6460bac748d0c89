import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from audits.audit_data import EXPLAINERS, METRICS, attention_test, audit_data, explanation, smallest
from whyword.analysis.attention_tests import AttentionTests
from whyword.audits.data import AuditData, Confusion, Cut, ExplainerCost, GalleryItem, MaskHealth
from whyword.audits.page import SECTIONS, render
from whyword.interfaces.explanation import Explanation, WordImportance
from whyword.views.highlight import class_color

OPTIONAL = [name for name in SECTIONS if name not in ("cost", "reproduce")]
VOID = {"meta", "br", "input"}
HOSTILE = "<script>alert(1)</script> \"'> </style></title> --> {{ 7 * 7 }} \u202egnp\u2066 \x00 \x1b[31m &lt; ]]>"


class Page(HTMLParser):
    """What a browser would make of the page; every tag that opens must close."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.sections: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.style = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.attributes |= set(values)
        if tag not in VOID:
            self.open.append(tag)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        if tag == "section":
            self.sections.append(str(values["id"]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            self.style += data
        else:
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment got through")


@cache
def full() -> Page:
    return Page(render(audit_data()))


def hostile(value: Any) -> Any:
    """Put a hostile text in the place of every string but the keys of mappings."""
    if isinstance(value, Explanation):
        return explanation(HOSTILE, HOSTILE, HOSTILE, 0.5)
    if isinstance(value, str):
        return HOSTILE
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: hostile(getattr(value, field.name)) for field in fields(value)})
    if isinstance(value, Mapping):
        return {key: hostile(part) for key, part in value.items()}
    return tuple(map(hostile, value)) if isinstance(value, tuple) else value


def without(value: Any, *names: str) -> Any:
    return replace(value, **dict.fromkeys(names))


def without_values(data: AuditData) -> AuditData:
    """Put None or NaN in the place of every number that can be undefined."""
    ends = ("value", "low", "high")
    assert data.map is not None
    assert data.words is not None
    assert data.attention_tests is not None
    importance = data.words.importance
    scores = [
        replace(
            without(score, *ends, *(f"over_random_{end}" for end in (*ends, "p", "p_holm"))),
            curve=None if score.curve is None else tuple(without(point, *ends) for point in score.curve),
        )
        for score in data.scores
    ]
    return replace(
        data,
        accuracy=None,
        scores=tuple(scores),
        agreement=tuple(without(pair, "tau", "low", "high") for pair in data.agreement),
        verdicts=tuple(
            replace(verdict, rules=tuple(without(rule, *ends, "p", "holds") for rule in verdict.rules))
            for verdict in data.verdicts
        ),
        gallery=tuple(
            replace(
                item,
                gold=None,
                explanations={name: replace(e, scores=np.nan * e.scores) for name, e in item.explanations.items()},
            )
            for item in data.gallery
        ),
        words=replace(data.words, importance=replace(importance, scores=np.nan * importance.scores)),
        attention_tests=AttentionTests(
            tuple(
                replace(score, per_text=np.nan * score.per_text, interval=(np.nan, np.nan))
                for score in data.attention_tests.scores
            )
        ),
        map=without(data.map, "silhouette", "ratio"),
    )


def test_a_full_page_is_well_formed_small_and_has_every_section_in_order() -> None:
    html = render(audit_data())
    page = Page(html)
    assert page.sections == [
        name for name in SECTIONS if name not in ("forbidden", "labels")
    ]  # of models and data that have them
    assert len(page.ids) == len(set(page.ids))
    assert len(html.encode()) < 400_000
    assert "script" not in page.tags


def test_the_same_audit_gives_the_same_page_and_stays_as_it_was() -> None:
    data = audit_data()
    before = data.to_dict()
    assert render(data) == render(data)
    assert data.to_dict() == before


def test_the_page_asks_nobody_for_anything() -> None:
    html = render(audit_data())
    assert "default-src 'none'" in html
    assert "http://" not in html
    assert "https://" not in html
    assert not {"src", "srcset", "action", "onclick", "onload"} & Page(html).attributes
    assert "url(" not in html
    assert "@import" not in html


@pytest.mark.parametrize(
    "shown",
    [
        "85.7%",
        "81.3% to 89.2%",
        "4.1%",
        "1,821",
        "201,345",
        "0.740",
        "0.710 to 0.770",
        "45,225",
        "142,000",
        "0.430",
        "1.87",
    ],
)
def test_numbers_of_the_audit_stand_on_the_page(shown: str) -> None:
    assert shown in full().text


def test_every_score_stands_in_its_row_with_its_interval_and_corrected_p_value() -> None:
    text = full().text
    for score in audit_data().scores:
        assert f"{score.value:.3f}" in text
        assert f"{score.low:.3f} to {score.high:.3f}" in text
    assert "p 0.003" in text
    assert "p < 0.001" in text
    for meaning, _ in METRICS.values():
        assert meaning[1:] in text


def test_verdicts_are_told_in_words_with_their_reason() -> None:
    text = full().text
    for verdict, shown in (("Use with care", 0), ("Trust", 1), ("Do not trust", 2)):
        assert verdict in text
        assert audit_data().verdicts[shown].because in text
    for word in ("yes", "no", "undecided"):
        assert word in text


def test_both_verdicts_stand_side_by_side_with_their_questions_and_a_warning() -> None:
    data, text = audit_data(), full().text
    for words in ("True to the model", "Human-like", "Partly human-like", "Not human-like", *data.warnings):
        assert words in text
    for verdict in data.human_like:
        assert verdict.because in text
        assert verdict.rules[0].question in text


def test_without_marked_words_the_page_says_that_being_human_like_was_not_measured() -> None:
    data = audit_data()
    unmarked = tuple(replace(one, verdict="not measured", because="?", rules=()) for one in data.human_like)
    page = Page(render(replace(data, human_like=unmarked, data=replace(data.data, has_rationales=False))))
    assert "was not measured: No text says which words people marked." in " ".join(page.text.split())
    assert "Partly human-like" not in page.text


def test_a_lower_number_is_called_better_where_lower_is_better() -> None:
    scores = tuple(score for score in audit_data().scores if score.metric == "sufficiency")
    text = Page(render(replace(audit_data(), scores=scores))).text
    assert "−0.340 better" in text
    assert "worse\n" not in text


@pytest.mark.parametrize("section", OPTIONAL)
def test_a_section_of_which_nothing_is_known_is_left_out(section: str) -> None:
    field = {"rules": "verdicts", "curves": "scores", "metrics": "scores"}.get(section, section)
    empty = getattr(smallest(), field)
    page = render(replace(audit_data(), **{field: empty}))
    assert section not in Page(page).sections
    assert f'href="#{section}"' not in page


def test_what_little_is_known_still_makes_a_page() -> None:
    assert Page(render(smallest())).sections == ["cost", "reproduce"]
    Page(render(replace(audit_data(), verdicts=(), scores=(), gallery=(), agreement=())))


def test_numbers_that_are_missing_are_dashes() -> None:
    page = Page(render(without_values(audit_data())))
    assert "–" in page.text
    assert "None" not in page.text
    assert "nan" not in page.text.split()


def test_hostile_text_cannot_escape_anywhere() -> None:
    plain, page = full(), Page(render(hostile(audit_data())))
    assert "script" not in page.tags
    assert set(page.tags) <= set(plain.tags)
    assert page.attributes <= plain.attributes
    assert "alert" not in page.style
    assert "49" not in page.text.split()
    assert not set("\x00\x1b") & set(render(hostile(audit_data())))


def test_hostile_names_of_explainers_classes_and_settings_cannot_escape() -> None:
    data = audit_data()
    item = replace(data.gallery[0], explanations={HOSTILE: explanation(HOSTILE, HOSTILE, HOSTILE, 0.5)})
    strange = replace(
        data,
        gallery=(item, *data.gallery[1:]),
        cost=replace(data.cost, explainers={HOSTILE: ExplainerCost(1, 1.0, 1.0)}),
        reproduce=replace(data.reproduce, versions={HOSTILE: HOSTILE}),
        model=replace(data.model, settings={HOSTILE: {HOSTILE: HOSTILE}}),
        attention_tests=AttentionTests((attention_test(HOSTILE, 0.5, (0.4, 0.6), True, HOSTILE),)),
        mask=MaskHealth({HOSTILE: 0.5}, HOSTILE),
    )
    plain, page = full(), Page(render(strange))
    assert "script" not in page.tags
    assert page.attributes <= plain.attributes


def test_text_from_right_to_left_is_kept_apart_from_the_page() -> None:
    item = replace(audit_data().gallery[0], predicted="\u202eevil")
    assert "<bdi>\u202eevil</bdi>" in render(replace(audit_data(), gallery=(item,)))


def test_words_are_listed_under_the_class_they_speak_for_and_weights_under_none() -> None:
    data = audit_data()
    assert data.words is not None
    section = render(data).split('id="h-words"')[1].split("</section>")[0]
    assert "The scores are weights, not for a class." in section
    table = np.array([[0.3, -0.2, 0.1], [-0.3, 0.2, -0.1]])
    classes = ("<bad>", "good")
    words = WordImportance(("worst", "best", "dull"), table.max(0), np.array([3, 4, 5]), "a mean", classes, table)
    section = render(replace(data, words=replace(data.words, importance=words))).split('id="h-words"')[1]
    bad, good = section.split("</section>")[0].split("<h3>")[1:]
    names = [re.findall(r"<bdi>([^<]*)</bdi>", part) for part in (bad, good)]
    assert names == [["&lt;bad&gt;", "worst", "dull"], ["good", "best"]]
    for number, part in enumerate((bad, good)):
        assert "solid rgb({},{},{})".format(*class_color(number)) in part


def test_the_page_stays_bounded_however_much_there_is_to_show() -> None:
    data = audit_data()
    assert data.map is not None
    assert data.words is not None
    names = [f"an explainer with a rather long name {number}" for number in range(40)]
    long = explanation('"quoted" & <tagged> ' * 5_000, "lime", "p" * 10_000, 0.5)
    classes = tuple(f"class number {number} " * 30 for number in range(200))
    words = data.words.importance
    many = WordImportance(words.words * 1000, np.tile(words.scores, 1000), np.tile(words.frequencies, 1000), "gate")
    html = render(
        replace(
            data,
            model=replace(data.model, classes=classes),
            gallery=(GalleryItem("right and sure", "g" * 10_000, "p", 0.5, dict.fromkeys(names, long)),) * 50,
            scores=tuple(replace(score, explainer=name) for score in data.scores for name in names),
            confusion=Confusion(classes, tuple((j, i, (i * j) % 7 + 1) for i in range(200) for j in range(200))),
            map=replace(
                data.map,
                points=tuple(replace(point, gold=classes[n % 200]) for n, point in enumerate(data.map.points * 50)),
            ),
            words=replace(data.words, importance=many),
            agreement=data.agreement * 1_000,
        )
    )
    Page(html)
    assert len(html.encode()) < 3_000_000


def test_many_classes_give_a_list_of_confusions_instead_of_a_matrix() -> None:
    classes = tuple(f"c{number}" for number in range(200))
    page = Page(render(replace(audit_data(), confusion=Confusion(classes, ((3, 5, 41),)))))
    assert "200 classes" in page.text
    assert "c3" in page.text
    assert "41" in page.text


def test_of_many_classes_the_words_of_those_with_the_highest_scores_are_listed() -> None:
    data = audit_data()
    assert data.words is not None
    classes = tuple(f"c{number}" for number in range(40))
    scores = np.zeros((40, 2))
    scores[np.arange(40), np.arange(40) % 2] = np.arange(40) / 40
    words = WordImportance(("one", "two"), scores.max(0), np.array([3, 4]), "a source", classes, scores)
    page = Page(render(replace(data, words=replace(data.words, importance=words))))
    assert "Speaks for c39" in page.text
    assert "Speaks for c30" in page.text
    assert "c29" not in page.text
    assert "of the 10 classes of the highest scores" in page.text


def test_the_page_begins_with_what_to_use_and_a_picture_of_what_it_costs():
    audited = audit_data()
    text = full().text
    assert full().sections[0] == "ranking"
    assert text.index(audited.best.sentence) < text.index("Can its explanations be trusted?")
    assert "Faithfulness of each explainer against its cost" in text
    assert "500" in text
    assert "14.0%" in text  # of texts in which the top own word opposes the answer


def test_random_words_are_marked_as_the_floor_and_get_no_verdict() -> None:
    html = render(audit_data())
    assert html.count('<tr class="random">') == len(METRICS) + 2  # in the ranking and in the cost
    assert Page(html).text.count("the floor") >= len(METRICS)
    assert EXPLAINERS[-1] == "random"


def test_a_cut_text_says_how_much_of_it_is_shown() -> None:
    item = replace(audit_data().gallery[0], cut=Cut(300, 2345))
    assert "300 of 2,345 words shown" in Page(render(replace(audit_data(), gallery=(item,)))).text
