"""Names, classes and instances, of whyword and of plug-ins."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

import whyword
from whyword import catalog
from whyword.errors import OptionError
from whyword.explainers import Explainer, Lime, Occlusion, Random
from whyword.inference.black_box import BlackBox
from whyword.interfaces.settings import hyphenated
from whyword.methods import Base, Vmask
from whyword.metrics import Comprehensiveness, ProbabilityDrop, RationaleF1, Sufficiency

BOX = BlackBox(lambda texts: [[0.25, 0.75]] * len(texts), (0, 1))
GOOD = '''"""A module."""
raise_if_imported = 1 / {zero}
from whyword.explainers import Random
class Lucky(Random):
    """Random, but lucky."""
class Other(Random):
    name = "lucky"
'''


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install plug-ins: modules, and entry points as `group: name = value` lines of one distribution."""

    def add(distribution, points, **modules):
        folder = tmp_path / f"{distribution}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        groups = "".join(f"[whyword.{group}]\n" + "\n".join(lines) + "\n" for group, lines in points.items())
        (folder / "entry_points.txt").write_text(groups)
        for name, source in modules.items():
            (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        catalog.plugins.cache_clear()

    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield add
    catalog.plugins.cache_clear()
    for name in set(sys.modules) - before:
        if not (getattr(sys.modules[name], "__file__", None) or "").find(str(tmp_path)):
            del sys.modules[name]


@dataclass(frozen=True)
class Mine(Explainer):
    steps: int = 3

    def explain(self, classifier, documents, targets=None):
        return Random(name=self.name).explain(classifier, documents, targets)


class MyMethod(Base):
    """A method that nothing offers by a name."""


def test_what_was_learned_for_a_model_is_no_explainer_but_an_option():
    with pytest.raises(OptionError, match="--learned EXPLAINER"):
        catalog.load("explainers", "learned")


def test_a_plug_in_is_named_and_described_without_being_imported(install):
    install("lucky-words", {"explainers": ["lucky = lucky_words:Lucky"]}, lucky_words=GOOD.format(zero=0))
    assert "lucky" in catalog.names("explainers")
    assert "lucky" not in catalog.built_in_names("explainers")
    assert catalog.summary("explainers", "lucky") == "Random, but lucky."
    assert catalog.source("explainers", "lucky") == "lucky-words 1.0"
    assert catalog.source("explainers", "lime") == "whyword"
    assert "lucky_words" not in sys.modules


def test_a_plug_in_is_loaded_by_its_name(install):
    install("lucky-words", {"explainers": ["lucky = lucky_words:Lucky"]}, lucky_words=GOOD.format(zero=1))
    explainer = catalog.make_explainer("lucky", BOX, 4)
    assert (explainer.name, explainer.seed) == ("lucky", 4)
    assert catalog.name_of("explainers", type(explainer)) == "lucky"
    (explanation,) = whyword.explain(BOX.predict_proba, ["a b"], "lucky", classes=(0, 1))
    assert explanation.explainer == "lucky"


def test_a_plug_in_of_a_package_is_described_without_importing_the_package(install, tmp_path):
    (tmp_path / "lucky_package").mkdir()
    (tmp_path / "lucky_package" / "__init__.py").write_text("1 / 0")
    (tmp_path / "lucky_package" / "words.py").write_text('"""Words."""\nclass Lucky: pass\n')
    install("lucky-words", {"metrics": ["lucky = lucky_package.words:Lucky"]})
    assert catalog.summary("metrics", "lucky") == "Words."


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (GOOD.format(zero=0), "of lucky-words 1.0 cannot be imported (ZeroDivisionError: division by zero)"),
        ("import nowhere_to_be_found", "cannot be imported (ModuleNotFoundError: No module named"),
        ("", "cannot be imported (AttributeError: module 'lucky_words' has no attribute 'Lucky')"),
        ("class Lucky: pass", "which is no Explainer"),
        ("def broken(", "cannot be imported (SyntaxError"),
        (
            "from whyword.explainers import Random\nclass Lucky(Random):\n    name = 'happy'",
            "calls itself 'happy': its entry point and its field name must be the same",
        ),
    ],
)
def test_a_plug_in_that_does_not_work_is_told_in_one_sentence_and_breaks_nothing_else(install, source, sentence):
    install("lucky-words", {"explainers": ["lucky = lucky_words:Lucky"]}, lucky_words=source)
    with pytest.raises(OptionError) as caught:
        catalog.make_explainer("lucky", BOX)
    assert sentence in str(caught.value)
    assert "lucky-words 1.0" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(catalog.summary("explainers", "lucky"), str)
    assert catalog.make_explainer("lime", BOX) == Lime()


@pytest.mark.parametrize(
    ("source", "sentence"),
    [("def broken(", "cannot be read"), (None, "there is no module lucky_words"), ("x = 1", "")],
)
def test_a_plug_in_that_cannot_be_read_says_so_in_the_place_of_its_summary(install, source, sentence):
    install("w", {"metrics": ["lucky = lucky_words:X"]}, **({} if source is None else {"lucky_words": source}))
    assert sentence in catalog.summary("metrics", "lucky")


def test_a_plug_in_with_the_name_of_a_built_in_is_refused_in_one_sentence(install):
    install("lucky-words", {"explainers": ["lime = lucky_words:Lucky"]}, lucky_words=GOOD.format(zero=1))
    (sentence,) = catalog.conflicts("explainers")
    assert sentence.startswith("The plug-in 'lime' of lucky-words 1.0 is left out")
    assert catalog.load("explainers", "lime") is Lime
    assert catalog.names("explainers").count("lime") == 1
    assert catalog.conflicts("metrics") == []


def test_two_plug_ins_of_one_name_are_both_refused(install):
    install("one", {"explainers": ["lucky = lucky_words:Lucky"]}, lucky_words=GOOD.format(zero=1))
    install("two", {"explainers": ["lucky = lucky_words:Other"]})
    assert [sentence.split()[4] for sentence in catalog.conflicts("explainers")] == ["one", "two"]
    assert "lucky" not in catalog.names("explainers")
    with pytest.raises(OptionError, match=r"The plug-in 'lucky' of one 1\.0 is left out, because another one"):
        catalog.load("explainers", "lucky")


def test_what_is_measured_by_default_does_not_depend_on_plug_ins(install):
    install("w", {"metrics": ["broken = broken_metric:Broken"]}, broken_metric="1 / 0")
    explanations = {"random": whyword.explain(BOX.predict_proba, ["a b c"], Random(), classes=(0, 1))}
    assert "broken" not in whyword.measure(BOX, explanations).metrics
    with pytest.raises(OptionError, match=r"'broken' of w 1\.0 cannot be imported"):
        whyword.measure(BOX, explanations, ["broken"])


def test_an_explainer_is_made_of_a_name_a_class_or_itself():
    assert catalog.make_explainer("lime", BOX, 5) == catalog.make_explainer(Lime, BOX, 5) == Lime(seed=5)
    mine = Mine(steps=7)
    assert catalog.make_explainer(mine, BOX, 5) is mine
    assert catalog.make_explainer(Mine, BOX, settings={"steps": "9"}) == Mine(steps=9)
    assert catalog.make_explainer(None, BOX) == Occlusion()
    for wrong in (5, BOX, dict):
        with pytest.raises(OptionError, match="is no Explainer: give"):
            catalog.make_explainer(wrong, BOX)


def test_a_metric_is_made_of_a_name_a_class_or_itself():
    metric = ProbabilityDrop(k=3)
    assert catalog.make_metric(metric) is metric
    assert catalog.make_metric("rationale-f1") == catalog.make_metric(RationaleF1) == RationaleF1()
    assert catalog.make_metric("probability-drop", {"k": "3"}) == metric
    with pytest.raises(OptionError, match="is no Metric: give"):
        catalog.make_metric(Lime())


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_the_name_of_a_built_in_class_is_the_one_that_loads_it(kind):
    for name in catalog.built_in_names(kind):
        cls = catalog.load(kind, name)
        assert catalog.name_of(kind, cls) == name == hyphenated(cls)
        assert catalog.name_of(kind, name) == name
        if kind in ("explainers", "metrics"):
            assert cls().name == cls(name="mine").name.replace("mine", name) == name


def test_a_class_that_nothing_offers_is_named_by_its_module():
    path = catalog.name_of("methods", MyMethod)
    assert path == f"{__name__}:MyMethod"
    assert catalog.load("methods", path) is MyMethod
    with pytest.raises(OptionError, match="is no Method: give a class, or a name of"):
        catalog.name_of("methods", Lime)
    with pytest.raises(OptionError, match="5 is no Method"):
        catalog.name_of("methods", 5)


def test_a_module_is_never_imported_because_something_names_it(tmp_path, monkeypatch):
    (tmp_path / "evil_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    for path in ("evil_module:Evil", "subprocess:Popen", "whyword.methods.vmask:Nothing", "os:system", ":", "a:b:c"):
        with pytest.raises(OptionError, match="is not in methods: import"):
            catalog.load("methods", path)
    assert "evil_module" not in sys.modules
    assert catalog.load("methods", "whyword.methods.vmask:Vmask") is Vmask


def test_a_class_that_a_plug_in_offers_is_found_by_its_module(install):
    install("lucky-words", {"explainers": ["lucky = lucky_words:Lucky"]}, lucky_words=GOOD.format(zero=1))
    assert catalog.load("explainers", "lucky_words:Lucky").name == "lucky"


@dataclass(frozen=True)
class Written(Random):
    name = "written"


@dataclass(frozen=True)
class Unwritten(Random):
    pass


def test_every_class_has_a_name_of_its_own_that_an_instance_may_change():
    assert (Written().name, Written(name="x").name, Unwritten().name, Mine().name) == (
        "written",
        "x",
        "unwritten",
        "mine",
    )
    (explanation,) = whyword.explain(BOX.predict_proba, ["a b"], Lime(samples=16, name="short"), classes=(0, 1))
    assert explanation.explainer == "short"


def test_two_of_one_name_are_refused_in_one_sentence():
    catalog.check_distinct("explainers", [Lime(), Lime(name="other")])
    with pytest.raises(OptionError, match="Two explainers are called 'lime': give each a name of its own"):
        catalog.check_distinct("explainers", [Lime(), Lime(samples=200)])


def test_an_audit_takes_names_classes_and_instances_side_by_side():
    explainers = ["occlusion", Mine, Lime(samples=16, name="short"), Lime(samples=20, name="long")]
    drops = [ProbabilityDrop(k=1, name="drop-1"), ProbabilityDrop(k=2, name="drop-2"), "sufficiency", Comprehensiveness]
    texts = ["a b c", "c d e f", "b a", "f g h"]
    result = whyword.audit(BOX.predict_proba, texts, explainers=explainers, metrics=drops, classes=(0, 1))
    assert result.scores.explainers == ("occlusion", "mine", "short", "long", "random")
    assert result.scores.metrics == ("drop-1", "drop-2", "sufficiency", "comprehensiveness")


@pytest.mark.parametrize(
    ("explainers", "metrics", "sentence"),
    [
        ([Lime(), Lime(samples=20)], None, "Two explainers are called 'lime': give each a name of its own"),
        (None, ["sufficiency", Sufficiency()], "Two metrics are called 'sufficiency': give each a name of its own"),
    ],
)
def test_an_audit_of_two_of_one_name_is_refused_in_one_sentence(explainers, metrics, sentence):
    with pytest.raises(OptionError, match=sentence):
        whyword.audit(BOX.predict_proba, ["a b", "c d"], explainers=explainers, metrics=metrics, classes=(0, 1))


def test_the_name_is_no_setting():
    with pytest.raises(OptionError, match="The explainer own has no settings: leave name out"):
        catalog.make_explainer("own", BOX, settings={"name": "x"})


def test_listing_does_not_import_torch():
    code = "import sys; from whyword import catalog as c; [c.summary(k, n) for k in c.KINDS for n in c.names(k)]"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print('torch' in sys.modules)"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
