"""What docs/multilabel.md shows works."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "multilabel.md").read_text(encoding="utf-8")


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert names["clf"].predict_proba(names["texts"]).shape == (300, 5)
    assert names["report"].verdicts
