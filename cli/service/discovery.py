"""Discovery of the authorization server of a service (RFC 9728, RFC 8414)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from cli.service.address import checked
from cli.service.errors import LoginError
from cli.service.http import Http


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """The endpoints by which a terminal logs in."""

    registration: str
    device_authorization: str
    token: str
    revocation: str


def authorization_server(http: Http, url: str) -> AuthorizationServer:
    """Return the authorization server of the service at `url`.

    Raises:
        LoginError: It names none, or one that speaks for another service.
        AddressError: An endpoint is no safe address.
        CallError: Nobody answered.
    """
    resource = _document(http, _well_known(url, "oauth-protected-resource"))
    if resource.get("resource") != url:
        raise LoginError(
            f"{url} is not the address that the service has of itself: {_own(resource)}"
        )
    issuers = resource.get("authorization_servers")
    if not isinstance(issuers, list) or not issuers:
        raise LoginError(f"{url} names no authorization server to log in at.")
    issuer = checked(cast("list[object]", issuers)[0], "authorization server")
    metadata = _document(http, _well_known(issuer, "oauth-authorization-server"))
    if metadata.get("issuer") != issuer:
        raise LoginError(f"{issuer} speaks for another authorization server.")
    return AuthorizationServer(
        registration=checked(metadata.get("registration_endpoint"), "registration endpoint"),
        device_authorization=checked(
            metadata.get("device_authorization_endpoint"), "device authorization endpoint"
        ),
        token=checked(metadata.get("token_endpoint"), "token endpoint"),
        revocation=checked(metadata.get("revocation_endpoint"), "revocation endpoint"),
    )


def _well_known(url: str, name: str) -> str:
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return parts._replace(path=f"/.well-known/{name}{path}", query="").geturl()


def _document(http: Http, url: str) -> Mapping[str, Any]:
    status, body = http.get(url)
    if status != 200 or not isinstance(body, dict):
        raise LoginError(f"{url} was not found there ({status}): is this the service's address?")
    return cast("dict[str, Any]", body)


def _own(resource: Mapping[str, Any]) -> str:
    named = resource.get("resource")
    return named if isinstance(named, str) and named.isprintable() else "unknown"
