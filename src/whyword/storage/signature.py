"""The signature of a sealed folder: manifest.sig, made of manifest.json with a private Ed25519 key.

The manifest holds the SHA-256 of every file, so whoever trusts the key can trust the files that agree with it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..interfaces.errors import MissingExtraError, ModelError, OptionError
from .atomic import replacing
from .seal import MANIFEST, SIGNATURE, check_seal, read_seal

MAKE = "make one with  openssl genpkey -algorithm ed25519 -out key.pem"
TAKE = "take it from the private key with  openssl pkey -in key.pem -pubout -out public.pem"


def sign(folder: str | Path, key: str | Path) -> Path:
    """Sign a model folder with a private key in a PEM file; give the file of the signature."""
    place = Path(folder)
    if read_seal(place) is None:
        raise ModelError(f"{place} has no {MANIFEST} to sign: give a model folder, saved by this version of whyword.")
    check_seal(place, ())  # a folder that is not what was saved is not signed
    signature = _private(Path(key)).sign((place / MANIFEST).read_bytes())
    with replacing(place / SIGNATURE) as beside:
        beside.write_bytes(base64.b64encode(signature) + b"\n")
    return place / SIGNATURE


def check_signature(folder: str | Path, public_key: str | Path) -> None:
    """Refuse a folder whose manifest was not signed with the private half of a public key in a PEM file."""
    place, key = Path(folder), _public(Path(public_key))
    from cryptography.exceptions import InvalidSignature

    try:
        signature = base64.b64decode((place / SIGNATURE).read_bytes().strip(), validate=True)
        manifest = (place / MANIFEST).read_bytes()
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        raise ModelError(
            f"{place} is not signed, as it has no {missing}: ask who made it to sign it with  whyword sign."
        ) from None
    except (OSError, binascii.Error) as error:
        raise ModelError(f"{place / SIGNATURE} is no signature ({error}): copy the folder anew.") from None
    try:
        key.verify(signature, manifest)
    except InvalidSignature:
        raise ModelError(
            f"{place} was signed with another key than that of {public_key}, or changed since: do not use it before "
            "you know who made it."
        ) from None


def _private(path: Path) -> Any:
    from_pem, ed25519 = _cryptography()
    kind = ed25519.Ed25519PrivateKey
    return _read(path, lambda pem: from_pem.load_pem_private_key(pem, None), kind, "private", MAKE)


def _public(path: Path) -> Any:
    from_pem, ed25519 = _cryptography()
    return _read(path, from_pem.load_pem_public_key, ed25519.Ed25519PublicKey, "public", TAKE)


def _read(path: Path, load: Callable[[bytes], Any], kind: type, name: str, remedy: str) -> Any:
    """Read a key, or say what is wrong with its file."""
    try:
        key = load(path.read_bytes())
    except OSError as error:
        raise OptionError(f"The key {path} cannot be read ({error.strerror}): {remedy}.") from None
    except TypeError:
        raise OptionError(
            f"The key {path} is protected by a password: write one without to a place that only you read, with  "
            "openssl pkey -in KEY -out OTHER."
        ) from None
    except ValueError:
        key = None
    if not isinstance(key, kind):
        raise OptionError(f"{path} is no {name} Ed25519 key in PEM: {remedy}.")
    return key


def _cryptography() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtraError("Signing", "sign") from None
    return serialization, ed25519
