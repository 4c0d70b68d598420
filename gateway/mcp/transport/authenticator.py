"""From the `Authorization` header to a verified caller, and the challenge for those without.

Credentials come as `Bearer`, and access tokens that are bound to a key as `DPoP` (RFC 9449), each in
its own way alone: a bound token that was stolen must not work without its key.
"""

from collections.abc import Sequence
from typing import Final, Protocol
from urllib.parse import parse_qsl

from gateway.authentication.ports import TokenVerifier
from gateway.authentication.principal import BoundPrincipal, Principal
from gateway.authentication.step_ups import StepUps, scopes_from_now_on
from gateway.mcp.transport.http import Request
from servicekit.errors import Unauthenticated
from servicekit.http import dpop

_QUERY_NAMES: Final = frozenset(
    {"access_token", "api_key", "apikey", "authorization", "key", "token"}
)
_LONGEST_TOKEN: Final = 8192
_BEARER: Final = "bearer"
_DPOP: Final = "dpop"
_ALGORITHMS: Final = f'algs="{" ".join(dpop.ALGORITHMS)}"'.encode()


class ProofCheck(Protocol):
    """Checks that the sender of a bound token holds its key; see `Proofs.check`."""

    async def __call__(self, principal: Principal, token: str, proof: str) -> None: ...


class Authenticator:
    """Verify credentials, each by the verifier of its kind.

    Args:
        verifiers: One for each kind of token.
        check_proof: For tokens that are bound to a key.
        metadata_url: Where clients learn how to get one (RFC 9728).
        default_scope: The scope that a first login should request.
        step_ups: Hears of callers who were refused for a scope.
    """

    def __init__(
        self,
        verifiers: Sequence[TokenVerifier],
        check_proof: ProofCheck,
        metadata_url: str,
        default_scope: str,
        step_ups: StepUps,
    ) -> None:
        self._verifiers = tuple(verifiers)
        self._check_proof = check_proof
        self._metadata_url = metadata_url
        self._default_scope = default_scope
        self._step_ups = step_ups

    async def principal(self, request: Request) -> Principal:
        """Return the verified caller of a request.

        Raises:
            Unauthenticated: No token, one that does not hold, or a bound one without its proof.
            Unavailable: The credential cannot be verified now.
        """
        scheme, token = _credential(request)
        principal = await self._verifier(token).verify(token)
        if scheme == _DPOP:
            await self._check_proof(principal, token, _proof(request))
        elif type(principal) is BoundPrincipal:
            raise Unauthenticated(
                "This token is bound to a key. Send it as `Authorization: DPoP …`, with a proof of "
                "the key in the header `DPoP`.",
                "TOKEN_BOUND",
            )
        return principal

    async def principal_still(self, request: Request) -> Principal:
        """Return the caller of a request that `principal` has verified; the proof is not checked again."""
        _, token = _credential(request)
        return await self._verifier(token).verify(token)

    def _verifier(self, token: str) -> TokenVerifier:
        for verifier in self._verifiers:
            if verifier.recognises(token):
                return verifier
        raise Unauthenticated(
            "This is not a credential of this service. API keys begin with mcp_.", "TOKEN_UNKNOWN"
        )

    def challenge(self, error: Unauthenticated, request: Request) -> bytes:
        """`WWW-Authenticate` for a caller who must authenticate (RFC 6750, RFC 9449 section 7.1).

        Bearer comes first: many clients read no further.
        """
        if error.reason == "PROOF_INVALID":
            return self._challenge("DPoP", "invalid_dpop_proof", self._default_scope)
        if _is_dpop(request):
            return self._challenge("DPoP", "invalid_token", self._default_scope)
        kind = "" if error.reason == "NO_CREDENTIAL" else "invalid_token"
        return self._challenge("Bearer", kind, self._default_scope) + b", DPoP " + _ALGORITHMS

    async def scope_challenge(self, needed: str, principal: Principal, request: Request) -> bytes:
        """`WWW-Authenticate` for a caller whose token lacks a scope (RFC 6750 section 3.1).

        It names the scopes that the token has, too: many clients request those of the challenge alone.
        """
        await self._step_ups.report(principal, needed)
        scheme = "DPoP" if _is_dpop(request) else "Bearer"
        scope = scopes_from_now_on(principal.scopes, needed)
        return self._challenge(scheme, "insufficient_scope", scope)

    def _challenge(self, scheme: str, error: str, scope: str) -> bytes:
        kind = f'error="{error}", ' if error else ""
        text = f'{scheme} {kind}resource_metadata="{self._metadata_url}", scope="{scope}"'
        return text.encode() + (b", " + _ALGORITHMS if scheme == "DPoP" else b"")


def _names_credential(query: bytes) -> bool:
    names = {name.lower() for name, _ in parse_qsl(query.decode("latin-1"))}
    return bool(names & _QUERY_NAMES)


def _is_dpop(request: Request) -> bool:
    return (request.header(b"authorization") or "")[:5].lower() == "dpop "


def _proof(request: Request) -> str:
    """Return the one proof that comes with a bound token (RFC 9449 section 4.3)."""
    proof = request.header(b"dpop")
    if not proof or b"dpop" in request.repeated:
        raise Unauthenticated(
            "A token that is sent as `Authorization: DPoP …` needs one proof of its key in the "
            "header `DPoP`.",
            "PROOF_INVALID",
        )
    return proof


def _credential(request: Request) -> tuple[str, str]:
    """Return the scheme in lower case, and the credential."""
    # A URL ends up in logs and histories, so a credential in it is never accepted.
    if request.query and _names_credential(request.query):
        raise Unauthenticated(
            "Send the credential in the header `Authorization: Bearer …`, never in the URL. "
            "Revoke this one: URLs are kept in logs.",
            "CREDENTIAL_IN_URL",
        )
    header = request.header(b"authorization")
    if not header:
        raise Unauthenticated(
            "This service needs a credential: connect by OAuth, or send an API key in the header "
            "`Authorization: Bearer mcp_…`.",
            "NO_CREDENTIAL",
        )
    scheme, _, token = header.partition(" ")
    scheme, token = scheme.lower(), token.strip()
    if scheme not in (_BEARER, _DPOP) or not token or len(token) > _LONGEST_TOKEN:
        raise Unauthenticated(
            "The header must read `Authorization: Bearer ` followed by one credential.",
            "CREDENTIAL_MALFORMED",
        )
    return scheme, token
