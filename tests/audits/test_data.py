import json

import numpy as np
import pytest

from whyword.audits.data import agreement_facts, converged_facts, versions
from whyword.data.words import split
from whyword.explainers.lime import Lime
from whyword.explainers.occlusion import Occlusion
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.interfaces.values import json_ready


def explanation(scores, signed=True, converged=None):
    scores = np.array(scores, dtype=float)
    document = Document(split(" ".join("w" * len(scores))))
    return Explanation(document, scores, 0, (0, 1), np.array([0.6, 0.4]), "x", signed, converged=converged)


def test_values_become_strict_json():
    given = {"a": np.float32(0.5), 1: (float("nan"), np.int64(3)), "b": [float("inf"), True, None, "x"]}
    found = json_ready(given)
    assert found == {"a": 0.5, "1": [None, 3], "b": [None, True, None, "x"]}
    json.dumps(found, allow_nan=False)


def test_sizes_are_compared_as_soon_as_one_explainer_has_no_sign():
    signed, sizes = [explanation([-3, 1, 2])] * 3, [explanation([3, 1, 2], signed=False)] * 3
    (row,) = agreement_facts({"one": signed, "other": sizes})
    assert (row["one"], row["other"], row["texts"]) == ("one", "other", 3)
    assert row["tau"] == pytest.approx(1.0)
    (row,) = agreement_facts({"one": signed, "other": [explanation([3, 1, 2])] * 3})
    assert row["tau"] < 0


def test_only_sampled_explanations_can_be_settled_and_only_texts_that_say_so_count():
    found = [explanation([1, 2], converged=value) for value in (0.99, 0.5, None, 0.95)]
    explainers = {"lime": Lime(), "occlusion": Occlusion()}
    facts = converged_facts({"lime": found, "occlusion": [explanation([1, 2])]}, explainers)
    assert list(facts) == ["lime"]
    assert (facts["lime"]["value"], facts["lime"]["texts"]) == (2 / 3, 3)


def test_versions_are_named():
    assert {"python", "whyword", "torch"} <= set(versions())
