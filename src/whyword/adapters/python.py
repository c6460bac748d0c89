"""A Python object by its name, python:module:function: a function of texts, or any model that an adapter knows."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib import import_module
from typing import Any

from ..inference.opening import open_object
from ..interfaces.adapter import Access, Adapter, ForeignModel
from ..interfaces.errors import OptionError, first_line

PREFIX = "python:"
KIND = "python"


class Python(Adapter):
    """Imports the module, from the folder the command runs in or from what is installed, and takes the object."""

    forms = "python:module:function"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize the prefix."""
        return isinstance(model, str) and model.startswith(PREFIX)

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Import the object; a function gets a list of strings, or pairs, and gives (text, class) probabilities."""
        module, _, path = str(model).removeprefix(PREFIX).partition(":")
        if not module or not path:
            raise OptionError(f"{model} names no object: write python:module:function.")
        found = _find(module, path)
        try:
            opened = open_object(found, access, path)
        except OptionError:
            raise
        except Exception as error:
            raise OptionError(
                f"{model} failed on the text {access.example[0]!r} ({type(error).__name__}: {first_line(error)}): it "
                "must take a list of strings and return one row of probabilities per text."
            ) from error
        if not opened.classifier.classes:
            raise OptionError(f"{model} returned no table: it must return one row of probabilities per text.")
        kind = KIND if opened.kind == "function" else opened.kind
        return replace(opened, name=path, kind=kind)


def _find(module: str, path: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = import_module(module)
    except Exception as error:  # whatever somebody else's code raises
        raise OptionError(
            f"The module {module} cannot be imported ({type(error).__name__}: {first_line(error)}): run the command "
            "where it lies, or install it."
        ) from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise OptionError(f"The module {module} has no {path}: name a function or a model that it holds.")
        found = getattr(found, name)
    return found
