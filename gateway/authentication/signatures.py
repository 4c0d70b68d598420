"""Signatures of access tokens (RFC 7515), and the claims that they protect.

Apart from `access_tokens`, as the library beneath takes 10 MB: it is loaded with the first token, and
by no gateway whose callers have API keys alone.
"""

from collections.abc import Mapping
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

_ALGORITHMS: Final = ["RS256"]


class Signatures:
    """Checks tokens by a set of public keys (RFC 7517).

    Raises:
        ValueError: The document holds no such set.
    """

    def __init__(self, document: Any) -> None:
        try:
            self._keys = KeySet.import_key_set(document)
        except (JoseError, TypeError, KeyError) as error:
            raise ValueError("No set of keys.") from error

    def decoded(self, token: str) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
        """Header and claims of a token that one of the keys has signed, None for any other one."""
        try:
            decoded = jwt.decode(token, self._keys, algorithms=_ALGORITHMS)
        except (JoseError, ValueError, TypeError):
            return None
        return decoded.header, decoded.claims
