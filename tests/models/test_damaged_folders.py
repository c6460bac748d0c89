"""Model folders damaged in every way, file by file: refused in one sentence, or the same model as before."""

import random
import shutil

import pytest

from damaged_folders import FILES, KINDS, damage, load_again, make_folders
from whyword.storage.seal import CARD, MANIFEST


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return make_folders(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_folder_is_refused_or_the_same_model(folders, tmp_path, kind, name):
    for number, (folder, known) in enumerate(folders):
        victim = shutil.copytree(folder, tmp_path / f"sealed-{number}")
        damage(victim, folders[1 - number][0], kind, name, random.Random(f"{kind} {name} {number}"))
        found = load_again(victim, known)
        assert found in ("refused", "equal")
        if name not in (CARD, MANIFEST):
            assert found == "refused"
        (victim / MANIFEST).unlink(missing_ok=True)
        load_again(victim, known)  # what is no WhywordError would be raised
