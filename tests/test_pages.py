"""Every snippet of Python in the documentation is run: here, or in the test of what its page is about."""

import re
from pathlib import Path

import pytest

from pages import DOCS, snippets
from whyword import TextClassifier, explain
from whyword.data.planted import planted

TESTS = Path(__file__).parent
ELSEWHERE = {
    "any-model.md": "adapters/test_docs.py",
    "attention-tests.md": "analysis/test_docs.py",
    "auto.md": "models/test_log.py",
    "contributions.md": "test_readme.py",
    "data.md": "data/test_docs.py",
    "diff.md": "diffs/test_diff.py",
    "evarm.md": "analysis/test_docs.py",
    "export.md": "models/test_onnx.py",
    "forbid.md": "models/test_forbid_docs.py",
    "model-folders.md": "test_readme.py",
    "multilabel.md": "data/test_multilabel_docs.py",
    "plugins.md": "test_plugins.py",
    "teach.md": "test_readme.py",
    "training.md": "test_readme.py",
    "vat.md": "analysis/test_docs.py",
    "words.md": "explaining/test_words.py",
}
CODE: dict[str, list[str]] = {}
for snippet in snippets():
    if snippet.language == "python" and snippet.reason is None:
        CODE.setdefault(snippet.page, []).append(snippet.code)
SMALLER = {
    "train=400": "train=40",
    '"vmask", "lstm"': '"vmask", "bag", epochs=1, contributions=False',
    "samples=2000": "samples=200",
}


@pytest.fixture(scope="module")
def names():
    documents = planted("easy,train=60,dev=0,test=8")
    (texts, labels), (new_texts, new_labels) = (
        ([each.words.texts[0] for each in part], [each.label for each in part])
        for part in (documents.train, documents.test)
    )
    head = {"steps": 5, "epochs": 1, "least_texts": 10, "pairs": 2}
    clf = TextClassifier(encoder="bag", epochs=2, contributions=head).fit(texts, labels)
    return {
        "clf": clf,
        "classifier": clf,
        "model": clf,
        "explain": explain,
        "predict_proba": clf.predict_proba,
        "texts": texts[:8],
        "labels": labels[:8],
        "new_texts": new_texts,
        "new_labels": new_labels,
    }


@pytest.mark.parametrize("page", sorted(CODE.keys() - ELSEWHERE.keys()))
def test_the_python_of_a_page_runs(page, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names["clf"].save("model")
    (tmp_path / "reviews.csv").write_text("text\na good film\na bad film\n", encoding="utf-8")
    space = dict(names)
    for code in CODE[page]:
        for usual, smaller in SMALLER.items():
            code = code.replace(usual, smaller)
        exec(compile(code, page, "exec"), space)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_whose_python_is_run_elsewhere_is_named_there(page):
    assert CODE[page]
    test = (TESTS / ELSEWHERE[page]).read_text(encoding="utf-8")
    assert re.search(rf'"{re.escape(page)}"', test)


def test_the_navigation_of_the_site_names_every_page():
    navigation = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {
        str(path.relative_to(DOCS).with_suffix(".md")) for path in DOCS.rglob("*") if path.suffix in (".md", ".ipynb")
    }
    assert {page for page in pages if not re.search(rf"- (.*: )?{re.escape(page)}$", navigation, re.MULTILINE)} == set()
