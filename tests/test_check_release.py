import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("check_release", ROOT / "tools" / "check_release.py")
check_release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_release)


def test_a_wheel_without_a_template_or_with_a_cache_is_told():
    names = {"whyword/__init__.py", "whyword/page.css", "whyword-0.2.0.dist-info/RECORD"}
    sources = {"whyword/__init__.py", "whyword/page.css"}
    assert check_release.missing_in_wheel(names, sources) == []
    assert check_release.missing_in_wheel(names - {"whyword/page.css"}, sources) == ["whyword/page.css"]
    assert check_release.missing_in_wheel({*names, "whyword/a.pyc"}, sources) == ["whyword/a.pyc"]


@pytest.mark.parametrize("name", ["src/whyword/__pycache__/a.pyc", "results/benchmarks/a.json", ".coverage"])
def test_a_source_archive_with_what_is_not_source_is_told(name):
    names = {*(f"{folder}/file" for folder in check_release.FOLDERS), *check_release.FILES}
    assert check_release.wrong_in_sdist(names) == []
    assert check_release.wrong_in_sdist({*names, name}) == [name]


def test_a_source_archive_without_its_tests_is_told():
    names = {*(f"{folder}/file" for folder in check_release.FOLDERS), *check_release.FILES}
    assert check_release.wrong_in_sdist(names - {"tests/file"}) == ["tests"]


def test_the_package_reads_its_templates_and_styles_from_files_of_the_sources():
    found = check_release.data_files()
    assert {"whyword/py.typed", "whyword/report/templates/style.css", "whyword/web/page/index.html"} <= found
