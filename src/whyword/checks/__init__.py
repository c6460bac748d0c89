"""Promises that every encoder, method, explainer and metric keeps; run them on classes of your own, too.

    def make(tokenizer, classes):
        encoder = Lstm(Lstm.Config(dim=8, hidden=8, dropout=0.0), tokenizer.size, tokenizer.padding)
        return MyMethod(encoder, classes, MyMethod.Config())

    check_method(make)

Each promise is a function of its own that raises an AssertionError with one sentence when it is broken.
"""

from .encoder import ENCODER_PROMISES, check_encoder
from .explainer import EXPLAINER_PROMISES, check_explainer
from .method import METHOD_PROMISES, check_method
from .metric import METRIC_PROMISES, check_metric

__all__ = [
    "ENCODER_PROMISES",
    "EXPLAINER_PROMISES",
    "METHOD_PROMISES",
    "METRIC_PROMISES",
    "check_encoder",
    "check_explainer",
    "check_method",
    "check_metric",
]
