"""The consent page: its content, its decisions and remembered consents."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape

from auth_service.domain.oauth import scopes
from tests.clients.oauth import CALLBACK, OAuthClient, query_of
from tests.clients.person import Person
from tests.integration.auth_service.conftest import RESOURCE, Age, Meeting, Service

CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
CLAUDE_CALLBACK = "https://claude.ai/api/mcp/auth_callback"


async def test_it_names_client_redirect_host_scopes_resource_and_lifetime(
    service: Service,
) -> None:
    person, client = await service.person(), await service.client(client_name="Weather Bot")
    page = (await person.visit(client.authorize_url())).text
    for shown in ("Weather Bot", "Ask about sponsors", RESOURCE, "180 days"):
        assert shown in page
    assert "<strong>client.example</strong>" in page
    assert person.email in page


async def test_a_client_that_nobody_vouches_for_comes_with_a_warning(service: Service) -> None:
    person = await service.person()
    stranger = await service.client(client_name="Claude")
    assert "Not verified" in (await person.visit(stranger.authorize_url())).text
    known = {"client_id": CLAUDE, "redirect_uri": CLAUDE_CALLBACK}
    assert "Not verified" not in (await person.visit(stranger.authorize_url(**known))).text


async def test_a_document_that_speaks_for_another_comes_with_a_warning_and_its_host(
    meeting: Meeting,
) -> None:
    person = await meeting.service.person()
    claims = {"client_name": "Claude", "client_uri": "https://claude.ai/"}
    client = meeting.client("/claude", "evil.example", **claims)
    page = await person.visit(client.authorize_url())
    assert "Not verified" in page.text
    assert voucher_in(page.text) == "evil.example"


async def test_a_host_that_vouches_for_its_own_client_is_shown_and_no_more_is_claimed(
    meeting: Meeting,
) -> None:
    person = await meeting.service.person()
    client = meeting.client("/own", "evil.example", client_name="Claude")
    page = (await person.visit(client.authorize_url())).text
    assert "Not verified" not in page
    assert voucher_in(page) == "evil.example"
    assert "what evil.example calls it" in page
    assert "only if you know and trust evil.example" in page


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_redirect_to_this_computer_comes_with_the_documents_host(
    meeting: Meeting, host: str
) -> None:
    person = await meeting.service.person()
    callback = f"http://{host}/callback"
    client = meeting.client(f"/{host}", "evil.example", redirect_uris=[callback])
    page = (await person.visit(client.authorize_url())).text
    assert voucher_in(page) == "evil.example"
    assert "Not verified" in page
    assert "this computer" in page


async def test_a_known_publisher_is_shown_for_its_program_on_this_computer(
    service: Service,
) -> None:
    person = await service.person()
    code = "https://claude.ai/oauth/claude-code-client-metadata"
    client = OAuthClient(service.url, RESOURCE, code, "http://localhost:3118/callback")
    page = (await person.visit(client.authorize_url())).text
    assert voucher_in(page) == "claude.ai"
    assert "Not verified" not in page
    assert "this computer" in page


async def test_a_client_that_nobody_vouches_for_needs_consent_each_time(
    meeting: Meeting,
) -> None:
    person = await meeting.service.person()
    stranger = meeting.client("/stranger", "evil.example", client_uri="https://claude.ai/")
    await stranger.connect(person)
    assert (await person.visit(stranger.authorize_url())).status_code == 200
    vouched = meeting.client("/good")
    await vouched.connect(person)
    assert query_of((await person.visit(vouched.authorize_url())).headers["location"])["code"]


async def test_a_client_on_this_computer_comes_with_a_warning(service: Service) -> None:
    person = await service.person()
    client = await service.client(redirect_uri="http://127.0.0.1/callback")
    changes = {"redirect_uri": "http://127.0.0.1:54321/callback"}
    page = await person.visit(client.authorize_url(**changes))
    assert page.status_code == 200
    assert "this computer" in page.text


async def test_a_name_is_shown_as_text(service: Service) -> None:
    person = await service.person()
    client = await service.client(client_name="<script>alert(1)</script>\u202egod")
    page = (await person.visit(client.authorize_url())).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\u202e" not in page


@pytest.mark.parametrize("plan", ["free", "creator"])
async def test_imports_are_offered_and_granted_where_the_plan_has_them(
    service: Service, plan: str
) -> None:
    has_imports = plan == "creator"
    person, client = await service.person(plan), await service.client()
    url = client.authorize_url(scope="catalog:read channels:import account:read")
    page = (await person.visit(url)).text
    assert "Ask about sponsors" in page
    assert "catalog:read</code>" in page
    assert ("Import and follow YouTube channels" in page) is has_imports
    response = await person.submit("/oauth/authorize/decision", decision="approve")
    code = query_of(response.headers["location"])["code"]
    granted = (await client.redeem(code)).json()["scope"].split()
    assert ("channels:import" in granted) is has_imports
    assert {"catalog:read", "account:read"} <= set(granted)


@pytest.mark.parametrize("scope", [None, "", "offline_access"])
async def test_a_request_without_scopes_shows_and_gets_the_default(
    service: Service, scope: str | None
) -> None:
    person, client = await service.person(), await service.client()
    assert "catalog:read</code>" in (await person.visit(client.authorize_url(scope=scope))).text
    response = await person.submit("/oauth/authorize/decision", decision="approve")
    code = query_of(response.headers["location"])["code"]
    granted = (await client.redeem(code)).json()["scope"].split()
    assert granted[:2] == ["catalog:read", "account:read"]
    assert "channels:import" not in granted


async def test_a_plan_that_comes_between_page_and_decision_adds_nothing_to_what_was_shown(
    service: Service,
) -> None:
    person, client = await service.person("free"), await service.client()
    await person.visit(client.authorize_url(scope="catalog:read channels:import"))
    await service.set_plan(person.email, "creator")
    response = await person.submit("/oauth/authorize/decision", decision="approve")
    code = query_of(response.headers["location"])["code"]
    assert (await client.redeem(code)).json()["scope"] == "catalog:read"


async def test_what_the_plan_lacks_altogether_is_refused_with_a_way_back(
    service: Service,
) -> None:
    person, client = await service.person("free"), await service.client()
    page = await person.visit(client.authorize_url(scope="channels:import offline_access"))
    assert page.status_code == 403
    assert "Your plan does not include this" in page.text
    assert scopes.DESCRIPTIONS["channels:import"] in page.text
    assert scopes.DESCRIPTIONS["offline_access"] not in page.text
    assert 'href="/plans"' in page.text
    assert "error=access_denied" in page.text


async def test_a_device_is_granted_what_its_page_has_shown(service: Service) -> None:
    for plan, scope in (("free", "catalog:read"), ("creator", "catalog:read channels:import")):
        person = await service.person(plan)
        client = await service.client(grant_types=[DEVICE], redirect_uris=[])
        started = await client.post(
            "/oauth/device_authorization", scope="catalog:read channels:import"
        )
        await person.visit(started.json()["verification_uri_complete"])
        page = await person.submit("/device")
        assert ("Import and follow YouTube channels" in page.text) is (plan == "creator")
        await service.set_plan(person.email, "creator")
        await person.submit("/device/decision", decision="approve")
        tokens = await client.token(grant_type=DEVICE, device_code=started.json()["device_code"])
        assert tokens.json()["scope"] == scope


MARKUP = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<b>bold</b>", "a&amp;b")


@pytest.mark.parametrize("name", MARKUP)
async def test_a_name_is_shown_as_text_on_the_device_page(service: Service, name: str) -> None:
    person = await service.person()
    device_page_text = await device_page(service, person, client_name=name)
    shown = str(escape(name))
    assert f"Connect {shown}?" in device_page_text
    assert f"“{shown}” is what the application calls itself" in device_page_text
    assert name not in device_page_text


async def test_a_device_comes_with_the_same_warning_as_an_application(service: Service) -> None:
    person, client = await service.person(), await service.client(client_name="Claude")
    page = (await person.visit(client.authorize_url())).text
    device_page_text = await device_page(service, person, client_name="Claude")
    (warning,) = warnings_in(page)
    assert "Not verified" in warning
    assert warning in warnings_in(device_page_text)


async def test_a_device_of_a_documents_client_comes_with_the_documents_host(
    meeting: Meeting,
) -> None:
    person = await meeting.service.person()
    grants = {"grant_types": [DEVICE], "client_uri": "https://claude.ai/"}
    client = meeting.client("/device", "evil.example", **grants)
    device_page_text = await device_page_of(client, person)
    assert voucher_in(device_page_text) == "evil.example"
    assert "Not verified" in device_page_text


async def device_page(service: Service, person: Person, **metadata: str) -> str:
    client = await service.client(grant_types=[DEVICE], redirect_uris=[], **metadata)
    return await device_page_of(client, person)


async def device_page_of(client: OAuthClient, person: Person) -> str:
    """Return the page that requests consent to a device."""
    started = (await client.post("/oauth/device_authorization")).json()
    await person.visit(started["verification_uri_complete"])
    page = await person.submit("/device")
    assert page.status_code == 200
    return page.text


def voucher_in(page: str) -> str:
    """Return the host that the page displays prominently."""
    (found,) = re.findall(r'<p class="host voucher">.*?<strong>(.*?)</strong>', page)
    return found


def warnings_in(page: str) -> list[str]:
    return re.findall(r'<p class="note warn">(.*?)</p>', page)


async def test_each_page_takes_one_decision(service: Service) -> None:
    person, client = await service.person(), await service.client()
    page = await person.visit(client.authorize_url())
    first = await person.submit("/oauth/authorize/decision", decision="approve")
    assert first.status_code == 303
    person.page = page
    again = await person.submit("/oauth/authorize/decision", decision="approve")
    assert again.status_code == 403
    assert "expired" in again.text


async def test_another_session_cannot_decide(service: Service) -> None:
    victim, attacker = await service.person(), await service.person()
    client = await service.client()
    page = await attacker.visit(client.authorize_url())
    nonce = dict(attacker.form("/oauth/authorize/decision").fields)["request"]
    await victim.visit(client.authorize_url())
    stolen = await victim.submit("/oauth/authorize/decision", request=nonce, decision="approve")
    assert stolen.status_code == 403
    attacker.page = page
    response = await attacker.submit("/oauth/authorize/decision", decision="approve")
    assert response.status_code == 303


async def test_it_expires(service: Service, age: Age) -> None:
    person, client = await service.person(), await service.client()
    await person.visit(client.authorize_url())
    age.pending_consents(minutes=16)
    response = await person.submit("/oauth/authorize/decision", decision="approve")
    assert response.status_code == 403


@pytest.mark.parametrize("csrf", ["", "0" * 64])
async def test_a_form_without_its_token_is_refused(service: Service, csrf: str) -> None:
    person, client = await service.person(), await service.client()
    await person.visit(client.authorize_url())
    response = await person.submit("/oauth/authorize/decision", decision="approve", csrf=csrf)
    assert response.status_code == 403
    assert "location" not in response.headers


async def test_a_form_sent_by_another_site_is_refused(service: Service) -> None:
    person, client = await service.person(), await service.client()
    page = await person.visit(client.authorize_url())
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        person.page = page
        person.client.headers.update(headers)
        response = await person.submit("/oauth/authorize/decision", decision="approve")
        assert response.status_code == 403
        for name in headers:
            del person.client.headers[name]


async def test_two_tabs_can_both_be_decided(service: Service) -> None:
    person, client = await service.person(), await service.client()
    first = await person.visit(client.authorize_url(state="one"))
    second = await person.visit(client.authorize_url(state="two"))
    for page, state in ((first, "one"), (second, "two")):
        person.page = page
        response = await person.submit("/oauth/authorize/decision", decision="approve")
        assert query_of(response.headers["location"])["state"] == state


async def test_the_consent_to_a_known_client_is_remembered_until_it_changes(
    service: Service,
) -> None:
    person = await service.person()
    client = OAuthClient(service.url, RESOURCE, CLAUDE, CLAUDE_CALLBACK)
    await client.connect(person)
    again = await person.visit(client.authorize_url())
    assert query_of(again.headers["location"])["code"]
    wider = client.authorize_url(scope="catalog:read channels:import")
    assert (await person.visit(wider)).status_code == 200
    assert (await person.visit(client.authorize_url(prompt="consent"))).status_code == 200
    await person.visit("/account/apps")
    await person.submit("/account/apps/revoke")
    assert (await person.visit(client.authorize_url())).status_code == 200


async def test_a_registered_client_needs_consent_each_time(service: Service) -> None:
    person, client = await service.person(), await service.client()
    await client.connect(person)
    assert (await person.visit(client.authorize_url())).status_code == 200


async def test_its_form_may_lead_elsewhere_and_nothing_may_frame_it(service: Service) -> None:
    person, client = await service.person(), await service.client()
    headers = (await person.visit(client.authorize_url())).headers
    policy = headers["content-security-policy"]
    assert "form-action" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self'" in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "cross-origin-opener-policy" not in headers
    settings = (await person.visit("/account/settings")).headers["content-security-policy"]
    assert "form-action 'self'" in settings


async def test_a_redirect_after_a_form_is_303(service: Service) -> None:
    client, email = await service.client(), await service.account()
    async with Person(service.url) as person:
        await person.visit("/login")
        form = person.form("/login")
        body = dict(form.fields) | {"email": email, "password": "wrong"}
        assert (await person.client.post("/login", data=body)).status_code == 401
        await person.visit(client.authorize_url())
        await person.log_in(email)
        body = dict(person.form("/oauth/authorize/decision").fields) | {"decision": "approve"}
        response = await person.client.post("/oauth/authorize/decision", data=body)
        assert response.status_code == 303
        assert response.headers["location"].startswith(CALLBACK)
