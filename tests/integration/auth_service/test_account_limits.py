"""Limits of an account's own, and its usage by tool and key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from auth_service.domain.api_keys import digest
from protos.auth.v1 import auth_pb2 as pb
from tests.integration.auth_service.billing_shop import readable
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.operator_command import OperatorCommand
from tests.integration.auth_service.test_organisations import account_id_of


@pytest.fixture
def operator(service: Service) -> OperatorCommand:
    return OperatorCommand(service)


async def entitlements(service: Service, secret: str) -> Any:
    request = pb.ResolveKeyRequest(key_sha256=digest(secret))
    return (await service.call(service.access.ResolveKey, request)).entitlements


async def test_own_limits_replace_those_of_the_plan_that_they_name(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    secret = (await service.key(email)).secret
    before = await entitlements(service, secret)
    limits = ("--monthly-requests", "5000", "--per-second", "2.5", "--streams", "9")
    result = await operator.json("account", "set-limits", email, *limits, "--reason", "trial")
    assert result["monthly_requests"] == 5_000

    after = await entitlements(service, secret)
    assert (after.monthly_requests, after.burst_refill_per_second, after.concurrent_streams) == (
        5_000,
        2.5,
        9,
    )
    assert (after.burst_requests, after.plan) == (before.burst_requests, before.plan)
    assert (before.own_monthly_requests, after.own_monthly_requests) == (False, True)
    await operator.json("account", "set-limits", email, "--burst", "4", "--reason", "trial")
    changed = await entitlements(service, secret)
    assert (changed.burst_requests, changed.monthly_requests) == (4, before.monthly_requests)
    assert not changed.own_monthly_requests
    await operator.json("account", "clear-limits", email)
    assert await entitlements(service, secret) == before


async def test_own_limits_end_when_they_expire(service: Service, operator: OperatorCommand) -> None:
    email = await service.account()
    secret = (await service.key(email)).secret
    limits = ("--monthly-requests", "7", "--expires", "1h", "--reason", "trial")
    await operator.json("account", "set-limits", email, *limits)
    assert (await entitlements(service, secret)).monthly_requests == 7
    account_id = await account_id_of(service, email)
    with psycopg.connect(service.settings.database_url) as connection:
        statement = "UPDATE account_limits SET expires_at = now() WHERE account_id = %s"
        connection.execute(statement, (account_id,))
    assert (await entitlements(service, secret)).monthly_requests == 1_000
    account = await operator.json("account", "show", email)
    assert (account["limits"], account["monthly_requests"]) == (None, 1_000)


async def test_own_limits_are_shown_to_operator_and_account(
    service: Service, operator: OperatorCommand
) -> None:
    person = await service.person()
    expires = (datetime.now(UTC) + timedelta(days=40)).date().isoformat()
    limits = (
        "--monthly-requests",
        "123456",
        "--expires",
        expires,
        "--reason",
        "a [b]big[/b] trial",
    )
    await operator.json("account", "set-limits", person.email, *limits)
    shown = await operator.run("account", "show", person.email)
    assert f"123,456 requests a month, until {expires}T00:00Z" in shown.output
    assert "a [b]big[/b] trial" in shown.output
    page = readable((await person.visit("/plans")).text)
    assert "123,456 requests a month" in page
    assert "Reason: a [b]big[/b] trial" in page
    assert "123,456" in readable((await person.visit("/account")).text)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--reason", "x"), 2),
        (("--burst", "3"), 2),
        (("--burst", "0", "--reason", "x"), 2),
        (("--burst", "3", "--reason", "x", "--expires", "soon"), 2),
        (("--burst", "3", "--reason", "x", "--expires", "2020-01-01"), 2),
        (("--burst", "3000000", "--reason", "x"), 2),
        (("--burst", "3", "--reason", ""), 2),
        (("--burst", "3", "--reason", "two\nlines"), 2),
        (("--burst", "99999999999", "--reason", "x"), 2),
        (("--monthly-requests", "99999999999999999999", "--reason", "x"), 2),
        (("--streams", "99999999999", "--reason", "x"), 2),
        (("--per-second", "1e400", "--reason", "x"), 2),
        (("--per-second", "nan", "--reason", "x"), 2),
    ],
)
async def test_limits_that_make_no_sense_are_refused(
    service: Service, operator: OperatorCommand, options: tuple[str, ...], code: int
) -> None:
    email = await service.account()
    refused = await operator.run("account", "set-limits", email, *options)
    assert refused.exit_code == code, refused.output
    assert isinstance(refused.exception, SystemExit)
    assert [event["event"] for event in await operator.events(email)] == ["account_created"]


@pytest.mark.parametrize("reason", ["", "two\nlines", "x" * 201], ids=["none", "two lines", "long"])
async def test_a_reason_of_limits_is_bounded_by_what_the_account_is_shown(
    service: Service, operator: OperatorCommand, reason: str
) -> None:
    email = await service.account()
    refused = await operator.run("account", "set-limits", email, "--burst", "3", "--reason", reason)
    assert (refused.exit_code, "one line of 1 to 200 characters" in refused.output) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        ("account", "create", "bob@example.com", "--plan", "gold"),
        ("account", "create", "not an email"),
        ("key", "create", "bob@example.com", "--expires-in-days", "99999999999"),
        ("audit", "list", "--before", "99999999999999999999"),
        ("import", "@a", "--max-videos", "99999999999"),
    ],
    ids=lambda command: " ".join(command[:2] + command[3:4]),
)
async def test_wrong_arguments_end_a_command_with_2_and_a_sentence(
    operator: OperatorCommand, command: tuple[str, ...]
) -> None:
    refused = await operator.run(*command)
    assert refused.exit_code == 2, refused.output
    assert isinstance(refused.exception, SystemExit)


async def test_usage_is_shown_by_tool_and_by_key(
    service: Service, operator: OperatorCommand
) -> None:
    email = await service.account()
    account_id = await account_id_of(service, email)
    keys = [(await service.key(email)).key.key_id for _ in range(2)]
    calls = (
        [(keys[0], "sponsor.top")] * 3 + [(keys[1], "video.get")] * 2 + [(keys[1], "sponsor.top")]
    )
    entries = [
        pb.UsageEntry(
            entry_id=f"{account_id}:{n}",
            account_id=account_id,
            credential_id=key_id,
            tool=tool,
            admitted_at="2026-10-05T10:00:00Z",
            cost=1,
        )
        for n, (key_id, tool) in enumerate(calls)
    ]
    refund = pb.UsageEntry(
        entry_id=f"{account_id}:0:refund",
        account_id=account_id,
        credential_id=keys[0],
        tool="sponsor.top",
        admitted_at="2026-10-05T10:00:00Z",
        cost=-1,
    )
    request = pb.RecordUsageRequest(entries=[*entries, refund])
    await service.call(service.access.RecordUsage, request)

    month = ("--month", "2026-10")
    by_tool = await operator.json("account", "usage", email, *month)
    assert by_tool["requests"] == 5
    assert by_tool["by_tool"] == [
        {"tool": "sponsor.top", "requests": 3},
        {"tool": "video.get", "requests": 2},
    ]
    by_key = (await operator.json("account", "usage", email, "--by", "key", *month))["by_key"]
    assert [(row["credential_id"], row["requests"]) for row in by_key] == [
        (keys[1], 3),
        (keys[0], 2),
    ]
    table = (await operator.run("account", "usage", email, "--by", "key", *month)).output
    assert keys[0] in table
    assert (await operator.json("account", "usage", email))["requests"] == 0
    assert (await operator.run("account", "usage", email, "--month", "2026-13")).exit_code == 2
    assert (await operator.run("account", "usage", email, "--by", "day")).exit_code == 2
