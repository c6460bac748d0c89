"""`whyword audit`: every metric of several explainers on the same texts, against random words."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import DataError
from . import options

if TYPE_CHECKING:
    from ..interfaces.classifier import OpenClassifier

ENDINGS = (".csv", ".jsonl", ".jsonl.gz")
DEFAULT = ("own", "lime", "occlusion")  # own where the model has scores of its own
SAMPLE = 500


def command(
    model: options.Model,
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="Texts to explain: a file, a folder, a name, hub:owner/name or planted (test split)."
        ),
    ],
    explainers: Annotated[
        str | None, typer.Option(metavar="A,B", help="Left out: own, lime, occlusion. Random words are always there.")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(metavar="A,B", help="Left out: all for which DATA has labels or rationales.")
    ] = None,
    sample: Annotated[int, typer.Option(min=2, metavar="N", help="Texts drawn from DATA.")] = SAMPLE,
    judge: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Another model that judges the shortened texts, as VAT does.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .csv, .jsonl or .jsonl.gz file of scores.")
    ] = None,
    text: options.TextColumn = "text",
    label: options.LabelColumn = "label",
    text_pair: options.PairColumn = None,
    rationale: options.RationaleColumn = None,
    data_dir: options.DataDir = None,
    cache: options.Cache = None,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure whether explanations find the words that decide.

    Attention is also replaced by even, shuffled and adversarial attention: see docs/belief.md.
    """
    from .. import catalog
    from ..data.rows import Columns
    from ..experiments.belief import examine_attention
    from ..experiments.explaining import explain_documents, make_explainer
    from ..experiments.explanation_cache import ExplanationCache
    from ..experiments.fingerprint import model_fingerprint
    from ..experiments.measuring import RANDOM, measure_explanations
    from ..experiments.model_folder import load_model
    from ..experiments.word_importance import draw
    from ..training.device import choose_device
    from .corpus import read_corpus
    from .outputs import check_output, tell_written, write_records
    from .progress import track

    options.use_threads(threads)
    if output is not None:
        check_output(output, ENDINGS, [data])
    measured = _names(metrics)
    for name in measured or []:
        catalog.load("metrics", name)  # a misspelled one is refused before anything is explained
    place = choose_device(device)
    trained = load_model(model, place)
    classifier = trained.classifier
    names = _names(explainers) or _default(classifier)
    chosen = {name: make_explainer(name, classifier, seed) for name in dict.fromkeys([*names, RANDOM])}
    judging = None if judge is None else load_model(judge, place).classifier
    kept = None if cache is None else ExplanationCache(cache, model_fingerprint(trained))
    columns = Columns(text=text, label=label, text_pair=text_pair, rationale=rationale)
    corpus = read_corpus(data, columns, data_dir)
    documents = draw(corpus.documents, sample, seed)
    if not documents:
        raise DataError(f"{corpus.name} holds no texts: give some to explain.")
    explanations = {
        name: list(
            track(explain_documents(classifier, documents, explainer, cache=kept), name, partial(len, documents), quiet)
        )
        for name, explainer in chosen.items()
    }
    scores = measure_explanations(classifier, explanations, measured, judge=judging, seed=seed)
    attends = "own" in chosen and classifier.method.own_score == "share"
    belief = examine_attention(classifier, documents, seed) if attends else None
    if output is not None:
        tell_written(write_records(scores.rows(), output), "scores", output, as_json, quiet)
    elif as_json:
        record = {"texts": scores.texts, "forward_passes": scores.forward_passes, "scores": list(scores.rows())}
        record |= {} if belief is None else {"belief": belief.to_dict()}
        print(json.dumps(record, ensure_ascii=False))
    else:
        print(scores)
        if belief is not None:
            print(f"\nDoes the attention deserve belief?\n{belief}")
    if not quiet:
        print(f"{len(documents):,} texts of {corpus.name}.", file=sys.stderr)


def _names(words: str | None) -> list[str] | None:
    return None if words is None else [word.strip() for word in words.split(",")]


def _default(classifier: OpenClassifier) -> list[str]:
    return [name for name in DEFAULT if name != "own" or classifier.method.own_score is not None]
