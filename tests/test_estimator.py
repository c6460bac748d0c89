import copy
import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from reference.contributions import QUICK
from whyword import TextClassifier, explain, load
from whyword.data.planted import planted
from whyword.encoders import Bag
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.interfaces.errors import DataError, ModelError, OptionError
from whyword.methods import Base

GOOD = ["a superb film", "the superb cast", "a terrific plot", "terrific and superb", "this was terrific"]
BAD = ["a dreadful film", "the dreadful cast", "an awful plot", "awful and dreadful", "this was awful"]
TEXTS = [*GOOD, *BAD] * 3
LABELS = [*["good"] * 5, *["bad"] * 5] * 3
PAIRS = [(text, "is it good ?") for text in TEXTS]


def small(method: str = "attention", **settings) -> TextClassifier:
    quick = {"epochs": 8, "learning_rate": 0.05, "device": "cpu", "contributions": False}
    return TextClassifier(method, **{"encoder": "bag", **quick, **settings})


@pytest.fixture(scope="module")
def fitted() -> TextClassifier:
    return small().fit(TEXTS, LABELS)


class OnTables(TextClassifier):
    """Reads a row of numbers as a text with a word for each column and value, so that scikit-learn can check it."""

    def fit(self, X, y):  # noqa: N803
        X, y = validate_data(self, X, y)  # noqa: N806
        return super().fit(_as_texts(X), y)

    def predict_proba(self, X):  # noqa: N803
        check_is_fitted(self)
        return super().predict_proba(_as_texts(validate_data(self, X, reset=False)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array, tags.input_tags.string = True, False, False
        return tags


def _as_texts(table):
    return [" ".join(f"column{column}value{2 * value:.0f}" for column, value in enumerate(row)) for row in table]


@parametrize_with_checks([OnTables("base", "bag", epochs=10, learning_rate=0.1, contributions=False)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


def test_it_learns_and_scores(fitted):
    assert fitted.score(TEXTS, LABELS) == 1.0
    probabilities = fitted.predict_proba(GOOD)
    assert probabilities.shape == (5, 2)
    np.testing.assert_allclose(probabilities.sum(1), 1)
    assert fitted.predict(GOOD).tolist() == ["good"] * 5


def test_fit_returns_itself_and_sets_no_parameter():
    classifier = small()
    before = copy.deepcopy(classifier.get_params())
    assert classifier.fit(TEXTS, LABELS) is classifier
    assert classifier.get_params() == before


def test_nothing_is_answered_before_fit():
    for ask in (small().predict, small().predict_proba, small().explain, lambda _: small().save("nowhere")):
        with pytest.raises(NotFittedError):
            ask(GOOD)


def test_a_clone_has_the_same_parameters_and_is_not_fitted(fitted):
    twin = clone(fitted)
    assert twin.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(twin)


def test_the_same_seed_gives_the_same_model_and_another_one_another(fitted):
    same, other = small().fit(TEXTS, LABELS), small(random_state=1).fit(TEXTS, LABELS)
    assert np.array_equal(same.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert not np.array_equal(other.predict_proba(TEXTS), fitted.predict_proba(TEXTS))


def test_random_state_may_be_a_generator_or_none():
    first, second = (small(random_state=np.random.RandomState(3), epochs=1).fit(TEXTS, LABELS) for _ in range(2))
    assert np.array_equal(first.predict_proba(TEXTS), second.predict_proba(TEXTS))
    assert small(random_state=None, epochs=1).fit(TEXTS, LABELS).model_.config.seed >= 0


def test_it_works_in_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(lambda texts: [text.upper() for text in texts]), small())
    assert pipeline.fit(TEXTS, LABELS).score(TEXTS, LABELS) == 1.0
    assert pipeline.set_params(textclassifier__epochs=1)[-1].epochs == 1


def test_it_can_be_cross_validated():
    assert cross_val_score(small(), TEXTS, LABELS, cv=2).tolist() == [1.0, 1.0]


@pytest.mark.real  # each process imports torch anew
def test_a_grid_is_searched_in_other_processes():
    search = GridSearchCV(small(epochs=2), {"method": ["attention", "base"]}, cv=2, n_jobs=2)
    search.fit(TEXTS, LABELS)
    assert search.best_estimator_.predict(GOOD).tolist() == search.predict(GOOD).tolist()
    assert len(search.cv_results_["params"]) == 2


def test_pickle_keeps_the_model(fitted):
    twin = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(twin.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert np.array_equal(twin.explain(GOOD)[0].scores, fitted.explain(GOOD)[0].scores)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(LABELS),
        np.array(LABELS, dtype=object),
        np.array([len(label) for label in LABELS]),
        np.array([len(label) for label in LABELS], dtype=np.int8),
        np.array([label == "good" for label in LABELS]),
        np.array([float(len(label)) for label in LABELS]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_come_back_as_they_went_in(labels):
    predicted = small().fit(TEXTS, labels).predict(TEXTS)
    assert predicted.dtype == labels.dtype
    assert np.array_equal(predicted, labels)


def test_columns_of_any_library_give_the_same_model(fitted):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    wanted = fitted.predict_proba(TEXTS)
    for column in (tuple, np.array, lambda x: np.array(x, dtype=object), iter, pandas.Series, polars.Series):
        texts, labels = column(TEXTS), column(LABELS)
        assert np.array_equal(small().fit(texts, labels).predict_proba(column(TEXTS)), wanted)
    shuffled = pandas.Series(TEXTS, index=range(len(TEXTS))[::-1])
    assert np.array_equal(fitted.predict_proba(shuffled), wanted)
    categories = pandas.Series(LABELS, dtype="category")
    assert np.array_equal(small().fit(TEXTS, categories).predict_proba(TEXTS), wanted)


def test_pairs_of_any_library_give_the_same_model():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    wanted = small().fit(PAIRS, LABELS).predict_proba(PAIRS)
    columns = {"first": [first for first, _ in PAIRS], "second": [second for _, second in PAIRS]}
    for pairs in (
        np.array(PAIRS),
        [list(pair) for pair in PAIRS],
        pandas.DataFrame(columns),
        polars.DataFrame(columns),
    ):
        assert np.array_equal(small().fit(pairs, LABELS).predict_proba(pairs), wanted)


def test_a_frame_of_one_column_holds_texts(fitted):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": GOOD})
    assert np.array_equal(fitted.predict_proba(frame), fitted.predict_proba(GOOD))


def test_inputs_are_not_changed():
    texts, labels, settings = np.array(TEXTS, dtype=object), np.array(LABELS), {"dropout": 0.1}
    before = texts.copy(), labels.copy()
    small(method_settings=settings).fit(texts, labels).explain(texts)
    assert np.array_equal(texts, before[0])
    assert np.array_equal(labels, before[1])
    assert settings == {"dropout": 0.1}


def test_dev_texts_are_not_learned_from():
    classifier = small().fit(GOOD[:3] + BAD[:3], LABELS[:3] + LABELS[5:8], dev=(["quirky film"], ["good"]))
    assert classifier.model_.metrics["dev_texts"] == 1
    assert "quirky" not in classifier.model_.classifier.tokenizer.token_strings()


def test_verbose_tells_of_the_epochs(capsys):
    small(verbose=True, epochs=2).fit(TEXTS, LABELS)
    assert "epoch 2: dev accuracy" in capsys.readouterr().out
    small(epochs=2).fit(TEXTS, LABELS)
    assert capsys.readouterr().out == ""


def test_no_texts_get_no_answers(fitted):
    assert fitted.predict_proba([]).shape == (0, 2)
    assert fitted.predict([]).tolist() == []
    assert fitted.explain([]) == []


@pytest.mark.parametrize(
    ("texts", "labels", "complaint"),
    [
        ("a text", ["x"], "A single string"),
        (None, ["x"], "a list of texts is expected"),
        (["a", "b"], "xy", "a list of labels is expected"),
        (["a", "b"], None, "a list of labels is expected"),
        ([], [], "There are no texts"),
        (["a", "b"], ["x"], "2 texts and 1 labels"),
        (["a", "b"], ["x", "x"], "There is one class, 'x'"),
        (["a", None], ["x", "y"], "Text 1 is NoneType"),
        (["a", float("nan")], ["x", "y"], "Text 1 is float"),
        (["a", ("b", "c", "d")], ["x", "y"], "Text 1 is tuple"),
        (["a", ("b", "c")], ["x", "y"], "Text 1 is a pair and text 0 is a single text"),
        (["a", " "], ["x", "y"], "Text 1 holds no words"),
        (["a", "\ud800"], ["x", "y"], "Text 1 holds half a character"),
        (["a", "b"], ["x", None], "Label 1 is NoneType"),
        (["a", "b"], [0.0, float("nan")], "Label 1 is float nan"),
        (["a", "b"], [0, 0.5], "Label 1 is 0.5, a continuous value"),
        (["a", "b"], ["x", 1], "strings, such as 'x', and some integers"),
        (["a", "b"], ["x", "y"], "too few rows"),
    ],
)
def test_bad_texts_and_labels_are_refused_by_place(texts, labels, complaint):
    with pytest.raises(DataError, match=complaint):
        small().fit(texts, labels)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"method": "atention"}, "Did you mean 'attention'"),
        ({"encoder": "lstmm"}, "Did you mean 'lstm'"),
        ({"epochs": 0}, "training.epochs is 0"),
        ({"method_settings": {"dropouts": 1}}, "Did you mean 'dropout'"),
        ({"training": {"epoch": 1}}, "Did you mean 'epochs'"),
        ({"device": "gpu"}, "choices of --device"),
    ],
)
def test_bad_settings_are_refused_by_fit(settings, complaint):
    with pytest.raises(OptionError, match=complaint):
        small().set_params(**settings).fit(TEXTS, LABELS)


def test_a_dev_class_that_is_not_in_train_is_refused():
    with pytest.raises(DataError, match="The dev labels have the class 'fair'"):
        small().fit(TEXTS, LABELS, dev=(["so so"], ["fair"]))


@pytest.mark.parametrize("name", ["save", "save_pretrained"])
@pytest.mark.parametrize("read", [load, TextClassifier.load, TextClassifier.from_pretrained])
def test_a_model_folder_gives_the_model_again(fitted, tmp_path, name, read):
    getattr(fitted, name)(tmp_path / "new" / "model")
    twin = read(str(tmp_path / "new" / "model"))
    assert np.array_equal(twin.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert twin.classes_.tolist() == fitted.classes_.tolist()
    assert np.array_equal(clone(twin).fit(TEXTS, LABELS).predict_proba(TEXTS), fitted.predict_proba(TEXTS))


def test_integer_labels_stay_integers_on_disk(tmp_path):
    small().fit(TEXTS, [len(label) for label in LABELS]).save(tmp_path / "model")
    assert load(tmp_path / "model").predict(GOOD).tolist() == [4] * 5


def test_an_older_model_is_replaced_and_nothing_else_is(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    fitted.save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").touch()
    (tmp_path / "file").touch()
    for place in ("photos", "file"):
        with pytest.raises(ModelError, match="is not a whyword model"):
            fitted.save(tmp_path / place)
    assert (tmp_path / "photos" / "cat.png").exists()


def test_a_model_is_saved_where_one_stands(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fitted.save("model/")
    assert Path("model/config.json").exists()


def test_own_scores_are_the_default_and_occlusion_where_there_are_none(fitted):
    assert fitted.explain(GOOD[:1])[0].explainer == "own"
    assert small("base", epochs=1).fit(TEXTS, LABELS).explain(GOOD[:1])[0].explainer == "occlusion"


def test_an_explainer_is_named_or_given(fitted):
    named, given = fitted.explain(GOOD, "occlusion"), fitted.explain(GOOD, Occlusion())
    for one, other in zip(named, given, strict=True):
        assert np.array_equal(one.scores, other.scores)
    assert fitted.explain(GOOD, Random(seed=7))[0].seed == 7


def test_a_target_is_a_label(fitted):
    assert fitted.explain(GOOD, "occlusion", target="bad")[0].label == "bad"
    with pytest.raises(OptionError, match="'own' gives weights, which are the same for every class"):
        fitted.explain(GOOD, target="bad")
    with pytest.raises(OptionError, match="Did you mean 'good'"):
        fitted.explain(GOOD, target="goood")


@pytest.fixture(scope="module")
def foreign():
    return make_pipeline(TfidfVectorizer(token_pattern=r"\S+"), LogisticRegression()).fit(TEXTS, LABELS)


def test_a_model_of_scikit_learn_is_explained_by_leaving_words_out(foreign):
    (explanation,) = explain(foreign.predict_proba, ["a superb film"], explainer="occlusion")
    whole, *left_out = foreign.predict_proba(["a superb film", "superb film", "a film", "a superb"])[:, 1]
    assert explanation.label == "good"
    np.testing.assert_allclose(explanation.scores, [whole - p for p in left_out])
    assert explanation.top(1)[0][0] == "superb"


def test_a_model_of_scikit_learn_may_be_given_itself(foreign):
    one, other = (explain(model, iter(GOOD)) for model in (foreign, foreign.predict_proba))
    assert [e.label for e in one] == ["good"] * 5
    assert all(np.array_equal(a.scores, b.scores) for a, b in zip(one, other, strict=True))


def test_the_classes_of_a_function_are_given_or_numbered(foreign):
    def ask(texts):
        return foreign.predict_proba(texts).tolist()

    assert explain(ask, GOOD)[0].label == 1
    assert explain(ask, GOOD, classes=["no", "yes"])[0].label == "yes"
    assert explain(ask, GOOD, classes=["no", "yes"], target="no")[0].label == "no"
    assert explain(ask, []) == []


def test_a_function_of_pairs_is_given_pairs():
    def ask(pairs):
        assert all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs)
        shares = np.array([("superb" in first) / 2 for first, _ in pairs])
        return np.stack([1 - shares, shares], axis=1)

    (explanation,) = explain(ask, PAIRS[:1], target=1)
    assert explanation.top(1) == [("superb", 0.5)]


def test_a_model_of_ours_is_explained_alike_through_every_door(fitted):
    ways = (fitted.explain(GOOD), explain(fitted, GOOD), explain(fitted.model_.classifier, GOOD))
    for explanations in zip(*ways, strict=True):
        assert all(np.array_equal(explanation.scores, explanations[0].scores) for explanation in explanations)


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (3, "int is no model"),
        (lambda texts: np.zeros((1, 2, 3)), "it must return one row per text"),
        (lambda texts: np.full((len(texts), 2), np.nan), "NaN or infinity"),
    ],
)
def test_what_is_no_model_is_refused(model, complaint):
    with pytest.raises(OptionError, match=complaint):
        explain(model, GOOD)


def test_own_scores_of_a_foreign_model_are_refused(foreign):
    with pytest.raises(OptionError, match="occlusion"):
        explain(foreign, GOOD, explainer="own")


class Doubled(Base):
    """A method that no file and no plug-in offers."""

    @dataclass(frozen=True)
    class Config(Base.Config):
        times: float = 2.0

    def losses(self, batch, progress):
        return {name: self.times * loss for name, loss in super().losses(batch, progress).items()}

    def __init__(self, encoder, classes, config):
        super().__init__(encoder, classes, config)
        self.times = config.times


def test_every_setting_is_a_parameter_written_with_two_underscores():
    classifier = TextClassifier("vmask", "cnn", encoder_settings={"filters": 7}, method__beta=0.5)
    params = classifier.get_params()
    assert (params["method__beta"], params["method__prior"]) == (0.5, 0.5)
    assert (params["encoder__filters"], params["encoder__widths"]) == (7, (3, 4, 5))
    assert (params["training__batch_size"], params["vocabulary__lowercase"]) == (64, True)
    assert not any("__" in name for name in classifier.get_params(deep=False))
    assert classifier.set_params(**params).get_params() == classifier.get_params()


def test_one_setting_is_set_and_the_others_are_left():
    given = {"dropout": 0.1}
    classifier = small(encoder_settings=given).set_params(encoder__dim=12, training__clip=None, vocabulary__max_size=50)
    assert classifier.encoder_settings == {"dropout": 0.1, "dim": 12}
    assert given == {"dropout": 0.1}
    config = classifier._config()
    assert (config.encoder_settings.dim, config.encoder_settings.dropout) == (12, 0.1)
    assert (config.training.clip, config.vocabulary.max_size) == (None, 50)
    assert clone(classifier).get_params() == classifier.get_params()


def test_the_method_is_set_before_its_settings():
    classifier = TextClassifier("base").set_params(method__beta=0.25, method="vmask")
    assert classifier._config().method_settings.beta == 0.25


@pytest.mark.parametrize("name", ["method__betta", "training__epoch", "encoder__", "nothing", "nothing__beta"])
def test_an_unknown_parameter_gets_the_usual_error_of_scikit_learn(name):
    with pytest.raises(ValueError, match=f"Invalid parameter '{name.partition('__')[0]}.*Valid parameters are: "):
        TextClassifier("vmask").set_params(**{name: 1})
    with pytest.raises((ValueError, TypeError), match=name.partition("__")[0]):
        TextClassifier("vmask", **{name: 1})


def test_nested_parameters_are_searched():
    grid = {"training__learning_rate": [1e-6, 0.05], "method__dropout": [0.0], "encoder__dropout": [0.1]}
    search = GridSearchCV(small("base", learning_rate=None), grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_params_["training__learning_rate"] == 0.05
    config = search.best_estimator_.model_.config
    assert (config.method_settings.dropout, config.encoder_settings.dropout) == (0.0, 0.1)


def test_nested_parameters_are_searched_in_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(), small("base"))
    grid = {"textclassifier__encoder__dim": [4, 6], "textclassifier__method": ["base", "attention"]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_[-1].model_.config.encoder_settings.dim in (4, 6)


def test_a_class_is_a_method_and_an_encoder(tmp_path):
    classifier = TextClassifier(Doubled, Bag, method__times=3.0, epochs=8, learning_rate=0.05, contributions=False)
    classifier.fit(TEXTS, LABELS)
    assert classifier.model_.config.encoder == "bag"
    assert classifier.model_.config.method == f"{__name__}:Doubled"
    assert classifier.model_.classifier.method.times == 3.0
    assert clone(classifier).method is Doubled
    classifier.save(tmp_path / "model")
    again = load(tmp_path / "model", device="cpu")
    assert isinstance(again.model_.classifier.method, Doubled)
    np.testing.assert_array_equal(again.predict_proba(GOOD), classifier.predict_proba(GOOD))
    search = GridSearchCV(classifier, {"method__times": [1.0, 2.0]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_estimator_.method is Doubled


def test_a_model_of_a_class_that_is_not_known_is_refused_in_one_sentence(tmp_path):
    small(Doubled, epochs=1).fit(TEXTS, LABELS).save(tmp_path / "model")
    code = f"import whyword; whyword.load({str(tmp_path / 'model')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert f"The class Doubled of the module {__name__} is not in methods: import {__name__} first" in last


@pytest.mark.parametrize("wrong", [Occlusion, 5, Doubled(Bag(Bag.Config(), 5, 0), 2, Doubled.Config())])
def test_what_is_no_method_is_refused_by_fit(wrong):
    with pytest.raises(OptionError, match="give a"):
        TextClassifier(wrong, "bag").fit(TEXTS, LABELS)


def test_an_explainer_is_a_class_or_an_instance_of_any_name(fitted):
    by_class, by_name = (explain(fitted, GOOD[:1], which)[0] for which in (Occlusion, "occlusion"))
    np.testing.assert_array_equal(by_class.scores, by_name.scores)
    assert fitted.explain(GOOD[:1], Random(seed=3, name="lucky"))[0].explainer == "lucky"
    assert (
        fitted.word_importance(GOOD, Occlusion).top(1).words == fitted.word_importance(GOOD, "occlusion").top(1).words
    )


def test_contributions_are_learned_unless_they_are_left_out(tmp_path):
    for carried in (True, {}):
        assert TextClassifier(contributions=carried)._config() == TextClassifier()._config()
    assert TextClassifier()._config().contributions is not None
    assert TextClassifier(contributions=False)._config().contributions is None
    classifier = small("base", contributions=QUICK).fit(TEXTS, LABELS)
    (explanation,) = classifier.explain(GOOD[:1])
    assert (explanation.explainer, explanation.signed) == ("own", True)
    sums = explanation.base_values + explanation.all_scores.sum(1)
    np.testing.assert_allclose(sums, classifier.predict_proba(GOOD[:1])[0], atol=1e-5)
    classifier.save(tmp_path / "model")
    twin = load(tmp_path / "model", device="cpu")
    assert clone(twin)._config() == classifier._config()  # so that it is trained again as it was
    (again,) = twin.explain(GOOD[:1])
    np.testing.assert_array_equal(again.scores, explanation.scores)
    assert pickle.loads(pickle.dumps(classifier)).explain(GOOD[:1])[0].scores.tolist() == explanation.scores.tolist()


def test_settings_of_contributions_are_a_dictionary_or_single_values():
    assert TextClassifier(contributions={"pairs": 4})._config().contributions.pairs == 4
    classifier = TextClassifier(contributions__pairs=4)
    assert classifier._config().contributions.pairs == 4
    assert classifier.get_params()["contributions__pairs"] == 4
    classifier.set_params(contributions__steps=30)
    config = classifier._config().contributions
    assert (config.pairs, config.steps) == (4, 30)
    assert clone(classifier).get_params() == classifier.get_params()
    assert not any(name.startswith("contributions__") for name in TextClassifier(contributions=False).get_params())


@pytest.mark.parametrize("wrong", [{"pears": 4}, {"pairs": 0}, {"pairs": "many"}])
def test_settings_of_contributions_that_cannot_be_are_refused(wrong):
    with pytest.raises(OptionError, match="pairs"):
        small(contributions=wrong).fit(TEXTS, LABELS)


def test_sub_texts_are_trained_on_when_asked_for():
    assert TextClassifier()._config().training.subtexts == 0
    assert TextClassifier("vmask", training={"subtexts": 0.7})._config().training.subtexts == 0.7


def test_the_encoder_may_be_chosen_within_a_budget(monkeypatch):
    monkeypatch.setattr("whyword.models.auto.pretrained_at_hand", lambda: False)
    automatic = small("base", encoder="auto", budget=1e-9)
    assert automatic.fit(TEXTS, LABELS).model_.config.encoder == "tfidf"
    assert automatic.score(TEXTS, LABELS) == 1.0
    with pytest.raises(OptionError, match="encoder_settings are for an encoder that is named"):
        small("base", encoder="auto", encoder_settings={"dim": 3}).fit(TEXTS, LABELS)


def test_several_labels_are_an_indicator_matrix_in_and_out():
    import pandas as pd
    from sklearn.preprocessing import MultiLabelBinarizer

    from whyword.data.planted import planted

    documents = planted("multilabel,train=200,dev=0,test=0").train
    texts, tags = [d.words.texts[0] for d in documents], [d.labels for d in documents]
    binarizer = MultiLabelBinarizer()
    table = binarizer.fit_transform(tags)
    of_matrix = TextClassifier(encoder="tfidf").fit(texts, table)
    assert of_matrix.classes_.tolist() == [0, 1, 2, 3, 4]
    assert of_matrix.predict_proba(texts).shape == table.shape
    assert of_matrix.score(texts, table) > 0.8
    of_lists = TextClassifier(encoder="tfidf").fit(texts, [list(labels) for labels in tags])
    assert of_lists.classes_.tolist() == binarizer.classes_.tolist()
    assert np.array_equal(of_lists.predict(texts), of_matrix.predict(texts))
    frame = pd.DataFrame(table[:, ::-1], columns=list(binarizer.classes_)[::-1])
    of_frame = TextClassifier(encoder="tfidf").fit(texts, frame)
    assert of_frame.classes_.tolist() == list(frame.columns)
    assert np.array_equal(of_frame.predict(texts), of_matrix.predict(texts)[:, ::-1])
    explanation = of_lists.explain(texts[:1])[0]
    np.testing.assert_allclose(
        explanation.base_values + explanation.all_scores.sum(1), explanation.probabilities, atol=1e-5
    )


def test_a_label_that_no_text_has_is_refused():
    with pytest.raises(DataError, match="No text has the label 2"):
        TextClassifier(encoder="tfidf").fit(["a b", "c d", "a c"], np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]]))


def test_marked_words_teach_what_people_would_mark():
    documents = planted("easy,train=60,dev=0,test=0").train
    texts, labels = [d.words.texts[0] for d in documents], [d.label for d in documents]
    marks = [d.rationale[0] if i % 2 else None for i, d in enumerate(documents)]
    settings = {"least_texts": 10, "epochs": 1, "steps": 2, "width": 4, "hidden": 4}
    shape = {"encoder": "bag", "encoder_settings": {"dim": 4}, "epochs": 1, "contributions": False}
    classifier = TextClassifier(rationales=settings, **shape).fit(texts, labels, rationales=marks)
    explanation = classifier.explain(texts[:1], Occlusion)[0]
    assert explanation.would_mark.shape == explanation.scores.shape
    assert classifier.get_params()["rationales__width"] == 4
    without = TextClassifier(rationales=False, **shape).fit(texts, labels, rationales=marks)
    assert without.explain(texts[:1], Occlusion)[0].would_mark is None
    with pytest.raises(DataError, match="60 texts and 1 rationales"):
        classifier.fit(texts, labels, rationales=[None])
