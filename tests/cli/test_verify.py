"""`whyword verify`."""

import shutil
import subprocess

import pytest


@pytest.fixture
def folder(model, tmp_path):
    return shutil.copytree(model, tmp_path / "mine")


def test_an_intact_folder_ends_with_0(whyword, folder):
    done = whyword("verify", folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{folder} is intact: its 6 files are those that were saved.\n"


def test_a_changed_file_ends_with_2(refused, folder):
    (folder / "config.json").write_bytes(b"{}")
    assert "config.json is damaged or was changed (2 bytes instead of" in refused("verify", folder)


def test_json_says_it_of_every_file(whyword, folder):
    (folder / "tokenizer.json").unlink()
    done = whyword("verify", folder, "--json")
    (facts,) = done.json
    assert done.code == 2
    assert (facts["intact"], facts["sealed"]) == (False, True)
    assert (facts["files"]["tokenizer.json"], facts["files"]["config.json"]) == ("is missing", "intact")


def test_a_folder_of_an_older_version_passes_with_a_note(whyword, folder):
    (folder / "manifest.json").unlink()
    done = whyword("verify", folder)
    assert done.code == 0
    assert "has no manifest.json" in done.out


def test_what_is_no_folder_is_refused(refused):
    assert "There is no folder nothing" in refused("verify", "nothing")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the program openssl")
def test_a_model_is_signed_and_loaded_only_with_the_key_that_signed_it(whyword, refused, folder, tmp_path):
    from whyword import load
    from whyword.errors import ModelError

    for name in ("mine", "other"):
        private, public = f"{name}.pem", f"{name}.public.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
    assert "is not signed" in refused("verify", folder, "--key", "mine.public.pem")
    done = whyword("sign", folder, "--key", "mine.pem")
    assert (done.code, done.err) == (0, "")
    assert "It was signed with the key of mine.public.pem." in whyword("verify", folder, "--key", "mine.public.pem").out
    assert whyword("verify", folder).code == 0
    assert "signed with another key" in refused("verify", folder, "--key", "other.public.pem")
    load(folder, public_key="mine.public.pem")
    with pytest.raises(ModelError, match="signed with another key"):
        load(folder, public_key="other.public.pem")
