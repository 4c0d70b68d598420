"""The login of a terminal: what is polled, stored, renewed and ended, and whom tokens are sent to."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs

import httpx2
import pytest

from cli.service.device_login import DeviceLogin
from cli.service.discovery import AuthorizationServer, authorization_server
from cli.service.errors import AddressError, CallError, LoginError
from cli.service.http import Http
from cli.service.logins import Login, Logins
from cli.service.session import Session
from cli.service.tools import ToolClient

URL = "https://mcp.example/mcp"
ISSUER = "https://site.example"
SERVER = AuthorizationServer(
    f"{ISSUER}/register", f"{ISSUER}/device_authorization", f"{ISSUER}/token", f"{ISSUER}/revoke"
)
TOKENS = {
    "access_token": "access-1",
    "refresh_token": "refresh-1",
    "token_type": "Bearer",
    "expires_in": 3600,
    "scope": "catalog:read",
}
CODE = {
    "device_code": "secret",
    "user_code": "BCDF-GHJK",
    "verification_uri": f"{ISSUER}/device",
    "expires_in": 900,
    "interval": 5,
}
METADATA = {
    "issuer": ISSUER,
    "registration_endpoint": SERVER.registration,
    "device_authorization_endpoint": SERVER.device_authorization,
    "token_endpoint": SERVER.token,
    "revocation_endpoint": SERVER.revocation,
}
RESOURCE = {"resource": URL, "authorization_servers": [ISSUER]}


class Site:
    """A service whose responses a test chooses, by path; of a list each is given once."""

    def __init__(self, **responses: Any) -> None:
        self.responses: dict[str, Any] = {
            "/.well-known/oauth-protected-resource/mcp": RESOURCE,
            "/.well-known/oauth-authorization-server": METADATA,
            "/register": {"client_id": "client_1"},
            "/device_authorization": CODE,
            "/token": TOKENS,
            "/revoke": {},
            **{f"/{path}": response for path, response in responses.items()},
        }
        self.requests: list[httpx2.Request] = []
        self.http = Http(httpx2.MockTransport(self.respond))

    def respond(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        response: Any = self.responses[request.url.path]
        if isinstance(response, list):
            response = cast("list[Any]", response).pop(0)
        if isinstance(response, Exception):
            raise response
        if isinstance(response, httpx2.Response):
            return response
        return httpx2.Response(400 if "error" in response else 200, json=response)

    def forms(self, path: str) -> list[dict[str, str]]:
        return [
            {name: values[0] for name, values in parse_qs(item.content.decode()).items()}
            for item in self.requests
            if item.url.path == path
        ]


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def __call__(self) -> float:
        return self.now


def waited_for(site: Site) -> tuple[Login, Clock]:
    clock = Clock()
    flow = DeviceLogin(site.http, SERVER, clock.wait, clock)
    return flow.tokens("client_1", flow.code("client_1", "catalog:read")), clock


def test_the_login_polls_until_the_person_has_approved() -> None:
    pending = {"error": "authorization_pending"}
    site = Site(token=[pending, pending, TOKENS])
    login, clock = waited_for(site)
    assert (login.access_token, login.refresh_token) == ("access-1", "refresh-1")
    assert clock.waits == [5, 5, 5]
    assert site.forms("/token")[0] == {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": "secret",
        "client_id": "client_1",
    }


def test_it_polls_less_often_after_slow_down_and_lost_connections() -> None:
    lost = httpx2.ConnectTimeout("timed out")
    busy = httpx2.Response(503)
    site = Site(token=[{"error": "slow_down"}, lost, busy, TOKENS])
    _, clock = waited_for(site)
    assert clock.waits == [5, 10, 15, 15]


def test_it_stops_when_the_code_has_expired() -> None:
    pending = {"error": "authorization_pending"}
    site = Site(device_authorization={**CODE, "expires_in": 12}, token=[pending] * 9)
    with pytest.raises(LoginError, match="in time"):
        waited_for(site)
    assert len(site.forms("/token")) == 3


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("access_denied", "refused in the browser"),
        ("expired_token", "in time"),
        ("invalid_grant", "refuses the login: invalid_grant"),
    ],
)
def test_a_refusal_ends_it_with_a_sentence(error: str, words: str) -> None:
    with pytest.raises(LoginError, match=words):
        waited_for(Site(token={"error": error}))


def test_a_token_bound_to_a_key_is_not_taken_for_one_that_works() -> None:
    with pytest.raises(LoginError, match="cannot use"):
        waited_for(Site(token={**TOKENS, "token_type": "DPoP"}))


def test_the_server_is_found_by_what_the_service_names() -> None:
    assert authorization_server(Site().http, URL) == SERVER


@pytest.mark.parametrize(
    ("changed", "value", "error"),
    [
        ("resource", "https://other.example/mcp", LoginError),
        ("resource", None, LoginError),
        ("authorization_servers", [], LoginError),
        ("authorization_servers", ["http://site.example"], AddressError),
    ],
)
def test_a_service_that_speaks_for_another_is_no_place_to_log_in(
    changed: str, value: Any, error: type[Exception]
) -> None:
    site = Site(**{".well-known/oauth-protected-resource/mcp": {**RESOURCE, changed: value}})
    with pytest.raises(error):
        authorization_server(site.http, URL)


@pytest.mark.parametrize(
    ("changed", "value", "error"),
    [
        ("issuer", "https://evil.example", LoginError),
        ("token_endpoint", "http://site.example/token", AddressError),
        ("token_endpoint", "file:///etc/passwd", AddressError),
        ("device_authorization_endpoint", None, AddressError),
        ("revocation_endpoint", "https://site.example/\x1b[2J", AddressError),
    ],
)
def test_tokens_go_to_no_address_that_others_can_read_or_that_is_none(
    changed: str, value: Any, error: type[Exception]
) -> None:
    site = Site(**{".well-known/oauth-authorization-server": {**METADATA, changed: value}})
    with pytest.raises(error):
        authorization_server(site.http, URL)


def test_redirects_are_not_followed() -> None:
    moved = httpx2.Response(307, headers={"location": "https://evil.example/token"})
    site = Site(token=moved)
    with pytest.raises(LoginError):
        waited_for(site)
    assert {item.url.host for item in site.requests} == {"site.example"}


@pytest.mark.parametrize("page", ["http://site.example/device", "https://a/\x1b]0;x\x07", None])
def test_a_page_that_is_not_safe_to_open_is_not_shown(page: str | None) -> None:
    site = Site(device_authorization={**CODE, "verification_uri": page})
    with pytest.raises(AddressError):
        waited_for(site)


@pytest.fixture
def logins(tmp_path: Path) -> Logins:
    return Logins(tmp_path / "own" / "logins.json")


def stored(expires_at: float = 2_000_000.0) -> Login:
    return Login(
        "client_1", "access-1", "refresh-1", expires_at, "x", SERVER.token, SERVER.revocation
    )


def session(site: Site, logins: Logins, api_key: str = "") -> Session:
    return Session(site.http, logins, URL, api_key, Clock())


def test_logins_are_readable_by_their_owner_alone_and_in_no_message(logins: Logins) -> None:
    logins.put(URL, stored())
    logins.put("https://other.example/mcp", stored())
    assert logins.path.stat().st_mode & 0o777 == 0o600
    assert logins.path.parent.stat().st_mode & 0o777 == 0o700
    assert "access-1" not in repr(logins.of(URL))
    logins.remove(URL)
    assert logins.addresses() == ("https://other.example/mcp",)


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({URL: 1}), json.dumps({URL: {"a": 1}})])
def test_a_damaged_file_is_named(logins: Logins, text: str) -> None:
    logins.path.parent.mkdir()
    logins.path.write_text(text)
    with pytest.raises(LoginError, match=r"logins\.json is damaged"):
        logins.of(URL)


def test_a_login_is_renewed_before_it_ends_and_stored(logins: Logins) -> None:
    site = Site(token={**TOKENS, "access_token": "access-2", "refresh_token": "refresh-2"})
    logins.put(URL, stored(1_000_020.0))
    assert session(site, logins).token() == "access-2"
    assert session(site, logins).token() == "access-2"
    assert len(site.requests) == 1
    login = logins.of(URL)
    assert login is not None
    assert login.refresh_token == "refresh-2"


def test_processes_that_find_a_login_at_its_end_renew_it_once(logins: Logins) -> None:
    site = Site(token=[{**TOKENS, "access_token": "access-2"}])
    logins.put(URL, stored(1_000_000.0))
    with ThreadPoolExecutor(4) as threads:
        sessions = [session(site, logins) for _ in range(4)]
        tokens = list(threads.map(Session.token, sessions))
    assert tokens == ["access-2"] * 4
    assert len(site.requests) == 1


def test_a_login_that_was_ended_elsewhere_is_forgotten(logins: Logins) -> None:
    logins.put(URL, stored(0))
    with pytest.raises(LoginError, match="has ended"):
        session(Site(token={"error": "invalid_grant"}), logins).token()
    assert logins.of(URL) is None


@pytest.mark.parametrize(
    "response", [httpx2.Response(503), httpx2.Response(429), httpx2.ConnectError("x")]
)
def test_a_login_is_not_forgotten_because_the_service_is_away(
    logins: Logins, response: Any
) -> None:
    logins.put(URL, stored(0))
    with pytest.raises(CallError):
        session(Site(token=response), logins).token()
    assert logins.of(URL) is not None


def test_logging_out_ends_the_login_there_and_here(logins: Logins) -> None:
    site = Site()
    logins.put(URL, stored())
    assert session(site, logins).end()
    assert site.forms("/revoke") == [{"token": "refresh-1", "client_id": "client_1"}]
    assert logins.of(URL) is None
    assert not session(site, logins).end()


def test_logging_out_forgets_the_login_even_where_the_service_is_away(logins: Logins) -> None:
    logins.put(URL, stored())
    with pytest.raises(CallError, match="account page"):
        session(Site(revoke=httpx2.ConnectError("x")), logins).end()
    assert logins.of(URL) is None


def test_a_login_of_one_service_is_sent_to_no_other(logins: Logins) -> None:
    site = Site(mcp={"result": {"tools": []}})
    logins.put(URL, stored())
    other = Session(site.http, logins, "https://other.example/mcp", "", Clock())
    with pytest.raises(LoginError, match="not logged in"):
        ToolClient(site.http, other).tools()
    assert site.requests == []


def test_a_key_goes_before_the_login(logins: Logins) -> None:
    site = Site(mcp={"result": {"tools": []}})
    logins.put(URL, stored())
    ToolClient(site.http, session(site, logins, "mcp_key")).tools()
    assert site.requests[-1].headers["authorization"] == "Bearer mcp_key"


def test_a_call_whose_token_is_refused_is_made_again_with_a_renewed_one(logins: Logins) -> None:
    refused = httpx2.Response(401, json={"error": {"message": "expired"}})
    renewed: Mapping[str, Any] = {**TOKENS, "access_token": "access-2"}
    site = Site(mcp=[refused, {"result": {"structuredContent": {"a": 1}}}], token=renewed)
    logins.put(URL, stored())
    assert ToolClient(site.http, session(site, logins)).call("x", {}) == {"a": 1}
    assert site.requests[-1].headers["authorization"] == "Bearer access-2"


def test_a_response_without_end_is_cut_off(logins: Logins) -> None:
    site = Site(mcp=httpx2.Response(200, content=b"[" * (33 * 1024 * 1024)))
    with pytest.raises(CallError, match="more than 32 MiB"):
        ToolClient(site.http, session(site, logins, "mcp_key")).tools()


def test_a_service_that_is_away_is_one_sentence() -> None:
    site = Site(**{".well-known/oauth-protected-resource/mcp": httpx2.ConnectError("no route")})
    with pytest.raises(CallError, match=r"mcp\.example does not respond: no route"):
        authorization_server(site.http, URL)
