"""Copies of backups in a storage with S3's protocol.

A copy is two objects: the file, and last of all a description with its size and checksum. What has no description is
no copy, so that one is there whole or not at all.
"""

import hashlib
import math
import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from cli.backups.archive import Part, part_of
from cli.backups.errors import BackupError, DamagedBackupError
from cli.backups.interruptible import interruptible
from cli.backups.settings import BackupStorageSettings
from servicekit.settings import read

if TYPE_CHECKING:
    from obstore.store import ClientConfig, S3Config, S3Store

_DESCRIPTION: Final = ".manifest.json"
_FORMAT: Final = 1
_PART_BYTES: Final = 16 << 20
_MAX_PARTS: Final = 9_000
"""S3 takes 10,000."""

_PARTS_AT_ONCE: Final = 2
_REQUEST_TIMEOUT: Final = timedelta(minutes=5)
_CONNECT_TIMEOUT: Final = timedelta(seconds=10)
_MAX_RETRIES: Final = 1_000  # the time is what bounds them
_BRIEF_SECONDS: Final = 5
"""So long a person waits for what has a use without the storage."""

_BRIEF_TIMEOUT: Final = timedelta(seconds=15)
_CLEANUP_SECONDS: Final = 5
_REMAINS_AGE: Final = timedelta(days=1)
_OWN_NAME: Final = re.compile(r"sponsorgraph-\d{8}T\d{6}Z\.tar(?:\.age)?")
_ERROR_CODE: Final = re.compile(r"<Code>(\w{1,60})</Code>")


class _Description(msgspec.Struct, frozen=True):
    """The second object of a copy."""

    format: int
    file: Part


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """A copy that is whole."""

    name: str
    size: int
    stored_at: datetime


class BackupStorage:
    """The copies below one prefix of one bucket."""

    def __init__(self, settings: BackupStorageSettings, *, briefly: bool = False) -> None:
        self._settings = settings
        self._store = _open(settings, briefly=briefly)

    def __str__(self) -> str:
        return f"{self._settings.bucket}/{self._settings.prefix}".rstrip("/")

    @property
    def takes_unencrypted(self) -> bool:
        """Whether backups may be there that are not encrypted."""
        return self._settings.unencrypted

    def backups(self) -> list[StoredBackup]:
        """Return the copies, oldest first: names sort by age.

        Raises:
            BackupError: The storage does not respond, or refuses it.
        """
        found = self._objects()
        whole = (name for name in found if f"{name}{_DESCRIPTION}" in found)
        return [found[name] for name in sorted(whole)]

    def upload(self, source: Path) -> bool:
        """Copy a backup; return whether it was not there yet.

        Raises:
            BackupError: The storage did not take it, or has another backup of that name. There is no copy then.
        """
        name, file = source.name, part_of(source)
        with self._readable("upload", name):
            known = self._description(name)
            if known is not None:
                if known.file != file:
                    raise BackupError(f"Another backup is at {self} as {name}.")
                return False
            try:
                self._put(name, source, file.bytes)
            except BaseException:
                with suppress(Exception):  # the next clean-up finds it otherwise
                    interruptible(lambda: self._store.delete(name), _CLEANUP_SECONDS)
                raise
            self._describe(name, file)
        return True

    def download(self, name: str, folder: Path) -> Path:
        """Copy a backup from the storage to `folder`.

        Raises:
            BackupError: There is none, the storage does not respond, or the file is not what was stored.
        """
        target = folder / name
        with self._readable("download", name):
            known = self._description(name)
            if known is None:
                raise BackupError(f"There is no backup {name} at {self}.")
            size = self._size(name)
            if size != known.file.bytes:
                raise DamagedBackupError(
                    f"{name} at {self} is cut off: it has {size} bytes of {known.file.bytes}."
                )
            digest = hashlib.sha256()
            with target.open("wb") as file:
                # Part by part: each is a request of its own that may be repeated.
                for start in range(0, size, _PART_BYTES):
                    end = min(start + _PART_BYTES, size)
                    content = self._part(name, start, end)
                    digest.update(content)
                    file.write(content)
        if digest.hexdigest() != known.file.sha256:
            raise DamagedBackupError(f"{name} at {self} is damaged: its checksum is another.")
        return target

    def discard_old(self, now: datetime) -> list[str]:
        """Delete copies that are too old, and what uploads left that were cut off; return the copies' names.

        Raises:
            BackupError: The storage does not respond, or refuses it.
        """
        oldest = now - timedelta(days=self._settings.days)
        old = [
            copy.name for copy in self.backups()[: -self._settings.keep] if copy.stored_at <= oldest
        ]
        found = self._objects()
        left = [
            name
            for name, entry in found.items()
            if _OWN_NAME.fullmatch(name)
            and f"{name}{_DESCRIPTION}" not in found
            and entry.stored_at < now - _REMAINS_AGE
        ]
        for name in old:
            with self._readable("delete", name):
                # The description first: half of a copy is none.
                self._delete(f"{name}{_DESCRIPTION}")
        for name in (*old, *left):
            with self._readable("delete", name):
                self._delete(name)
        return old

    def _objects(self) -> dict[str, StoredBackup]:
        listing: Any = self._store  # its types name a library that is not here
        with self._readable("list", "the copies"):
            return {
                entry["path"]: StoredBackup(entry["path"], entry["size"], entry["last_modified"])
                for entry in interruptible(listing.list_with_delimiter)["objects"]
            }

    def _description(self, name: str) -> _Description | None:
        try:
            text = interruptible(lambda: self._store.get(f"{name}{_DESCRIPTION}").bytes())
        except FileNotFoundError:
            return None
        try:
            known = msgspec.json.decode(bytes(text), type=_Description)
        except msgspec.DecodeError as error:
            raise DamagedBackupError(f"The description of {name} at {self} is damaged.") from error
        if known.format != _FORMAT:
            raise BackupError(
                f"{name} at {self} is a copy of format {known.format}; this version reads {_FORMAT}."
            )
        return known

    def _describe(self, name: str, file: Part) -> None:
        text = msgspec.json.encode(_Description(_FORMAT, file))
        interruptible(lambda: self._store.put(f"{name}{_DESCRIPTION}", text, use_multipart=False))

    def _delete(self, name: str) -> None:
        interruptible(lambda: self._store.delete(name))

    def _size(self, name: str) -> int:
        return interruptible(lambda: self._store.head(name))["size"]

    def _part(self, name: str, start: int, end: int) -> bytes:
        return interruptible(lambda: bytes(self._store.get_range(name, start=start, end=end)))

    def _put(self, name: str, source: Path, size: int) -> None:
        interruptible(
            lambda: self._store.put(
                name,
                source,  # the library reads it: at the end of the process nobody holds a file of Python's
                chunk_size=max(_PART_BYTES, size // _MAX_PARTS),
                max_concurrency=_PARTS_AT_ONCE,
            )
        )
        stored = self._size(name)
        if stored != size:
            raise BackupError(f"{self} has {stored} bytes of {name}, which has {size}.")

    @contextmanager
    def _readable(self, action: str, name: str) -> Generator[None]:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - see `_open`

        try:
            yield
        except (BaseError, FileNotFoundError) as error:
            reason = _reason(error, self._settings.secret_access_key.get_secret_value())
            raise BackupError(f"{self} could not {action} {name}: {reason}") from None


def open_storage(*, briefly: bool = False) -> BackupStorage | None:
    """Return the storage that the environment names; None where it names none.

    With `briefly`, requests that fail are given up within seconds, whatever the setting says.

    Raises:
        BackupError: A setting of it is wrong.
    """
    settings = read(BackupStorageSettings)
    return BackupStorage(settings, briefly=briefly) if settings.bucket else None


def _open(settings: BackupStorageSettings, *, briefly: bool) -> "S3Store":
    # It takes longer to load than most commands run.
    from obstore.exceptions import BaseError  # noqa: PLC0415
    from obstore.store import S3Store  # noqa: PLC0415

    retry_seconds = min(settings.retry_seconds, _BRIEF_SECONDS if briefly else math.inf)
    options: ClientConfig = {
        "timeout": _BRIEF_TIMEOUT if briefly else _REQUEST_TIMEOUT,
        "connect_timeout": _CONNECT_TIMEOUT,
        "allow_http": settings.endpoint.startswith("http://"),
    }
    if settings.ca_file:
        options["root_certificate"] = _certificates(Path(settings.ca_file))
    secret = settings.secret_access_key.get_secret_value()
    # Deleting many at once is not of all storages.
    config: S3Config = {"region": settings.region, "disable_bulk_delete": True}
    if settings.endpoint:
        config["endpoint"] = settings.endpoint
    if settings.access_key_id:
        config["access_key_id"] = settings.access_key_id
        config["secret_access_key"] = secret
    try:
        return S3Store(
            settings.bucket,
            prefix=settings.prefix or None,
            config=config,
            client_options=options,
            retry_config={
                "max_retries": _MAX_RETRIES,
                "retry_timeout": timedelta(seconds=retry_seconds),
            },
        )
    except (BaseError, ValueError) as error:
        raise BackupError(f"The storage of backups: {_reason(error, secret)}") from None


def _certificates(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BackupError(f"BACKUP_S3_CA_FILE: {file} cannot be read ({error.strerror}).") from None


def _reason(error: Exception, secret: str) -> str:
    """Return the first line of an error, without what the server wrote: it may have parts of the request."""
    first = str(error).partition("\n")[0]
    code = _ERROR_CODE.search(str(error))
    text = first.partition("<")[0].rstrip(": ")
    if code is not None and code[1] not in text:
        text = f"{text} ({code[1]})"
    return text.replace(secret, "…") if secret else text
