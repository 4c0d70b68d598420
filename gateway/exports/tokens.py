"""Encrypted tokens (RFC 7516, compact JWE), imported by the first link: few gateways ever make one."""

import hashlib
from typing import Final

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

_HEADER: Final = {"alg": "dir", "enc": "A256GCM"}


class Tokens:
    """Encrypts and decrypts by a key that is derived from a secret."""

    def __init__(self, secret: str) -> None:
        self._key = OctKey.import_key(hashlib.sha256(b"exports" + secret.encode()).digest())

    def encrypt(self, payload: bytes) -> str:
        return jwe.encrypt_compact(_HEADER, payload, self._key)

    def decrypt(self, token: str) -> bytes:
        """Return what was encrypted.

        Raises:
            ValueError: The token was changed, or is none.
        """
        try:
            found = jwe.decrypt_compact(token, self._key, algorithms=list(_HEADER.values()))
        except JoseError as error:
            raise ValueError("not a token of this key") from error
        return found.plaintext or b""
