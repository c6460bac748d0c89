"""Contracts that every encoder, method, explainer and metric keeps; check classes of your own against them, too.

    def make(tokenizer, classes):
        encoder = Lstm(Lstm.Config(dim=8, hidden=8, dropout=0.0), tokenizer.size, tokenizer.padding)
        return MyMethod(encoder, classes, MyMethod.Config())

    check_method(make)

Each clause is a function of its own that raises an AssertionError with one sentence when it is broken.
"""

from .encoder import ENCODER_CONTRACT, check_encoder
from .explainer import EXPLAINER_CONTRACT, check_explainer
from .method import METHOD_CONTRACT, check_method
from .metric import METRIC_CONTRACT, check_metric

__all__ = [
    "ENCODER_CONTRACT",
    "EXPLAINER_CONTRACT",
    "METHOD_CONTRACT",
    "METRIC_CONTRACT",
    "check_encoder",
    "check_explainer",
    "check_method",
    "check_metric",
]
