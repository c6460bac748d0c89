from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import typer
from typer.testing import CliRunner

from whyword.cli import options


@dataclass(frozen=True)
class Sizes:
    width: Annotated[int, typer.Option("--width", min=1)] = 3
    height: Annotated[int | None, typer.Option("--tall")] = None


def build(calls: list):
    @options.grouped
    def command(name: str, *, before: bool = False, sizes: Sizes, after: bool = False) -> None:
        """Say what it does."""
        calls.append((name, before, sizes, after))

    return command


def test_each_field_of_a_group_is_an_option_in_its_place():
    command = build([])
    assert list(signature(command).parameters) == ["name", "before", "width", "height", "after"]
    assert command.__doc__ == "Say what it does."


def test_a_group_arrives_as_one_value_with_its_defaults_and_checks():
    calls: list = []
    app = typer.Typer()
    app.command()(build(calls))
    runner = CliRunner()
    assert runner.invoke(app, ["x"]).exit_code == 0
    assert runner.invoke(app, ["y", "--tall", "7", "--before"]).exit_code == 0
    assert calls == [("x", False, Sizes(3, None), False), ("y", True, Sizes(3, 7), False)]
    assert runner.invoke(app, ["z", "--width", "0"]).exit_code == 2


def test_the_size_of_parts_is_that_of_the_writer():
    from whyword.explaining.parts import PART_SIZE

    assert options.Parts().part_size == PART_SIZE
