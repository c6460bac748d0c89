"""The committed pages come from the archived records: on any machine, without the data and the word vectors."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from results_page import CHART, find_folders, publish
from whyword.grids.runner import RECORDS, archive_of

STUDIES = Path(__file__).parents[2] / "results"
QUICK = ("vat-minilm", "tutek", "evarm-lstm")  # the others draw many pictures
ALL = sorted(place.parent.name for place in STUDIES.glob("*/reproduction.json"))


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.real) for name in ALL])
def test_the_page_of_a_study_is_made_again_byte_for_byte(name, whyword, tmp_path, monkeypatch):
    monkeypatch.setenv("WHYWORD_DATA", str(tmp_path / "nowhere"))
    committed, mine = STUDIES / name, Path("results") / name
    mine.mkdir(parents=True)
    archive = archive_of(committed / RECORDS)
    shutil.copy(archive, mine / archive.name)
    values = json.loads((committed / "reproduction.json").read_text(encoding="utf-8"))
    done = whyword(*shlex.split(values["command"])[1:], "--finished")
    assert done.code == 0
    (folder,) = find_folders(Path("results"))
    publish(folder)
    for file in ("reproduction.md", CHART):
        assert (mine / file).read_bytes() == (committed / file).read_bytes(), file
    pictures = {path.name for path in committed.glob("*.png")}
    assert {path.name for path in mine.glob("*.png")} == pictures
    again = json.loads((mine / "reproduction.json").read_text(encoding="utf-8"))
    assert [table["name"] for table in again["tables"]] == [table["name"] for table in values["tables"]]
