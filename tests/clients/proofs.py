"""A key of a client, and the DPoP proofs that it makes (RFC 9449)."""

import base64
import hashlib
import json
import secrets
import time
from typing import Any

from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

Key = ECKey | OKPKey | RSAKey
ALGORITHMS = ["ES256", "ES384", "Ed25519", "EdDSA", "RS256"]


class _Registry(jws.JWSRegistry):
    """Signs any header, as an attacker does."""

    max_header_length = 8192

    def get_alg(self, name: str) -> Any:
        return self.algorithms[name]  # without joserfc's warning of the old name of Ed25519

    def check_header(self, header: dict[str, Any]) -> None:
        pass


_REGISTRY = _Registry(algorithms=ALGORITHMS, strict_check_header=False)


class Prover:
    """Somebody who holds a key."""

    def __init__(self, key: Key | None = None, algorithm: str = "ES256") -> None:
        self.key: Key = key or ECKey.generate_key("P-256")
        self.algorithm = algorithm

    @property
    def thumbprint(self) -> str:
        return self.key.thumbprint()

    def proof(
        self,
        url: str,
        method: str = "POST",
        token: str | None = None,
        header: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """A proof for one request; None leaves out a claim or header parameter."""
        content: dict[str, Any] = {
            "htm": method,
            "htu": url,
            "iat": int(time.time()),
            "jti": secrets.token_urlsafe(16),
            "ath": None if token is None else digest(token),
        } | claims
        head = {
            "typ": "dpop+jwt",
            "alg": self.algorithm,
            "jwk": dict(self.key.as_dict(private=False)),
        } | (header or {})
        payload = json.dumps({name: value for name, value in content.items() if value is not None})
        present = {name: value for name, value in head.items() if value is not None}
        return jws.serialize_compact(present, payload, self.key, registry=_REGISTRY)


def digest(token: str) -> str:
    """Return the `ath` of an access token."""
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
