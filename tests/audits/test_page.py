import copy
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from report.facts import EXPLAINERS, METRICS, explanation, facts
from whyword.audits.page import SECTIONS, render

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
    return Page(render(facts()))


def hostile(value: Any) -> Any:
    """Put a hostile text in the place of every string, also of keys that strangers choose."""
    if isinstance(value, dict):
        return {key: hostile(part) for key, part in value.items()}
    if isinstance(value, list):
        return [hostile(part) for part in value]
    return HOSTILE if isinstance(value, str) else value


def without_values(value: Any) -> Any:
    """Put None in the place of every number; names, and the places of words in their texts, stay."""
    if isinstance(value, dict):
        return {key: part if key in ("spans", "counts") else without_values(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_values(part) for part in value]
    return None if isinstance(value, int | float) else value


def test_a_full_page_is_well_formed_small_and_has_every_section_in_order() -> None:
    html = render(facts())
    page = Page(html)
    assert page.sections == [name for name, _ in SECTIONS]
    assert len(page.ids) == len(set(page.ids))
    assert len(html.encode()) < 400_000
    assert "script" not in page.tags


def test_the_same_facts_give_the_same_page_and_stay_as_they_were() -> None:
    given = facts()
    kept = copy.deepcopy(given)
    assert render(given) == render(given)
    assert given == kept


def test_the_page_asks_nobody_for_anything() -> None:
    html = render(facts())
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
def test_numbers_of_the_facts_stand_on_the_page(shown: str) -> None:
    assert shown in full().text


def test_every_score_stands_in_its_row_with_its_interval_and_corrected_p_value() -> None:
    text = full().text
    for score in facts()["scores"]:
        assert f"{score['value']:.3f}" in text
        assert f"{score['low']:.3f} to {score['high']:.3f}" in text
    assert "p 0.003" in text
    assert "p < 0.001" in text
    for meaning, _ in METRICS.values():
        assert meaning[1:] in text


def test_verdicts_are_told_in_words_with_their_reason() -> None:
    text = full().text
    for verdict, shown in (("Use with care", 0), ("Trust", 1), ("Do not trust", 2)):
        assert verdict in text
        assert facts()["verdicts"][shown]["because"] in text
    for word in ("yes", "no", "undecided"):
        assert word in text


def test_a_lower_number_is_called_better_where_lower_is_better() -> None:
    given = facts()
    given["scores"] = [score for score in given["scores"] if score["metric"] == "sufficiency"]
    text = Page(render(given)).text
    assert "−0.340 better" in text
    assert "worse\n" not in text


@pytest.mark.parametrize("section", [name for name, _ in SECTIONS])
def test_a_section_without_facts_is_left_out(section: str) -> None:
    given = facts()
    keys = {"rules": ["verdicts"], "curves": ["scores"], "metrics": ["scores"]}.get(section, [section])
    for key in keys:
        given[key] = None
    page = Page(render(given))
    assert section not in page.sections
    assert f'href="#{section}"' not in render(given)


def test_facts_that_are_all_none_or_missing_still_make_a_page() -> None:
    for given in (
        {},
        dict.fromkeys(facts()),
        {**facts(), "verdicts": [], "scores": [], "gallery": [], "agreement": []},
    ):
        Page(render(given))


def test_numbers_that_are_missing_are_dashes() -> None:
    page = Page(render(without_values(facts())))
    assert "–" in page.text
    assert "None" not in page.text
    assert "nan" not in page.text.split()


def test_hostile_text_cannot_escape_anywhere() -> None:
    plain, page = full(), Page(render(hostile(facts())))
    assert "script" not in page.tags
    assert set(page.tags) <= set(plain.tags)
    assert page.attributes <= plain.attributes
    assert "alert" not in page.style
    assert "49" not in page.text.split()
    assert not set("\x00\x1b") & set(render(hostile(facts())))


def test_hostile_names_of_explainers_classes_and_settings_cannot_escape() -> None:
    given = facts()
    given["gallery"][0]["explanations"] = {HOSTILE: explanation(HOSTILE, HOSTILE, HOSTILE, 0.5)}
    given["cost"]["explainers"] = {HOSTILE: {}}
    given["again"]["versions"] = {HOSTILE: HOSTILE}
    given["model"]["settings"] = {HOSTILE: {HOSTILE: HOSTILE}}
    given["attention_tests"] = {HOSTILE: {"meaning": HOSTILE}}
    given["mask"] = {HOSTILE: 0.5, "warning": HOSTILE}
    plain, page = full(), Page(render(given))
    assert "script" not in page.tags
    assert page.attributes <= plain.attributes


def test_text_from_right_to_left_is_kept_apart_from_the_page() -> None:
    given = facts()
    given["gallery"][0]["predicted"] = "\u202eevil"
    assert "<bdi>\u202eevil</bdi>" in render(given)


def test_the_page_stays_bounded_whatever_the_facts() -> None:
    given = facts()
    names = [f"an explainer with a rather long name {number}" for number in range(40)]
    long = explanation('"quoted" & <tagged> ' * 5_000, "lime", "p" * 10_000, 0.5)
    item = {**given["gallery"][0], "gold": "g" * 10_000, "explanations": dict.fromkeys(names, long)}
    given["gallery"] = [item] * 50
    given["scores"] = [{**score, "explainer": name} for score in given["scores"] for name in names]
    classes = [f"class number {number} " * 30 for number in range(200)]
    given["model"]["classes"] = classes
    given["confusion"] = {"classes": classes, "counts": [[(i * j) % 7 for i in range(200)] for j in range(200)]}
    given["map"]["points"] = [
        {**point, "gold": classes[n % 200]} for n, point in enumerate(given["map"]["points"] * 50)
    ]
    given["words"]["rows"] = given["words"]["rows"] * 1_000
    given["agreement"] = given["agreement"] * 1_000
    html = render(given)
    Page(html)
    assert len(html.encode()) < 3_000_000


def test_many_classes_give_a_list_of_confusions_instead_of_a_matrix() -> None:
    given = facts()
    classes = [f"c{number}" for number in range(200)]
    counts = [[0] * 200 for _ in classes]
    counts[3][5] = 41
    given["confusion"] = {"classes": classes, "counts": counts}
    page = Page(render(given))
    assert "200 classes" in page.text
    assert "c3" in page.text
    assert "41" in page.text


def test_random_words_are_marked_as_the_floor_and_get_no_verdict() -> None:
    html = render(facts())
    assert html.count('<tr class="random">') == len(METRICS) + 1  # and in the cost
    assert Page(html).text.count("the floor") >= len(METRICS)
    assert EXPLAINERS[-1] == "random"


def test_a_cut_text_says_how_much_of_it_is_shown() -> None:
    given = facts()
    given["gallery"][0]["cut"] = {"words_shown": 300, "words": 2345}
    assert "300 of 2,345 words shown" in Page(render(given)).text
