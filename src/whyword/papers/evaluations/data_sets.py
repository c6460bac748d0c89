"""What the data sets hold: texts of each split, classes, words, as the papers' tables of statistics have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...data.dataset import Dataset
from ...grids.variant import Evaluation, Result, TrainedVariant
from ...models.folder import TrainedModel
from ..reproduction.accuracy import LINEAR
from ..reproduction.paper import Row, TableOrFigure, published

COLUMNS = ("train", "dev", "test", "classes", "words")

# As Chen & Ji (table 2) and Zhou et al. (table 1) print them, where they agree.
SIZES = published(
    """
          imdb                   sst1                sst2               yelp
texts     20000/5000/25000/2/268 8544/1101/2210/5/18 6920/872/1821/2/19 500000/60000/38000/2/138
""",
    COLUMNS,
) | published(
    """
          ag_news               trec             subj                twitter
texts     114000/6000/7600/4/32 5000/452/500/6/10 8000/1000/1000/2/23 7969/1375/3795/3/22
""",
    COLUMNS,
)


@dataclass(frozen=True)
class TextCounts(Evaluation):
    """Counts of the data as they are read here; the model plays no part."""

    name: ClassVar[str] = "text-counts"

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Count texts, classes, words of a text and different words, lowercased, of the training texts."""
        words = [[word.lower() for word in document.words.strings] for document in dataset.train]
        return {
            "train": len(dataset.train),
            "dev": len(dataset.dev),
            "test": len(dataset.test),
            "classes": len(model.classifier.classes),
            "words": float(np.mean([len(text) for text in words])),
            "vocabulary": len({word for text in words for word in text}),
        }


def counts(result: Result) -> dict[str, float]:
    """Read all of them."""
    return {name: float(value) for name, value in result.items()}


def statistics_table(name: str, datasets: Sequence[str] = (), also: tuple[str, ...] = ()) -> TableOrFigure:
    """Describe the paper's table of its data sets, those of which have printed sizes."""
    return TableOrFigure(
        name,
        "Data sets",
        (Row("texts", LINEAR, TextCounts(), counts, seeds=1),),
        {key: value for key, value in SIZES.items() if key[0] in datasets},
        note="As they are read here: texts of each split, classes, words of a training text on average, and different "
        "words of the training texts, lowercased. A cap of the training texts is in them.",
        also=also,
    )
