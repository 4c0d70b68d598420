"""Proof of possession of the key that tokens are bound to (DPoP, RFC 9449)."""

from datetime import UTC, datetime

from auth_service.domain.oauth.ports import OAuthStore
from auth_service.oauth._authlib import OAuth2Error
from auth_service.oauth.requests import Request
from servicekit.http import dpop


class InvalidProofError(OAuth2Error):
    """The DPoP proof is invalid (RFC 9449 section 5)."""

    error = "invalid_dpop_proof"


def proven_key(store: OAuthStore, issuer: str, request: Request, now: datetime) -> str | None:
    """Return the thumbprint of the key that the `DPoP` header proves; None without a header.

    Raises:
        InvalidProofError: The proof is invalid for this request, or was used before.
    """
    proof: str | None = request.headers.get("Dpop")
    if proof is None:
        return None
    try:
        verified = dpop.check(proof, dpop.Target("POST", issuer + request.path), now.timestamp())
    except dpop.InvalidProof as refusal:
        raise InvalidProofError(refusal.public_message) from refusal
    expires_at = datetime.fromtimestamp(verified.expires_at, UTC)
    if not store.remember_assertion(verified.thumbprint, verified.use_id.hex(), expires_at):
        raise InvalidProofError("This DPoP proof was used before. Make a new one for each request.")
    return verified.thumbprint
