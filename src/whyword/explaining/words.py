"""Global word importance: one score per word, the texts that show the most of it, and whether it follows frequency."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array

from ..data.tokenizers.word_level import SPECIAL, normalize
from ..explainers.own import Own
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import Classifier, OpenClassifier
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
    classifier: FittedClassifier,
    documents: Iterable[Document] | None = None,
    explainer: Explainer | None = None,
    reduce: str | None = None,
    cache: ExplanationCache | None = None,
) -> WordImportance:
    """Score words by the model's gate, else by its own scores averaged over documents.

    Without documents these are the words of the training texts, though pretrained vectors may have brought in more.
    With an explainer: its scores for the predicted classes, summed as VMASK sums those of LIME, averaged, or, as in
    SP-LIME, the root of the sum of the absolute scores of each text's strongest words.
    """
    if reduce is not None and reduce not in REDUCTIONS:
        raise unknown_name(str(reduce), "ways to reduce the scores of a word", REDUCTIONS)
    if explainer is not None:
        if documents is None:
            raise OptionError(f"The explainer '{explainer.name}' needs texts to explain: give a corpus (DATA).")
        explanations = explain_documents(classifier, documents, explainer, cache=cache)
        return importance_in(explanations, classifier, reduce or "sum")
    method = method_name(classifier)
    if classifier.method.own_score is None:
        raise OptionError(
            f"The method '{method}' has no word scores of its own: train with the method vmask, or sum the scores of "
            "an explainer, such as occlusion, over a corpus (--explainer occlusion and DATA)."
        )
    gates = _gates(classifier)
    if gates is not None:
        if reduce is not None:
            raise OptionError(
                f"'{method}' has one gate per word, so there is nothing to {reduce}: leave --reduce out, or name an "
                "explainer."
            )
        return gates.at_least(1) if documents is None else _only_words_of(gates, documents, classifier)
    if documents is None:
        raise OptionError(
            f"The word scores of this '{method}' model depend on the text a word stands in, so they are averaged over "
            "a corpus: give one (DATA)."
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


def importance_in(explanations: Iterable[Explanation], classifier: Classifier, reduce: str = "sum") -> WordImportance:
    """Put the scores of explanations by the same explainer together, word by word."""
    lowercase = ignores_case(classifier)
    counts: Counter[str] = Counter()
    totals: defaultdict[str, float] = defaultdict(float)
    name = ""
    for explanation in explanations:
        name = explanation.explainer
        words = [normalize(word, lowercase) for word in explanation.words]
        counts.update(words)
        if reduce == "root":
            scores: Iterable[tuple[str, float]] = text_weights(explanation, lowercase).items()
        else:
            scores = zip(words, explanation.scores.tolist(), strict=True)
        for word, score in scores:
            totals[word] += abs(score) if reduce == "root" else score
    if not counts:
        raise DataError("The corpus holds no words: give texts with at least one.")
    known = sorted(counts, key=lambda word: (-counts[word], word))
    frequencies = np.array([counts[word] for word in known])
    sums = np.array([totals[word] for word in known])
    reduced = {"sum": sums, "mean": sums / frequencies, "root": np.sqrt(abs(sums))}[reduce]
    whose = f"{name} scores"
    if name == "own" and isinstance(classifier, OpenClassifier):
        whose = f"the own scores of {method_name(classifier)}"
    return WordImportance(tuple(known), reduced, frequencies, f"{REDUCTIONS[reduce]} of {whose}")


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
