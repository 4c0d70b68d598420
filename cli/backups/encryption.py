"""Encryption of backups in the format of age: each chunk is authenticated, with its place and whether it is the last."""

import os
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Final

import pyrage

from cli.backups.errors import BackupError, DamagedBackupError
from cli.backups.settings import BackupKeySettings
from servicekit.settings import read

_MAGIC: Final = b"age-encryption.org/"
_NO_KEY: Final = "No matching keys found"


@dataclass(frozen=True, slots=True)
class BackupKeys:
    """The public keys that new backups are encrypted for, and the private keys that read them."""

    recipients: tuple[pyrage.x25519.Recipient, ...] = ()
    identities: tuple[pyrage.x25519.Identity, ...] = ()


NO_KEYS: Final = BackupKeys()


def read_keys() -> BackupKeys:
    """Return the keys that the environment names.

    Raises:
        BackupError: One of them is of a wrong form; the message has no key in it.
    """
    settings = read(BackupKeySettings)
    identities = _identities(settings.identities.get_secret_value())
    recipients = _recipients(settings.recipients.replace(",", " ").split())
    if not recipients:
        recipients = tuple(identity.to_public() for identity in identities[:1])
    return BackupKeys(recipients, identities)


def generate_identity() -> tuple[str, str]:
    """Return a new private key, as the text of its file, and its public key."""
    identity = pyrage.x25519.Identity.generate()
    public = str(identity.to_public())
    return f"# public key: {public}\n{identity}\n", public


def is_encrypted(source: Path) -> bool:
    """Return whether a file is of the format, also one that was cut off within its first words."""
    with source.open("rb") as file:
        begin = file.read(len(_MAGIC))
    return bool(begin) and _MAGIC.startswith(begin)


@contextmanager
def encrypted(file: BufferedIOBase, keys: BackupKeys) -> Generator[BufferedIOBase]:
    """Give a file whose content goes encrypted to `file`; without recipients, `file` itself.

    The library reads what it encrypts, and a tar is written: a pipe is between the two.

    Raises:
        BackupError: The content could not be written.
    """
    if not keys.recipients:
        yield file
        return
    reading, writing = os.pipe()
    with ThreadPoolExecutor(1) as pool:
        content = os.fdopen(writing, "wb")
        ending = pool.submit(_encrypt, reading, file, keys.recipients)
        try:
            with content:
                yield content
        except BrokenPipeError:
            # The other end is closed: the reason for it comes first.
            ending.result()
            raise
        ending.result()


def decrypt(source: Path, target: Path, keys: BackupKeys) -> None:
    """Write the content of an encrypted backup to `target`, which is whole only if nothing is raised.

    Raises:
        BackupError: There is no key that reads it, it was changed, or it was cut off.
    """
    if not keys.identities:
        raise BackupError(f"{source} is encrypted: BACKUP_IDENTITIES has to hold its private key.")
    try:
        with source.open("rb") as file, target.open("wb") as content:
            pyrage.decrypt_io(file, content, keys.identities)
    except pyrage.DecryptError as error:
        if str(error) == _NO_KEY:
            raise BackupError(
                f"{source} is encrypted for another key than the {len(keys.identities)} of "
                "BACKUP_IDENTITIES, or its beginning was changed."
            ) from error
        raise DamagedBackupError(
            f"{source} is cut off or changed in its beginning: {error}."
        ) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DamagedBackupError(
            f"{source} is damaged: a part of it was changed, moved or cut off ({error})."
        ) from error


def _encrypt(
    reading: int, target: BufferedIOBase, recipients: Iterable[pyrage.x25519.Recipient]
) -> None:
    with os.fdopen(reading, "rb") as content:
        try:
            pyrage.encrypt_io(content, target, list(recipients))
        except (OSError, pyrage.EncryptError) as error:
            raise BackupError(f"The backup could not be encrypted: {error}") from error


def _identities(text: str) -> tuple[pyrage.x25519.Identity, ...]:
    lines = (line.strip() for line in text.splitlines())
    keys = [line for line in lines if line and not line.startswith("#")]
    try:
        return tuple(pyrage.x25519.Identity.from_str(key) for key in keys)
    except pyrage.IdentityError:
        raise BackupError("BACKUP_IDENTITIES: a line is no private key of age.") from None


def _recipients(keys: Iterable[str]) -> tuple[pyrage.x25519.Recipient, ...]:
    try:
        return tuple(pyrage.x25519.Recipient.from_str(key) for key in keys)
    except pyrage.RecipientError:
        raise BackupError("BACKUP_RECIPIENTS: one of them is no public key of age.") from None
