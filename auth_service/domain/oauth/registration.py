"""Client metadata, validated and reduced to the fields that this server stores.

Dynamic registration (RFC 7591) and Client ID Metadata Documents
(draft-ietf-oauth-client-id-metadata-document) share this format. Unknown fields are ignored, as
both specifications require.
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from auth_service.domain.oauth import redirects, scopes, urls
from servicekit.errors import InvalidInput

MAX_REDIRECT_URIS: Final = 10
MAX_NAME: Final = 80
GRANTS: Final = (
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
)
AUTH_METHODS: Final = ("none", "client_secret_basic", "client_secret_post")
_DEFAULT_GRANTS: Final = ("authorization_code", "refresh_token")


class InvalidClientMetadata(InvalidInput):
    """A field of the metadata is invalid (RFC 7591 section 3.2.2)."""

    default_reason = "invalid_client_metadata"


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """The stored metadata of a client. `application_type` is native, web, or None when absent."""

    client_name: str
    redirect_uris: tuple[str, ...]
    grant_types: tuple[str, ...]
    token_endpoint_auth_method: str
    scope: str
    application_type: str | None
    client_uri: str | None
    dpop_bound_access_tokens: bool = False
    """True if the client accepts only tokens bound to a key (RFC 9449 section 5.2)."""
    require_pushed_authorization_requests: bool = False
    """True if the client pushes every authorization request (RFC 9126 section 6)."""

    def fingerprint(self) -> str:
        """Return a hash of the metadata, by which a public client that registers again gets its id back."""
        # False values are left out, so that clients registered before these fields keep their id.
        fields = {name: value for name, value in asdict(self).items() if value is not False}
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def parse_client_metadata(document: Mapping[str, Any]) -> ClientMetadata:
    """Validate `document` and return its client metadata.

    Raises:
        InvalidRedirectUri: A redirect URI is missing or may not be registered.
        InvalidClientMetadata: Another field has the wrong type or an unsupported value.
    """
    grants = _grants(document)
    uris = _redirect_uris(document, needed="authorization_code" in grants)
    kind = document.get("application_type")
    return ClientMetadata(
        client_name=display_name(document.get("client_name"), uris),
        redirect_uris=uris,
        grant_types=grants,
        token_endpoint_auth_method=_auth_method(document),
        scope=_scope(document),
        application_type=kind if kind in ("native", "web") else None,
        client_uri=_client_uri(document.get("client_uri")),
        dpop_bound_access_tokens=_boolean(document, "dpop_bound_access_tokens"),
        require_pushed_authorization_requests=_boolean(
            document, "require_pushed_authorization_requests"
        ),
    )


def refuse_unknown_scopes(document: Mapping[str, Any]) -> None:
    """Refuse a client that registers scopes which this server has not (RFC 7591 section 3.2.2).

    Those of a metadata document are left out instead: it is written for all servers.

    Raises:
        InvalidClientMetadata: A scope is unknown.
    """
    reason = scopes.refusal(document.get("scope"))
    if reason is not None:
        raise InvalidClientMetadata(reason)


def display_name(name: object, uris: tuple[str, ...] = ()) -> str:
    """Return a name without control and direction characters, at most 80 characters long."""
    text = name if isinstance(name, str) else ""
    # Direction marks have the category Cf.
    name_characters = "".join(
        c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c)[0] != "C"
    )
    name_characters = " ".join(name_characters.split())[:MAX_NAME]
    return name_characters or (redirects.displayed_host(uris[0]) if uris else "Unnamed application")


def _strings(document: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value: Any = document.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):  # pyright: ignore[reportUnknownVariableType]
        raise InvalidClientMetadata(f"`{field}` must be a list of strings.")
    return tuple(dict.fromkeys(str(item) for item in value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _redirect_uris(document: Mapping[str, Any], *, needed: bool) -> tuple[str, ...]:
    uris = _strings(document, "redirect_uris")
    if needed and not uris:
        raise redirects.InvalidRedirectUri("`redirect_uris` must name at least one URI.")
    if len(uris) > MAX_REDIRECT_URIS:
        raise redirects.InvalidRedirectUri(
            f"`redirect_uris` holds {len(uris)} URIs; {MAX_REDIRECT_URIS} are allowed."
        )
    return tuple(redirects.check(uri) for uri in uris)


def _grants(document: Mapping[str, Any]) -> tuple[str, ...]:
    requested = _strings(document, "grant_types") or _DEFAULT_GRANTS
    offered = tuple(grant for grant in GRANTS if grant in requested)
    if not offered:
        raise InvalidClientMetadata(f"`grant_types` must hold one of {', '.join(GRANTS)}.")
    return offered


def _auth_method(document: Mapping[str, Any]) -> str:
    method = document.get("token_endpoint_auth_method", "none")
    supported = document.get("token_endpoint_auth_methods_supported")
    if method not in AUTH_METHODS and isinstance(supported, list) and "none" in supported:
        return "none"
    if method not in AUTH_METHODS:
        raise InvalidClientMetadata(
            f"`token_endpoint_auth_method` must be one of {', '.join(AUTH_METHODS)}."
        )
    return str(method)


def _boolean(document: Mapping[str, Any], field: str) -> bool:
    value = document.get(field, False)
    if not isinstance(value, bool):
        raise InvalidClientMetadata(f"`{field}` must be true or false.")
    return value


def _scope(document: Mapping[str, Any]) -> str:
    value = document.get("scope", "")
    if not isinstance(value, str):
        raise InvalidClientMetadata("`scope` must be a string of scopes separated by spaces.")
    return " ".join(s for s in scopes.parse(value) if s in scopes.DESCRIPTIONS)


def _client_uri(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        parts = urls.split(value)
    except ValueError:
        return None
    return value if parts.scheme == "https" and parts.hostname else None
