"""The pages of the account, and their restriction to its owner."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from datetime import UTC, datetime
from html import unescape

import pytest

from auth_service.domain.oauth.scopes import DESCRIPTIONS
from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from servicekit.latencies import BUCKETS
from tests.clients.person import PASSWORD, Person, newest_mail
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_code_flow import holds

NEW_KEY = re.compile(r"mcp_[0-9A-Za-z]{36}")


async def test_usage_is_counted_against_the_plan_and_drawn_by_day_and_tool(
    service: Service,
) -> None:
    person = await service.person("free")
    report = await service.operate(
        service.operations.GetAccount, pb.AccountByEmailRequest(email=person.email)
    )
    entries = [
        pb.UsageEntry(
            entry_id=secrets.token_hex(8),
            account_id=report.account_id,
            credential_id="key_x",
            tool=tool,
            admitted_at=datetime.now(UTC).isoformat(),
            cost=1,
        )
        for tool in ["sponsor.search"] * 29 + ["sponsor.top"]
    ]
    await service.call(service.access.RecordUsage, pb.RecordUsageRequest(entries=entries))
    page = (await person.visit("/account")).text
    assert "Free" in page
    assert re.search(r"30\s*(</strong>\s*)?of\s*30", page)
    assert '<svg class="chart"' in page
    assert "sponsor.search" in page
    assert "No requests are left" in page
    assert "Creator has 1,000" in page


async def test_usage_has_errors_and_latency_by_key_on_the_page_and_as_csv(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/keys")
    await person.submit("/account/keys", name="=nightly", password=PASSWORD, expires="30")
    request = pb.AccountByEmailRequest(email=person.email)
    account_id = (await service.operate(service.operations.GetAccount, request)).account_id
    (key,) = (await service.operate(service.operations.ListKeys, request)).keys
    today = datetime.now(UTC)
    latencies = [0] * BUCKETS
    latencies[3], latencies[5], latencies[-1] = 17, 2, 1
    sums = [
        pb.CallSum(
            account_id=account_id,
            credential_id=key.key_id,
            tool="sponsor.get",
            day=f"{today:%Y-%m-%d}",
            calls=20,
            errors=3,
            latencies=latencies,
        )
    ]
    await service.call(
        service.access.RecordCalls,
        pb.RecordCallsRequest(batch_id=secrets.token_hex(8), sums=sums),
    )
    page = (await person.visit("/account")).text
    cells = "".join(f'<td class="num">{cell}</td>' for cell in (0, 20, 3, "50 ms", "250 ms"))
    assert f'<th scope="row" class="break">=nightly</th>{cells}' in page
    assert f"<code>sponsor.get</code></th>{cells}" in page
    assert "3 (15.0% of 20 calls)" in page
    assert "those with wrong arguments" in page
    csv = await person.visit("/account/usage.csv")
    assert csv.headers["content-type"].startswith("text/csv")
    assert f"usage-{today:%Y-%m}.csv" in csv.headers["content-disposition"]
    assert csv.text.splitlines()[1:] == [
        f"{today:%Y-%m-%d},sponsor.get,'=nightly,,{key.key_id},0,20,3,50,250"
    ]
    other = await service.person()
    assert "sponsor.get" not in (await other.visit("/account/usage.csv")).text


async def test_the_month_may_be_chosen_among_the_last_and_nonsense_shows_this_one(
    service: Service,
) -> None:
    person = await service.person()
    for month in ("2020-01", "nonsense", f"{datetime.now(UTC):%Y-%m}"):
        page = await person.visit(f"/account?month={month}")
        assert page.status_code == 200
        assert f"{datetime.now(UTC):%B %Y}" in page.text


async def test_a_month_that_has_no_csv_is_refused_with_those_that_have(service: Service) -> None:
    person = await service.person()
    this_month = f"{datetime.now(UTC):%Y-%m}"
    for month in ("2026-13", "x", "", "9999-12", "2020-01"):
        refused = await person.visit(f"/account/usage.csv?month={month}")
        assert (refused.status_code, this_month in refused.text) == (400, True), month
    chosen = await person.visit(f"/account/usage.csv?month={this_month}")
    assert chosen.status_code == 200


async def test_a_key_is_made_with_the_password_shown_once_and_revoked(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/keys")
    made = await person.submit("/account/keys", name="nightly", password=PASSWORD, expires="30")
    secret = NEW_KEY.search(made.text)
    assert secret
    assert "An API key was made" in await newest_mail(service.mails, person.email)
    request = pb.ResolveKeyRequest(key_sha256=_sha256(secret.group()))
    await service.call(service.access.ResolveKey, request)
    listed = await person.visit("/account/keys")
    assert secret.group() not in listed.text
    assert "nightly" in listed.text
    await person.submit("/account/keys/revoke")
    with pytest.raises(Unauthenticated, match="revoked"):
        await service.call(service.access.ResolveKey, request)


async def test_a_reload_of_the_page_with_a_new_key_makes_no_other(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/keys")
    made = await person.submit("/account/keys", name="nightly", password=PASSWORD, expires="30")
    assert (made.request.method, made.url.path) == ("GET", "/account/keys")
    assert NEW_KEY.search(made.text)
    again = await person.visit("/account/keys")
    assert again.text.count('action="/account/keys/revoke"') == 1
    assert not NEW_KEY.search(again.text)


async def test_a_new_key_is_shown_to_nobody_who_logs_in_after_it_in_the_same_browser(
    service: Service,
) -> None:
    person, other = await service.person(), await service.person()
    await person.visit("/account/keys")
    form = {name: value for name, value in person.form("/account/keys").fields if name != "scope"}
    body = {**form, "scope": "catalog:read", "name": "x", "password": PASSWORD, "expires": "30"}
    made = await person.client.post("/account/keys", data=body)
    assert made.status_code == 303
    cookie = person.client.cookies["new-key"]
    assert not NEW_KEY.search(cookie)
    other.client.cookies.set("new-key", cookie)
    assert not NEW_KEY.search((await other.visit("/account/keys")).text)
    assert NEW_KEY.search((await person.visit("/account/keys")).text)


async def test_a_key_is_not_made_without_the_password(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/keys")
    refused = await person.submit("/account/keys", name="x", password="not mine", expires="30")
    assert refused.status_code == 403
    assert not NEW_KEY.search(refused.text)
    assert "This is not your password" in refused.text


async def test_a_key_has_the_scopes_that_were_chosen(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/keys")
    made = await person.submit(
        "/account/keys", name="x", password=PASSWORD, expires="", scope=["catalog:read"]
    )
    secret = NEW_KEY.search(made.text)
    assert secret
    request = pb.ResolveKeyRequest(key_sha256=_sha256(secret.group()))
    found = await service.call(service.access.ResolveKey, request)
    assert list(found.scopes) == ["catalog:read"]


async def test_a_key_is_listed_with_its_permissions_in_words(service: Service) -> None:
    person = await service.person()
    page = await person.visit("/account/keys")
    assert 'maxlength="80"' in page.text
    await person.submit(
        "/account/keys", name="x", password=PASSWORD, expires="", scope=["catalog:read"]
    )
    listed = await person.visit("/account/keys")
    assert f"<dd>{DESCRIPTIONS['catalog:read']}</dd>" in listed.text


async def test_a_key_without_any_permission_is_not_made(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/keys")

    refused = await person.submit(
        "/account/keys", name="x", password=PASSWORD, expires="", scope=None
    )

    assert refused.status_code == 400
    assert "Choose at least one permission" in refused.text
    assert not NEW_KEY.search(refused.text)
    assert not re.search(r'name="scope"[^>]* checked', refused.text)


async def test_a_free_account_is_shown_why_it_has_no_keys(service: Service) -> None:
    person = await service.person("free")
    page = await person.visit("/account/keys")
    assert "Creator" in page.text
    assert 'name="password"' not in page.text


async def test_an_app_is_listed_with_its_host_and_disconnected(service: Service) -> None:
    person, client = await service.person(), await service.client(client_name="Weather Bot")
    tokens = await client.connect(person)
    page = await person.visit("/account/apps")
    assert "Weather Bot" in page.text
    assert "client.example" in page.text
    await person.submit("/account/apps/revoke")
    assert not await holds(service, tokens["access_token"])
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert "Weather Bot" not in (await person.visit("/account/apps")).text


async def test_all_apps_are_disconnected_by_one_button(service: Service) -> None:
    person = await service.person()
    clients = [await service.client(client_name=name) for name in ("Weather Bot", "News Bot")]
    tokens = [await client.connect(person) for client in clients]
    assert "data-confirm" in (await person.visit("/account/apps")).text
    page = await person.submit("/account/apps/disconnect-all")
    assert "All apps are disconnected" in page.text
    assert "Bot" not in page.text
    for client, issued in zip(clients, tokens, strict=True):
        assert not await holds(service, issued["access_token"])
        refused = await client.refresh(issued["refresh_token"])
        assert refused.json()["error"] == "invalid_grant"
    assert "all_apps_revoked" in (await person.visit("/account/security")).text


async def test_a_session_elsewhere_is_seen_and_ended(service: Service) -> None:
    person = await service.person()
    for action in ("/account/sessions/end", "/account/sessions/end-others"):
        async with Person(service.url) as elsewhere:
            elsewhere.client.headers["User-Agent"] = "Lost Laptop"
            await elsewhere.log_in(person.email)
            page = await person.visit("/account/sessions")
            assert "Lost Laptop" in page.text
            await person.submit(action)
            assert (await elsewhere.visit("/account")).url.path == "/login"
    assert (await person.visit("/account")).url.path == "/account"


async def test_a_new_password_ends_other_sessions_and_apps_on_request_and_is_mailed(
    service: Service,
) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    async with Person(service.url) as elsewhere:
        await elsewhere.log_in(person.email)
        await person.visit("/account/settings")
        changed = await person.submit(
            "/account/settings/password",
            current=PASSWORD,
            password="a new passphrase",
            end_sessions="1",
            revoke_apps="1",
        )
        assert "password is changed" in changed.text
        assert (await elsewhere.visit("/account")).url.path == "/login"
    assert not await holds(service, tokens["access_token"])
    assert "password was changed" in await newest_mail(service.mails, person.email)


async def test_a_new_password_needs_the_old_one(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/settings")
    refused = await person.submit(
        "/account/settings/password", current="not mine", password="a new passphrase"
    )
    assert refused.status_code == 403


async def test_the_export_has_all_that_is_stored_and_no_secret(service: Service) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    await service.key(person.email)
    export = await person.visit("/account/export")
    document = json.loads(export.text)
    assert document["account"]["email"] == person.email
    assert document["apps"]
    assert document["api_keys"]
    assert document["security_log"]
    for secret in (tokens["refresh_token"], tokens["access_token"], "argon2"):
        assert secret not in export.text


async def test_an_account_is_exported_ten_times_an_hour(service: Service) -> None:
    person = await service.person()
    statuses = [(await person.visit("/account/export")).status_code for _ in range(11)]
    assert statuses == [200] * 10 + [429]


async def test_a_deleted_account_is_gone_with_its_keys_and_apps(service: Service) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    key = await service.key(person.email)
    await person.visit("/account/settings")
    refused = await person.submit(
        "/account/settings/delete", password=PASSWORD, confirm_email="other@example.com"
    )
    assert refused.status_code == 400
    deleted = await person.submit(
        "/account/settings/delete", password=PASSWORD, confirm_email=person.email
    )
    assert "is deleted" in deleted.text
    assert not await holds(service, tokens["access_token"])
    request = pb.ResolveKeyRequest(key_sha256=_sha256(key.secret))
    with pytest.raises(Unauthenticated):
        await service.call(service.access.ResolveKey, request)
    async with Person(service.url) as again:
        assert (await again.log_in(person.email)).status_code == 401


@pytest.mark.parametrize(
    ("page", "action", "field"),
    [
        ("/account/keys", "/account/keys/revoke", "key_id"),
        ("/account/apps", "/account/apps/revoke", "client_id"),
        ("/account/sessions", "/account/sessions/end", "session_id"),
    ],
)
async def test_things_of_others_cannot_be_touched(
    service: Service, page: str, action: str, field: str
) -> None:
    owner, other = await service.person(), await service.person()
    client = await service.client()
    for person in (owner, other):
        await client.connect(person)
        await service.key(person.email)
    if field == "session_id":
        async with Person(service.url) as elsewhere:
            await elsewhere.log_in(owner.email)
        async with Person(service.url) as elsewhere:
            await elsewhere.log_in(other.email)
    before = (await owner.visit(page)).text
    owner_value = dict(owner.form(action).fields)[field]
    await other.visit(page)
    await other.submit(action, **{field: owner_value})
    count = before.count(f'value="{owner_value}"')
    assert (await owner.visit(page)).text.count(f'value="{owner_value}"') == count > 0


@pytest.mark.parametrize(
    "path", ["/account", "/account/keys", "/account/export", "/operator", "/device"]
)
async def test_pages_of_an_account_need_a_login(service: Service, path: str) -> None:
    async with Person(service.url) as visitor:
        assert (await visitor.visit(path)).url.path == "/login"


async def test_the_operators_page_is_for_operators(service: Service) -> None:
    person = await service.person()
    assert (await person.visit("/operator")).status_code == 404
    request = pb.SetOperatorRequest(email=person.email, operator=True)
    await service.operate(service.operations.SetOperator, request)
    other = await service.account("free")
    page = await person.visit(f"/operator?q={other}")
    assert other in page.text
    await person.submit("/operator/plan", plan="creator_agent")
    report = await service.operate(
        service.operations.GetAccount, pb.AccountByEmailRequest(email=other)
    )
    assert report.plan == "creator_agent"
    await person.visit(f"/operator?q={other}")
    await person.submit("/operator/disable")
    report = await service.operate(
        service.operations.GetAccount, pb.AccountByEmailRequest(email=other)
    )
    assert report.disabled


async def test_an_unknown_page_is_a_404_and_a_failure_has_an_id(service: Service) -> None:
    person = await service.person()
    assert (await person.visit("/nowhere")).status_code == 404


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


async def test_a_page_that_is_not_there_has_a_way_home(service: Service) -> None:
    person = await service.person("free")
    for path in ("/nowhere", "/account/nowhere", "/of%0Atwo/lines", "/operator"):
        page = await person.visit(path)
        assert page.status_code == 404
        assert '<a class="button quiet" href="/">Go to the first page</a>' in page.text


async def test_events_name_apps_also_when_they_are_not_connected_any_more(service: Service) -> None:
    person = await service.person()
    client = await service.client(client_name="Research Agent")
    await client.connect(person)
    await person.visit("/account/apps")
    await person.submit("/account/apps/revoke")
    denied = await service.client(client_name="Stranger")
    await person.decide(denied.authorize_url(), "deny")
    events = unescape((await person.visit("/account/security")).text)
    for sentence in (
        "The app “Research Agent” was approved.",
        "The app “Research Agent” was connected.",
        "The app “Research Agent” was disconnected.",
        "The app “Stranger” was denied access.",
    ):
        assert sentence in events
