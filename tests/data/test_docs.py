"""What docs/data.md shows works."""

import re
from pathlib import Path

from whyword.data.findings import find
from whyword.data.sources import ENDINGS

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")


def test_the_python_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"Dish {row} was {'fine' if row % 2 else 'poor'};{row % 2}\n" for row in range(40)]
    Path("reviews.csv").write_text("Review;Sentiment\n" + "".join(rows), encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(code, names)
    assert names["dataset"].notes[0].startswith("reviews.csv: semicolon-separated")
    assert Path("check.html").exists()


def test_every_ending_is_listed():
    named = set(re.findall(r"\.[a-z]+(?=[ `])", PAGE))
    assert {ending for ending in ENDINGS if ending.count(".") == 1} <= named


def test_every_finding_is_listed():
    source = Path(find.__code__.co_filename).read_text(encoding="utf-8")
    names = set(re.findall(r'Finding\("([a-z-]+)"', source)) | set(re.findall(r': \("([a-z-]+)", "', source))
    listed = set(re.findall(r"`([a-z-]+)`", PAGE.partition("| finding |")[2]))
    assert names - {"other-rows"} <= listed
