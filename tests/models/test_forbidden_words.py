from dataclasses import replace

import numpy as np
import pytest

from reference.contributions import QUICK
from whyword import TextClassifier, load
from whyword.data.forbidden import Forbidden
from whyword.data.planted import SPURIOUS, planted
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.export import export_model
from whyword.models.folder import load_model, put_model
from whyword.models.forbidden_words import _beside, find_proxies, with_forbidden_notes
from whyword.models.train import train_model, unfinished_folder

TEXTS = [
    ("chicago was grand", "yes"),
    ("Chicagoans love chicago", "yes"),
    ("Chicago", "no"),
    ("a dull place", "no"),
]
SMALL = Dataset("small", tuple(Document(split(t), label) for t, label in TEXTS), (), ())


def notes(*entries):
    return with_forbidden_notes(SMALL, {"forbid": entries}).notes


def test_a_user_is_told_what_is_forbidden_and_what_is_not():
    said = notes("chicago", "boston")
    assert said[0] == "Warning: 1 of 2 forbidden entries match nothing in the training texts: boston."
    assert said[1] == "Forbidden words stand in 3 of 4 training texts."
    assert said[2].startswith("Warning: 1 training texts hold nothing but forbidden words")
    assert said[3] == (
        "Read, though a forbidden word is part of them: chicagoans (1); an entry such as /.*word.*/ forbids them too."
    )
    assert notes() == ()
    assert len(notes("/chicago.*/")) == 2


def proxy_data(texts=400):
    """Of each class, half of the texts name Chicago; two of three of these name the lake, few of the others do."""
    draw = np.random.default_rng(0)
    documents = []
    for i in range(texts):
        label = ("good", "bad")[i % 2]
        city = draw.random() < (0.8 if label == "good" else 0.2)
        lake = draw.random() < (0.7 if city else 0.05)
        cue = {"good": ["superb", "fine"], "bad": ["awful", "dull"]}[label] if draw.random() < 0.5 else ["so", "so"]
        words = [f"w{n}" for n in draw.integers(0, 20, 5)] + ["Chicago"] * city + ["lake"] * lake + [draw.choice(cue)]
        documents.append(Document(split(" ".join(draw.permutation(words))), label))
    return documents


def test_a_word_that_stands_in_for_a_forbidden_one_is_named_and_a_reason_is_not():
    documents = proxy_data()
    data = Dataset("proxies", tuple(documents[:300]), tuple(documents[300:]), ())
    said = []
    config = make_config({"encoder": "tfidf", "contributions": True, "forbid": ["chicago"]})
    model = train_model(config, data, on_event=said.append)
    (proxy,) = find_proxies(model, data.train, Forbidden(("chicago",)))
    assert (proxy.word, proxy.beside, proxy.label) == ("lake", "chicago", "good")
    assert model.metrics["forbidden"]["proxies"][0]["word"] == "lake"
    assert any("may have taken over from forbidden ones: lake (odds beside chicago" in str(event) for event in said)


def test_odds_are_those_of_mantel_and_haenszel():
    documents = proxy_data()
    (word, (beside, both, odds)) = next(iter(_beside(documents, Forbidden(("chicago",))).items()))
    assert (word, beside) == ("lake", "chicago")
    agree = differ = count = 0.0
    for label in ("good", "bad"):
        pairs = [
            ("chicago" in d.words.strings or "Chicago" in d.words.strings, "lake" in d.words.strings)
            for d in documents
            if d.label == label
        ]
        n = {(x, y): pairs.count((x, y)) for x in (True, False) for y in (True, False)}
        agree += n[True, True] * n[False, False] / len(pairs)
        differ += n[True, False] * n[False, True] / len(pairs)
        count += n[True, True]
    assert both == count
    assert odds == pytest.approx(agree / differ)


def test_words_of_a_class_are_no_proxies_of_a_word_that_goes_with_it():
    assert not _beside(planted("spurious,train=800").train, Forbidden(SPURIOUS))


@pytest.fixture(scope="module")
def model():
    data = planted("spurious,train=60,dev=20,test=10")
    config = make_config({"encoder": "bag", "forbid": [*SPURIOUS, "/zz.*/"], "training": {"epochs": 1}})
    return train_model(config, data)


def test_a_model_folder_keeps_the_words_and_its_card_names_them(model, tmp_path):
    put_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert again.config == model.config
    assert again.classifier.forbidden == model.classifier.forbidden
    assert again.classifier.fingerprint() == model.classifier.fingerprint()
    assert "Not read: `popcorn`, `lemonade`, `licorice`, `/zz.*/`." in (tmp_path / "model" / "README.md").read_text()
    assert load(tmp_path / "model").forbid == [*SPURIOUS, "/zz.*/"]


def test_a_run_resumes_with_the_same_words_only(tmp_path):
    data = planted("spurious,train=60,dev=20,test=10")
    config = make_config({"encoder": "bag", "forbid": SPURIOUS, "training": {"epochs": 2}})

    def stop(event):
        if getattr(event, "record", None) is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_model(config, data, folder=tmp_path / "model", on_event=stop)
    assert unfinished_folder(tmp_path / "model").exists()
    with pytest.raises(OptionError, match=r"had other settings .*forbid"):
        train_model(replace(config, forbid=SPURIOUS[:1]), data, folder=tmp_path / "model", resume=True)
    whole = train_model(config, data)
    resumed = train_model(config, data, folder=tmp_path / "model", resume=True)
    assert resumed.classifier.fingerprint() == whole.classifier.fingerprint()


def test_a_model_that_does_not_read_some_words_is_not_exported(model, tmp_path):
    with pytest.raises(OptionError, match="other programs would read them: serve the model"):
        export_model(model, "onnx", tmp_path / "out")


def test_the_estimator_takes_words_or_a_file(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("\n".join(SPURIOUS))
    data = planted("spurious,train=60,dev=20,test=10")
    texts, labels = [d.words.texts[0] for d in data.train], [d.label for d in data.train]
    shared = {"encoder": "bag", "epochs": 1, "contributions": QUICK}
    models = [TextClassifier(**shared, forbid=forbid).fit(texts, labels) for forbid in (SPURIOUS, file)]
    assert models[0].model_.config == models[1].model_.config
    with pytest.raises(OptionError, match="cannot be read"):
        TextClassifier(**shared, forbid=["/(/"]).fit(texts, labels)
