import json
from collections import Counter
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch

from whyword import TextClassifier
from whyword.analysis.attention_tests import run_attention_tests
from whyword.analysis.replaced_attention import Search
from whyword.audits import run as auditing
from whyword.audits.data import Cut
from whyword.audits.run import audit, gather_audit, load_rules
from whyword.data.planted import planted
from whyword.explainers.lime import Lime
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.explaining.measure import measure_explanations
from whyword.interfaces.errors import DataError, OptionError
from whyword.methods.attention import Attention

WEIGHT = {"superb": 2.0, "fine": 1.0, "dull": -1.0, "awful": -2.0}
FILLER = [f"w{i}" for i in range(20)]
QUICK = ["comprehensiveness", "posthoc-accuracy", "direction"]


def bag(texts):
    """A model whose reasons are known: each word adds its weight to the log-odds of 'good'."""
    odds = np.array([sum(WEIGHT.get(word, 0.0) for word in text.split()) for text in texts])
    good = 1 / (1 + np.exp(-odds))
    return np.stack([1 - good, good], axis=1)


def bag_texts(count=100, seed=0):
    draw = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        side = [["superb", "fine"], ["dull", "awful"]][draw.integers(2)]
        words = [*draw.choice(FILLER, 10), draw.choice(side), draw.choice(side), draw.choice(list(WEIGHT))]
        texts.append(" ".join(draw.permutation(words)))
    return texts


@dataclass(frozen=True)
class Exact(Occlusion):
    """What each word adds to the log-odds of the target: the whole truth about the bag."""

    name = "exact"

    def explain(self, classifier, documents, targets=None):
        found = super().explain(classifier, documents, targets)
        for e in found:
            side = 1.0 if e.target == 1 else -1.0
            e.scores[:] = [side * WEIGHT.get(word, 0.0) for word in e.words]
        return found


@dataclass(frozen=True)
class Lucky(Random):
    """Random scores under another name."""

    name = "lucky"


@dataclass(frozen=True)
class Sizes(Exact):
    """How much each word matters, but not for which class."""

    name = "sizes"

    def explain(self, classifier, documents, targets=None):
        found = super().explain(classifier, documents, targets)
        for e in found:
            e.scores[:] = np.abs(e.scores) - 1e-3 * np.sign(
                e.scores
            )  # where two are equal, the opposing one comes first
        return found


class Deaf(Attention):
    """An attention model that gives every word the same weight, whatever its attention says."""

    def classify_from(self, weights, states):
        there = (weights > 0).to(weights)
        return super().classify_from(there / there.sum(-1, keepdim=True), states)


@pytest.fixture(scope="module", autouse=True)
def short_search():
    """Search for adversarial attention in a few steps."""
    with pytest.MonkeyPatch.context() as patch:
        search = Search(restarts=1, steps=20)
        patch.setattr(auditing, "run_attention_tests", partial(run_attention_tests, search=search))
        yield


def fitted(method, contributions=False, **settings):
    documents = planted("easy,train=120,dev=0,test=0").train
    texts, labels = [d.words.texts[0] for d in documents], [d.label for d in documents]
    settings = {"epochs": 4, "learning_rate": 0.05, "contributions": contributions, **settings}
    return TextClassifier(method, "bag", **settings).fit(texts, labels)


@pytest.fixture(scope="module")
def attention():
    return fitted("attention")


@pytest.fixture(scope="module")
def mask():
    return fitted("vmask")


@pytest.fixture(scope="module")
def documents():
    return list(planted("easy,train=10,dev=0,test=40").test)


@pytest.fixture(scope="module")
def events():
    return []


@pytest.fixture(scope="module")
def attention_json(attention, documents, events):
    before = {name: tensor.clone() for name, tensor in attention.model_.classifier.method.state_dict().items()}
    chosen = ["own", "occlusion"]
    found = gather_audit(
        attention, documents, chosen, data_name="planted", on_event=lambda *event: events.append(event)
    )
    after = attention.model_.classifier.method.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)  # the model is left untouched
    return found.to_dict()


def test_scores_that_are_the_exact_contributions_are_trusted():
    found = audit(bag, bag_texts(), explainers=[Exact(), "occlusion"], classes=["bad", "good"])
    assert found.verdicts["exact"] == "trust"
    best = found.best
    assert best.explainer == min(found.data.ranking[:2], key=lambda row: row.passes_per_text).explainer
    assert str(best).startswith(f"Use {best.explainer}: ")
    assert str(best) in " ".join(str(found).split())
    assert found.to_dict()["best"]["sentence"] == str(best)


def test_a_verdict_does_not_depend_on_what_is_measured_beside_it_but_for_the_share_of_the_best():
    texts = bag_texts(80)
    marks = [[(text.index(word), text.index(word) + len(word)) for word in WEIGHT if word in text] for text in texts]
    others = [Sizes(), Lucky(), "occlusion", Lime(samples=32), Lime(samples=33, name="lime-33")]
    metrics = [*QUICK, "rationale-auprc", "rationale-f1"]
    alone, beside = (
        audit(bag, texts, rationales=marks, explainers=chosen, metrics=metrics).data
        for chosen in ([Exact()], [Exact(), *others])
    )
    for one, other in ((alone.verdicts[0], beside.verdicts[0]), (alone.human_like[0], beside.human_like[0])):
        rest = [result for result in other.rules if not result.quantity.startswith(("share of", "agreement with"))]
        assert len(rest) < len(other.rules)
        assert [result.rule for result in one.rules] == [result.rule for result in rest]
        for result, same in zip(one.rules, rest, strict=True):
            assert (result.holds, result.answer) == (same.holds, same.answer)
            for number in ("value", "low", "high", "p"):
                assert getattr(result, number) == pytest.approx(getattr(same, number))
    assert [data.verdicts[0].verdict for data in (alone, beside)] == ["trust", "trust"]
    assert alone.best.sentence.startswith("Use exact: it is to be trusted, but no other explainer was audited")


def test_scores_that_persuade_people_without_being_the_reason_are_warned_of():
    texts = bag_texts()
    marks = [[(text.index(word), text.index(word) + len(word)) for word in WEIGHT if word in text] for text in texts]
    found = audit(
        bag, texts, rationales=marks, explainers=[Sizes(), Lucky(), "occlusion"], metrics=[*QUICK, "rationale-auprc"]
    )
    assert found.verdicts == {"sizes": "do not trust", "lucky": "do not trust", "occlusion": "trust"}
    assert found.human_like["sizes"] == "human-like"
    assert found.human_like["lucky"] == "not human-like"
    assert [warning.split(",")[0] for warning in found.data.warnings] == ["sizes is convincing"]
    gains = {name: found.scores["rationale-auprc", name].value for name in ("sizes", "occlusion", "random")}
    share = (gains["occlusion"] - gains["random"]) / (gains["sizes"] - gains["random"])
    assert found.data.human_shares["occlusion"].value == pytest.approx(share)
    assert found.data.warnings[0] in " ".join(str(found).split())
    assert "sizes is convincing" in found.to_html()


def test_scores_that_miss_the_direction_are_not_trusted_though_they_beat_random_words():
    found = audit(bag, bag_texts(), explainers=[Sizes(), "occlusion"], metrics=QUICK)
    (sizes, *_) = found.data.verdicts
    rules = {result.rule: result.holds for result in sizes.rules}
    assert rules["beats random words"] is True
    assert rules["right in direction"] is False
    assert (sizes.verdict, found.best.explainer) == ("do not trust", "occlusion")
    opposing = next(row for row in found.data.ranking if row.explainer == "sizes").opposes
    texts = [[WEIGHT.get(word, 0.0) for word in text.split()] for text in bag_texts()]
    sides = [1.0 if sum(weights) > 0 else -1.0 for weights in texts]
    top = [
        min(w * side for w in weights if abs(w) == max(map(abs, weights)))
        for weights, side in zip(texts, sides, strict=True)
    ]
    assert opposing == pytest.approx(np.mean(np.array(top) < 0))


@pytest.mark.parametrize("seed", range(1, 6))
def test_random_scores_under_another_name_are_not_trusted(seed):
    found = audit(bag, bag_texts(seed=seed), explainers=[Lucky(seed), "occlusion"], metrics=QUICK)
    assert found.verdicts == {"lucky": "do not trust", "occlusion": "trust"}


def test_attention_that_the_model_ignores_is_not_trusted(documents):
    classifier = fitted("attention")
    classifier.model_.classifier.method.__class__ = Deaf
    (found,) = audit(classifier, documents, explainers=["own"], metrics=QUICK).data.verdicts
    result = next(result for result in found.rules if result.rule == "attention matters")
    assert result.holds is False
    assert result.value == pytest.approx(0, abs=1e-6)
    assert found.verdict == "do not trust"


def test_all_values_of_an_attention_model_are_there_and_strict_json(attention_json):
    values = attention_json
    json.dumps(values, allow_nan=False)
    assert set(values) == {
        "format", "model", "data", "accuracy", "confusion", "calibration", "best", "ranking", "verdicts", "human_like",
        "human_shares", "of_people", "warnings", "scores", "agreement", "converged", "gallery", "words",
        "attention_tests", "mask", "map", "cost", "again",
    }  # fmt: skip
    assert values["model"] | {"settings": 0, "weights": 0} == {
        "name": "attention on bag", "method": "attention", "encoder": "bag", "classes": ["negative", "positive"],
        "settings": 0, "own_score": "share", "kind": "attention", "weights": 0,
        "weights_explainers": ["own", "attention"], "has_contributions": False,
    }  # fmt: skip
    assert values["data"] | {"words_per_text": 0} == {
        "name": "planted", "texts": 40, "of": 40, "has_labels": True, "has_rationales": True, "pairs": False,
        "words_per_text": 0,
    }  # fmt: skip
    assert len(values["map"]["points"]) == 40
    assert set(values["attention_tests"]) >= {"uniform", "adversarial-share"}
    assert values["mask"] is None
    assert 0 < len(values["words"]["rows"]) <= 50
    assert values["again"]["rules"] == "default"


def test_accuracy_confusion_and_calibration_are_those_of_the_predictions(attention, documents):
    data = audit(attention, documents, explainers=["occlusion"], metrics=QUICK).data
    texts, gold = [d.words.texts[0] for d in documents], [d.label for d in documents]
    predicted = attention.predict(texts)
    assert data.accuracy.value == pytest.approx(np.mean(predicted == gold))
    classes = data.confusion.classes
    told = Counter({(classes[true], classes[given]): count for true, given, count in data.confusion.cells})
    assert told == Counter(zip(gold, predicted.tolist(), strict=True))
    assert sum(bin.texts for bin in data.calibration.bins) == 40


def test_a_mask_is_looked_at(mask, documents):
    data = audit(mask, documents, explainers=["own"], metrics=QUICK).data
    assert (data.model.kind, data.model.own_score) == ("mask", "gate")
    assert set(data.mask.statistics) == {"keep_min", "keep_mean", "keep_max", "keep_sd"}
    assert "mask is alive" in [result.rule for result in data.verdicts[0].rules]
    assert data.attention_tests is None


def test_the_scores_are_those_of_measuring_with_a_corrected_p_value(attention, documents):
    found = audit(attention, documents, explainers=["occlusion"], metrics=QUICK)
    explanations = {"occlusion": Occlusion().explain(attention.model_.classifier, documents)}
    scores = measure_explanations(attention, explanations, QUICK)
    for row in found.data.scores:
        assert row.value == pytest.approx(scores[row.metric, row.explainer].value, abs=1e-6)
        assert row.curve
        if row.explainer != "random":
            assert row.over_random_p_holm >= row.over_random_p
    assert found.data.cost.metrics.forward_passes == scores.forward_passes
    assert found.data.cost.metrics.one_by_one > scores.forward_passes


def test_a_black_box_is_explained_by_asking_it_and_has_no_inside():
    found = audit(bag, bag_texts(12), classes=["bad", "good"])
    data = found.data
    assert list(found.verdicts) == ["lime", "shapley", "occlusion"]
    assert (data.model.kind, data.model.name, data.map) == ("black box", "bag", None)
    assert (data.accuracy, data.data.has_labels) == (None, False)
    assert {item.why for item in data.gallery} == {"sure", "unsure"}
    assert set(found.verdicts.values()) <= {"use with care", "do not trust"}  # twelve texts are too few to trust
    assert data.converged["lime"].texts == 12


@pytest.mark.parametrize(("method", "weights"), [("attention", "attention"), ("vmask", "gate"), ("base", None)])
def test_contributions_are_audited_beside_the_weights_of_attention_or_mask(method, weights, documents):
    classifier = fitted(method, {"pairs": 1, "steps": 5, "epochs": 1, "least_texts": 1})
    found = audit(classifier, documents[:6], metrics=QUICK).data
    names = ["own", *([] if weights is None else [weights]), "lime", "shapley", "occlusion"]
    assert [verdict.explainer for verdict in found.verdicts] == names
    assert (found.model.weights_explainers, found.model.has_contributions) == ((weights,) * (weights is not None), True)
    assert (found.attention_tests is not None) == (weights == "attention")
    asked = {verdict.explainer: {result.rule for result in verdict.rules} for verdict in found.verdicts}
    for rule, whose in (("attention matters", "attention"), ("mask is alive", "gate")):
        assert {name for name, rules in asked.items() if rule in rules} == ({whose} if weights == whose else set())


def test_more_draws_cost_more_and_change_the_floor_alone():
    one, ten = (audit(bag, bag_texts(30), explainers=["occlusion"], metrics=QUICK, draws=n).data for n in (1, 10))
    assert one.cost.metrics.forward_passes < ten.cost.metrics.forward_passes
    for first, second in zip(one.scores, ten.scores, strict=True):
        assert (first.value == second.value) == (first.explainer != "random")


def test_unsigned_scores_are_compared_with_the_sizes_of_others(attention_json):
    (row,) = attention_json["agreement"]
    assert row["tau"] == pytest.approx(attention_json["attention_tests"]["occlusion"]["value"], abs=1e-9)


def test_texts_may_be_strings_with_labels_and_rationales(attention, documents):
    texts, labels = [d.words.texts[0] for d in documents], [d.label for d in documents]
    rationales = [d.rationale[0] for d in documents]
    options = {"explainers": ["occlusion"], "metrics": ["rationale-auprc", "accuracy-drop"]}
    one = audit(attention, documents, **options)
    other = audit(attention, texts, labels, rationales=rationales, **options)
    assert one.data.scores == other.data.scores
    with pytest.raises(OptionError, match="rationale"):
        audit(attention, texts, labels, **options)


def test_a_sample_is_drawn_and_said_so(attention, documents):
    data = audit(attention, documents, explainers=["occlusion"], metrics=QUICK, sample=5).data
    assert (data.data.texts, data.data.of) == (5, 40)
    assert data.map is None  # too few


def test_sampling_explainers_are_bounded_unless_given_as_they_are():
    texts = [" ".join(bag_texts(2, seed)) for seed in range(2)]
    data = audit(bag, texts, explainers=[Lime(samples=64)], metrics=QUICK).data
    assert data.cost.explainers["lime"].passes_per_text == 64


def test_a_judge_and_a_cache_are_used(attention, mask, documents, tmp_path):
    options = {"explainers": ["occlusion"], "metrics": QUICK, "cache": tmp_path}
    own, other = (audit(attention, documents, judge=judge, **options) for judge in (None, mask))
    assert own.data.scores != other.data.scores
    assert own.to_dict()["gallery"] == other.to_dict()["gallery"]  # down to the seconds it took
    with pytest.raises(OptionError, match="fingerprint"):
        audit(bag, bag_texts(3), cache=tmp_path)
    assert audit(bag, bag_texts(3), explainers=["occlusion"], metrics=QUICK, cache=tmp_path, fingerprint="bag 1")


def test_progress_is_reported_stage_by_stage(attention_json, events):
    assert ("own", 40, 40) in events
    assert ("metrics", 40, 40) in events
    assert any(total == 0 and "attention" in stage for stage, _, total in events)


def test_rules_may_speak_of_explainers_and_metrics_of_ones_own(tmp_path):
    file = tmp_path / "mine.toml"
    text = '["r"]\nquestion = "?"\nquantity = "agreement with lucky"\nmust_be = "below"\nthreshold = 0.3\nneeded = true'
    file.write_text(text)
    found = audit(bag, bag_texts(), explainers=[Lucky(), Exact()], metrics=QUICK, rules=file)
    assert found.verdicts == {"lucky": "use with care", "exact": "trust"}
    with pytest.raises(OptionError, match="lucky"):
        load_rules(file)


@pytest.mark.parametrize(
    ("texts", "options", "words"),
    [
        ([], {}, "no texts"),
        ("one text", {}, "list of texts"),
        (["a", "b"], {"labels": ["good"]}, "one label per text"),
        (["a", "b"], {"labels": ["good", "goof"]}, "goof"),
        (["a", "b"], {"explainers": ["limee"]}, "Did you mean 'lime'"),
        (["a", "b"], {"explainers": ["own"]}, "look into the model"),
        (["a", "b"], {"explainers": [Lucky(), Lucky(1)]}, "Two explainers"),
        (["a", "b"], {"metrics": ["aopc"]}, "No 'aopc' in metrics"),
        (["a", "b"], {"rationales": [None]}, "one per text"),
        (["a", "b"], {"rules": "nowhere.toml"}, "nowhere.toml"),
    ],
    ids=["none", "string", "labels", "label", "explainer", "closed", "twice", "metric", "rationales", "rules"],
)
def test_mistakes_get_one_sentence(texts, options, words):
    with pytest.raises((DataError, OptionError), match=words):
        audit(bag, texts, classes=["bad", "good"], **options)


def test_awkward_texts_do_not_stop_an_audit(mask):
    texts = ["", "superb", "a a a a", "\u202eabc <b>", "word " * 400]
    found = audit(mask, texts, explainers=["own", "occlusion"])
    assert len(found.data.gallery) == 4
    assert [item.cut for item in found.data.gallery if item.cut] == [Cut(300, 400)]


def test_pairs_can_be_audited():
    documents = planted("pairs,train=40,dev=0,test=12")
    texts, labels = [d.words.texts for d in documents.train], [d.label for d in documents.train]
    classifier = TextClassifier("base", "bag", epochs=1, contributions=False).fit(texts, labels)
    data = audit(classifier, [d.words.texts for d in documents.test], explainers=["occlusion"], metrics=QUICK).data
    assert (data.data.pairs, data.model.kind) == (True, "open")
    assert "segments" in data.to_dict()["gallery"][0]["explanations"]["occlusion"]
