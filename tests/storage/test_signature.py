"""Who has the private key made the folder."""

import subprocess

import pytest

from whyword.interfaces.errors import ModelError, OptionError
from whyword.storage.seal import MANIFEST, SIGNATURE, seal
from whyword.storage.signature import check_signature, sign

pytest.importorskip("cryptography")


def key_pair(folder, name):
    """Make keys, in PEM as openssl writes them."""
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    pem = forms.Encoding.PEM
    secret, public = folder / f"{name}.pem", folder / f"{name}.public.pem"
    secret.write_bytes(private.private_bytes(pem, forms.PrivateFormat.PKCS8, forms.NoEncryption()))
    public.write_bytes(private.public_key().public_bytes(pem, forms.PublicFormat.SubjectPublicKeyInfo))
    return secret, public


@pytest.fixture
def keys(tmp_path):
    return key_pair(tmp_path, "mine")


@pytest.fixture
def sealed(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    seal(folder)
    return folder


def test_a_signed_folder_passes_with_the_public_key(sealed, keys):
    assert sign(sealed, keys[0]) == sealed / SIGNATURE
    check_signature(sealed, keys[1])


def test_openssl_agrees(sealed, keys, tmp_path):
    import base64
    import shutil

    if shutil.which("openssl") is None:
        pytest.skip("needs the program openssl")
    signature = tmp_path / "raw"
    signature.write_bytes(base64.b64decode(sign(sealed, keys[0]).read_bytes()))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", keys[1], "-rawin", "-in", sealed / MANIFEST]
    subprocess.run([*command, "-sigfile", signature], check=True, capture_output=True)


def test_another_key_a_new_manifest_and_no_signature_are_refused(sealed, keys, tmp_path):
    with pytest.raises(ModelError, match=rf"is not signed, as it has no {SIGNATURE}"):
        check_signature(sealed, keys[1])
    sign(sealed, keys[0])
    with pytest.raises(ModelError, match=r"was signed with another key than that of .*other\.public\.pem"):
        check_signature(sealed, key_pair(tmp_path, "other")[1])
    (sealed / "config.json").write_text("{ }")
    seal(sealed)
    with pytest.raises(ModelError, match="or changed since"):
        check_signature(sealed, keys[1])
    (sealed / SIGNATURE).write_text("nothing of the kind")
    with pytest.raises(ModelError, match="is no signature"):
        check_signature(sealed, keys[1])


def test_a_folder_that_was_changed_is_not_signed(sealed, keys):
    (sealed / "config.json").write_text("{ }")
    with pytest.raises(ModelError, match=r"config\.json is damaged or was changed"):
        sign(sealed, keys[0])
    (sealed / MANIFEST).unlink()
    with pytest.raises(ModelError, match=r"has no manifest\.json to sign"):
        sign(sealed, keys[0])


def test_what_is_no_key_is_refused_with_the_command_that_makes_one(sealed, keys, tmp_path):
    with pytest.raises(OptionError, match=r"cannot be read .*openssl genpkey -algorithm ed25519"):
        sign(sealed, tmp_path / "none.pem")
    with pytest.raises(OptionError, match="is no private Ed25519 key in PEM"):
        sign(sealed, keys[1])
    with pytest.raises(OptionError, match=r"is no public Ed25519 key in PEM: take it .*openssl pkey"):
        check_signature(sealed, keys[0])
