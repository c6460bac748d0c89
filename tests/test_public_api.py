"""What others may rely on. `python tests/test_public_api.py` rewrites public_api.txt after a change that is meant."""

import inspect
import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import whyword
from whyword import catalog
from whyword.moved import MOVED

SURFACE = Path(__file__).with_name("public_api.txt")
PACKAGES = [
    "adapters",
    "analysis",
    "checks",
    "data",
    "encoders",
    "errors",
    "explainers",
    "loggers",
    "methods",
    "metrics",
]
BASES = (
    whyword.methods.Method,
    whyword.encoders.Encoder,
    whyword.explainers.Explainer,
    whyword.metrics.Metric,
    whyword.loggers.Logger,
)
HEAVY = ["torch", "numpy", "sklearn", "matplotlib", "whyword.explainers.lime"]


def surface():
    """List every public name with its signature, and what public classes have."""
    first = {}
    for module in ("whyword", *(f"whyword.{package}" for package in PACKAGES)):
        package = import_module(module)
        for name in sorted(package.__all__):
            item, path = getattr(package, name), f"{module}.{name}"
            if id(item) in first:
                yield f"{path} = {first[id(item)]}"
            elif not inspect.ismodule(item):
                first[id(item)] = path
                yield from described(path, item)


def described(path, item):
    """Give a name and, of a class, its settings and whatever its public bases do not have already."""
    yield f"{path}{signature(item)}"
    if not inspect.isclass(item):
        return
    bases = [base for base in item.__mro__[1:] if base in BASES or not base.__module__.startswith("whyword.")]
    for name in dir(item):
        if name.startswith("_") or (any(name in vars(base) for base in bases) and name != "Config"):
            continue
        member = getattr(item, name)
        if isinstance(member, property):
            yield f"{path}.{name}"
        elif callable(member) and not re.fullmatch(r"set_\w+_request", name):  # which scikit-learn adds
            yield f"{path}.{name}{signature(member)}"


def signature(item):
    if inspect.isclass(item):
        home = next(cls for cls in item.__mro__ if "__init__" in vars(cls))
        if not home.__module__.startswith("whyword.") or getattr(item, "_is_protocol", False):
            return ""  # the arguments of another library's class
    if not (inspect.isclass(item) or inspect.isroutine(item)):
        return ""
    return re.sub(r" at 0x\w+", "", str(inspect.signature(item)))  # where a default function lies in memory


def test_the_public_names_and_their_signatures_are_those_written_down():
    assert "\n".join(surface()) == SURFACE.read_text(encoding="utf-8").rstrip("\n"), (
        "The public names changed. If so meant, run  python tests/test_public_api.py  and tell users in CHANGELOG.md."
    )


def test_the_packages_are_public():
    assert set(PACKAGES) < set(whyword.__all__)


@pytest.mark.parametrize("package", [whyword, *(getattr(whyword, package) for package in PACKAGES)])
def test_every_public_name_can_be_imported(package):
    assert len(set(package.__all__)) == len(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None
        assert name in dir(package)


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_every_built_in_of_the_catalog_is_a_public_name_of_its_package(kind):
    package = getattr(whyword, kind)
    for name in catalog.built_in_names(kind):
        cls = catalog.load(kind, name)
        assert cls.__name__ in package.__all__
        assert getattr(package, cls.__name__) is cls


def test_public_names_are_known_before_they_are_imported_and_nothing_heavy_is():
    code = (
        "import sys, whyword, whyword.explainers as e, whyword.methods, whyword.metrics, whyword.encoders\n"
        "import whyword.data, whyword.errors, whyword.catalog\n"
        "missing = (set(whyword.__all__) - set(dir(whyword))) | (set(e.__all__) - set(dir(e)))\n"
        "whyword.catalog.names('methods'), whyword.catalog.summary('methods', 'vmask')\n"
        f"print(sorted(missing), [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"


@pytest.mark.parametrize("package", ["whyword", "whyword.explainers", "whyword.data"])
def test_an_unknown_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nope'"):
        _ = import_module(package).nope


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in MOVED.items() for name in names])
def test_an_old_import_path_works_with_a_warning_that_names_the_new_one(module, name):
    home, _, new = MOVED[module][name].partition(":")
    with pytest.warns(DeprecationWarning, match=rf"whyword\.{home}\.{new} now"):
        item = getattr(import_module(f"whyword.{module}"), name)
    assert item is getattr(import_module(f"whyword.{home}"), new)


def test_an_old_module_has_nothing_else():
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = import_module("whyword.experiments.config").nope
    with pytest.raises(ModuleNotFoundError):
        import_module("whyword.experiments.nope")


def test_the_paths_that_the_documentation_showed_and_that_stayed_still_work():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for module, name in (
            ("explainers.integrated_gradients", "IntegratedGradients"),
            ("data.dataset", "load_dataset"),
            ("plots.text_vectors", "text_vectors"),
        ):
            assert callable(getattr(import_module(f"whyword.{module}"), name))


if __name__ == "__main__":
    SURFACE.write_text("\n".join(surface()) + "\n", encoding="utf-8")
