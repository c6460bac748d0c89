"""Plain values become settings, or one clear sentence."""

from dataclasses import asdict, dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import catalog
from whyword.interfaces.errors import OptionError
from whyword.interfaces.settings import build, comments, convert, describe


@dataclass(frozen=True)
class Sample:
    """One setting of each kind."""

    count: int = 3
    rate: float = 0.5
    on: bool = False
    name: str = "a"
    kind: Literal["one", "two"] = "one"
    most: int | None = None
    widths: tuple[int, ...] = (3, 4)
    either: int | str = 1
    samples: int | Literal["auto"] = "auto"  # how many, or until it is settled
    budget: float | None = None


@pytest.mark.parametrize(
    ("name", "given_value", "value"),
    [
        ("count", "7", 7),
        ("count", 7, 7),
        ("count", 7.0, 7),
        ("rate", "1e-3", 1e-3),
        ("rate", 1, 1.0),
        ("on", "true", True),
        ("on", "False", False),
        ("on", True, True),
        ("name", "true", "true"),
        ("name", "5", "5"),
        ("kind", "two", "two"),
        ("most", "none", None),
        ("most", None, None),
        ("most", "9", 9),
        ("widths", "2,5", (2, 5)),
        ("widths", "2", (2,)),
        ("widths", [2, 5], (2, 5)),
        ("either", "5", 5),
        ("either", "five", "five"),
        ("samples", "auto", "auto"),
        ("samples", "500", 500),
        ("samples", 500, 500),
        ("budget", "2", 2.0),
        ("budget", "none", None),
    ],
)
def test_values_and_words_become_the_kind_a_setting_has(name, given_value, value):
    made = getattr(build(Sample, {name: given_value}, "sample"), name)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("name", "given_value", "sentence"),
    [
        ("count", "x", "sample.count is 'x': give a whole number."),
        ("count", 2.5, "sample.count is 2.5: give a whole number."),
        ("count", "2.5", "sample.count is '2.5': give a whole number."),
        ("count", True, "sample.count is True: give a whole number."),
        ("count", float("inf"), "sample.count is inf: give a whole number."),
        ("count", float("nan"), "sample.count is nan: give a whole number."),
        ("count", [1], "sample.count is [1]: give a whole number."),
        ("rate", "half", "sample.rate is 'half': give a number."),
        ("rate", {}, "sample.rate is {}: give a number."),
        ("on", "maybe", "sample.on is 'maybe': give true or false."),
        ("name", 5, "sample.name is 5: give a word."),
        ("kind", "tow", "No 'tow' in the choices of sample.kind: choose from one, two. Did you mean 'two'?"),
        ("most", "many", "sample.most is 'many': give a whole number."),
        ("widths", 5, "sample.widths is 5: give values separated by commas."),
        ("widths", "2,x", "sample.widths is 'x': give a whole number."),
        ("widths", "", "sample.widths is '': give a whole number."),
        ("samples", "many", "sample.samples is 'many': give a whole number or auto."),
        ("samples", "2.5", "sample.samples is '2.5': give a whole number or auto."),
        ("budget", "long", "sample.budget is 'long': give a number."),
    ],
)
def test_what_cannot_be_converted_is_refused_in_one_sentence(name, given_value, sentence):
    with pytest.raises(OptionError) as caught:
        build(Sample, {name: given_value}, "sample")
    assert str(caught.value) == sentence


def test_an_unknown_name_gets_the_nearest_known_one():
    with pytest.raises(OptionError, match=r"No 'cuont' in the settings of sample: .* Did you mean 'count'"):
        build(Sample, {"cuont": 1}, "sample")


@dataclass(frozen=True)
class Empty:
    """No settings at all."""


def test_a_setting_of_something_without_settings_is_refused():
    with pytest.raises(OptionError, match=r"^The explainer own has no settings: leave steps out\.$"):
        build(Empty, {"steps": 5}, "explainer own")


def test_the_comment_behind_a_setting_says_what_it_is():
    assert comments(Sample) == {"samples": "how many, or until it is settled"}


@pytest.mark.parametrize("values", [5, "count", ["count"], None])
def test_settings_that_are_no_table_are_refused(values):
    with pytest.raises(OptionError, match=r"sample is .*: give a table of settings"):
        build(Sample, values, "sample")


def test_nothing_given_means_all_defaults():
    assert build(Sample, {}, "sample") == Sample()


@given(st.builds(Sample, rate=st.floats(allow_nan=False), either=st.integers()))
def test_plain_values_of_settings_make_the_same_settings_again(settings):
    assert build(Sample, asdict(settings), "sample") == settings


@given(st.integers() | st.floats(allow_nan=False) | st.booleans())
def test_what_is_written_as_a_word_is_read_as_the_same_value(value):
    assert convert(str(value), type(value), "x") == value


def test_a_description_names_each_setting_its_kind_and_default():
    assert describe(Sample)[:7] == [
        ("count", "int", "3"),
        ("rate", "float", "0.5"),
        ("on", "bool", "false"),
        ("name", "str", "a"),
        ("kind", "one | two", "one"),
        ("most", "int | none", "none"),
        ("widths", "int, …", "(3, 4)"),
    ]


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room in ("methods", "encoders") for name in catalog.names(room)]
)
def test_the_settings_of_everything_in_the_catalog_survive_the_round_trip(room, name):
    config = catalog.load(room, name).Config
    assert build(config, asdict(config()), name) == config()
    assert len(describe(config)) == len(asdict(config()))
