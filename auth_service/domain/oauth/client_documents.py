"""Client ID Metadata Documents: the id of a client is the https URL of its metadata.

See draft-ietf-oauth-client-id-metadata-document. Copies of well-known clients' documents are
bundled, since their hosts refuse requests from some data centres; a fetched document takes
precedence.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from auth_service.domain.oauth import urls
from auth_service.domain.oauth.registration import (
    ClientMetadata,
    InvalidClientMetadata,
    parse_client_metadata,
)

MAX_BYTES: Final = 5 * 1024
_CLAUDE_CALLBACKS: Final = (
    "https://claude.ai/api/mcp/auth_callback",
    "https://claude.com/api/mcp/auth_callback",
)


@dataclass(frozen=True, slots=True)
class PinnedClient:
    """A well-known client with the relevant fields of its document."""

    client_id: str
    name: str
    redirect_uris: tuple[str, ...]


PINNED: Final = {
    client.client_id: client
    for client in (
        PinnedClient(
            "https://claude.ai/oauth/mcp-oauth-client-metadata", "Claude", _CLAUDE_CALLBACKS
        ),
        PinnedClient(
            "https://claude.ai/oauth/claude-code-client-metadata",
            "Claude Code",
            ("http://localhost/callback", "http://127.0.0.1/callback"),
        ),
        PinnedClient(
            "https://chatgpt.com/oauth/client.json",
            "ChatGPT",
            ("https://chatgpt.com/connector_platform_oauth_redirect",),
        ),
        PinnedClient(
            "https://chatgpt.com/oauth/codex/client.json",
            "Codex",
            ("http://127.0.0.1/callback", "http://localhost/callback"),
        ),
        PinnedClient(
            "https://vscode.dev/oauth/client-metadata.json",
            "Visual Studio Code",
            (
                "http://127.0.0.1/",
                "http://127.0.0.1:33418/",
                "https://vscode.dev/redirect",
                "https://insiders.vscode.dev/redirect",
            ),
        ),
    )
}


def is_document_url(client_id: str) -> bool:
    """Return whether `client_id` is a valid document URL: https on port 443, with a path."""
    try:
        parts = urls.split(client_id)
    except ValueError:
        return False
    return (
        parts.scheme == "https"
        and bool(parts.hostname)
        and parts.port in (None, 443)
        and parts.path not in ("", "/")
        and not parts.fragment
        and parts.username is None
        and not {".", ".."} & set(parts.path.split("/"))
    )


def parse_document(client_id: str, document: Mapping[str, Any]) -> ClientMetadata:
    """Return the metadata in the document at `client_id`.

    Raises:
        InvalidClientMetadata: The document names another id, lacks a name, or holds a secret.
    """
    if document.get("client_id") != client_id:
        raise InvalidClientMetadata(f"The document at {client_id} names another `client_id`.")
    if not document.get("client_name"):
        raise InvalidClientMetadata(f"The document at {client_id} lacks `client_name`.")
    if "client_secret" in document:
        raise InvalidClientMetadata(f"The document at {client_id} must not hold a secret.")
    return parse_client_metadata(_as_public(document))


def _as_public(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document as that of a public client, the only kind that documents can register.

    A client that prefers `private_key_jwt` and also supports `none` is treated as public.
    """
    methods = document.get("token_endpoint_auth_methods_supported")
    method = document.get("token_endpoint_auth_method", "none")
    if method != "none" and not (isinstance(methods, list) and "none" in methods):
        raise InvalidClientMetadata(
            "A client known by its document must take `none` at the token endpoint."
        )
    return {**document, "token_endpoint_auth_method": "none"}


def pinned_metadata(client_id: str) -> ClientMetadata | None:
    """Return the metadata of the bundled copy for `client_id`, or None."""
    client = PINNED.get(client_id)
    if client is None:
        return None
    return parse_client_metadata(
        {"client_name": client.name, "redirect_uris": list(client.redirect_uris)}
    )
