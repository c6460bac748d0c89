"""Contributions that are learned for models of others: near Shapley values, additive, and bound to their model."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from reference import foreign_models
from reference.contributions import QUICK
from whyword import audit, diff, explain
from whyword.blocks.contributions import ContributionHead
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.explaining.learned import correlation, learn_explainer, load_explainer
from whyword.explaining.write import write_explanations
from whyword.interfaces.errors import DataError, ModelError, OptionError
from whyword.models.explainer_folder import FACTS, HEAD, READER
from whyword.models.learn import FEWEST_TEXTS
from whyword.training.contributions import AnsweredOutside, Sample

QUICKLY = ContributionHead.Config(**QUICK)
CUES = {f"cue{i}": weight for i, weight in enumerate(np.linspace(-2, 2, 9))}


def sums_of_cues(texts):
    """A model of three classes whose log-probabilities are sums over the words."""
    rows = []
    for text in texts:
        first = sum(CUES.get(word, 0.0) for word in text.split())
        second = sum(word == "cue2" for word in text.split())
        logits = np.array([first, second, 0.3])
        rows.append(np.exp(logits) / np.exp(logits).sum())
    return np.array(rows)


def texts_of_cues(count, seed=0):
    generator = np.random.default_rng(seed)
    words = [*CUES, *(f"filler{i}" for i in range(20))]
    return [" ".join(generator.choice(words, generator.integers(4, 12))) for _ in range(count)]


def test_a_black_box_is_read_for_so_that_scores_are_near_shapley_values_and_add_up(tmp_path):
    config = ContributionHead.Config(pairs=8, steps=250, epochs=4, least_texts=600)
    learned = learn_explainer(sums_of_cues, texts_of_cues(600), tmp_path / "explainer", config=config, judged=20)
    own = explain(learned, texts_of_cues(20, seed=9))
    exact = explain(sums_of_cues, texts_of_cues(20, seed=9), explainer="shapley")
    for one, other in zip(own, exact, strict=True):
        assert one.explainer == "own"
        np.testing.assert_allclose(one.base_values + one.all_scores.sum(1), one.probabilities, atol=1e-5)
        np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-12)
    assert np.mean([correlation(a.scores, b.scores) for a, b in zip(own, exact, strict=True)]) > 0.85
    assert learned.fidelity["r"] > 0.75
    assert learned.fidelity["comprehensiveness"] > 0.8 * learned.fidelity["shapley_comprehensiveness"]


def two_labels(texts):
    """Labels that do not exclude each other, each a matter of words of its own."""
    rows = []
    for text in texts:
        words = text.split()
        first, second = sum(CUES.get(word, 0.0) for word in words), 2 * words.count("filler3") - 1
        rows.append(1 / (1 + np.exp(-np.array([first, second]))))
    return np.array(rows)


def test_of_several_labels_each_has_contributions_of_its_own(tmp_path):
    model = replace(open_model(two_labels).classifier, multi_label=True)
    config = ContributionHead.Config(pairs=8, steps=250, epochs=4, least_texts=600)
    learned = learn_explainer(model, texts_of_cues(600), tmp_path / "explainer", config=config, judged=0)
    for text in texts_of_cues(20, seed=9):
        (one,) = explain(learned, [text])
        np.testing.assert_allclose(one.base_values + one.all_scores.sum(1), one.probabilities, atol=1e-5)
        np.testing.assert_allclose(one.probabilities, two_labels([text])[0], atol=1e-6)
    (one,) = explain(learned, ["filler1 filler3 cue8 filler5"], target=1)
    assert one.words[int(np.argmax(one.all_scores[1]))] == "filler3"
    assert one.words[int(np.argmax(one.all_scores[0]))] == "cue8"


@pytest.fixture(scope="module")
def network():
    return foreign_models.hugging_face(limit=600)


def test_a_network_of_hugging_face_carries_a_head_and_answers_as_before(network, tmp_path):
    before = open_model(network).classifier.probabilities([split(text) for text in foreign_models.TEXTS])
    learned = learn_explainer(network, foreign_models.TEXTS, tmp_path / "explainer", config=QUICKLY, judged=3)
    assert (tmp_path / "explainer" / HEAD).is_file()
    again = load_explainer(tmp_path / "explainer", network)
    for model in (learned, again):
        after = model.classifier.probabilities([split(text) for text in foreign_models.TEXTS])
        assert torch.equal(before, after)
    assert not open_model(network).classifier.has_contributions
    first, second = (explain(model, foreign_models.TEXTS[:5]) for model in (learned, again))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-6)
        np.testing.assert_allclose(one.base_value + one.scores.sum(), one.probability, atol=1e-5)
    assert again.identity == learned.identity != open_model(network).identity


def test_the_states_that_the_head_reads_are_those_of_the_answering_pass(network):
    method = open_model(network).classifier.method
    (_, batch), *_ = open_model(network).classifier.batches([split("good"), split("a bad plot")])
    with torch.no_grad():
        embedded, prediction = method.read(batch)
        states = network[0](
            inputs_embeds=embedded, attention_mask=batch.mask.long(), output_hidden_states=True
        ).hidden_states
    torch.testing.assert_close(prediction.states[batch.mask], states[-1][batch.mask])
    torch.testing.assert_close(prediction.logits, method(batch).logits)


@pytest.fixture(scope="module")
def explainer(tmp_path_factory):
    """A quick explainer of a pipeline of scikit-learn, and the pipeline."""
    pipeline = foreign_models.scikit_learn()
    place = tmp_path_factory.mktemp("learned") / "explainer"
    learn_explainer(pipeline, foreign_models.TEXTS, place, config=QUICKLY, judged=0)
    return place, pipeline


def test_a_learned_model_is_explained_audited_compared_and_sampled_from(explainer):
    place, pipeline = explainer
    learned = load_explainer(place, pipeline)
    report = audit(learned, foreign_models.TEXTS[:6], foreign_models.LABELS[:6], explainers=["own", "occlusion"])
    assert set(report.verdicts) == {"own", "occlusion"}
    assert diff(learned, learned, foreign_models.TEXTS[:6]) is not None
    (checked,) = explain(learned, foreign_models.TEXTS[:1], check=True)
    assert checked.error >= 0
    (refined,) = explain(learned, foreign_models.TEXTS[:1], tolerance=0.01)
    plain = explain(pipeline, foreign_models.TEXTS[:1], explainer="shapley")[0]
    np.testing.assert_allclose(refined.scores, plain.scores, atol=0.05)


def test_without_held_out_texts_no_fidelity_is_stated(explainer):
    place, _ = explainer
    assert "r" not in json.loads((place / FACTS).read_text(encoding="utf-8"))["fidelity"]


def test_many_texts_are_written_and_resumed_by_the_learned_explainer(tmp_path):
    """The model is a file, so that workers open it too."""
    skops = pytest.importorskip("skops.io")
    skops.dump(foreign_models.scikit_learn(), tmp_path / "model.skops")
    learned = learn_explainer(
        str(tmp_path / "model.skops"), foreign_models.TEXTS, tmp_path / "explainer", config=QUICKLY, judged=0
    )
    rows = [json.dumps({"text": text}) for text in foreign_models.TEXTS]
    (tmp_path / "texts.jsonl").write_text("\n".join(rows), encoding="utf-8")
    write_explanations(learned, tmp_path / "texts.jsonl", tmp_path / "all.jsonl")
    write_explanations(learned, tmp_path / "texts.jsonl", tmp_path / "parts", workers=2, part_size=10)
    whole = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    parts = sorted((tmp_path / "parts").glob("*.jsonl"))
    assert len(parts) == 4
    lines = [json.loads(line) for part in parts for line in part.read_text(encoding="utf-8").splitlines()]
    assert [row["text"] for row in lines] == [row["text"] for row in whole]
    for one, other in zip(lines, whole, strict=True):
        assert one["explainer"] == other["explainer"] == "own"
        np.testing.assert_allclose(one["scores"], other["scores"], atol=1e-6)


def test_shortened_copies_ask_about_words_of_their_text():
    seen = []

    def model(texts):
        seen.extend(texts)
        return np.full((len(texts), 2), 0.5)

    classifier = open_model(model).classifier
    seen.clear()
    text = split("a b c d")
    sample = Sample(None, 0, np.array([True, False, True, True]))
    asked = AnsweredOutside.__new__(AnsweredOutside)
    asked.samples, asked.words_of = [sample], [text]
    words, rows = asked._request(0, np.array([[True, False, False], [False, True, True]]))
    classifier.probabilities_of_subsets(words, rows)
    assert seen == ["a c d", "a", "c d"]


def test_an_explainer_of_another_model_is_refused(explainer, network, tmp_path):
    place, pipeline = explainer
    other = foreign_models.hugging_face(limit=600, num_hidden_layers=1)
    learn_explainer(network, foreign_models.TEXTS, tmp_path / "states", config=QUICKLY, judged=0)
    with pytest.raises((OptionError, ModelError), match=r"another model|does not fit"):
        load_explainer(tmp_path / "states", other)
    with pytest.raises(OptionError, match="does not show"):
        load_explainer(tmp_path / "states", pipeline)
    with pytest.raises(OptionError, match="classes"):
        load_explainer(place, sums_of_cues)


def test_what_cannot_be_learned_is_said(explainer, network, tmp_path):
    _, pipeline = explainer
    with pytest.raises(DataError, match=f"at least {FEWEST_TEXTS}"):
        learn_explainer(pipeline, foreign_models.TEXTS[:5], tmp_path / "few")
    with pytest.raises(OptionError, match="leave embeddings out"):
        learn_explainer(network, foreign_models.TEXTS, tmp_path / "vectors", embeddings="vectors.txt")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ModelError, match="name another folder"):
        learn_explainer(pipeline, foreign_models.TEXTS, tmp_path / "thesis")
    with pytest.raises(ModelError, match="no learned explainer"):
        load_explainer(tmp_path / "thesis", pipeline)
    assert (tmp_path / "thesis" / "chapter.txt").is_file()


def test_a_model_of_whyword_carries_its_own(explainer, tmp_path):
    from whyword import TextClassifier

    data = planted("train=40,dev=10,test=0")
    ours = TextClassifier(encoder="tfidf").fit([d.words.texts[0] for d in data.train], [d.label for d in data.train])
    with pytest.raises(OptionError, match="model of whyword"):
        learn_explainer(ours, foreign_models.TEXTS, tmp_path / "ours")
    with pytest.raises(OptionError, match="model of whyword"):
        load_explainer(explainer[0], ours)


@pytest.mark.parametrize("damage", ["{", '{"format": 99, "whyword": "9"}', "{}"])
def test_a_damaged_folder_is_one_sentence(explainer, tmp_path, damage):
    (tmp_path / FACTS).write_text(damage, encoding="utf-8")
    with pytest.raises(ModelError, match=r"damaged|newer"):
        load_explainer(tmp_path, explainer[1])


def test_a_reader_is_an_ordinary_model_folder(explainer):
    assert (explainer[0] / READER / "model.safetensors").is_file()
