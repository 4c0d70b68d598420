"""An authenticator in software, which signs whatever a test tells it to (WebAuthn level 3)."""

from __future__ import annotations

import hashlib
import html
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any, Final

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

_PRESENT: Final = 0x01
_VERIFIED: Final = 0x04
_HAS_CREDENTIAL: Final = 0x40


def encoded(content: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def options_in(page: str, attribute: str) -> dict[str, Any]:
    """Return the options that a page has in an attribute of its form."""
    found = re.search(rf'{attribute}="([^"]*)"', page)
    assert found, page
    return json.loads(html.unescape(found.group(1)))


@dataclass(slots=True)
class Authenticator:
    """One credential. `is_verifying` is whether it asks for a fingerprint, face or PIN."""

    origin: str
    rp_id: str = "localhost"
    is_verifying: bool = True
    sign_count: int = 0
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    user_handle: bytes = b""
    _key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def create(self, options: dict[str, Any]) -> str:
        """Make the credential, and return what the browser sends."""
        self.user_handle = decoded(options["user"]["id"])
        client_data = self._client_data("webauthn.create", options["challenge"])
        identity = len(self.credential_id).to_bytes(2, "big") + self.credential_id
        authenticator_data = (
            self._authenticator_data(_HAS_CREDENTIAL) + bytes(16) + identity + self._public_key()
        )
        attestation = {"fmt": "none", "attStmt": {}, "authData": authenticator_data}
        return self._document(
            clientDataJSON=client_data, attestationObject=cbor2.dumps(attestation)
        )

    def get(self, options: dict[str, Any]) -> str:
        """Sign a challenge, and return what the browser sends."""
        self.sign_count += 1
        client_data = self._client_data("webauthn.get", options["challenge"])
        authenticator_data = self._authenticator_data(0)
        signed = authenticator_data + hashlib.sha256(client_data).digest()
        return self._document(
            clientDataJSON=client_data,
            authenticatorData=authenticator_data,
            signature=self._key.sign(signed, ec.ECDSA(SHA256())),
            userHandle=self.user_handle,
        )

    def _client_data(self, kind: str, challenge: str) -> bytes:
        content = {"type": kind, "challenge": challenge, "origin": self.origin}
        return json.dumps(content).encode()

    def _authenticator_data(self, flags: int) -> bytes:
        flags |= _PRESENT | (_VERIFIED if self.is_verifying else 0)
        domain = hashlib.sha256(self.rp_id.encode()).digest()
        return domain + bytes([flags]) + self.sign_count.to_bytes(4, "big")

    def _public_key(self) -> bytes:
        numbers = self._key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        return cbor2.dumps({1: 2, 3: -7, -1: 1, **point})

    def _document(self, **response: bytes) -> str:
        identity = encoded(self.credential_id)
        content = {name: encoded(value) for name, value in response.items()}
        return json.dumps(
            {"id": identity, "rawId": identity, "type": "public-key", "response": content}
        )
