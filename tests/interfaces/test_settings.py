"""Plain values become settings, or one clear sentence."""

import math
import pickle
from dataclasses import asdict, dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import catalog
from whyword.interfaces.errors import OptionError, SettingError
from whyword.interfaces.settings import (
    build,
    check_above_zero,
    check_between_zero_and_one,
    check_from,
    check_share_below_one,
    comments,
    convert,
    describe,
    setting_names,
)


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
    ("kind", "name"), [(kind, name) for kind in ("methods", "encoders") for name in catalog.names(kind)]
)
def test_the_settings_of_everything_in_the_catalog_survive_the_round_trip(kind, name):
    config = catalog.load(kind, name).Config
    assert build(config, asdict(config()), name) == config()
    assert len(describe(config)) == len(asdict(config()))


@dataclass(frozen=True)
class Ranges:
    """Settings that check themselves."""

    size: float | None = 1
    sizes: tuple[int, ...] | None = (1, 2)
    samples: int | str = "auto"
    beta: float = 0.0
    epochs: int | None = 1
    prior: float = 0.5
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_above_zero(self, "size", "sizes", "samples")
        check_from(self, 0, "beta")
        check_from(self, 1, "epochs")
        check_between_zero_and_one(self, "prior")
        check_share_below_one(self, "dropout")


@pytest.mark.parametrize(
    "values", [{"size": None}, {"sizes": None}, {"epochs": None}, {"samples": 3}, {"dropout": 0.99}]
)
def test_settings_in_their_range_pass(values):
    assert asdict(Ranges(**values)) == asdict(Ranges()) | values


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"size": 0.0}, "size is 0.0: give a number above 0."),
        ({"size": math.inf}, "size is inf: give a number above 0."),
        ({"size": math.nan}, "size is nan: give a number above 0."),
        ({"sizes": ()}, "sizes is (): give a number above 0."),
        ({"sizes": (3, -1)}, "sizes is (3, -1): give a number above 0."),
        ({"samples": -1}, "samples is -1: give a number above 0."),
        ({"beta": -0.5}, "beta is -0.5: give a number from 0 up."),
        ({"beta": math.nan}, "beta is nan: give a number from 0 up."),
        ({"epochs": 0}, "epochs is 0: give a number from 1 up."),
        ({"prior": 1.0}, "prior is 1.0: give a number between 0 and 1."),
        ({"prior": 0.0}, "prior is 0.0: give a number between 0 and 1."),
        ({"dropout": 1.0}, "dropout is 1.0: give a share from 0 up to, but not including, 1."),
        ({"dropout": -0.1}, "dropout is -0.1: give a share from 0 up to, but not including, 1."),
    ],
)
def test_a_setting_out_of_range_is_refused_with_its_class_and_by_build_with_where_it_came_from(values, problem):
    with pytest.raises(SettingError) as caught:
        Ranges(**values)
    assert str(caught.value) == f"ranges.{problem}"
    assert str(pickle.loads(pickle.dumps(caught.value))) == f"ranges.{problem}"
    with pytest.raises(OptionError) as built:
        build(Ranges, {name: str(value) if value != value else value for name, value in values.items()}, "method mine")
    assert str(built.value) == f"method mine.{problem}"


@pytest.mark.parametrize(
    ("kind", "name", "values", "sentence"),
    [
        ("methods", "vmask", {"beta": -1}, "method vmask.beta is -1.0: give a number from 0 up."),
        ("methods", "vmask", {"prior": 1}, "method vmask.prior is 1.0: give a number between 0 and 1."),
        ("methods", "l2x", {"k": 0}, "method l2x.k is 0: give a number above 0."),
        ("methods", "iba", {"momentum": 0}, "method iba.momentum is 0.0: give a number between 0 and 1."),
        ("methods", "evarm", {"widths": "0,3"}, "method evarm.widths is (0, 3): give a number above 0."),
        ("methods", "attention", {"scale": 0}, "method attention.scale is 0.0: give a number above 0."),
        ("encoders", "cnn", {"filters": 0}, "encoder cnn.filters is 0: give a number above 0."),
        ("encoders", "lstm", {"layers": 0}, "encoder lstm.layers is 0: give a number above 0."),
        ("encoders", "transformer", {"limit": 0}, "encoder transformer.limit is 0: give a number above 0."),
    ],
)
def test_ranges_are_those_of_the_part_that_has_the_setting(kind, name, values, sentence):
    with pytest.raises(OptionError) as caught:
        build(catalog.load(kind, name).Config, values, f"{kind[:-1]} {name}")
    assert str(caught.value) == sentence


@pytest.mark.parametrize("name", [*catalog.names("methods"), *catalog.names("encoders")])
def test_no_part_takes_a_share_of_dropout_that_leaves_nothing(name):
    kind = "methods" if name in catalog.names("methods") else "encoders"
    config = catalog.load(kind, name).Config
    if "dropout" in setting_names(config):
        with pytest.raises(SettingError, match=rf"^{name}\.dropout is 1\.0: give a share"):
            config(dropout=1.0)
