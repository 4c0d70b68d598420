"""Redirect URIs: registered ones, and what counts as one of them."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.oauth import redirects
from auth_service.domain.oauth.redirects import InvalidRedirectUri


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "http://localhost:8787/callback",
        "http://127.0.0.1/callback",
        "http://[::1]:9/cb",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
)
def test_https_loopback_and_known_applications_may_register(uri: str) -> None:
    assert redirects.check(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "/callback",
        "http://example.com/cb",
        "http://localhost.example.com/cb",
        "http://127.0.0.1.example.com/cb",
        "https://user@example.com/cb",
        "https://example.com/cb#fragment",
        "https://example.com/cb#",
        "https://example.com\\@evil.example/cb",
        "https://exa mple.com/cb",
        "https://example.com:port/cb",
        "javascript:alert(1)",
        "javascript://x.y/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "com.example.app:/cb",
        "https://example.com/" + "x" * 2000,
    ],
)
def test_everything_else_is_refused(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        redirects.check(uri)


@given(st.integers(1, 65535))
def test_a_loopback_uri_matches_on_any_port(port: int) -> None:
    registered = ["http://localhost/callback", "http://127.0.0.1:1/cb?x=1"]
    assert redirects.matches(registered, f"http://localhost:{port}/callback")
    assert redirects.matches(registered, f"http://127.0.0.1:{port}/cb?x=1")


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:3000/callback",  # the other name of the same place
        "http://localhost:3000/callback/",
        "http://localhost:3000/callback?more",
        "http://user@localhost:3000/callback",
        "https://localhost:3000/callback",
        "http://localhost.evil.example:3000/callback",
    ],
)
def test_nothing_but_the_port_may_differ(uri: str) -> None:
    assert not redirects.matches(["http://localhost/callback"], uri)


@pytest.mark.parametrize("uri", ["https://a.example:444/cb", "https://A.example/cb"])
def test_an_https_uri_matches_only_itself(uri: str) -> None:
    assert not redirects.matches(["https://a.example/cb"], uri)


@given(st.text())
def test_no_text_crashes_the_checks(uri: str) -> None:
    redirects.matches(["http://localhost/cb"], uri)
    with contextlib.suppress(InvalidRedirectUri):
        assert redirects.check(uri) == uri


def test_the_host_is_named_as_a_person_reads_it() -> None:
    assert redirects.displayed_host("https://claude.ai/api") == "claude.ai"
    assert redirects.displayed_host("http://127.0.0.1:1/cb") == "this computer"
    assert redirects.displayed_host("cursor://x/y") == "the application cursor://"
