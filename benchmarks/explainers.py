"""What explaining costs: ours against lime, Captum and shap at equal sample counts, and against the bare passes.

python benchmarks/explainers.py [--encoders lstm,minilm] [--words 20,200] --out results/benchmarks/explainers.json

CPU seconds of one thread, all in one process and taken in turn. The floor is the forward passes alone (for integrated
gradients forward and backward) on the very batches our explainer asked for. Peers get the same model, the same text and
the same number of samples; "batched" is Captum with 256 perturbations per evaluation. shap has no LIME and no plain
permutation sampling for texts: its default for texts (partition) is given as many evaluations as ours made.
With --default ours stop by themselves, as they do unless told otherwise: what that takes beside the passes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import captum.attr
import numpy as np
import shap
import torch
from lime.lime_text import LimeTextExplainer
from torch import Tensor

from commands import versions
from whyword.data.batching import collate
from whyword.data.dataset import labels, load_dataset
from whyword.data.words import split
from whyword.explainers.integrated_gradients import IntegratedGradients
from whyword.explainers.lime import Lime
from whyword.explainers.shapley import Shapley
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Batch, Document
from whyword.interfaces.explanation import Explainer
from whyword.models.assemble import assemble
from whyword.models.config import make_config

LARGE = 256  # Captum's perturbations per evaluation when it is batched by hand
SAMPLES, PERMUTATIONS, STEPS = 1000, 25, 50


@dataclass
class Meter:
    """Watches what goes through a model."""

    classifier: FittedClassifier
    passes: int = 0
    tokens: int = 0
    batches: list[tuple[Tensor, Batch]] = field(default_factory=list)
    keep: bool = False

    def __post_init__(self) -> None:
        classify = self.classifier.method.classify

        def watched(embedded: Tensor, batch: Batch) -> Any:
            self.passes += len(batch)
            self.tokens += int(batch.mask.sum())
            if self.keep:
                self.batches.append((embedded.detach(), batch))
            return classify(embedded, batch)

        self.classifier.method.classify = watched  # type: ignore[method-assign]

    def run(self, job: Callable[[], Any]) -> dict[str, float]:
        """Do a job once; give CPU seconds, passes and tokens."""
        self.passes = self.tokens = 0
        started = time.process_time()
        job()
        return {"cpu_seconds": time.process_time() - started, "passes": self.passes, "tokens": self.tokens}


def build(encoder: str) -> tuple[FittedClassifier, list[str]]:
    """Give an untrained model, whose cost is that of a trained one, and the words of a corpus to write texts from."""
    dataset = load_dataset("planted:medium,train=500")
    config = make_config({"method": {"name": "base"}, "encoder": {"name": encoder}})
    classes = labels(dataset.train)
    torch.manual_seed(0)
    parts = assemble(config, len(classes), [document.words for document in dataset.train])
    words = [word for document in dataset.train for word in document.words.strings if word.isalpha()]
    return FittedClassifier(parts.method.eval(), parts.tokenizer, classes), words


def strings_to_probabilities(classifier: FittedClassifier) -> Callable[[Any], np.ndarray]:
    """Give our predict_proba: texts of similar length share a batch."""
    return lambda texts: classifier.probabilities([split(str(text)) for text in texts]).double().numpy()


def usual_predict(classifier: FittedClassifier) -> Callable[[Any], np.ndarray]:
    """Give the predict_proba one usually writes: the texts as they come, 64 to a batch, padded to the longest."""

    @torch.inference_mode()
    def predict(texts: Any) -> np.ndarray:
        tokens = classifier.tokenizer([split(str(text)) for text in texts])
        batches = (collate(tokens[i : i + 64], classifier.tokenizer.padding) for i in range(0, len(tokens), 64))
        return torch.cat([classifier.method(batch).logits.softmax(-1) for batch in batches]).double().numpy()

    return predict


def masks_to_probabilities(classifier: FittedClassifier, text: str) -> tuple[Callable[[Tensor], Tensor], int]:
    """Captum's usual way with texts: a 0/1 input per word, removed words become padding, the length stays."""
    (tokens,) = classifier.tokenizer([split(text)])
    ids, word, segment = (torch.from_numpy(values) for values in (tokens.ids, tokens.word, tokens.segment))

    def ask(kept: Tensor) -> Tensor:
        stays = torch.cat([kept > 0.5, torch.ones(len(kept), 1, dtype=torch.bool)], dim=1)[:, word]
        rows = torch.where(stays, ids, classifier.tokenizer.padding)
        with torch.inference_mode():
            batch = Batch(rows, torch.ones_like(stays), word.expand_as(rows), segment.expand_as(rows))
            return classifier.method(batch).logits.softmax(-1).clone()

    return ask, tokens.words


def floor(meter: Meter, ours: Explainer, documents: list[Document]) -> Callable[[], None]:
    """Give the passes of an explainer without the explainer."""
    meter.batches, meter.keep = [], True
    ours.explain(meter.classifier, documents)
    batches, meter.keep, meter.batches = meter.batches, False, []
    method = meter.classifier.method

    def bare() -> None:
        for embedded, batch in batches:
            if isinstance(ours, IntegratedGradients):
                vectors = embedded.clone().requires_grad_(True)
                torch.autograd.grad(method.classify(vectors, batch).logits.softmax(-1)[:, 0].sum(), vectors)
            else:
                with torch.inference_mode():
                    method(batch).logits.softmax(-1)

    return bare


def beside_floor(
    meter: Meter, documents: list[Document], ours: dict[str, Explainer]
) -> dict[str, dict[str, Callable[[], Any]]]:
    """By task, then the passes alone and ours."""
    return {
        task: {
            "floor": floor(meter, explainer, documents),
            "ours": lambda e=explainer: e.explain(meter.classifier, documents),
        }
        for task, explainer in ours.items()
    }


def jobs(meter: Meter, text: str, samples: int, permutations: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """By task, then by who does it; ours comes before shap, which is given as many evaluations."""
    classifier, documents = meter.classifier, [Document(split(text))]
    predict, (ask, words) = strings_to_probabilities(classifier), masks_to_probabilities(classifier, text)
    ones, zeros = torch.ones(1, words), torch.zeros(1, words)
    ours: dict[str, Explainer] = {
        "lime": Lime(samples=samples),
        "shapley": Shapley(samples=permutations),
        "integrated-gradients": IntegratedGradients(steps=STEPS),
    }
    ((_, batch),) = classifier.batches([documents[0].words])
    embedded = classifier.method.encoder.embed(batch).detach()

    def classify(vectors: Tensor) -> Tensor:
        rows = (values.expand(len(vectors), -1) for values in (batch.tokens, batch.mask, batch.word_of_token))
        return classifier.method.classify(
            vectors, Batch(*rows, batch.segments.expand(len(vectors), -1))
        ).logits.softmax(-1)

    lime, shapley = captum.attr.Lime(ask), captum.attr.ShapleyValueSampling(ask)
    gradients = captum.attr.IntegratedGradients(classify)
    table = beside_floor(meter, documents, ours)
    evaluations = {task: int(meter.run(table[task]["ours"])["passes"]) for task in ("lime", "shapley")}
    for task, explainer, count in (("lime", lime, samples), ("shapley", shapley, permutations)):
        for name, together in (("captum", 1), ("captum, batched", LARGE)):
            table[task][name] = lambda e=explainer, n=count, t=together: e.attribute(
                ones, zeros, target=0, n_samples=n, perturbations_per_eval=t
            )
        table[task]["shap"] = lambda n=evaluations[task]: shap.Explainer(
            usual_predict(classifier), shap.maskers.Text(r"\W+")
        )([text], max_evals=n, silent=True)
    for name, answer in (("lime", usual_predict(classifier)), ("lime, our predict_proba", predict)):
        table["lime"][name] = lambda a=answer: LimeTextExplainer(random_state=0).explain_instance(
            text, a, labels=(0,), num_samples=samples, num_features=words
        )
    table["integrated-gradients"]["captum"] = lambda: gradients.attribute(
        embedded, embedded * 0, target=0, n_steps=STEPS
    )
    table["integrated-gradients"]["captum, one step at a time"] = lambda: gradients.attribute(
        embedded, embedded * 0, target=0, n_steps=STEPS, internal_batch_size=1
    )
    return table


def measure(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    results = []
    for encoder in arguments.encoders:
        classifier, vocabulary = build(encoder)
        meter = Meter(classifier)
        for length in arguments.words:
            heavy = encoder not in ("bag", "affine", "cnn", "lstm") and length > 50  # minutes for each of them
            text = " ".join(vocabulary[:length])
            if arguments.default:
                tasks = beside_floor(meter, [Document(split(text))], {"lime": Lime(), "shapley": Shapley()})
            else:
                tasks = jobs(meter, text, SAMPLES, PERMUTATIONS)
            counts = {"lime": SAMPLES, "shapley": PERMUTATIONS, "integrated-gradients": STEPS}
            for task, who in tasks.items():
                rounds = [
                    {name: meter.run(job) for name, job in who.items()} for _ in range(1 if heavy else arguments.rounds)
                ]
                middle = {name: statistics.median(r[name]["cpu_seconds"] for r in rounds) for name in who}
                for name in who:
                    row = {
                        "encoder": encoder,
                        "words": length,
                        "task": task,
                        "samples": "auto" if arguments.default else counts[task],
                        "who": name,
                        "cpu_seconds": middle[name],
                        "passes": int(rounds[0][name]["passes"]),
                        "tokens": int(rounds[0][name]["tokens"]),
                        "against_floor": middle[name] / middle["floor"],
                        "against_ours": middle[name] / middle["ours"],
                    }
                    results.append(row)
                    print(line(row), flush=True)
    return results


def line(row: dict[str, Any]) -> str:
    return (
        f"{row['encoder']:<7} {row['words']:>4} words  {row['task']:<21} {row['samples']:>5}  {row['who']:<27}"
        f" {row['cpu_seconds']:>8.3f} s {row['passes']:>7,} passes {row['tokens']:>10,} tokens"
        f" {row['against_floor']:>6.2f}x floor {row['against_ours']:>6.2f}x ours"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoders", type=lambda words: words.split(","), default=["lstm", "minilm"])
    parser.add_argument("--words", type=lambda words: [int(word) for word in words.split(",")], default=[20, 200])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--default", action="store_true", help="ours as they stop by themselves, without peers")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON, and as text beside it")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    results = measure(arguments)
    if arguments.out:
        settings = {"encoders": arguments.encoders, "words": arguments.words, "rounds": arguments.rounds}
        settings["default"] = arguments.default
        arguments.out.write_text(
            json.dumps(
                {"settings": settings, "versions": versions("lime", "captum", "shap"), "results": results}, indent=1
            )
        )
        arguments.out.with_suffix(".txt").write_text("\n".join(map(line, results)) + "\n")


if __name__ == "__main__":
    main()
