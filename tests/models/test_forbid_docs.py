"""What docs/forbid.md shows works."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "forbid.md").read_text(encoding="utf-8")


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict = {}
    exec(code, names)
    explanation = names["explanation"]
    assert explanation.forbidden_words.tolist() == [False, True, False, False]
    assert explanation.scores[1] == 0
    assert names["report"].data.forbidden.texts == 40
