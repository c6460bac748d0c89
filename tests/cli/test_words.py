import csv
import gzip
import json

import pytest
from typer.testing import CliRunner

from whyword import load
from whyword.cli.app import app
from whyword.data.dataset import load_dataset
from whyword.explaining.words import pick_texts
from whyword.inference.fitted import FittedClassifier
from whyword.maths.stats.ties import OWN
from whyword.models.config import make_config
from whyword.models.train import train_model

DATA = load_dataset("planted:train=60,dev=10,test=10")
SETTINGS = {"encoder": {"name": "bag", "dim": 6}, "training": {"epochs": 1}}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    for method in ("vmask", "attention", "base"):
        train_model(make_config({**SETTINGS, "method": {"name": method}}), DATA, folder=place / method)
    return place


def run(*arguments):
    return CliRunner(env={"WHYWORD_DATA": "", "COLUMNS": "100"}).invoke(app, ["words", *map(str, arguments)])


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_the_table_shows_the_top_words_and_the_correlation(models):
    result = run(models / "vmask", "--top", 3)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("The 3 highest of ")
    assert lines[0].endswith("by the gate of vmask (weights, not for a class):")
    assert lines[1].split() == ["word", "score", "frequency"]
    shown = answer(models / "vmask", "--top", 3)["top"]
    assert [line.split()[0] for line in lines[2:5]] == [row["word"] for row in shown]
    assert [line.split()[-1] for line in lines[2:5]] == [str(row["frequency"]) for row in shown]
    assert "Pearson r = " in lines[5]
    assert "Spearman rho = " in lines[5]


def test_json_holds_the_words_and_both_intervals(models):
    record = answer(models / "vmask")
    assert len(record["top"]) == 50
    assert record["source"] == "the gate of vmask"
    scores = [row["score"] for row in record["top"]]
    assert scores == pytest.approx(sorted(scores, reverse=True), rel=OWN)  # words of equal scores keep their order
    for name in ("pearson", "spearman"):
        assert -1 <= record[name]["low"] <= record[name]["value"] <= record[name]["high"] <= 1


def test_words_seen_once_or_twice_are_noted_and_can_be_left_out(models):
    assert "Seen only once or twice, so judged by their vector alone" in run(models / "vmask").stderr
    result = run(models / "vmask", "--min-count", 5)
    assert result.stderr == ""
    assert min(row["frequency"] for row in answer(models / "vmask", "--min-count", 5)["top"]) >= 5
    assert run(models / "vmask", "--quiet").stderr == ""


@pytest.mark.parametrize("name", ["words.csv", "words.jsonl", "deep/words.jsonl.gz"])
def test_a_table_on_disk_holds_all_words(models, tmp_path, name):
    result = run(models / "vmask", "-o", tmp_path / name)
    assert (result.exit_code, result.stdout) == (0, "")
    assert f"to {tmp_path / name}." in result.stderr
    words = answer(models / "vmask", "--top", 100_000)["top"]
    if name.endswith(".csv"):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            rows = [
                {**row, "class": row["class"] or None, "score": float(row["score"]), "frequency": int(row["frequency"])}
                for row in csv.DictReader(file)
            ]
    else:
        opened = gzip.open if name.endswith(".gz") else open
        with opened(tmp_path / name, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    assert rows == words


@pytest.mark.parametrize(
    ("name", "plot", "head"),
    [("a.png", "cloud", b"\x89PNG"), ("a.svg", "scatter", b"<?xml"), ("a.pdf", "cloud", b"%PDF")],
)
def test_a_picture_is_drawn_the_same_each_time(models, tmp_path, name, plot, head):
    pictures = []
    for folder in ("one", "two"):
        record = answer(models / "vmask", "--plot", plot, "--top", 15, "-o", tmp_path / folder / name)
        assert record["output"] == str(tmp_path / folder / name)
        assert [path.name for path in (tmp_path / folder).iterdir()] == [name]
        pictures.append((tmp_path / folder / name).read_bytes())
    assert pictures[0].startswith(head)
    assert pictures[0] == pictures[1]


def test_a_data_set_is_read_by_its_test_split_and_a_file_as_a_whole(models, tmp_path):
    source = "planted:train=60,dev=10,test=10"
    result = run(models / "attention", source)
    assert f"those of the test split of {source}." in result.stderr
    assert "by the mean of the own scores of attention" in result.stdout
    texts = [document.words.texts[0] for document in DATA.test]
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    assert answer(models / "attention", file) == answer(models / "attention", source)


def test_a_folder_gives_its_test_file_else_its_dev_file_else_what_is_cut_from_train(models, tmp_path):
    def write(name, word):
        rows = [f"{word} {i},{'ab'[i % 2]}" for i in range(20)]
        (tmp_path / name).write_text("text,label\n" + "\n".join(rows) + "\n", encoding="utf-8")

    for name, word, said in (("train.csv", "plot", "dev"), ("dev.csv", "film", "dev"), ("test.csv", "story", "test")):
        write(name, word)
        result = run(models / "attention", tmp_path)
        assert f"the {said} split of {tmp_path}" in result.stderr
        assert word in result.stdout


def test_an_explainer_is_averaged_or_summed_over_a_sample(models):
    source = "planted:train=60,dev=10,test=10"
    result = run(models / "base", source, "--explainer", "occlusion", "--sample", 4)
    assert "by the mean of occlusion scores" in result.stdout
    assert "those of 4 texts drawn from" in result.stderr
    assert "A sum grows" not in result.stderr
    summed = run(models / "base", source, "--explainer", "occlusion", "--reduce", "sum")
    assert "by the sum of occlusion scores" in summed.stdout
    assert "those of 10 texts drawn from" in summed.stderr
    assert "A sum grows with the number of texts" in summed.stderr


SOURCE = "planted:train=60,dev=10,test=10"


@pytest.fixture(scope="module")
def occlusion(models):
    return models / "base", SOURCE, "--explainer", "occlusion"


def test_words_are_listed_under_the_class_they_speak_for(models, occlusion):
    record = answer(*occlusion, "--top", 4)
    expected = load(models / "base").word_importance([d.words.texts[0] for d in DATA.test], "occlusion")
    assert record["classes"] == list(expected.classes)
    top = [row for part in expected.by_class().values() for row in part.top(4).rows()]
    assert [(row["class"], row["word"]) for row in record["top"]] == [(row["class"], row["word"]) for row in top]
    assert min(row["score"] for row in record["top"]) > 0
    lines = [line.split() for line in run(*occlusion, "--top", 4).stdout.splitlines()]
    for label in expected.classes:
        shown = [row["word"] for row in top if row["class"] == label]
        title = lines.index([*("speaks for" if shown else "no word speaks for").split(), *str(label).split()])
        assert [line[0] for line in lines[title + 2 : title + 2 + len(shown)]] == shown


def test_one_class_can_be_seen_alone_also_in_a_table_on_disk(occlusion, tmp_path):
    every = answer(*occlusion, "--top", 10_000)
    label = every["classes"][1]
    alone = [row for row in every["top"] if row["class"] == label]
    assert answer(*occlusion, "--class", label, "--top", 10_000)["top"] == alone
    assert run(*occlusion, "--class", label, "-o", tmp_path / "words.jsonl").exit_code == 0
    rows = [json.loads(line) for line in (tmp_path / "words.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == alone
    assert run(*occlusion, "-o", tmp_path / "all.jsonl").exit_code == 0
    assert len((tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()) == len(every["top"])


def test_texts_are_picked_that_show_the_important_words(models):
    record = answer(models / "base", SOURCE, "--explainer", "occlusion", "--pick", 3)
    assert record["source"] == "the root of the sum of absolute values of occlusion scores"
    model = load(models / "base")
    texts = [document.words.texts[0] for document in DATA.test]
    explanations = model.explain(texts, explainer="occlusion")
    picked = [texts[i] for i in pick_texts(explanations, 3)]
    assert [row["text"] for row in record["picked"]] == picked
    result = run(models / "base", SOURCE, "--explainer", "occlusion", "--pick", 3)
    assert "The 3 texts that show most of these words together (SP-LIME):" in result.stdout
    assert "A sum grows" not in result.stderr
    shown = " ".join(result.stdout.split())
    assert all(" ".join(text.split()) in shown for text in picked)


def test_without_an_explainer_the_own_scores_pick_the_texts_and_a_file_has_the_words(models, tmp_path):
    result = run(models / "attention", SOURCE, "--pick", 2, "-o", tmp_path / "words.csv")
    assert result.exit_code == 0
    assert "The 2 texts that show most" in result.stdout
    assert (tmp_path / "words.csv").read_text(encoding="utf-8").startswith("word,class,score,frequency\n")
    assert answer(models / "attention", SOURCE, "--pick", 2)["source"].endswith("the own scores of attention")


def test_settings_and_the_cache_reach_the_explainer(models, tmp_path, monkeypatch):
    words = (models / "base", SOURCE, "--explainer", "integrated-gradients", "--cache", tmp_path)
    few = answer(*words, "--set", "steps=2")["top"]
    assert few != answer(*words, "--set", "steps=20")["top"]
    monkeypatch.setattr(FittedClassifier, "batches", None)
    assert few == answer(*words, "--set", "steps=2")["top"]


def test_mistakes_are_refused_in_one_sentence(models, tmp_path):
    vmask, empty = models / "vmask", tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    assert "must end in .csv, .jsonl, .jsonl.gz, .png, .svg or .pdf" in refusal(vmask, "-o", tmp_path / "a.txt")
    assert "There is no model folder" in refusal(tmp_path / "nothing")
    assert "give one (DATA)" in refusal(models / "attention")
    assert "train with the method vmask" in refusal(models / "base")
    assert "needs texts to explain" in refusal(models / "base", "--explainer", "occlusion")
    assert "No 'occlusio' in explainers" in refusal(models / "base", empty, "--explainer", "occlusio")
    assert "The corpus holds no words" in refusal(models / "attention", empty)
    assert "There is no file or folder 'nowhere'" in refusal(models / "attention", "nowhere")
    assert "needs a picture" in refusal(vmask, "--plot", "cloud")
    assert "needs a picture" in refusal(vmask, "--plot", "cloud", "-o", tmp_path / "a.csv")
    assert "No 'clod' in plots" in refusal(vmask, "--plot", "clod")
    assert "No 'max' in ways to reduce" in refusal(vmask, "--reduce", "max")
    occlusion = (models / "base", SOURCE, "--explainer", "occlusion")
    assert "No 'nothing' in the classes" in refusal(*occlusion, "--class", "nothing")
    assert "the gate of vmask is not for a class" in refusal(vmask, "--class", "nothing")
    assert "--pick 3 scores words by --reduce root" in refusal(*occlusion, "--pick", 3, "--reduce", "sum")
    assert "--pick 3 has no texts to pick from" in refusal(vmask, "--pick", 3)
    assert "so name one with --explainer" in refusal(vmask, "--samples", 3)
    assert "'samples' in the settings of explainer occlusion" in refusal(*occlusion, "--samples", 3)
    assert "nothing to draw from" in refusal(vmask, "--sample", 3)
    assert "no word occurs that often" in refusal(vmask, "--min-count", 10**6)
    assert "is the file that is read" in refusal(vmask, empty, "-o", empty)
