from html.parser import HTMLParser

import pytest

from reference.cell_records import cell_record
from whyword.grids.comparison import Comparison

EVIL = '<script>alert("1")</script>&'


class Reader(HTMLParser):
    """Lists tags, and all attributes that could fetch something."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.addresses, self.open = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "srcset")]
        if tag not in ("meta", "link", "br", "path", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("path", "rect"):
            return
        assert self.open.pop() == tag


def page(dataset="reviews", command="whyword compare reviews", rows=(("base", 0.5), ("vmask", 0.9))):
    records = [
        cell_record([i < 20 * share for i in range(20)], [share + seed / 100] * 5, dataset, "lstm", method, seed)
        for method, share in rows
        for seed in range(2)
    ]
    return Comparison(records, command=command).to_html()


def test_the_page_is_whole_and_asks_nobody_for_anything():
    reader = Reader(page())
    assert reader.open == []
    assert "script" not in reader.tags
    assert all(address.startswith("#") for address in reader.addresses)


def test_it_shows_each_data_set_with_a_picture_and_a_table():
    text = page()
    reader = Reader(text)
    assert reader.tags.count("figure") == reader.tags.count("details") == 1
    assert reader.tags.count("table") == 2
    assert "prefers-color-scheme: dark" in text
    assert "90.0%" in text


def test_strangers_names_are_escaped():
    text = page(dataset=EVIL, command=f"whyword compare '{EVIL}'", rows=((EVIL, 0.5), ("b", 0.6)))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_command_that_makes_it_again_is_shown_if_there_is_one():
    assert "<code>whyword compare reviews</code>" in page()
    assert "This command again" not in page(command=None)


def test_the_picture_says_its_numbers_in_words():
    assert "vmask: accuracy 90.0 %" in page()
    assert "Not beaten in both: vmask." in page()


@pytest.mark.parametrize("count", [1, 9], ids=["one method", "nine methods"])
def test_any_number_of_methods_fits(count):
    text = page(rows=[(f"method{i}", 0.1 * (i + 1)) for i in range(count)])
    assert Reader(text).open == []
