"""Proof that the sender of a request holds a key (DPoP, RFC 9449).

The authorization server binds tokens to the key of a proof, the gateway takes a bound token with a
proof of its key alone. Both check proofs here, by the list of RFC 9449 section 4.3.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from servicekit.errors import Unauthenticated

ALGORITHMS: Final = ("ES256", "ES384", "Ed25519", "EdDSA")
"""Signatures whose keys have one size, so that no caller chooses what a check costs."""

WINDOW_SECONDS: Final = 60.0
"""The allowed difference of the time in a proof from this machine's, in either direction."""

_MAX_LENGTH: Final = 4096
_MAX_ID_LENGTH: Final = 256
_PORTS: Final = {"https": 443, "http": 80}


_THUMBPRINT: Final = re.compile(r"[A-Za-z0-9_-]{43}")


class InvalidProof(Unauthenticated):
    """RFC 9449 sections 5 and 7.1: `invalid_dpop_proof`."""

    default_reason = "PROOF_INVALID"


@dataclass(frozen=True, slots=True)
class Target:
    """The request that a proof belongs to: its method, its URL and the access token in it."""

    method: str
    url: str
    access_token: str | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that holds; whether it was used before is for the caller to find out.

    Attributes:
        thumbprint: Of the key (RFC 7638), as `cnf.jkt` has it.
        use_id: Names this proof for this key and URL.
        expires_at: Unix time after which it does not hold any more.
    """

    thumbprint: str
    use_id: bytes
    expires_at: float


def is_thumbprint(text: str) -> bool:
    """Return whether `text` has the form of a key's thumbprint by SHA-256 (RFC 7638)."""
    return _THUMBPRINT.fullmatch(text) is not None


def check(proof: str, target: Target, now: float) -> Proof:
    """Return the proof in a `DPoP` header.

    Raises:
        InvalidProof: It does not hold for this request at this time.
    """
    if len(proof) > _MAX_LENGTH:
        raise InvalidProof(f"A DPoP proof has at most {_MAX_LENGTH} characters.")
    thumbprint, claims = _signed(proof)
    if claims.get("htm") != target.method:
        raise InvalidProof(f"The DPoP proof has to name the method {target.method} in htm.")
    if _normalised(claims.get("htu")) != _normalised(target.url):
        raise InvalidProof(f"The DPoP proof has to name the URL {target.url} in htu.")
    issued_at, proof_id = claims.get("iat"), claims.get("jti")
    if isinstance(issued_at, bool) or not isinstance(issued_at, int | float):
        raise InvalidProof("The DPoP proof has to have the time of its making in iat.")
    # Python compares numbers of any size, and what is no number is in no range.
    if not now - WINDOW_SECONDS <= issued_at <= now + WINDOW_SECONDS:
        raise InvalidProof(
            f"The DPoP proof was not made within {WINDOW_SECONDS:.0f} seconds of now, which is "
            f"{now:.0f} here. Make one for each request, and set the clock."
        )
    if not isinstance(proof_id, str) or not 0 < len(proof_id) <= _MAX_ID_LENGTH:
        raise InvalidProof(f"The DPoP proof needs a jti of 1 to {_MAX_ID_LENGTH} characters.")
    if target.access_token is not None:
        _check_token(claims.get("ath"), target.access_token)
    used = f"{thumbprint} {_normalised(target.url)} {proof_id}"
    use_id = hashlib.sha256(used.encode("utf-8", "surrogatepass")).digest()
    return Proof(thumbprint, use_id, float(issued_at) + WINDOW_SECONDS)


def _signed(proof: str) -> tuple[str, dict[str, Any]]:
    """Return the thumbprint of the key in the proof that has signed it, and the claims."""
    from servicekit.http import dpop_signature  # noqa: PLC0415 - loaded with the first proof, see there

    try:
        return dpop_signature.verify(proof, ALGORITHMS)
    except ValueError:
        raise InvalidProof(
            "The DPoP proof is no JWT of type dpop+jwt that is signed with "
            f"{', '.join(ALGORITHMS)} by the public key in its header."
        ) from None


def _check_token(digest: object, access_token: str) -> None:
    expected = base64.urlsafe_b64encode(hashlib.sha256(access_token.encode()).digest())
    text = digest if isinstance(digest, str) and digest.isascii() else ""
    if not hmac.compare_digest(text, expected.rstrip(b"=").decode()):
        raise InvalidProof("The DPoP proof has to name the access token by its hash in ath.")


def _normalised(url: object) -> tuple[str, str, int | None, str] | None:
    """Scheme, host, port and path; None for what is no URL of a server.

    RFC 9449 section 4.3 leaves out query and fragment and wants RFC 3986's normalisation.
    """
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or parts.username is not None:
        return None
    return parts.scheme, parts.hostname, port, parts.path.rstrip("/")
