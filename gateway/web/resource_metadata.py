"""Metadata from which clients learn where to get a token: RFC 9728, and RFC 8414 for older ones.

Readable from every origin without a credential: browser-based clients fetch these first.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from servicekit.errors import ServiceError
from servicekit.http import dpop

SCOPES: Final = ("catalog:read", "channels:import", "account:read")
_PATH: Final = "/.well-known/oauth-protected-resource"
_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "MCP-Protocol-Version, Content-Type, Authorization",
    "Cache-Control": "public, max-age=300",
}


class ResourceMetadata:
    """The documents of one protected resource and its issuer."""

    def __init__(
        self, resource: str, issuer: str, issuer_metadata: Callable[[], Awaitable[Any]]
    ) -> None:
        self._document = {
            "resource": resource,
            "resource_name": "Sponsorgraph",
            "authorization_servers": [issuer],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "dpop_signing_alg_values_supported": list(dpop.ALGORITHMS),
            "dpop_bound_access_tokens_required": False,
            "resource_documentation": issuer,
        }
        self._issuer_metadata = issuer_metadata

    def add_to(self, app: FastAPI) -> None:
        """Serve the documents at the paths that clients try."""

        async def protected_resource() -> JSONResponse:
            return JSONResponse(self._document, headers=_HEADERS)

        async def authorization_server() -> JSONResponse:
            # Clients of the revision 2025-03-26 look for it at the resource's own origin.
            try:
                return JSONResponse(await self._issuer_metadata(), headers=_HEADERS)
            except ServiceError as error:
                return JSONResponse({"error": error.public_message}, 503, headers=_HEADERS)

        async def preflight() -> JSONResponse:
            return JSONResponse(None, 200, headers=_HEADERS)

        for path in (_PATH, f"{_PATH}/mcp"):
            app.get(path)(protected_resource)
            app.options(path)(preflight)
        for path in ("oauth-authorization-server", "openid-configuration"):
            app.get(f"/.well-known/{path}")(authorization_server)
            app.options(f"/.well-known/{path}")(preflight)
