"""The shell commands of the documentation are run, on small data and models, with the quickest settings."""

import csv
import json
import re
import shlex
import shutil
import subprocess
from itertools import groupby
from pathlib import Path

import pytest

from pages import DOCS, SHELL, commands, snippets
from reference import foreign_models
from whyword import TextClassifier
from whyword.data.planted import planted

SHOWN = [snippet for snippet in snippets() if snippet.language in SHELL]
RUN = {
    page: [line for snippet in group for line in commands(snippet)]
    for page, group in groupby((snippet for snippet in SHOWN if snippet.reason is None), lambda snippet: snippet.page)
}
HEAD = {"steps": 5, "epochs": 1, "least_texts": 10, "pairs": 2}  # of contributions, which are not what is tested
QUICK = {
    "train": [
        "--overwrite",
        "--no-baseline",
        "--epochs=1",
        *(f"--set=contributions.{name}={value}" for name, value in HEAD.items()),
    ],
    "learn-explainer": ["--judged=0", *(f"--set={name}={value}" for name, value in HEAD.items())],
    "compare": ["--rows=24", "--epochs=1", "--no-contributions"],
    "audit": ["--sample=8", "--explainers=occlusion"],
    "diff": ["--sample=8"],
}
REPLACED = {
    "--encoder": "bag",
    "--encoders": "bag",
    "--seeds": "1",
    "--budget": "0.01",
    "--samples": "20",
    "--workers": "1",
}
SIZE = "train=60,dev=20,test=20"
SLOW = ("any-model.md", "auto.md", "compare.md", "forbid.md", "get-started.md", "multilabel.md", "ordinal.md")
REVIEWS_ARE_A_MODEL = ("explainers.md", "model-folders.md")


def table(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """Everything that the pages name: data, lists and models."""
    place = tmp_path_factory.mktemp("stock")
    documents = planted("easy,train=60,dev=0,test=0").train
    texts, labels = [document.words.texts[0] for document in documents], [document.label for document in documents]
    rows = list(zip(texts, labels, strict=True))
    for name in ("reviews", "test", "new", "texts"):
        table(place / f"{name}.csv", ["text", "label"], rows)
    lines = [json.dumps({"text": text, "label": label}) + "\n" for text, label in rows]
    marked = [
        json.dumps({"text": document.words.texts[0], "label": document.label, "rationale": document.rationale[0]})
        + "\n"
        for document in documents
    ]
    (place / "reviews.jsonl").write_text("".join(lines), encoding="utf-8")
    (place / "marks.jsonl").write_text("".join(marked), encoding="utf-8")
    (place / "reviews.csv.annotations.jsonl").write_text(
        "".join(json.dumps({**json.loads(line), "author": "Ann"}) + "\n" for line in marked), encoding="utf-8"
    )
    for folder in ("reviews", "tickets"):
        (place / folder).mkdir()
        for split, part in (("train", lines[:30]), ("dev", lines[30:45]), ("test", lines[45:])):
            (place / folder / f"{split}.jsonl").write_text("".join(part), encoding="utf-8")
    (place / "cities.txt").write_text("Chicago\nSeattle\n", encoding="utf-8")
    (place / "names.txt").write_text("Chicago\n", encoding="utf-8")
    sets = [["billing", "login"][: 1 + number % 2] for number in range(60)]
    table(place / "tickets.csv", ["text", "tags"], zip(texts, map(";".join, sets), strict=True))
    tickets = [json.dumps({"text": text, "label": each}) + "\n" for text, each in zip(texts, sets, strict=True)]
    (place / "tickets.jsonl").write_text("".join(tickets), encoding="utf-8")
    flags = [[number % 2, number % 3 == 0, number % 5 == 0] for number in range(60)]
    table(
        place / "comments.csv",
        ["text", "toxic", "insult", "threat"],
        [[text, *map(int, each)] for text, each in zip(texts, flags, strict=True)],
    )
    table(place / "answers.csv", ["text", "label"], [(text, "ABCD"[n % 4]) for n, text in enumerate(texts)])
    table(place / "stars.csv", ["text", "label"], [(text, 1 + n % 5) for n, text in enumerate(texts)])
    for name, seed in (("model", 0), ("old", 0), ("new", 1), ("other-model", 2)):
        TextClassifier(encoder="bag", epochs=2, contributions=HEAD, random_state=seed).fit(texts, labels).save(
            place / name
        )
    TextClassifier(encoder="bag", epochs=1, contributions=False).fit(texts, labels).save(place / "old_model")
    return place


def foreign(texts):
    """Make the models of other libraries that the page on them names."""
    skops = pytest.importorskip("skops.io")
    pytest.importorskip("onnxruntime")
    foreign_models.save_hugging_face(Path("my-finetuned-bert"))
    skops.dump(foreign_models.scikit_learn(), "pipeline.skops")
    for name in ("old", "new"):
        foreign_models.onnx(Path(name + "-onnx")).rename(f"{name}.onnx")
    shutil.copy("old-onnx/tokenizer.json", "tokenizer.json")
    Path("config.json").write_text('{"id2label": {"0": "negative", "1": "positive"}}', encoding="utf-8")
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"text": texts}).to_parquet("million.parquet")


def quick(line):
    """Give the words of a command, with the quickest settings."""
    words = shlex.split(line, comments=True)[1:]
    for number, word in enumerate(words[1:], 1):
        if words[number - 1] in REPLACED:
            words[number] = REPLACED[words[number - 1]]
        elif word.startswith("planted"):
            kind = re.sub(":train.*", "", word)
            words[number] = kind + ("," if ":" in kind else ":") + SIZE
        elif words[number - 1] == "--set" and word.startswith("encoder."):
            words[number] = "encoder.dim=8"
    added = QUICK.get(words[0], [])
    if words[0] in ("train", "compare") and not {"--encoder", "--encoders", "--budget"} & set(words):
        added = [*added, "--encoder=bag" if words[0] == "train" else "--encoders=bag"]
    if words[0] == "train" and "--no-contributions" in words:
        added = [word for word in added if "contributions" not in word]
    return words + [word for word in added if word.partition("=")[0] not in words or word[:5] == "--set"]


@pytest.mark.parametrize("page", [pytest.param(page, marks=pytest.mark.real) if page in SLOW else page for page in RUN])
def test_the_commands_of_a_page_run(page, stock, whyword, tiny_bert, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copytree(stock, tmp_path, dirs_exist_ok=True)
    if page in REVIEWS_ARE_A_MODEL:
        shutil.rmtree("reviews")
        shutil.copytree("model", "reviews")
    if page == "ordinal.md":
        shutil.copy("stars.csv", "reviews.csv")
    if page == "any-model.md":
        foreign(["a good film", "a bad film"] * 4)
    if page == "export.md":
        texts, labels = ["a good film", "a bad film"] * 10, ["good", "bad"] * 10
        classifier = TextClassifier(encoder=str(tiny_bert), epochs=1, contributions=HEAD).fit(texts, labels)
        shutil.rmtree("model")
        classifier.save("model")
    for line in RUN[page]:
        if "-o reasons/" in line:  # several ways to the same folder
            shutil.rmtree("reasons", ignore_errors=True)
        if line.startswith("whyword "):
            done = whyword(*quick(line))
            assert done.code in ((0, 3) if line.startswith("whyword diff") else (0,)), (line, done.err)
        else:
            subprocess.run(["bash", "-c", line], check=True, capture_output=True)


def test_every_reason_not_to_run_a_snippet_is_a_known_one():
    assert {snippet.reason for snippet in snippets()} - {None} == {
        "asks a running server",
        "installs packages",
        "keeps running",
        "takes a GPU",
        "takes a cluster",
        "takes a minute",
        "takes the data sets and hours",
        "takes the extra mlflow",
    }


def test_every_file_that_a_snippet_runs_exists():
    scripts = {
        line.split("python ")[1].split()[0] for snippet in SHOWN for line in commands(snippet) if "python " in line
    }
    assert scripts
    assert [script for script in scripts if not (DOCS.parent / script).exists()] == []


def test_every_command_that_is_not_run_has_only_options_that_exist():
    from typer.main import get_command

    from whyword.cli.app import app

    root = get_command(app)
    for line in (line for snippet in SHOWN if snippet.reason for line in commands(snippet)):
        words = shlex.split(line.partition(" > ")[0], comments=True)
        if words[0] == "whyword" and words[1][:1] != "-":
            options = {
                option
                for parameter in root.commands[words[1]].params
                for option in parameter.opts + parameter.secondary_opts
            }
            assert {word for word in words[2:] if word[:1] == "-"} <= options, line
