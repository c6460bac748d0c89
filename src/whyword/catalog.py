"""What can be named: the files of six folders, and what installed packages add to them by entry points.

A file methods/vmask.py offers the class Vmask under the name vmask. An entry point of the group `whyword.methods`
offers its class under its own name; whyword.encoders, .explainers, .metrics, .adapters and .loggers work
alike. Where a name is asked for, a class or an instance is welcome too.
"""

from __future__ import annotations

import ast
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module, resources
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .interfaces.errors import OptionError, unknown_name
from .interfaces.settings import build, hyphenated, setting_names

if TYPE_CHECKING:
    from .interfaces.classifier import Classifier
    from .interfaces.explanation import Explainer
    from .interfaces.logger import Logger
    from .interfaces.metric import Metric

KINDS = ("methods", "encoders", "explainers", "metrics", "adapters", "loggers")
_BASES = {  # of each package
    "methods": "Method",
    "encoders": "Encoder",
    "explainers": "Explainer",
    "metrics": "Metric",
    "adapters": "Adapter",
    "loggers": "Logger",
}

_classes: dict[tuple[str, str], type] = {}  # handed over as classes, by kind and "module:Class"


def names(kind: str) -> list[str]:
    """List what there is of a kind, without importing it."""
    return sorted([*built_in_names(kind), *plugins(kind)])


@cache
def built_in_names(kind: str) -> tuple[str, ...]:
    """List what whyword itself offers: what is computed by default does not depend on what else is installed."""
    folder = resources.files(f"whyword.{kind}")
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules([str(folder)])))


@cache
def plugins(kind: str) -> dict[str, EntryPoint]:
    """Give the entry points of a kind by name, without those that conflicts() names."""
    points = sorted(entry_points(group=f"whyword.{kind}"), key=lambda point: point.name)
    taken = [*built_in_names(kind), *{(point.name, point.value): point.name for point in points}.values()]
    return {point.name: point for point in points if taken.count(point.name) == 1}


def conflicts(kind: str) -> list[str]:
    """Say in a sentence for each plug-in that is left out why it is."""
    points = entry_points(group=f"whyword.{kind}")
    return sorted(
        {
            f"The plug-in '{point.name}' of {_distribution(point)} is left out, because another one of the {kind} has "
            "that name: rename its entry point."
            for point in points
            if point.name not in plugins(kind)
        }
    )


def source(kind: str, name: str) -> str:
    """Name the distribution that something comes from."""
    return "whyword" if name in built_in_names(kind) else _distribution(plugins(kind)[name])


def load(kind: str, name: str) -> Any:
    """Import the class that a name stands for."""
    if ":" in name:
        return _handed_over(kind, name)
    if name in built_in_names(kind):
        module = name.replace("-", "_")
        class_name = "".join(part.capitalize() for part in module.split("_"))
        return getattr(import_module(f"whyword.{kind}.{module}"), class_name)
    if name not in plugins(kind):
        left_out = [sentence for sentence in conflicts(kind) if f"'{name}'" in sentence]
        raise OptionError(left_out[0]) if left_out else _unknown(kind, name)
    point = plugins(kind)[name]
    try:
        cls = point.load()
    except Exception as error:  # whatever somebody else's code raises
        reason = (str(error).splitlines() or [""])[0].rstrip(".")
        raise OptionError(
            f"The plug-in '{name}' of {_distribution(point)} cannot be imported ({type(error).__name__}: {reason}): "
            "upgrade or uninstall it."
        ) from error
    if not _is_of(kind, cls):
        raise OptionError(f"The plug-in '{name}' of {_distribution(point)} offers {cls!r}, which is no {_BASES[kind]}.")
    called = cls.name if kind in ("explainers", "metrics") else name
    if called != name:
        raise OptionError(
            f"The plug-in '{name}' of {_distribution(point)} calls itself '{called}': its entry point and its field "
            "name must be the same."
        )
    return cls


def _unknown(kind: str, name: str) -> OptionError:
    if (kind, name) == ("explainers", "learned"):
        return OptionError(
            "What was learned for a model becomes its own scores: name the folder that learn-explainer wrote with  "
            "--learned EXPLAINER  and leave the explainer out (in Python: load_explainer); --tolerance 0.02 falls back "
            "to Shapley values where they are not good enough."
        )
    return unknown_name(name, kind, names(kind))


def name_of(kind: str, item: str | type) -> str:
    """Give the name under which load finds a class; one that nothing offers is "module:Class" and remembered.

    A model folder keeps that name. No module is ever imported because a model folder names it.
    """
    if isinstance(item, str):
        return item
    if not _is_of(kind, item):
        raise OptionError(f"{item!r} is no {_BASES[kind]}: give a class, or a name of {', '.join(names(kind))}.")
    name = hyphenated(item)
    if item.__module__ == f"whyword.{kind}.{name.replace('-', '_')}":
        return name
    for offered, point in plugins(kind).items():
        if getattr(sys.modules.get(point.module), point.attr, None) is item:
            return offered
    path = f"{item.__module__}:{item.__qualname__}"
    _classes[kind, path] = item
    return path


def _handed_over(kind: str, path: str) -> Any:
    """Find a class that was handed over, that a plug-in offers, or whose module has been imported by somebody else."""
    if (kind, path) in _classes:
        return _classes[kind, path]
    for name, point in plugins(kind).items():
        if point.value.replace(" ", "") == path:
            return load(kind, name)
    module, _, class_name = path.partition(":")
    imported = getattr(sys.modules.get(module), class_name, None)
    if _is_of(kind, imported):
        return imported
    raise OptionError(
        f"The class {class_name} of the module {module} is not in {kind}: import {module} first, or install a package "
        f"that offers the class by an entry point whyword.{kind}."
    )


def has_own_scores(classifier: Classifier) -> bool:
    """Whether a model scores words by itself: by contributions, attention weights or gates."""
    method = getattr(classifier, "method", None)
    return bool(getattr(classifier, "has_contributions", False)) or getattr(method, "own_score", None) is not None


def make_explainer(
    item: str | type[Explainer] | Explainer | None,
    classifier: Classifier,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> Explainer:
    """Make an explainer from its name or class; None is the model's own scores if it has any, else occlusion.

    Settings are plain values, or the words of a command line. An explainer that is one already stays as it is.
    """
    if item is None:
        item = "own" if has_own_scores(classifier) else "occlusion"
    if not isinstance(item, str | type):
        if not _is_of("explainers", type(item)):
            raise OptionError(f"{item!r} is no Explainer: give one, its class, or its name.")
        return item
    cls = load("explainers", name_of("explainers", item))
    takes_seed = "seed" in setting_names(cls)
    values = {**({"seed": seed} if takes_seed else {}), **(settings or {})}
    explainer: Explainer = _with_own_name(build(cls, values, f"explainer {cls.name}"))
    return explainer


def make_metric(item: str | type[Metric] | Metric, settings: Mapping[str, Any] | None = None) -> Metric:
    """Make a metric from its name or class; a metric that is one already stays as it is."""
    if not isinstance(item, str | type):
        if not _is_of("metrics", type(item)):
            raise OptionError(f"{item!r} is no Metric: give one, its class, or its name.")
        return item
    cls = load("metrics", name_of("metrics", item))
    metric: Metric = _with_own_name(build(cls, settings or {}, f"metric {cls.name}"))
    return metric


def make_logger(item: str | type[Logger] | Logger) -> Logger:
    """Make a logger from its name or class; a logger that is one already stays as it is."""
    if isinstance(item, str | type):
        made: Logger = load("loggers", name_of("loggers", item))()
        return made
    if not _is_of("loggers", type(item)):
        raise OptionError(f"{item!r} is no Logger: give one, its class, or its name.")
    return item


def _with_own_name(item: Any) -> Any:
    """Give an instance the name of its class, where a subclass that is no dataclass itself left that of its parent."""
    return item if item.name == type(item).name else replace(item, name=type(item).name)


def check_distinct(kind: str, items: Iterable[Explainer | Metric]) -> None:
    """Refuse two explainers or metrics of one name, whose numbers could not be told apart."""
    seen = set()
    for item in items:
        if item.name in seen:
            raise OptionError(f"Two {kind} are called '{item.name}': give each a name of its own, as in name='mine'.")
        seen.add(item.name)


def _is_of(kind: str, item: Any) -> bool:
    base = getattr(import_module(f"whyword.{kind}"), _BASES[kind])
    return isinstance(item, type) and issubclass(item, base)


def summary(kind: str, name: str) -> str:
    """Read the first sentence about something, without importing it."""
    if name in built_in_names(kind):
        text = (resources.files(f"whyword.{kind}") / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
        return _first_line(ast.parse(text))
    point = plugins(kind)[name]
    try:
        tree = ast.parse(_source_file(point.module).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, ImportError) as error:
        return f"The plug-in cannot be read ({error}): upgrade or uninstall {_distribution(point)}."
    about = [_first_line(node) for node in tree.body if isinstance(node, ast.ClassDef) and node.name == point.attr]
    return next(filter(None, [*about, _first_line(tree)]), "")


def _first_line(node: ast.Module | ast.ClassDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


def _source_file(module: str) -> Path:
    """Find the file of a module without importing the packages that it is in."""
    first, *rest = module.split(".")
    spec = find_spec(first)
    if spec is None or spec.origin is None:
        raise ImportError(f"there is no module {first}")
    if not rest:
        return Path(spec.origin)
    place = Path(spec.origin).parent.joinpath(*rest)
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
