import json

import pytest

from whyword.interfaces.errors import OptionError
from whyword.storage.part_folder import PartFolder

SETTINGS = {"model": "m", "top": None, "settings": {"widths": (3, 4)}}


def part_folder(tmp_path, **changes):
    return PartFolder(tmp_path / "deep" / "out", {**SETTINGS, **changes}, ".jsonl")


def with_parts(tmp_path, *numbers):
    folder = part_folder(tmp_path)
    folder.begin()
    for number in numbers:
        folder.put(number, b"%d\n" % number)
    return folder


def names(folder):
    return sorted(path.name for path in folder.folder.iterdir())


def test_parts_are_named_in_order_and_nothing_stays_beside_them(tmp_path):
    folder = with_parts(tmp_path, 11, 2)
    assert names(folder) == ["part-00002.jsonl", "part-00011.jsonl", "whyword.json"]
    assert (folder.folder / "part-00011.jsonl").read_bytes() == b"11\n"


def test_the_same_settings_know_what_is_done(tmp_path):
    with_parts(tmp_path, 0, 2)
    again = part_folder(tmp_path)
    assert [number in again for number in range(4)] == [True, False, True, False]


def test_the_manifest_holds_the_settings_and_in_the_end_how_much_there_is(tmp_path):
    folder = with_parts(tmp_path, 0)
    manifest = folder.folder / "whyword.json"
    assert json.loads(manifest.read_bytes()) == {"complete": False, "settings": json.loads(json.dumps(SETTINGS))}
    folder.finish(1, 5)
    last = json.loads(manifest.read_bytes())
    assert (last["complete"], last["parts"], last["texts"]) == (True, 1, 5)


def test_other_settings_are_refused_where_there_are_parts(tmp_path):
    folder = with_parts(tmp_path, 0)
    with pytest.raises(OptionError, match=r"other settings \(model, top\): name another folder, or delete this one\."):
        part_folder(tmp_path, top=3, model="other")
    assert names(folder) == ["part-00000.jsonl", "whyword.json"]


def test_other_settings_may_be_used_where_there_are_no_parts(tmp_path):
    with_parts(tmp_path)
    part_folder(tmp_path, top=3).begin()
    assert part_folder(tmp_path, top=3).settings["top"] == 3


def test_a_folder_with_anything_else_is_refused(tmp_path):
    (tmp_path / "deep" / "out").mkdir(parents=True)
    (tmp_path / "deep" / "out" / ".hidden").touch()
    part_folder(tmp_path)
    (tmp_path / "deep" / "out" / "thesis.doc").touch()
    with pytest.raises(OptionError, match=r"holds thesis\.doc, which is no part of a run"):
        part_folder(tmp_path)


def test_a_manifest_with_the_older_name_of_the_settings_is_read(tmp_path):
    manifest = with_parts(tmp_path, 0).folder / "whyword.json"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace('"settings": {\n    "model"', '"question": {\n    "model"')
    )
    assert "question" in json.loads(manifest.read_bytes())
    assert 0 in part_folder(tmp_path)
    with pytest.raises(OptionError, match=r"\(top\)"):
        part_folder(tmp_path, top=3)


@pytest.mark.parametrize("content", ["", "no json", "[]", "{}", '{"settings": 3}', '{"question": 3}'])
def test_a_manifest_of_another_program_is_refused(tmp_path, content):
    folder = with_parts(tmp_path, 0)
    (folder.folder / "whyword.json").write_text(content, encoding="utf-8")
    with pytest.raises(OptionError, match=r"whyword\.json was not written by this command"):
        part_folder(tmp_path)


def test_a_run_without_parts_can_be_forgotten(tmp_path):
    folder = with_parts(tmp_path)
    folder.forget()
    assert not folder.folder.exists()
    with_parts(tmp_path)
    (folder.folder / ".hidden").touch()
    folder.forget()
    assert names(folder) == [".hidden"]
