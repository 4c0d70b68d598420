"""Headers of every response of the site, and the request headers that the site trusts."""

from __future__ import annotations

import secrets
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import pytest

from auth_service.settings import AuthSettings
from devstack.ports import free_port
from protos.auth.v1 import auth_pb2 as pb
from tests.attack import routes
from tests.clients.person import PASSWORD, Person, link_in, newest_mail
from tests.integration.auth_service.conftest import Service, auth_settings, running, service

__all__ = ["auth_settings", "service"]

EVIL: Final = "evil.example"
SPOOFED: Final = {
    "Host": EVIL,
    "X-Forwarded-Host": EVIL,
    "X-Forwarded-Server": EVIL,
    "X-Forwarded-Port": "8443",
    "Forwarded": f"host={EVIL};proto=https",
    "X-Original-URL": "/operator",
    "X-Rewrite-URL": "/operator",
}
PUBLIC_DOCUMENTS: Final = {
    "/oauth/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/static",
    "/robots.txt",
    "/llms.txt",
    "/skills/sponsorgraph.zip",
    "/skills/sponsorgraph/SKILL.md",
    "/skills/sponsorgraph/references/coverage.md",
    "/skills/sponsorgraph/references/sql.md",
    "/skills/sponsorgraph/references/tools.md",
    "/healthz",
}
"""The same for everyone, so that caches may store them."""

PAGES: Final = sorted(
    path.replace("{provider}", "google").replace("{path:anything}", "nowhere")
    for method, path in routes.served()
    if method == "GET"
)
FORMS: Final = sorted(path for method, path in routes.served() if method == "POST")


@pytest.fixture(scope="module")
async def operator(service: Service) -> Person:
    """An operator, who may see every page."""
    person = await service.person()
    request = pb.SetOperatorRequest(email=person.email, operator=True)
    await service.operate(service.operations.SetOperator, request)
    return person


def is_guarded(response: httpx2.Response) -> None:
    """Assert that a page cannot be framed, run injected scripts or be content-sniffed."""
    assert response.headers["x-content-type-options"] == "nosniff"
    if not response.headers.get("content-type", "").startswith("text/html"):
        return
    policy = {
        part.split()[0]: part.split()[1:]
        for part in response.headers["content-security-policy"].split("; ")
    }
    assert policy["default-src"] == ["'none'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == ["'self'"]
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["referrer-policy"] == "same-origin"
    assert "cross-origin-opener-policy" not in response.headers, "clients open these in pop-ups"


@pytest.mark.parametrize("path", PAGES)
async def test_no_page_is_framed_sniffed_or_cached(
    service: Service, operator: Person, path: str
) -> None:
    async with httpx2.AsyncClient(base_url=service.url) as visitor:
        for response in (await visitor.get(path), await operator.client.get(path)):
            is_guarded(response)
            cache_control = response.headers.get("cache-control", "")
            is_public = path in PUBLIC_DOCUMENTS or path.startswith("/static/")
            assert is_public or cache_control == "no-store", (
                response.status_code,
                cache_control,
            )
            assert "etag" not in response.headers or path.startswith("/static")


@pytest.mark.parametrize("path", FORMS)
async def test_no_form_is_accepted_from_another_site_framed_or_cached(
    service: Service, operator: Person, path: str
) -> None:
    async with httpx2.AsyncClient(base_url=service.url) as visitor:
        for client in (visitor, operator.client):
            response = await client.post(
                path, data={"x": "y"}, headers={"Origin": f"https://{EVIL}"}
            )
            assert 300 <= response.status_code < 500, response.status_code
            is_guarded(response)
            assert response.headers["cache-control"] == "no-store"
        if path == "/forgot":
            policy = (await visitor.get(path)).headers["content-security-policy"]
            assert "form-action 'self'" in policy.split("; ")


@pytest.mark.parametrize(
    "path", [*PAGES, *FORMS, "/oauth/token/", "/oauth/jwks.json/", "/account/"]
)
async def test_no_response_trusts_a_request_about_the_address_of_the_site(
    service: Service, operator: Person, path: str
) -> None:
    method = "POST" if path in FORMS else "GET"
    for query in ("", f"?next=https://{EVIL}/", f"?next=//{EVIL}"):
        response = await operator.client.request(method, path + query, headers=SPOOFED)
        where = urlsplit(str(response.headers.get("location", "")))
        assert where.netloc in ("", urlsplit(service.url).netloc), response.headers["location"]
        assert f"https://{EVIL}" not in response.text
        assert f"//{EVIL}" not in response.headers.get("location", "")
        assert EVIL not in response.headers.get("set-cookie", "")


ELSEWHERE: Final = (
    f"https://{EVIL}", f"//{EVIL}", f"///{EVIL}", f"/\\{EVIL}", f"\\/{EVIL}", f"/%5c{EVIL}",
    f"/%2f{EVIL}", f"/%09/{EVIL}", f"/\t/{EVIL}", f"\r\n//{EVIL}", "javascript:alert(1)",
    f"http:{EVIL}", f"https:/{EVIL}", f"@{EVIL}", f"/..//{EVIL}", f"/.//{EVIL}", f"%2f%2f{EVIL}",
    f"/\u2028/{EVIL}", f"\u3002{EVIL}", "data:text/html,x",
)  # fmt: skip


@pytest.mark.parametrize("target", ELSEWHERE)
async def test_nobody_is_led_elsewhere_by_login_confirmation_or_logout(
    service: Service, target: str
) -> None:
    email = await service.account()
    async with Person(service.url, f"198.51.100.{secrets.randbelow(250)}") as person:
        await person.client.get("/login", params={"next": target})
        response = await person.visit(str(httpx2.URL("/login", params={"next": target})))
        assert response.status_code == 200
        landed = await person.submit("/login", email=email, password=PASSWORD, next=target)
        assert landed.url.host == urlsplit(service.url).hostname
        assert EVIL not in landed.url.host
        await person.visit("/account")
        left = await person.submit("/logout", next=target)
        assert left.url.host == urlsplit(service.url).hostname


async def test_links_in_mails_are_of_the_settings_whatever_the_request_says(
    service: Service,
) -> None:
    address = f"{secrets.token_hex(6)}@example.com"
    async with Person(service.url, "198.51.100.77") as person:
        person.client.headers.update(SPOOFED)
        await person.visit("/signup")
        await person.submit("/signup", email=address, password=PASSWORD, next=f"//{EVIL}")
        mail = await newest_mail(service.mails, address)
        assert link_in(mail).startswith(f"{service.url}/confirm?token=")
        assert EVIL not in mail
        await person.visit(link_in(mail))
        landed = await person.submit("/confirm", next=f"//{EVIL}")
        assert str(landed.url) == f"{service.url}/account"


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
async def test_a_method_is_what_the_request_line_says(
    service: Service, operator: Person, header: str
) -> None:
    keys = await service.key(operator.email)
    fields = {"key_id": keys.key.key_id, "_method": "POST"}
    response = await operator.client.get(
        "/account/keys/revoke", params=fields, headers={header: "POST"}
    )
    assert response.status_code == 404
    assert keys.key.key_id in (await operator.visit("/account/keys")).text


async def test_cookies_cannot_be_read_by_scripts_or_sent_by_other_sites(
    service: Service, operator: Person
) -> None:
    async with httpx2.AsyncClient(base_url=service.url) as visitor:
        for path in PAGES:
            for cookie in (await visitor.get(path)).headers.get_list("set-cookie"):
                flags = {part.strip().lower() for part in cookie.split(";")[1:]}
                assert {"httponly", "samesite=lax", "path=/"} <= flags, path
                assert not any(flag.startswith("domain") for flag in flags)
            visitor.cookies.clear()


async def test_an_address_in_a_forged_field_frees_nobody_from_a_limit(service: Service) -> None:
    """Behind a proxy, the address that the proxy has appended counts."""
    email = await service.account()
    statuses: list[int] = []
    async with Person(service.url) as guesser:
        for at in range(12):
            guesser.client.headers["X-Forwarded-For"] = f"203.0.113.{at}, 198.51.100.99"
            statuses.append((await guesser.log_in(email, "a wrong guess")).status_code)
    assert statuses == [401] * 10 + [429] * 2


async def test_where_there_is_no_edge_no_forwarded_address_is_believed(
    auth_settings: AuthSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")  # which the server would read by itself
    port = free_port()
    by_default = AuthSettings.model_fields["trusted_proxies"].default
    changes = {
        "http_port": port,
        "site_url": f"http://127.0.0.1:{port}",
        "trusted_proxies": by_default,
    }
    async with running(auth_settings.model_copy(update=changes)) as alone:
        email = await alone.account()
        statuses: list[int] = []
        async with Person(alone.url) as guesser:
            for at in range(12):
                guesser.client.headers["X-Forwarded-For"] = f"203.0.113.{at}"
                statuses.append((await guesser.log_in(email, "a wrong guess")).status_code)
    assert statuses == [401] * 10 + [429] * 2


@pytest.mark.parametrize("other", ["null", f"https://{EVIL}", "http://127.0.0.1.evil.example"])
async def test_a_form_of_another_site_is_refused_even_with_its_token(
    service: Service, operator: Person, other: str
) -> None:
    await operator.visit("/account/settings")
    fields: dict[str, Any] = dict(operator.form("/account/settings/password").fields)
    response = await operator.client.post(
        "/account/sessions/end-others",
        data=fields,
        headers={"Origin": other, "Sec-Fetch-Site": "cross-site"},
    )
    assert response.status_code == 403
