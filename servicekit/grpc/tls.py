"""Mutual TLS between the services: a process's own certificate, its trusted authorities and its callers.

A process has a folder with `tls.crt` (its certificate and those between it and the authority), `tls.key`
and `ca.crt` (the authorities that it believes), all PEM: the names of a Secret of type kubernetes.io/tls
as cert-manager fills it. The files are looked at again, so that a renewed certificate is shown, and a new
authority believed, without a restart.
"""

import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from pydantic_settings import SettingsError

from servicekit.errors import PermissionDenied

CERTIFICATE: Final = "tls.crt"
KEY: Final = "tls.key"
AUTHORITY: Final = "ca.crt"
_NAMES: Final = "x509_subject_alternative_name"


@dataclass(frozen=True, slots=True)
class Identity:
    """The content of the three files."""

    certificate: bytes
    key: bytes
    authority: bytes

    def for_a_channel(self) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(self.authority, self.key, self.certificate)

    def for_a_server(self) -> Any:  # the stubs know the type by no public name
        pairs = [(self.key, self.certificate)]
        return grpc.ssl_server_certificate_configuration(pairs, self.authority)


class IdentityFolder:
    """A process's folder, read at the start and again when its files have changed.

    Raises:
        SettingsError: The files are missing or do not belong together.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        try:
            self._stamp: Sequence[tuple[int, int, int]] = self._stamp_now()
            self.identity = self._read()
        except OSError as error:  # as ssl's own errors are
            raise SettingsError(
                f"{path} has to hold {CERTIFICATE}, {KEY} and {AUTHORITY}, PEM files that belong "
                f"together ({error})."
            ) from error

    def renewed(self) -> Identity | None:
        """Return the identity if it is another one than before, else None.

        Files in the middle of being replaced count as those of before, and are looked at again.
        """
        try:
            stamp = self._stamp_now()
            if stamp == self._stamp:
                return None
            identity = self._read()
            if stamp != self._stamp_now():
                return None
        except OSError:
            return None
        self._stamp, self.identity = stamp, identity
        return identity

    def _stamp_now(self) -> Sequence[tuple[int, int, int]]:
        found = [(self._path / name).stat() for name in (CERTIFICATE, KEY, AUTHORITY)]
        return [(item.st_ino, item.st_mtime_ns, item.st_size) for item in found]

    def _read(self) -> Identity:
        certificate, key = self._path / CERTIFICATE, self._path / KEY
        authority = self._path / AUTHORITY
        # gRPC takes whatever it is given and fails at the first connection; OpenSSL tells now.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(authority)
        return Identity(certificate.read_bytes(), key.read_bytes(), authority.read_bytes())


def server_credentials(folder: IdentityFolder) -> grpc.ServerCredentials:
    """Return a server that answers nobody without a certificate of an authority in `folder`."""

    def renewed() -> Any:
        identity = folder.renewed()
        return None if identity is None else identity.for_a_server()

    making: Any = grpc.dynamic_ssl_server_credentials
    return making(folder.identity.for_a_server(), renewed, require_client_authentication=True)


def admit(context: Any, allowed: frozenset[str]) -> None:
    """Let a caller pass whose certificate has one of the names.

    Raises:
        PermissionDenied: The caller is somebody else.
    """
    shown: Mapping[str, Sequence[bytes]] = context.auth_context()
    if allowed.isdisjoint(name.decode() for name in shown.get(_NAMES, ())):
        raise PermissionDenied("This service is not for the caller.", "CALLER_NOT_LISTED")
