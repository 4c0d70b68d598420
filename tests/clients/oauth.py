"""An OAuth client that a test drives by hand: registers, builds requests, redeems codes."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2

from tests.clients.person import Person
from tests.clients.proofs import Prover

CALLBACK: Final = "https://client.example/callback"


@dataclass(slots=True)
class OAuthClient:
    """A public client of the authorization server at `issuer`, for `resource`."""

    issuer: str
    resource: str
    client_id: str
    redirect_uri: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    prover: Prover | None = None
    """Asks for bound tokens."""

    address: str = field(default_factory=lambda: f"203.0.113.{secrets.randbelow(250)}")

    @classmethod
    async def registered(
        cls, issuer: str, resource: str, redirect_uri: str = CALLBACK, **metadata: Any
    ) -> OAuthClient:
        """A client that has registered itself."""
        body = {
            "client_name": f"Test {secrets.token_hex(4)}",
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "none",
            **metadata,
        }
        async with httpx2.AsyncClient() as http:
            response = await http.post(f"{issuer}/oauth/register", json=body)
        assert response.status_code == 201, response.text
        return cls(issuer, resource, response.json()["client_id"], redirect_uri)

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def authorize_url(self, **changes: str | None) -> str:
        """The URL that the client opens in the browser; None leaves a parameter out."""
        parameters: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "catalog:read account:read offline_access",
            "state": self.state,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "resource": self.resource,
            **changes,
        }
        present = {name: value for name, value in parameters.items() if value is not None}
        return f"{self.issuer}/oauth/authorize?{urlencode(present)}"

    def request(self, **changes: str | None) -> dict[str, str]:
        """The parameters of an authorization request; None leaves one out."""
        return query_of(self.authorize_url(**changes))

    async def pushed_url(self, **changes: str | None) -> str:
        """The URL that the client opens in the browser after it has pushed its request."""
        response = await self.post("/oauth/par", **self.request(**changes))
        assert response.status_code == 201, response.text
        return self.url_of(response.json()["request_uri"])

    def url_of(self, request_uri: str, **changes: str) -> str:
        """The URL for a request that was pushed."""
        named = {"client_id": self.client_id, "request_uri": request_uri, **changes}
        return f"{self.issuer}/oauth/authorize?{urlencode(named)}"

    async def code_from(self, person: Person, **changes: str | None) -> str:
        """The code that the person's consent leads to."""
        landed = query_of(await person.decide(self.authorize_url(**changes)))
        assert landed["state"] == self.state
        assert landed["iss"] == self.issuer
        return landed["code"]

    async def token(self, **fields: str) -> httpx2.Response:
        """A request to the token endpoint."""
        url, headers = f"{self.issuer}/oauth/token", {"X-Forwarded-For": self.address}
        if self.prover is not None:
            headers["DPoP"] = self.prover.proof(url)
        async with httpx2.AsyncClient() as http:
            data = {"client_id": self.client_id, **fields}
            return await http.post(url, data=data, headers=headers)

    async def redeem(self, code: str, **changes: str) -> httpx2.Response:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
            "resource": self.resource,
            **changes,
        }
        return await self.token(**{name: value for name, value in fields.items() if value})

    async def refresh(self, refresh_token: str, **changes: str) -> httpx2.Response:
        return await self.token(grant_type="refresh_token", refresh_token=refresh_token, **changes)

    async def connect(self, person: Person) -> dict[str, Any]:
        """Tokens of a new connection."""
        response = await self.redeem(await self.code_from(person))
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, **fields: str) -> httpx2.Response:
        """A form sent to another endpoint."""
        async with httpx2.AsyncClient() as http:
            data = {"client_id": self.client_id, **fields}
            headers = {"X-Forwarded-For": self.address}
            return await http.post(f"{self.issuer}{path}", data=data, headers=headers)


def query_of(url: str) -> dict[str, str]:
    """The query of a URL, each parameter once."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
