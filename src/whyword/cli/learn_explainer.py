"""`whyword learn-explainer`: contributions in one pass for a model that was trained without them, ours or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.settings import strict_json
from . import options

if TYPE_CHECKING:
    from ..blocks.contributions import ContributionHead
    from ..interfaces.document import Words
    from ..models.folder import TrainedModel

Data = Annotated[
    str,
    typer.Argument(
        metavar="TEXTS",
        help="Texts like those to be explained, labelled or not: a file, a folder, a name, planted (train split).",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Where the explainer goes or, of a model of whyword, the model. Left out: a model of whyword itself.",
    ),
]
Embeddings = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Word vectors to read with, for a model that cannot be looked into."),
]
Judged = Annotated[
    int, typer.Option(min=0, metavar="N", help="Texts that are held out and compared with Shapley values.")
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting, e.g. pairs=32; repeatable.")
]

EXACT = "The contributions of a linear model follow from its weights: nothing had to be learned."


@options.grouped
def command(
    model: options.Model,
    data: Data,
    *,
    output: Output = None,
    embeddings: Embeddings = None,
    judged: Judged = 30,
    assignments: Assignments = None,
    columns: options.TextColumns,
    opening: options.Opening,
    data_dir: options.DataDir = None,
    seed: options.Seed = 0,
    hardware: options.Hardware,
    reporting: options.Reporting,
) -> None:
    """Learn what each word adds to each class, for a model that is trained.

    It is learned from the model's own answers to sub-texts; the classifier stays as it is. A model of whyword carries
    what was learned; for any other it goes to a folder, which explain, audit, words, diff and serve take (--learned).
    """
    from ..blocks.contributions import ContributionHead
    from ..interfaces.errors import OptionError
    from ..interfaces.settings import build
    from .texts import read_corpus

    options.use_threads(hardware.threads)
    config = build(ContributionHead.Config, options.explainer_settings(assignments, None, None), "contributions")
    if opening.learned is not None:
        raise OptionError("--learned names what this command makes: leave it out, or name the folder with -o.")
    opened = opening.open(model, hardware.device)
    if opened.trained is None and output is None:
        raise OptionError(f"{model} is not a model of whyword: say where the explainer goes, with  -o EXPLAINER.")
    corpus = read_corpus(data, columns.columns(model), data_dir, ("train", "test", "dev"), reporting.quiet)
    texts = [document.words for document in islice(corpus.documents, 2 * config.texts)]
    if opened.trained is not None:
        _of_ours(opened.trained, texts, config, output or Path(model), seed, reporting)
        return
    from ..explaining.learned import learn_explainer
    from .progress import TrainingProgress

    assert output is not None
    with TrainingProgress(reporting.quiet) as progress:
        learned = learn_explainer(
            opened,
            texts,
            output,
            embeddings=embeddings,
            config=config,
            judged=judged,
            seed=seed,
            device=hardware.device,
            on_event=progress,
        )
    fidelity = learned.fidelity or {}
    if reporting.as_json:
        print(strict_json({"explainer": str(output), **fidelity}))
    elif not reporting.quiet:
        print(
            "\n".join([*_lines(fidelity), f"Explainer in {output}: whyword explain {model} TEXTS --learned {output}"])
        )


def _of_ours(
    trained: TrainedModel,
    texts: Sequence[Words],
    config: ContributionHead.Config,
    place: Path,
    seed: int,
    reporting: options.Reporting,
) -> None:
    from ..models.folder import check_place, put_model
    from ..models.learn import learn_contributions
    from ..storage.lock import owned
    from .progress import TrainingProgress

    check_place(place)
    with owned(place):
        with TrainingProgress(reporting.quiet) as progress:
            finished = learn_contributions(trained, texts, config, seed, progress)
        put_model(finished, place)
    facts = finished.metrics.get("contributions", {})  # nothing is fitted to a linear model
    if reporting.as_json:
        print(strict_json({"model": str(place), **facts}))
    elif not reporting.quiet:
        fit = f"{facts['explained']:.1%} of what sub-texts change is explained by contributions." if facts else EXACT
        print(f"{fit}\nModel in {place}.")


def _lines(fidelity: Mapping[str, float]) -> list[str]:
    """Say how good a learned explainer is, and what it cost."""
    lines = [
        f"{fidelity['explained']:.1%} of what sub-texts change is explained by contributions, learned in "
        f"{fidelity['cpu_seconds']:.0f} CPU seconds."
    ]
    if "r" not in fidelity:
        return lines
    if fidelity["shapley_comprehensiveness"] <= 0:
        return [*lines, "No word changes what the model says of the texts that were held out: give others."]
    share = fidelity["comprehensiveness"] / fidelity["shapley_comprehensiveness"]
    times = fidelity["shapley_seconds_of_a_text"] / max(fidelity["seconds_of_a_text"], 1e-9)
    lines.append(
        f"On {fidelity['judged']:.0f} other texts: r = {fidelity['r']:.3f} with Shapley values, {share:.0%} of their "
        f"comprehensiveness, {times:,.0f} times as fast."
    )
    if "break_even_texts" in fidelity:
        lines.append(f"Learning pays off from {fidelity['break_even_texts']:,.0f} texts on.")
    return lines
