"""diff(): two models explain the same texts; which predictions and which reasons changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ..catalog import make_explainer
from ..data.forbidden import Forbidden
from ..data.words import split
from ..evaluation.top_words import top_words
from ..explaining.any_model import OpenedModel, access_for, known_label, open_model
from ..explaining.cache import ExplanationCache
from ..explaining.inputs import draw, labelled_documents, with_rationales
from ..explaining.stream import explain_documents
from ..explaining.targets import class_number
from ..explaining.words import ignores_case, importance_in
from ..interfaces.classifier import Classifier, OpenClassifier, exclusive, has_contributions, is_multi_label
from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError, ModelError, OptionError
from ..interfaces.explanation import Explainer, Explanation, WordImportance
from ..maths.stats.comparisons import paired_difference
from ..maths.stats.correlation import kendall_tau_b, overlap
from ..maths.stats.ties import PROBABILITY, SAME, settled, tied_ranks, tolerance
from .deciding import decisions
from .difference import AccuracyChange, ModelDifference, TextDifference, WordChange, share
from .people import agreement_with_people

DIGITS = 6  # of a score that are shown, the largest of its text being 1: the others are rounding
TOP = 5
LEAST_SHARED = 0.5

SAMPLE = 500

Follow = Callable[[Iterator[Explanation], str], Iterable[Explanation]]  # passes explanations on, such as to a bar


def diff(
    old: object,
    new: object,
    texts: object,
    labels: object = None,
    explainer: str | Explainer | None = None,
    *,
    rationales: object = None,
    sample: int | None = SAMPLE,
    top: int = TOP,
    least_shared: float = LEAST_SHARED,
    seed: int = 0,
    names: tuple[str, str] = ("old", "new"),
    data_name: str = "these texts",
) -> ModelDifference:
    """Say which predictions and which reasons changed between two models; print the result, or write it as a page.

    The models are any two of the same classes that explain takes; a network of Hugging Face is given as the pair
    (model, tokenizer). The texts are
    strings or documents, of which a sample is drawn; None takes all. Labels are needed for accuracy alone, rationales
    (per text a list of (start, end) character spans) to see whether reasons moved towards the words that people marked.
    What the other arguments mean, diff_models says.
    """
    documents = with_rationales(labelled_documents(texts, labels), rationales)
    return diff_models(
        old,
        new,
        documents if sample is None else draw(documents, sample, seed),
        explainer,
        top=top,
        least_shared=least_shared,
        names=names,
        data=data_name,
        seed=seed,
    )


def diff_models(
    old: object,
    new: object,
    documents: Sequence[Document],
    explainer: str | Explainer | None = None,
    *,
    top: int = TOP,
    least_shared: float = LEAST_SHARED,
    names: tuple[str, str] = ("old", "new"),
    data: str = "these texts",
    seed: int = 0,
    caches: tuple[ExplanationCache | None, ExplanationCache | None] = (None, None),
    follow: Follow = lambda explanations, _: explanations,
) -> ModelDifference:
    """Explain each text with both models, for the class that the old one predicts, and compare.

    A reason has changed where the models put less than least_shared of the score of their top words on the same words.
    With equal scores that is the share of top words in common; a weak word among them counts little. Both models are
    explained by the same explainer: if none is named, by their own scores where these are of one kind, else by
    occlusion. The scores of a text are divided by the sum of their absolute values, so that two scales compare.
    """
    if not documents:
        raise DataError("There are no texts to compare the models on: give at least one.")
    if top < 1 or not 0 <= least_shared <= 1:
        raise OptionError(f"top is {top} and least_shared {least_shared}: give 1 word or more, and a share.")
    opened = [open_model(model, access_for([documents[0].words])) for model in (old, new)]
    before, after = (model.classifier for model in opened)
    check_classes(before, after, names)
    if not isinstance(explainer, Explainer):
        explainer = make_explainer(explainer or shared_explainer(before, after), after, seed)
    explainer = explainer.scoring("all")  # the same classes of both
    _check_signs(explainer, (before, after), names)
    first = list(follow(explain_documents(before, documents, explainer, cache=caches[0]), names[0]))
    targets = [explanation.label if explanation.signed else None for explanation in first]  # weights are for none
    second = _explain_for(after, documents, targets, explainer, caches[1], lambda stream: follow(stream, names[1]))
    second = [_as(one, other) for one, other in zip(first, second, strict=True)]
    old_answers, new_answers = (list(map(_for_own_answer, explained)) for explained in (first, second))
    people, areas = agreement_with_people(before, old_answers, new_answers, top, seed)
    texts = tuple(
        _compare(one, other, top, least_shared, *area)
        for one, other, area in zip(first, second, areas.tolist(), strict=True)
    )
    case = after if ignores_case(before) else before  # words differ by case if they do for one of the models
    return ModelDifference(
        old=names[0],
        new=names[1],
        data=data,
        explainer=explainer.name,
        signed=first[0].signed,
        classes=before.classes,
        top=top,
        least_shared=least_shared,
        texts=texts,
        words=_words(first, second, case),
        accuracy=_accuracy(texts, before.classes),
        people=people,
        decisions=decisions(old_answers, new_answers, top, case, _must_not_decide(opened[1])),
    )


def _must_not_decide(model: OpenedModel) -> Forbidden | None:
    """Give the words that a model was forbidden in training, read or not; None where nobody knows of any."""
    entries = () if model.trained is None else model.trained.config.must_not_decide
    return Forbidden(entries) if entries else None


def shared_explainer(old: Classifier, new: Classifier) -> str:
    """Name the explainer that suits both: their own scores if they are of one kind, else occlusion."""
    kinds = {_own_kind(old), _own_kind(new)}
    return "own" if len(kinds) == 1 and None not in kinds else "occlusion"


def _own_kind(model: Classifier) -> str | None:
    """Say what a model's own scores are: contributions, which have a sign, or the weights of a mechanism."""
    if has_contributions(model):
        return "contributions"
    return model.method.own_score if isinstance(model, OpenClassifier) else None


def check_classes(old: Classifier, new: Classifier, names: tuple[str, str]) -> None:
    """Refuse models that tell different classes apart, or of which one alone gives a text several labels."""
    if is_multi_label(old) != is_multi_label(new):
        several, single = names if is_multi_label(old) else names[::-1]
        raise ModelError(
            f"{several} gives a text any number of labels, {single} gives it one: give two models that both give "
            "several labels, or both one."
        )
    one, other = ({str(label) for label in model.classes} for model in (old, new))
    for whose, lacks, extra in ((names[0], names[1], one - other), (names[1], names[0], other - one)):
        if extra:
            shown = ", ".join(sorted(extra)[:5]) + (", …" if len(extra) > 5 else "")
            raise ModelError(
                f"{whose} knows the {'class' if len(extra) == 1 else 'classes'} {shown}, which {lacks} does not know: "
                "give two models of the same classes."
            )


def _check_signs(explainer: Explainer, models: Sequence[Classifier], names: Sequence[str]) -> None:
    """Refuse to compare weights, which have no direction, with scores for classes: a text without words tells."""
    empty = [Document(split(""))]
    known = zip(models, names, strict=True) if explainer.needs_open else ()  # others score classes, whatever the model
    names_of = {explainer.explain(model, empty)[0].signed: name for model, name in known}
    if len(names_of) > 1:
        raise OptionError(
            f"By '{explainer.name}' words of {names_of[True]} speak for classes, while those of {names_of[False]} have "
            "weights, which do not: choose an explainer that treats both alike, such as occlusion."
        )


def _explain_for(
    classifier: Classifier,
    documents: Sequence[Document],
    targets: Sequence[Label | None],
    explainer: Explainer,
    cache: ExplanationCache | None,
    follow: Callable[[Iterator[Explanation]], Iterable[Explanation]],
) -> list[Explanation]:
    """Explain each document for a class of its own, those of the same class together."""
    groups: dict[Label | None, list[int]] = {}
    for number, label in enumerate(targets):
        groups.setdefault(label, []).append(number)
    explanations = chain.from_iterable(
        explain_documents(classifier, [documents[i] for i in numbers], explainer, label, cache)
        for label, numbers in groups.items()
    )
    explained = dict(zip(chain.from_iterable(groups.values()), follow(explanations), strict=True))
    return [explained[number] for number in range(len(documents))]


def _as(old: Explanation, new: Explanation) -> Explanation:
    """Give the new explanation with classes in the order of the old one, and without differences that are rounding."""
    order = [class_number(new.classes, label) for label in old.classes]
    every = None if new.all_scores is None else new.all_scores[order]
    if every is not None and old.all_scores is not None:
        every = settled(every, old.all_scores, old.resolution)
    return replace(
        new,
        classes=old.classes,
        target=old.target,
        probabilities=settled(new.probabilities[order], old.probabilities, PROBABILITY),
        scores=settled(new.scores, old.scores, old.resolution),  # a model and itself differ in nothing
        all_scores=every,
    )


def _for_own_answer(explanation: Explanation) -> Explanation:
    """Explain the class that the model itself predicts, where that can be said, and compare with what is marked for it.

    Unsigned scores are for no class, and some explainers score one class only.
    """
    predicted = explanation.classes[int(explanation.probabilities.argmax())]
    if explanation.all_scores is not None:
        explanation = explanation.for_class(predicted)
    return replace(explanation, document=explanation.document.for_label(predicted))


def _compare(
    old: Explanation, new: Explanation, top: int, least_shared: float, old_area: float, new_area: float
) -> TextDifference:
    """Compare two explanations of a text."""
    old_scores, new_scores = _shares(old.scores), _shares(new.scores)
    long_enough = len(old_scores) > top  # else all words are top words
    highest = [top_words(explanation, [top])[0] for explanation in (old, new)]
    old_top, new_top = (
        marked & (explanation.scores > tolerance(explanation.scores, explanation.resolution))
        for marked, explanation in zip(highest, (old, new), strict=True)
    )
    shared = _shared(old_scores * old_top, new_scores * new_top)
    predicted = new.predicted
    return TextDifference(
        document=old.document,
        old_label=old.label,
        new_label=old.classes[predicted],
        old_probability=old.probability,
        new_probability=float(new.probabilities[predicted]),
        distance=_distance(old.probabilities, new.probabilities),
        old_scores=old_scores,
        new_scores=new_scores,
        old_classes=_labels(old),
        new_classes=_labels(new),
        old_top=old_top,
        new_top=new_top,
        shared=shared if long_enough else float("nan"),
        overlap=overlap(*highest) if long_enough else float("nan"),
        tau=kendall_tau_b(old.scores, new.scores, (old.resolution, new.resolution)),
        reason_changed=least_shared - shared > SAME if long_enough else None,
        old_agreement=old_area,
        new_agreement=new_area,
    )


def _distance(old: np.ndarray, new: np.ndarray) -> float:
    """Give the total variation between two answers or, where labels do not exclude each other, the largest change."""
    moved = abs(old - new)
    return float(moved.sum()) / 2 if exclusive(np.stack([old, new])) else float(moved.max())


def _labels(explanation: Explanation) -> tuple[Label | None, ...]:
    """Name the class that each word speaks for; None for weights, and where nobody knows."""
    return tuple(None if number is None else explanation.classes[number] for number in explanation.speaks_for)


def _in_shares(explanation: Explanation) -> Explanation:
    """Divide the scores for all classes by what those for the target are divided by."""
    size = float(abs(explanation.scores).sum())
    every = None if explanation.all_scores is None else explanation.all_scores / (size or 1.0)
    return replace(explanation, scores=_shares(explanation.scores), all_scores=every)


def _shares(scores: np.ndarray) -> np.ndarray:
    """Divide scores by the sum of their absolute values."""
    if not abs(scores).any():
        return scores
    rounded = np.round(scores / abs(scores).max(), DIGITS)
    shares: np.ndarray = rounded / abs(rounded).sum()
    return shares


def _shared(old: np.ndarray, new: np.ndarray) -> float:
    """Say how much of two models' scores above 0 lies on the same words; all of it where neither has any."""
    if not old.any() or not new.any():
        return float(old.any() == new.any())
    return 1 - float(abs(old / old.sum() - new / new.sum()).sum()) / 2


def _words(first: Sequence[Explanation], second: Sequence[Explanation], case: Classifier) -> tuple[WordChange, ...]:
    """Compare the mean scores of each word, for the class it moved most for of those it speaks for in either model.

    The word that moved most comes first.
    """
    if not any(len(explanation.scores) for explanation in first):
        return ()
    old, new = (importance_in(map(_in_shares, explained), case) for explained in (first, second))
    olds, news = (words.scores[None] if words.all_scores is None else words.all_scores for words in (old, new))
    higher = np.maximum(olds, news)
    sizes = np.where(higher > 0, abs(news - olds), -1.0)
    furthest = sizes >= sizes.max(0) - SAME  # among two classes what one loses the other wins
    chosen = np.where(furthest, higher, -np.inf).argmax(0)
    speak = [_speaks_for(words) for words in (old, new)]
    changes = [
        WordChange(
            word=word,
            count=int(old.frequencies[i]),
            old=float(olds[chosen[i], i]),
            new=float(news[chosen[i], i]),
            label=old.classes[chosen[i]] if old.classes else None,
            old_class=speak[0][i],
            new_class=speak[1][i],
        )
        for i, word in enumerate(old.words)
    ]
    order = np.lexsort((np.arange(len(changes)), tied_ranks(np.array([abs(change.change) for change in changes]))))
    return tuple(changes[i] for i in order)


def _speaks_for(words: WordImportance) -> list[Label | None]:
    """Name the class each word speaks for, None if it is less than half as strong as an occurrence is on average."""
    average = float(np.average(abs(words.scores), weights=words.frequencies))
    strong = words.scores >= average / 2
    return [label if clear else None for label, clear in zip(words.labels, strong, strict=True)]


def _accuracy(texts: Sequence[TextDifference], classes: Sequence[Label]) -> AccuracyChange | None:
    labelled = [(text, text.document.label) for text in texts if text.document.label is not None]
    if not labelled:
        return None
    gold = [(text, known_label(classes, label)) for text, label in labelled]
    old, new = [text.old_label == label for text, label in gold], [text.new_label == label for text, label in gold]
    change = paired_difference(np.array(new, dtype=np.float64), np.array(old, dtype=np.float64))
    return AccuracyChange(
        share(old),
        share(new),
        change,
        len(labelled),
        became_right=sum(now and not once for once, now in zip(old, new, strict=True)),
        became_wrong=sum(once and not now for once, now in zip(old, new, strict=True)),
    )
