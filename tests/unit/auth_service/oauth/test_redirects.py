"""Redirect URIs: registration and comparison."""

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
        "https://example.com\\.evil.example/cb",
        "https://example.com/cb\\..\\x",
        "http://127.0.0.1\\.evil.example/cb",
        "http:\\\\localhost/cb",
        "http://evil.example[::1]/cb",
        "http://evil.example[::1]:80/cb",
        "http://[::1].evil.example/cb",
        "http://[::1]evil.example/cb",
        "http://[evil.example]/cb",
        "https://evil.example[::1]/cb",
        "https://example%2ecom/cb",
        "https://example.com,evil.example/cb",
        "https:///cb",
        "https:example.com/cb",
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
        "http://127.0.0.1:3000/callback",  # the other name of the same host
        "http://localhost:3000/callback/",
        "http://localhost:3000/callback?more",
        "http://user@localhost:3000/callback",
        "https://localhost:3000/callback",
        "http://localhost.evil.example:3000/callback",
        "http://localhost:3000/callback#fragment",
        "http://localhost:3000/CALLBACK",
        "http://localhost:3000/callback/more",
        "http://localhost:3000/c",
        "http://localhost:3000/x/../callback",
        "http://localhost:3000\\callback",
        "http://localhost[::1]:3000/callback",
        "http://evil.example/callback",
        "ftp://localhost:3000/callback",
    ],
)
def test_nothing_but_the_port_may_differ(uri: str) -> None:
    assert not redirects.matches(["http://localhost/callback"], uri)


@pytest.mark.parametrize(
    "uri",
    [
        "https://a.example:444/cb",
        "https://a.example:443/cb",
        "https://A.example/cb",
        "https://a.example/cb/",
        "https://a.example/cb/more",
        "https://a.example/c",
        "https://a.example/CB",
        "https://a.example/%63b",
        "https://a.example/x/../cb",
        "https://a.example/cb?x=1",
        "https://a.example/cb#x",
        "https://a.example/cb ",
        "https://u@a.example/cb",
        "https://b.a.example/cb",
        "https://a.example.evil.example/cb",
        "http://a.example/cb",
        "//a.example/cb",
    ],
)
def test_an_https_uri_matches_only_itself(uri: str) -> None:
    registered = ["https://a.example/cb", "http://localhost/callback"]
    assert redirects.matches(registered, registered[0])
    assert not redirects.matches(registered, uri)


@given(st.text(alphabet="htps:/a.exmlcb?#@%2e0123456789[]\\ ", max_size=40))
def test_no_other_text_matches_an_https_uri_or_a_scheme_of_an_application(uri: str) -> None:
    assert not redirects.matches(["https://a.example/cb", "cursor://a.example:1/cb"], uri)


@given(st.integers(1, 65535))
def test_the_port_of_no_other_scheme_may_vary(port: int) -> None:
    for registered in (
        "https://a.example:0/cb",
        "https://localhost:0/cb",
        "cursor://localhost:0/cb",
    ):
        assert not redirects.matches([registered], registered.replace(":0", f":{port}"))


@given(st.text())
def test_no_text_crashes_the_checks(uri: str) -> None:
    redirects.matches(["http://localhost/cb"], uri)
    with contextlib.suppress(InvalidRedirectUri):
        assert redirects.check(uri) == uri


def test_the_host_is_named_as_a_person_reads_it() -> None:
    assert redirects.displayed_host("https://claude.ai/api") == "claude.ai"
    assert redirects.displayed_host("http://127.0.0.1:1/cb") == "this computer"
    assert redirects.displayed_host("cursor://x/y") == "the application cursor://"
