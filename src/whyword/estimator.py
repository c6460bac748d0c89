"""TextClassifier: the scikit-learn face of training, prediction and explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Signature, signature
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .catalog import make_explainer, make_logger
from .data.dataset import Dataset, labels
from .data.forbidden import as_entries
from .data.labels import are_multi_label
from .data.splits import Documents, cut_dev
from .explaining.any_model import access_for, open_model, with_tokenizer
from .explaining.cache import ExplanationCache
from .explaining.inputs import read_documents, read_label_sets, read_labels, read_rationales, read_texts
from .explaining.proof import prove
from .explaining.stream import explain_documents
from .explaining.targets import Target, read_target
from .explaining.words import word_importance
from .inference.fitted import choose_device
from .interfaces.classifier import Classifier, class_values, predicted_labels
from .interfaces.document import Document, Label
from .interfaces.errors import DataError, OptionError
from .interfaces.explanation import Explainer, WordImportance
from .interfaces.explanations import Explanations
from .interfaces.logger import Logger
from .interfaces.method import Encoder, Method
from .maths.stats.thresholds import decide
from .models.auto import BUDGET, train_automatically
from .models.config import AUTO, RunConfig, make_config, with_defaults
from .models.fingerprint import model_fingerprint
from .models.folder import TrainedModel, load_model, put_model
from .models.forbidden_words import with_forbidden_notes
from .models.train import train_model
from .storage.signature import check_signature
from .training.loop import Step

SECTIONS = {  # of settings, and the parameter that holds them
    "method": "method_settings",
    "encoder": "encoder_settings",
    "vocabulary": "vocabulary",
    "training": "training",
    "contributions": "contributions",
    "rationales": "rationales",
}


def plain_signature(function: Callable[..., Any]) -> Signature:
    """Give the signature of a method without its keyword arguments of any name."""
    return Signature([p for p in list(signature(function).parameters.values())[1:] if p.kind != p.VAR_KEYWORD])


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A text classifier that can say which words decided.

    Texts are strings, or pairs of strings; labels are strings or integers, and come back as they went in. Method and
    encoder are names of the catalog, or classes. Their settings, and those of the vocabulary, the training and the
    contributions, are dictionaries, or single values written with two underscores: method__beta, encoder__dropout,
    vocabulary__min_frequency, training__batch_size, contributions__pairs; see `whyword list methods vmask`.
    Contributions say what each word adds to each class; False leaves them out. Rationales, learned where fit is given
    marked words, say which words people would mark as the reason; False leaves them out. The encoder "auto" is chosen
    on dev among those that a budget of minutes allows. Loggers, or their names, hear of each run.

    class_weight is "balanced", or a dictionary of how much each class counts in training. With the threshold "auto",
    classes are decided by thresholds tuned on dev; a number is the probability from which on the last of two classes is
    predicted. The words of forbid are not read, those of forbid_soft are taught to move no answer: lists of words,
    phrases and /regular expressions/, or files of them (docs/forbid.md). With a baseline, model_.metrics["figures"]
    hold the model beside TF-IDF.

    With the task "ordinal", classes have an order: that of their numbers, of well-known grades such as bad, fair, good,
    or the order given, lowest first. The median class is predicted, and target="score" explains the expected score.

    It keeps the conventions of scikit-learn (clone, get_params, Pipeline, GridSearchCV, pickle). As the checks of
    scikit-learn feed tables of numbers, they are run on a subclass that writes each row as a text.
    """

    def __init__(
        self,
        method: str | type[Method] = "base",
        encoder: str | type[Encoder] = "lstm",
        *,
        embeddings: str | Path | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        method_settings: Mapping[str, Any] | None = None,
        encoder_settings: Mapping[str, Any] | None = None,
        vocabulary: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        contributions: bool | Mapping[str, Any] = True,
        rationales: bool | Mapping[str, Any] = True,
        class_weight: str | Mapping[Any, float] | None = None,
        threshold: float | str | None = None,
        forbid: Sequence[str] | str | Path | None = None,
        forbid_soft: Sequence[str] | str | Path | None = None,
        baseline: bool = False,
        budget: float = BUDGET,
        task: str | None = None,
        order: Sequence[Label] | None = None,
        log: str | Logger | Sequence[str | Logger] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        device: str = "auto",
        verbose: bool = False,
        **settings: Any,
    ) -> None:
        self.method = method
        self.encoder = encoder
        self.embeddings = embeddings
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.method_settings = method_settings
        self.encoder_settings = encoder_settings
        self.vocabulary = vocabulary
        self.training = training
        self.contributions = contributions
        self.rationales = rationales
        self.class_weight = class_weight
        self.threshold = threshold
        self.forbid = forbid
        self.forbid_soft = forbid_soft
        self.baseline = baseline
        self.budget = budget
        self.task = task
        self.order = order
        self.log = log
        self.random_state = random_state
        self.device = device
        self.verbose = verbose
        for name in settings:
            if "__" not in name:
                raise TypeError(f"TextClassifier has no argument '{name}'.")
        if settings:
            self.set_params(**settings)

    __signature__ = plain_signature(__init__)  # scikit-learn's checks try every argument there is

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters and, if deep, every setting as section__name."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for section in SECTIONS:
                settings = {**self._defaults(section), **self._settings(section)}
                params |= {f"{section}__{name}": value for name, value in settings.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; section__name sets one setting of a section and leaves the others as they are."""
        nested = {name for name in params if name.partition("__")[0] in SECTIONS and "__" in name}
        super().set_params(**{name: value for name, value in params.items() if name not in nested})
        known = self.get_params()
        for key in nested:
            if key not in known:
                raise ValueError(
                    f"Invalid parameter {key!r} for estimator {self}. Valid parameters are: {sorted(known)!r}."
                )
            section, _, name = key.partition("__")
            setattr(self, SECTIONS[section], {**self._settings(section), name: params[key]})
        return self

    def _settings(self, section: str) -> Mapping[str, Any]:
        settings = getattr(self, SECTIONS[section])
        return settings if isinstance(settings, Mapping) else {}

    def _defaults(self, section: str) -> dict[str, Any]:
        """Give the settings of a section with their defaults; none where there is no such method or encoder."""
        values = {section: self.encoder} if section == "encoder" else {"method": self.method}
        try:
            heads = {
                name: not any(getattr(self, name) is none for none in (False, None))
                for name in ("contributions", "rationales")
            }
            config = make_config(with_defaults({**values, **heads}))
        except OptionError:
            return {}
        settings = config.to_dict().get(section) or {}
        return {name: value for name, value in settings.items() if name != "name"}

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        dev: tuple[Any, Any] | None = None,
        sample_weight: Any = None,
        rationales: Any = None,
    ) -> Self:
        """Train; the best epoch is chosen on dev, a pair (texts, labels), or on a tenth held out of the texts.

        Where a text may have several labels, y is an indicator matrix, as MultiLabelBinarizer makes it, a frame of 0
        and 1 with a column per label, or a list of each text's labels.
        Each text counts in training as much as its sample_weight says; choosing on dev counts every text alike.
        From rationales, for each text the list of (start, end) character spans that a person marked as the reason, or
        None where nobody was asked, it is learned which words people would mark.
        """
        train: Documents = _marked(_weighted(tuple(read_documents(X, y)), sample_weight), rationales)
        classes = labels(train)
        several = are_multi_label(train)
        columns = read_label_sets(y)[1] if several else classes
        if several and len(classes) < len(columns):
            missing = next(label for label in columns if label not in classes)
            raise DataError(f"No text has the label {missing!r}: leave its column out, or add texts that have it.")
        if several and not classes:
            raise DataError(f"None of the {len(train)} texts has a label: a classifier needs at least two labels.")
        if len(classes) < 2:
            raise DataError(
                f"There is one class, {classes[0]!r}, in {len(train)} labels: a classifier needs at least two."
            )
        if dev is None:
            train, held_out, note = cut_dev(train, "the texts given to fit")
            dataset = Dataset("texts", train, held_out, (), (note,))
        else:
            dataset = Dataset("texts", train, _read_dev(dev, classes), ())
        self.model_ = self._train(dataset)
        known = self.model_.classifier.classes
        self.classes_ = np.array(columns) if several else _as_array(known, y)
        return self

    def _train(self, dataset: Dataset) -> TrainedModel:
        names = () if self.log is None else (self.log,) if isinstance(self.log, str | Logger) else self.log
        loggers = [make_logger(name) for name in names]
        device, values, baseline = choose_device(self.device), self._values(), self.baseline or None
        dataset = with_forbidden_notes(dataset, values)
        shared: dict[str, Any] = {"on_event": self._on_event, "baseline": baseline, "loggers": loggers}
        if self.encoder != AUTO:
            return train_model(make_config(values), dataset, device, **shared)
        if self.encoder_settings:
            raise OptionError("encoder_settings are for an encoder that is named, not for auto: leave them out.")
        del values["encoder"]
        return train_automatically(values, dataset, device, budget=self.budget, **shared)

    def _values(self) -> dict[str, Any]:
        training = dict(self.training or {})
        if self.epochs is not None:
            training["epochs"] = self.epochs
        if self.learning_rate is not None:
            training["learning_rate"] = self.learning_rate
        for name in ("class_weight", "threshold"):
            if getattr(self, name) is not None:
                training[name] = getattr(self, name)
        values = {
            "method": {"name": self.method, **(self.method_settings or {})},
            "encoder": {"name": self.encoder, **(self.encoder_settings or {})},
            "vocabulary": dict(self.vocabulary or {}),
            "training": training,
            "contributions": self.contributions,
            "rationales": self.rationales,
            "embeddings": None if self.embeddings is None else str(self.embeddings),
            "forbid": as_entries(self.forbid),
            "forbid_soft": as_entries(self.forbid_soft),
            "seed": _seed(self.random_state),
            "task": self.task,
            "order": None if self.order is None else read_labels(self.order),
        }
        return with_defaults(values)

    def _config(self) -> RunConfig:
        return make_config(self._values())

    def _on_event(self, event: Step | str) -> None:
        if not self.verbose:
            return
        if isinstance(event, str):
            print(event)
        elif event.record is not None:
            print(f"{event.phase} epoch {event.record['epoch']}: dev accuracy {event.record['dev_accuracy']:.3f}")

    @property
    def _model(self) -> TrainedModel:
        check_is_fitted(self, "model_")
        model: TrainedModel = self.model_
        return model

    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        """Give (text, class) probabilities, classes in the order of classes_; of several labels, one each."""
        classifier = self._model.classifier
        probabilities: np.ndarray = classifier.probabilities(read_texts(X)).double().numpy()
        return probabilities[:, self._columns] if classifier.multi_label else probabilities

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """Give the class of each text: the most probable one, unless thresholds were tuned; of ordered ones the median.

        Where a text may have several labels, an indicator matrix whose columns are classes_: 1 from the threshold on
        that was tuned on dev.
        """
        classifier = self._model.classifier
        if classifier.multi_label:
            chosen = predicted_labels(classifier, classifier.probabilities(read_texts(X)))
            return chosen[:, self._columns].astype(np.int64)
        probabilities = self.predict_proba(X)
        predicted: np.ndarray = self.classes_[decide(probabilities, classifier.offsets, classifier.values is not None)]
        return predicted

    @property
    def _columns(self) -> list[int]:
        """Where the labels of classes_, which are in the order of the table that fit was given, stand in the model."""
        known = self._model.classifier.classes
        return [known.index(label) for label in self.classes_.tolist()]

    def explain(
        self,
        texts: Any,
        explainer: str | type[Explainer] | Explainer | None = None,
        target: Label | None = None,
        cache: str | Path | None = None,
        against: Label | None = None,
        *,
        check: bool = False,
        tolerance: float | None = None,
        interactions: bool = False,
    ) -> Explanations:
        """Score every word of each text for the predicted class, or for the class named as target.

        The model's own scores by default, occlusion if it has none; or an explainer, its class or its name.
        With against, the scores of that class are taken off the target's; with the target "all", every explanation has
        all_scores, also of an explainer that scores one class at a time.
        What the folder named as cache holds is not computed again.
        With check, a few sub-texts say how far sums of the scores are off; with a tolerance, such as 0.02, scores that
        are further off are sampled on; with interactions, words that act together are looked for.
        """
        classifier = self._model.classifier
        asked = read_target(classifier.classes, target, against, class_values(classifier))
        chosen = prove(make_explainer(explainer, classifier), check, tolerance, interactions, against, asked.score)
        return _explain(classifier, texts, chosen, asked, self._cache(cache))

    def _cache(self, folder: str | Path | None) -> ExplanationCache | None:
        return None if folder is None else ExplanationCache(Path(folder), model_fingerprint(self._model))

    def word_importance(
        self,
        texts: Any = None,
        explainer: str | type[Explainer] | Explainer | None = None,
        reduce: str | None = None,
        cache: str | Path | None = None,
    ) -> WordImportance:
        """Score words for every class by the model's contributions to the texts, or for no class by its own weights.

        Without texts, those of its training texts by its gate. Scores, also those of an explainer, are averaged over
        the texts, summed with reduce="sum", or put together as SP-LIME does with reduce="root".
        """
        classifier = self._model.classifier
        chosen = None if explainer is None else make_explainer(explainer, classifier)
        documents = None if texts is None else [Document(words) for words in read_texts(texts)]
        return word_importance(classifier, documents, chosen, reduce, self._cache(cache))

    def save(self, folder: str | Path) -> None:
        """Write the model folder; a model that is there already is replaced, any other folder or file is not."""
        put_model(self._model, Path(folder).resolve())

    save_pretrained = save

    @classmethod
    def load(cls, folder: str | Path, device: str = "auto", public_key: str | Path | None = None) -> Self:
        """Read a model folder; with a public key, a PEM file, only one that was signed with its private half."""
        if public_key is not None:
            check_signature(folder, public_key)
        model = load_model(Path(folder), choose_device(device))
        config = model.config.to_dict()
        sections = {name: {k: v for k, v in config[name].items() if k != "name"} for name in ("method", "encoder")}
        classifier = cls(
            model.config.method,
            model.config.encoder,
            embeddings=model.config.embeddings,
            method_settings=sections["method"],
            encoder_settings=sections["encoder"],
            vocabulary=config["vocabulary"],
            training=config["training"],
            contributions=config["contributions"] or False,
            forbid=config["forbid"] or None,
            forbid_soft=config["forbid_soft"] or None,
            random_state=model.config.seed,
            device=device,
        )
        classifier.model_ = model
        classifier.classes_ = np.array(model.classifier.classes)
        return classifier

    from_pretrained = load

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn whether fit or load was called."""
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that the input is a list of texts, not a table of numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags


def load(folder: str | Path, device: str = "auto", public_key: str | Path | None = None) -> TextClassifier:
    """Read a model folder; with a public key, a PEM file, only one that was signed with its private half."""
    return TextClassifier.load(folder, device, public_key)


def explain(
    model: Any,
    texts: Any,
    explainer: str | type[Explainer] | Explainer | None = None,
    target: Label | None = None,
    classes: Sequence[Label] | None = None,
    cache: str | Path | None = None,
    fingerprint: str | None = None,
    against: Label | None = None,
    *,
    tokenizer: Any = None,
    check: bool = False,
    tolerance: float | None = None,
    interactions: bool = False,
) -> Explanations:
    """Explain any model: ours, one that an adapter opens, or a function from a list of strings to probabilities.

    A model is given as on the command line (a folder, hf:NAME, a file, a URL) or as an object: a pipeline of Hugging
    Face, its network with the tokenizer, a model of scikit-learn, SetFit, spaCy or fastText. A function gives (text,
    class) probabilities. Target, against, check, tolerance and interactions are those of TextClassifier.explain. The
    classes are numbered if neither they nor the model name them. With a cache, what that folder holds is not computed
    again; a model that whyword cannot see change needs a fingerprint then, a name that changes whenever the model does.
    """
    if isinstance(model, TextClassifier):
        return model.explain(
            texts, explainer, target, cache, against, check=check, tolerance=tolerance, interactions=interactions
        )
    words = read_texts(texts)
    if not words:
        return Explanations()
    opened = open_model(with_tokenizer(model, tokenizer), access_for(words, classes), fingerprint)
    classifier = opened.classifier
    known = None if cache is None else ExplanationCache(Path(cache), opened.named("A cache"))
    asked = read_target(classifier.classes, target, against, class_values(classifier))
    chosen = prove(make_explainer(explainer, classifier), check, tolerance, interactions, against, asked.score)
    return _explain(classifier, words, chosen, asked, known)


def _explain(
    classifier: Classifier,
    texts: Any,
    explainer: Explainer,
    asked: Target,
    cache: ExplanationCache | None,
) -> Explanations:
    documents = [Document(words) for words in read_texts(texts)]
    explanations = Explanations(explain_documents(classifier, documents, explainer, asked, cache))
    for explanation in explanations:
        asked.check(explanation)
    return explanations


def _weighted(documents: tuple[Document, ...], weights: Any) -> tuple[Document, ...]:
    """Give each document its weight."""
    if weights is None:
        return documents
    values = _check_sample_weight(weights, np.empty((len(documents), 0)), ensure_non_negative=True).tolist()
    return tuple(replace(document, weight=weight) for document, weight in zip(documents, values, strict=True))


def _marked(documents: tuple[Document, ...], rationales: Any) -> tuple[Document, ...]:
    """Give each document what a person marked in it."""
    if rationales is None:
        return documents
    marked = read_rationales(rationales, [document.words for document in documents])
    return tuple(replace(document, rationale=spans) for document, spans in zip(documents, marked, strict=True))


def _read_dev(dev: tuple[Any, Any], classes: Sequence[Label]) -> tuple[Document, ...]:
    documents = tuple(read_documents(*dev))
    unknown = sorted({str(label) for document in documents for label in document.all_labels if label not in classes})
    if unknown:
        raise DataError(f"The dev labels have the class '{unknown[0]}', which the training labels do not have.")
    return documents


def _as_array(classes: Sequence[Label], y: Any) -> np.ndarray:
    """Give classes the dtype that the labels had as an array."""
    dtype = getattr(y, "dtype", None)
    return np.array(classes, dtype=dtype if isinstance(dtype, np.dtype) else None)


def _seed(random_state: int | np.random.RandomState | None) -> int:
    if isinstance(random_state, int):
        return random_state
    return int(check_random_state(random_state).randint(2**31))
