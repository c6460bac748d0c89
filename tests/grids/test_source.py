import pytest

from whyword.data.dataset import labels
from whyword.grids.source import file_fingerprint, find_source
from whyword.interfaces.errors import DataError

ROWS = "text,label\n" + "".join(f"text number {i},{'rare' if i == 7 else 'usual'}\n" for i in range(50))


def test_contents_follow_the_bytes_and_not_the_place(tmp_path):
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "reviews.csv").write_text(ROWS)
    here, there = (find_source(tmp_path / folder / "reviews.csv") for folder in ("here", "there"))
    assert here.contents == there.contents
    (tmp_path / "there" / "reviews.csv").write_text(ROWS + "one more,usual\n")
    assert find_source(tmp_path / "there" / "reviews.csv").contents != here.contents


def test_a_folder_stands_for_all_its_splits(tmp_path):
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.csv").write_text(ROWS)
    before = find_source(tmp_path)
    (tmp_path / "test.csv").write_text(ROWS + "one more,usual\n")
    assert find_source(tmp_path).contents != before.contents
    assert find_source(tmp_path.name, data_dir=tmp_path.parent) == find_source(tmp_path)


def test_planted_goes_by_its_shortest_name():
    assert find_source("planted:easy,train=40").name == "planted:train=40"
    assert find_source("planted").place == "planted"


def test_the_hub_goes_by_its_name():
    assert find_source("hub:owner/reviews").name == "owner/reviews"


def test_capped_rows_keep_every_class_and_leave_the_other_splits_alone(tmp_path):
    (tmp_path / "reviews.csv").write_text(ROWS + "again,rare\n" * 5)
    whole = find_source(tmp_path / "reviews.csv").load()
    capped = find_source(tmp_path / "reviews.csv", rows=10).load()
    assert len(capped.train) == 10
    assert labels(capped.train) == labels(whole.train)
    assert (capped.dev, capped.test) == (whole.dev, whole.test)
    assert find_source(tmp_path / "reviews.csv", rows=1000).load() == whole


def test_a_missing_file_is_named():
    with pytest.raises(DataError, match=r"no file vectors\.txt"):
        file_fingerprint("vectors.txt")
