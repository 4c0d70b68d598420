"""The authorization server's metadata (RFC 8414), also served at the OpenID discovery path."""

from typing import Any

from auth_service.domain.oauth import pkce, scopes
from auth_service.domain.oauth.registration import GRANTS
from auth_service.domain.oauth.signing import ALGORITHM
from auth_service.oauth import pushed
from auth_service.oauth.clients import ASSERTION
from auth_service.oauth.policy import Policy
from servicekit.http import dpop


def authorization_server(policy: Policy) -> dict[str, Any]:
    """Return the metadata (RFC 8414 section 2) with RFC 8628, 9126, 9207, 9449 and client documents."""
    issuer = policy.issuer
    methods = ["none", "client_secret_basic", "client_secret_post", ASSERTION]
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/oauth/authorize",
        "token_endpoint": f"{issuer}/oauth/token",
        "registration_endpoint": f"{issuer}/oauth/register",
        "revocation_endpoint": f"{issuer}/oauth/revoke",
        "introspection_endpoint": f"{issuer}/oauth/introspect",
        "device_authorization_endpoint": f"{issuer}/oauth/device_authorization",
        "pushed_authorization_request_endpoint": f"{issuer}{pushed.PATH}",
        "require_pushed_authorization_requests": False,
        "jwks_uri": f"{issuer}/oauth/jwks.json",
        "service_documentation": issuer,
        "scopes_supported": list(scopes.DESCRIPTIONS),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [*GRANTS, "client_credentials"],
        "code_challenge_methods_supported": [pkce.METHOD],
        "token_endpoint_auth_methods_supported": methods,
        "token_endpoint_auth_signing_alg_values_supported": [ALGORITHM, "ES256", "EdDSA"],
        "revocation_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_methods_supported": methods[1:],
        "dpop_signing_alg_values_supported": list(dpop.ALGORITHMS),
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        # OpenID discovery requires these; no ID tokens are issued.
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }
