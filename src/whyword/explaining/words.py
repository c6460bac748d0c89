"""Global word importance: words per class, the texts that show the most of them, and whether it follows frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array

from ..data.tokenizers.word_level import SPECIAL, normalize
from ..explainers.own import Own
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import Classifier, OpenClassifier, exclusive, has_contributions
from ..interfaces.document import Batch, Document
from ..interfaces.errors import DataError, OptionError, unknown_name
from ..interfaces.explanation import Explainer, Explanation, WordImportance
from ..maths.stats.correlation import pearson, spearman
from ..maths.stats.intervals import Estimate
from ..maths.stats.ties import ranking
from .cache import ExplanationCache
from .stream import explain_documents

REDUCTIONS = {"sum": "the sum", "mean": "the mean", "root": "the root of the sum of absolute values"}
GATE = "the gate of"  # how the source begins where words are scored without a text


def word_importance(
    classifier: Classifier,
    documents: Iterable[Document] | None = None,
    explainer: Explainer | None = None,
    reduce: str | None = None,
    cache: ExplanationCache | None = None,
) -> WordImportance:
    """Score words for every class by the model's contributions to documents, or for no class by its own weights.

    Without documents these are the words of the training texts, though pretrained vectors may have brought in more, and
    the scores those of a gate. With an explainer: its scores averaged, summed as VMASK sums those of LIME, or, as in
    SP-LIME, the root of the sum of the absolute scores of each text's strongest words.
    """
    if reduce is not None and reduce not in REDUCTIONS:
        raise unknown_name(str(reduce), "ways to reduce the scores of a word", REDUCTIONS)
    if explainer is not None:
        if documents is None:
            raise OptionError(f"The explainer '{explainer.name}' needs texts to explain: give a corpus (DATA).")
        explanations = explain_documents(classifier, documents, explainer, cache=cache)
        return importance_in(explanations, classifier, reduce or "mean")
    contributes = has_contributions(classifier)
    if not isinstance(classifier, FittedClassifier):
        if contributes and documents is not None:
            return importance_in(
                explain_documents(classifier, documents, Own(), cache=cache), classifier, reduce or "mean"
            )
        raise OptionError(
            "A model that cannot be looked into has no word scores of its own: put together those of an explainer, "
            "such as occlusion, over a corpus (--explainer occlusion and DATA)."
        )
    method = method_name(classifier)
    if classifier.method.own_score is None and not contributes:
        raise OptionError(
            f"The method '{method}' has no word scores of its own: train with the method vmask, or sum the scores of "
            "an explainer, such as occlusion, over a corpus (--explainer occlusion and DATA)."
        )
    gates = None if contributes and documents is not None else _gates(classifier)
    if gates is not None:
        if reduce is not None:
            raise OptionError(
                f"'{method}' has one gate per word, so there is nothing to {reduce}: leave --reduce out, or name an "
                "explainer."
            )
        return gates.at_least(1) if documents is None else _only_words_of(gates, documents, classifier)
    if documents is None:
        raise OptionError(
            f"The word scores of this '{method}' model depend on the text a word stands in, so they are put together "
            "over a corpus: give one (DATA)."
        )
    return importance_in(explain_documents(classifier, documents, Own(), cache=cache), classifier, reduce or "mean")


def method_name(classifier: OpenClassifier) -> str:
    """Name the method after the file it lives in."""
    return type(classifier.method).__module__.rpartition(".")[2].replace("_", "-")


@torch.inference_mode()
def _gates(classifier: FittedClassifier) -> WordImportance | None:
    """Ask the gate about every word of the vocabulary; None where a gate needs a text or there are only pieces."""
    method = classifier.method
    if method.encoder.token_kind != "words" or classifier.frequencies is None:
        return None
    method.eval()
    strings = classifier.tokenizer.token_strings()
    words = np.array([number for number, string in enumerate(strings) if string not in SPECIAL])
    tokens = torch.from_numpy(words).unsqueeze(1).to(classifier.device)  # each word a text of its own
    nothing = torch.zeros_like(tokens)
    vectors = method.encoder.embed(Batch(tokens, torch.ones_like(tokens, dtype=torch.bool), nothing, nothing))
    scores = method.vocabulary_scores(vectors[:, 0])
    if scores is None:
        return None
    return WordImportance(
        words=tuple(strings[number] for number in words),
        scores=scores.double().cpu().numpy(),
        frequencies=classifier.frequencies[words],
        source=f"{GATE} {method_name(classifier)}",
    )


def _only_words_of(
    gates: WordImportance, documents: Iterable[Document], classifier: FittedClassifier
) -> WordImportance:
    """Keep the words that a corpus holds, with their frequencies in it; words the model does not know are left out."""
    lowercase = ignores_case(classifier)
    counts = Counter(normalize(word, lowercase) for document in documents for word in document.words.strings)
    there = [i for i, word in enumerate(gates.words) if word in counts]
    if not there:
        raise DataError("The corpus holds no word that the model knows: give texts of the language it was trained on.")
    words = tuple(gates.words[i] for i in there)
    return WordImportance(words, gates.scores[there], np.array([counts[word] for word in words]), gates.source)


def importance_in(
    explanations: Iterable[Explanation], classifier: Classifier, reduce: str = "mean", per_class: bool = True
) -> WordImportance:
    """Put the scores of explanations by the same explainer together: word by word and, if signed, class by class.

    Where an explainer scores one of several classes only, the texts it explained for a class tell of that class. One
    list of words, in which each score is for the class its text was explained for, is what per_class=False gives, as in
    VMASK's paper.
    """
    lowercase = ignores_case(classifier)
    counts: Counter[str] = Counter()
    totals: dict[str, np.ndarray] = {}  # word → (class, 3): scores, their sizes, and how many there were
    explanation, signed = None, False
    for explanation in explanations:
        signed = per_class and explanation.signed
        counts.update(normalize(word, lowercase) for word in explanation.words)
        for number, scores in _per_class(explanation) if signed else [(0, explanation.scores)]:
            one = replace(explanation, scores=scores)
            pairs = text_weights(one, lowercase).items() if reduce == "root" else _occurrences(one, lowercase)
            for word, score in pairs:
                if word not in totals:
                    totals[word] = np.zeros((len(explanation.classes), 3))
                totals[word][number] += score, abs(score), 1
    if explanation is None or not counts:
        raise DataError("The corpus holds no words: give texts with at least one.")
    known = sorted(counts, key=lambda word: (-counts[word], word))
    nothing = np.zeros((len(explanation.classes), 3))
    table = np.stack([totals.get(word, nothing) for word in known], axis=1)  # (class, word, 3)
    sums, sizes, times = np.moveaxis(table, -1, 0)
    reduced = {
        "sum": sums,
        "mean": sums / np.maximum(times, 1),
        "root": np.sqrt(sizes) * (np.sign(sums) if signed else 1.0),
    }[reduce]
    return WordImportance(
        words=tuple(known),
        scores=reduced.max(0) if signed else reduced[0],
        frequencies=np.array([counts[word] for word in known]),
        source=f"{REDUCTIONS[reduce]} of {_whose(explanation, classifier)}",
        classes=explanation.classes if signed else (),
        all_scores=reduced if signed else None,
    )


def _per_class(explanation: Explanation) -> Iterable[tuple[int, np.ndarray]]:
    """Give the scores for each class that is known, with its number: what one of two classes loses, the other wins."""
    if explanation.all_scores is not None:
        return zip(explanation.scored_classes, explanation.all_scores, strict=True)
    scored = [(explanation.target, explanation.scores)]
    two = len(explanation.classes) == 2 and exclusive(explanation.probabilities)
    return [*scored, (1 - explanation.target, -explanation.scores)] if two else scored


def _occurrences(explanation: Explanation, lowercase: bool) -> Iterator[tuple[str, float]]:
    for word, score in zip(explanation.words, explanation.scores.tolist(), strict=True):
        yield normalize(word, lowercase), score


def _whose(explanation: Explanation, classifier: Classifier) -> str:
    """Say what was put together."""
    if explanation.explainer != "own" or not isinstance(classifier, OpenClassifier):
        return f"{explanation.explainer} scores"
    return f"the {'contributions' if explanation.signed else 'own scores'} of {method_name(classifier)}"


def ignores_case(classifier: Classifier) -> bool:
    """Words are distinguished by case only where a word-level vocabulary does."""
    return bool(getattr(getattr(classifier, "tokenizer", None), "lowercase", True))


STRONGEST = 10  # words of a text that count, K in the paper; without a limit, the longest texts would be picked


def pick_texts(explanations: Sequence[Explanation], count: int, lowercase: bool = True) -> list[int]:
    """Choose texts one after the other, each adding most to the importance of the words shown (their Algorithm 2).

    At least 1 − 1/e of what the best choice of that number of texts would show; ties go to the earlier text.
    """
    weights = [text_weights(explanation, lowercase) for explanation in explanations]
    number = {word: column for column, word in enumerate({word: None for row in weights for word in row})}
    columns = np.array([number[word] for row in weights for word in row], dtype=np.int64)
    scores = np.array([score for row in weights for score in row.values()])
    ends = np.cumsum([0, *map(len, weights)])
    shows = csr_array((np.ones(len(columns)), columns, ends), shape=(len(weights), len(number)))
    missing = np.sqrt(np.bincount(columns, abs(scores), len(number)))  # I_j of the words that no picked text shows yet
    picked: list[int] = []
    for _ in range(min(count, len(weights))):
        gains = shows @ missing
        gains[picked] = -np.inf
        picked.append(int(ranking(gains)[0]))
        missing[shows[[picked[-1]]].indices] = 0.0
    return picked


def text_weights(explanation: Explanation, lowercase: bool = True) -> dict[str, float]:
    """Give the strongest words of a text and their scores: a row of their W.

    A repeated word has the score of its strongest occurrence: where LIME removes all of them together, they share one.
    """
    scores: dict[str, float] = {}
    for string, score in zip(explanation.words, explanation.scores.tolist(), strict=True):
        word = normalize(string, lowercase)
        scores[word] = max(scores.get(word, 0.0), score, key=abs)
    words = list(scores)
    strongest = [words[i] for i in ranking(np.abs(list(scores.values())), explanation.resolution)[:STRONGEST]]
    return {word: scores[word] for word in strongest if scores[word]}


WEAK, CLEAR = 0.1, 0.3  # correlations below which nothing, or only a leaning, is claimed


@dataclass(frozen=True)
class FrequencyLink:
    """Estimates of frequency and importance; None if one of them is the same for all words."""

    pearson: Estimate | None  # VMASK's measure; a few very frequent words weigh most
    spearman: Estimate | None  # of ranks: all words weigh the same

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {**asdict(self), "meaning": str(self)}

    def __str__(self) -> str:
        """Say in one sentence what the numbers are and what they mean."""
        if self.pearson is None or self.spearman is None:
            return "Frequency and importance cannot be correlated: one of them is the same for all words."
        strongest = max(self.pearson, self.spearman, key=lambda correlation: abs(correlation.value))
        return (
            f"Frequency against importance: Pearson r = {_shown(self.pearson)}, Spearman rho = "
            f"{_shown(self.spearman)}, so {_meaning(strongest)}."
        )


def frequency_link(importance: WordImportance) -> FrequencyLink:
    """Correlate frequency and importance over all words."""
    return FrequencyLink(*(measure(importance.frequencies, importance.scores) for measure in (pearson, spearman)))


def _shown(correlation: Estimate) -> str:
    return f"{correlation.value:.3f} [{correlation.low:.3f}, {correlation.high:.3f}]"


def _meaning(strongest: Estimate) -> str:
    if strongest.low <= 0.0 <= strongest.high:
        return "there is no sign that importance follows frequency"
    if abs(strongest.value) < WEAK:
        return "importance does not simply follow frequency"
    leans = "a little" if abs(strongest.value) < CLEAR else "clearly"
    return f"importance leans {leans} towards {'frequent' if strongest.value > 0 else 'rare'} words"
