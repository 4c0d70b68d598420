"""`sponsorgraph account …` and `audit list` against a running service: deletion, access and the audit log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from auth_service.domain.api_keys import digest
from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import ServiceError
from tests.clients import organisations
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.operator_command import OperatorCommand
from tests.integration.auth_service.test_organisations import account_id_of, pair


@pytest.fixture
def operator(service: Service) -> OperatorCommand:
    return OperatorCommand(service)


def rows_of(service: Service, table: str, column: str, value: str) -> int:
    query = f"SELECT count(*) FROM {table} WHERE {column} = %s".encode()
    with psycopg.connect(service.settings.database_url) as connection:
        row = connection.execute(query, (value,)).fetchone()
    assert row is not None
    return row[0]


async def key_works(service: Service, secret: str) -> bool:
    try:
        await service.call(
            service.access.ResolveKey, pb.ResolveKeyRequest(key_sha256=digest(secret))
        )
    except ServiceError:
        return False
    return True


async def test_an_account_is_deleted_by_the_typed_address_alone(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    secret = (await service.key(email)).secret
    other = await operator.run("account", "delete", email, typed="ada@example.com\n")
    assert (other.exit_code, "Nothing was deleted" in other.output) == (1, True)
    assert await key_works(service, secret)

    deleted = await operator.run(
        "account", "delete", email, "--reason", "bat à la mail", typed=f" {email.upper()}\n"
    )
    assert deleted.exit_code == 0, deleted.output
    assert "keyed hash of the address" in deleted.output
    assert "API keys: 1" in deleted.output
    assert not await key_works(service, secret)
    assert (await operator.run("account", "show", email)).exit_code == 3


async def test_a_deletion_leaves_the_usage_the_hash_of_the_month_and_the_log(
    service: Service, operator: OperatorCommand
) -> None:
    person = await service.person()
    account_id = await account_id_of(service, person.email)
    deleted = await operator.json("account", "delete", person.email, "--yes", "--reason", "asked")
    assert deleted == {
        "account_id": account_id,
        "email": person.email,
        "keys": 0,
        "connections": 0,
    }
    for table in ("web_sessions", "api_keys", "oauth_grants"):
        assert rows_of(service, table, "account_id", account_id) == 0
    assert rows_of(service, "deleted_accounts", "account_id", account_id) == 1
    newest = (await operator.events(account_id))[0]
    assert newest | {"id": 0, "at": ""} == {
        "id": 0,
        "at": "",
        "event": "account_deleted",
        "account_id": account_id,
        "actor": "operator olga@desk",
        "detail": "",
        "reason": "asked",
    }
    assert "was deleted" in (await newest_mail(service.mails, person.email))
    assert (await person.visit("/account")).url.path == "/login"


async def test_the_only_owner_of_an_organisation_is_not_deleted_before_it(
    service: Service, operator: OperatorCommand
) -> None:
    owner, member, organisation_id = await pair(service)
    refused = await operator.run("account", "delete", owner.email, "--yes")
    assert refused.exit_code == 1
    assert f"only owner of Acme & Söhne ({organisation_id})" in refused.output
    assert "one other member" in refused.output
    assert (await operator.run("account", "show", owner.email)).exit_code == 0

    deleted = await operator.json("account", "delete", organisation_id, "--yes")
    assert deleted["account_id"] == organisation_id
    mail = await newest_mail(service.mails, member.email, 2)
    assert "Acme & Söhne was deleted" in mail
    assert (await operator.events(organisation_id))[0]["event"] == "organisation_deleted"
    assert (await operator.run("account", "delete", owner.email, "--yes")).exit_code == 0


async def test_an_operator_mails_a_link_to_choose_a_new_password(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    sent = await operator.run("account", "reset-password", email, "--reason", "called us")
    assert (sent.exit_code, email in sent.output) == (0, True)
    mail = await newest_mail(service.mails, email)
    assert "The operator of this Sponsorgraph service" in mail
    assert (await operator.events(email))[0]["event"] == "reset_sent"
    async with Person(service.url) as person:
        assert (await person.log_in(email, PASSWORD)).url.path == "/account"
        await person.visit(link_in(mail))
        await person.submit("/reset", password="another good passphrase")
        assert (await person.log_in(email, "another good passphrase")).url.path == "/account"


async def test_no_link_is_mailed_to_disabled_accounts_and_organisations(
    service: Service, operator: OperatorCommand
) -> None:
    owner, _, organisation_id = await pair(service)
    assert (await operator.run("account", "disable", owner.email)).exit_code == 0
    before = len(mails_to(service.mails, owner.email))
    refused = await operator.run("account", "reset-password", owner.email)
    assert (refused.exit_code, "Enable the account first" in refused.output) == (1, True)
    assert (await operator.run("account", "reset-password", organisation_id)).exit_code == 2
    assert len(mails_to(service.mails, owner.email)) == before


async def test_an_operator_ends_one_session_or_all(
    service: Service, operator: OperatorCommand
) -> None:
    first = await service.person()
    second = Person(service.url)
    await second.log_in(first.email, PASSWORD)
    listed = await operator.json("account", "sessions", first.email)
    assert len(listed) == 2
    newest = max(listed, key=lambda session: session["created_at"])["session_id"]
    ended = await operator.json("account", "end-sessions", first.email, "--session", newest)
    assert [session["session_id"] for session in ended] == [newest]
    assert (await second.visit("/account")).url.path == "/login"
    assert (await first.visit("/account")).url.path == "/account"

    again = await operator.run("account", "end-sessions", first.email, "--session", newest)
    assert again.exit_code == 3
    rest = await operator.run("account", "end-sessions", first.email)
    assert "1 session is ended." in rest.output
    assert (await first.visit("/account")).url.path == "/login"
    events = [event["event"] for event in await operator.events(first.email)]
    assert events[:2] == ["sessions_ended", "session_ended"]


async def test_another_accounts_session_is_not_ended_by_its_id(
    service: Service, operator: OperatorCommand
) -> None:
    victim, other = await service.person(), await service.account()
    (session,) = await operator.json("account", "sessions", victim.email)
    options = ("--session", session["session_id"])
    assert (await operator.run("account", "end-sessions", other, *options)).exit_code == 3
    assert (await victim.visit("/account")).url.path == "/account"


async def test_an_operator_revokes_one_connection_of_several(
    service: Service, operator: OperatorCommand
) -> None:
    person = await service.person()
    clients = [await service.client(client_name=name) for name in ("First", "Second")]
    tokens = [await client.connect(person) for client in clients]
    listed = await operator.json("account", "grants", person.email)
    assert [grant["client_name"] for grant in listed] == ["Second", "First"]
    grant_id = listed[1]["grant_id"]

    revoked = await operator.json("account", "revoke-grant", grant_id, "--reason", "stolen")
    assert revoked["revoked_at"]
    refreshed = [
        await client.refresh(token["refresh_token"])
        for client, token in zip(clients, tokens, strict=True)
    ]
    assert [response.status_code for response in refreshed] == [400, 200]
    left = await operator.json("account", "grants", person.email)
    assert [grant["client_name"] for grant in left] == ["Second"]
    revocation = next(
        event for event in await operator.events(person.email) if event["event"] == "grant_revoked"
    )
    assert (revocation["detail"], revocation["reason"]) == (grant_id, "stolen")
    assert (await operator.run("account", "revoke-grant", "gr_nobody")).exit_code == 3


async def test_a_persons_connections_of_an_organisation_are_listed_with_it(
    service: Service, operator: OperatorCommand
) -> None:
    _, member, organisation_id = await pair(service)
    await organisations.switch(member, organisation_id)
    client = await service.client()
    await client.connect(member)
    for name in (member.email, organisation_id):
        (grant,) = await operator.json("account", "grants", name)
        assert (grant["account_id"], grant["member"]) == (organisation_id, member.email)


async def test_a_name_that_looks_like_markup_is_printed_as_it_is(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    created = await operator.json("key", "create", email, "--name", "[/b]")
    for command in (("list", email), ("revoke", created["key_id"])):
        printed = await operator.run("key", *command)
        assert (printed.exit_code, "[/b]" in printed.output) == (0, True)


async def test_each_change_by_an_operator_is_in_the_log_with_who_and_why(
    service: Service, operator: OperatorCommand
) -> None:
    email = f"x{datetime.now(UTC).timestamp():.0f}@example.com"
    reason = ("--reason", "ticket 12 – für Ada")
    for command in (
        ("account", "create", email, "--plan", "creator"),
        ("account", "set-plan", email, "creator_agent"),
        ("account", "operator", email),
        ("account", "disable", email),
        ("account", "enable", email),
        ("account", "set-limits", email, "--burst", "3"),
        ("account", "clear-limits", email),
        ("account", "end-sessions", email),
    ):
        result = await operator.run(*command, *reason)
        assert result.exit_code == 0, result.output
    created = await operator.json("key", "create", email, *reason)
    assert (await operator.run("key", "revoke", created["key_id"], *reason)).exit_code == 0
    events = await operator.events(email)
    assert [event["event"] for event in reversed(events)] == [
        "account_created",
        "plan_changed",
        "operator_made",
        "account_disabled",
        "account_enabled",
        "limits_set",
        "limits_cleared",
        "sessions_ended",
        "key_created",
        "key_revoked",
    ]
    assert {(event["actor"], event["reason"]) for event in events} == {
        ("operator olga@desk", reason[1])
    }


async def test_the_rotation_of_the_signing_key_is_in_the_log(operator: OperatorCommand) -> None:
    rotated = await operator.json("issuer", "rotate-key", "--reason", "yearly")
    events = await operator.json("audit", "list", "--since", "1h")
    event = next(event for event in events if event["event"] == "signing_key_rotated")
    assert (event["detail"], event["reason"], event["account_id"]) == (
        rotated["kid"],
        "yearly",
        None,
    )


async def test_the_log_is_listed_since_a_moment(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    (event,) = await operator.events(email)
    after = datetime.fromisoformat(event["at"]) + timedelta(milliseconds=1)
    for since, count in ((event["at"], 1), (after.isoformat(), 0), ("2026-01-01", 1), ("1h", 1)):
        options = ("--account", email, "--since", since)
        assert len(await operator.json("audit", "list", *options)) == count, since
    refused = await operator.run("audit", "list", "--since", "yesterday")
    assert (refused.exit_code, "36h" in refused.output) == (2, True)


async def test_an_account_does_not_see_who_the_operator_is_and_why(
    service: Service, operator: OperatorCommand
) -> None:
    person = await service.person()
    await operator.run("account", "set-plan", person.email, "free", "--reason", "suspected fraud")
    page = (await person.visit("/account/security")).text
    export = (await person.visit("/account/export")).text
    for text in (page, export):
        assert "plan_changed" in text
        assert "suspected fraud" not in text
        assert "olga" not in text


async def test_a_reason_is_one_line_of_bounded_length(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    for reason in ("x" * 501, "two\nlines"):
        refused = await operator.run("account", "disable", email, "--reason", reason)
        assert (refused.exit_code, "one line" in refused.output) == (2, True)
    assert [event["event"] for event in await operator.events(email)] == ["account_created"]


@pytest.mark.parametrize(
    "command",
    ["delete", "reset-password", "sessions", "end-sessions", "grants", "clear-limits", "usage"],
)
async def test_an_unknown_account_ends_a_command_with_3(
    operator: OperatorCommand, command: str
) -> None:
    missing = await operator.run("account", command, "nobody@example.com")
    assert (missing.exit_code, "no account of nobody@example.com" in missing.output) == (3, True)
