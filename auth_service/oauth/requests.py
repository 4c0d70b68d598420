"""Requests and responses in the form that Authlib expects, independent of any web framework."""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from auth_service.oauth._authlib import InvalidRequestError, OAuth2Payload, OAuth2Request

Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class OAuthResponse:
    """A response to send: `body` is an object for JSON, or empty with a `Location` header."""

    status: int
    body: Any
    headers: tuple[tuple[str, str], ...]

    @property
    def location(self) -> str | None:
        return next((value for name, value in self.headers if name == "Location"), None)


class Parameters(OAuth2Payload):
    """Query or form parameters, repeated ones included."""

    def __init__(self, pairs: Pairs) -> None:
        self._lists: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in pairs:
            self._lists[name].append(value)

    @property
    def data(self) -> dict[str, str]:
        return {name: values[-1] for name, values in self._lists.items()}

    @property
    def datalist(self) -> defaultdict[str, list[str]]:
        return self._lists

    @property
    def response_type(self) -> str | None:
        """The requested type, when its characters are those of a type (RFC 6749 appendix A.3).

        Authlib quotes it in an error description, which allows no other characters.
        """
        requested = self.data.get("response_type")
        if requested is None or (
            requested.isascii() and requested.replace("_", "").replace(" ", "").isalnum()
        ):
            return requested
        return "unreadable"

    def refuse_repeats(self) -> None:
        """Refuse repeated parameters (RFC 6749 section 3.1), except `resource` (RFC 8707 section 2)."""
        for name, values in self._lists.items():
            if len(values) > 1 and name != "resource":
                shown = name if name.isascii() and name.isidentifier() else "a parameter"
                raise InvalidRequestError(f"{shown} is given more than once.")


class Request(OAuth2Request):
    """A request to an endpoint of the issuer.

    Authlib refuses URIs that are not https. A proxy terminates TLS, so the scheme of the received
    request is irrelevant, and Authlib is passed an https URI; the operator is responsible for the
    issuer's.
    """

    def __init__(
        self, method: str, path: str, parameters: Parameters, headers: Mapping[str, str]
    ) -> None:
        # ASGI servers pass header names in lower case; Authlib reads "Authorization". Repeated
        # fields are joined (RFC 9110 section 5.3), so that two are not mistaken for one.
        named: dict[str, str] = {}
        for name, value in headers.items():
            title = name.title()
            named[title] = f"{named[title]}, {value}" if title in named else value
        super().__init__(method, f"https://issuer{path}", headers=named)
        self.path = path
        self.payload = parameters

    @property
    def args(self) -> dict[str, str]:
        return self.payload.data

    @property
    def form(self) -> dict[str, str]:
        return self.payload.data
