"""API keys: creation, resolution, expiry, revocation and restriction by the plan."""

import asyncio
import hashlib
import json
from typing import Any

import psycopg
import pytest
import redis.asyncio as redis

from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unauthenticated,
)
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.integration.auth_service.conftest import Service


async def resolve(service: Service, secret: str) -> pb.Credential:
    digest = hashlib.sha256(secret.encode()).digest()
    return await service.call(service.access.ResolveKey, pb.ResolveKeyRequest(key_sha256=digest))


async def refusal(service: Service, secret: str) -> Unauthenticated:
    with pytest.raises(Unauthenticated) as raised:
        await resolve(service, secret)
    return raised.value


async def test_a_key_resolves_to_its_account_and_plan(service: Service) -> None:
    created = await service.key(await service.account())
    credential = await resolve(service, created.secret)
    assert credential.credential_id == created.key.key_id
    assert credential.entitlements.plan == "creator"
    assert credential.entitlements.monthly_requests == 1_000
    assert set(credential.scopes) == {"catalog:read", "account:read", "channels:import"}
    assert "api_keys" in credential.entitlements.features


async def test_an_unknown_key_is_refused(service: Service) -> None:
    assert (await refusal(service, "mcp_nothing")).reason == "KEY_UNKNOWN"


async def test_a_revoked_key_is_refused_for_ever(service: Service) -> None:
    created = await service.key(await service.account())
    request = pb.RevokeKeyRequest(key_id=created.key.key_id)
    first = await service.operate(service.operations.RevokeKey, request)
    again = await service.operate(service.operations.RevokeKey, request)
    assert first.revoked_at == again.revoked_at != ""
    assert (await refusal(service, created.secret)).reason == "KEY_REVOKED"


async def test_an_expired_key_is_refused(service: Service) -> None:
    created = await service.key(await service.account(), expires_in_days=1)
    with psycopg.connect(service.settings.database_url) as connection:
        connection.execute(
            "UPDATE api_keys SET expires_at = now() WHERE id = %s", [created.key.key_id]
        )
    assert (await refusal(service, created.secret)).reason == "KEY_EXPIRED"


async def test_a_key_stops_with_its_plan_and_works_again_on_return(service: Service) -> None:
    email = await service.account()
    created = await service.key(email)
    set_plan = service.operations.SetPlan
    await service.operate(set_plan, pb.SetPlanRequest(email=email, plan="free"))
    error = await refusal(service, created.secret)
    assert error.reason == "KEY_PLAN_LACKS_KEYS"
    assert "Creator" in error.public_message
    assert "/plans" in error.public_message
    await service.operate(set_plan, pb.SetPlanRequest(email=email, plan="creator_agent"))
    assert (await resolve(service, created.secret)).entitlements.monthly_requests == 10_000


async def test_a_disabled_account_is_refused_and_enabled_again(service: Service) -> None:
    email = await service.account()
    created = await service.key(email)
    set_disabled = service.operations.SetDisabled
    await service.operate(set_disabled, pb.SetDisabledRequest(email=email, disabled=True))
    assert (await refusal(service, created.secret)).reason == "ACCOUNT_DISABLED"
    await service.operate(set_disabled, pb.SetDisabledRequest(email=email, disabled=False))
    await resolve(service, created.secret)


async def test_a_free_account_gets_no_key_and_the_reason(service: Service) -> None:
    email = await service.account("free")
    with pytest.raises(PermissionDenied, match="Creator") as raised:
        await service.key(email)
    assert raised.value.reason == "KEY_PLAN_LACKS_KEYS"


async def test_keys_are_limited_in_number_even_at_once(service: Service) -> None:
    email = await service.account()
    results = await asyncio.gather(*(service.key(email) for _ in range(8)), return_exceptions=True)
    made = [r for r in results if not isinstance(r, BaseException)]
    refused = [r for r in results if isinstance(r, BaseException)]
    assert len(made) == 3
    assert all(isinstance(r, Conflict) for r in refused)


async def test_the_secret_is_stored_nowhere(service: Service) -> None:
    created = await service.key(await service.account())
    with psycopg.connect(service.settings.database_url) as connection:
        row = connection.execute(
            "SELECT to_jsonb(k)::text FROM api_keys k WHERE id = %s", [created.key.key_id]
        ).fetchone()
    assert row is not None
    for part in (created.secret, created.secret[10:30]):
        assert part not in row[0]
        assert part.encode().hex() not in row[0]


@pytest.mark.parametrize(
    ("options", "field"),
    [({"scopes": ["admin"]}, "scopes"), ({"expires_in_days": 0}, "expires_in_days")],
)
async def test_an_impossible_key_is_refused_by_field(
    service: Service, options: dict[str, Any], field: str
) -> None:
    email = await service.account()
    with pytest.raises(InvalidInput) as raised:
        await service.key(email, **options)
    assert raised.value.details == {"field": field}


async def test_a_revocation_is_announced(service: Service) -> None:
    created = await service.key(await service.account())
    client: Any = redis.from_url(service.settings.valkey_url)
    async with client, client.pubsub() as listener:
        await listener.subscribe(REVOCATION_CHANNEL)
        await listener.get_message(timeout=5)
        request = pb.RevokeKeyRequest(key_id=created.key.key_id)
        await service.operate(service.operations.RevokeKey, request)
        message = await listener.get_message(ignore_subscribe_messages=True, timeout=5)
    said = json.loads(message["data"])
    assert said["credential_id"] == created.key.key_id
    assert said["reason"] == "key_revoked"


async def test_operators_calls_need_the_operators_token(service: Service) -> None:
    request = pb.AccountByEmailRequest(email="x@example.com")
    for token in ("", "wrong"):
        with pytest.raises(PermissionDenied):
            await service.operate(service.operations.GetAccount, request, token)
    with pytest.raises(NotFound, match="no account"):
        await service.operate(service.operations.GetAccount, request)


async def test_two_accounts_cannot_share_an_address(service: Service) -> None:
    email = await service.account()
    request = pb.CreateAccountRequest(email=email.upper(), plan="free")
    with pytest.raises(Conflict) as raised:
        await service.operate(service.operations.CreateAccount, request)
    assert raised.value.reason == "EMAIL_IN_USE"


async def test_an_unknown_plan_is_refused_with_those_that_exist(service: Service) -> None:
    request = pb.CreateAccountRequest(email="new@example.com", plan="gold")
    with pytest.raises(InvalidInput, match="free, creator, creator_agent"):
        await service.operate(service.operations.CreateAccount, request)


async def test_nothing_is_exhausted_by_reading(service: Service) -> None:
    created = await service.key(await service.account())
    responses = await asyncio.gather(
        *(resolve(service, created.secret) for _ in range(100)), return_exceptions=True
    )
    assert not [a for a in responses if isinstance(a, ResourceExhausted)]
    assert {a.credential_id for a in responses if isinstance(a, pb.Credential)} == {
        created.key.key_id
    }
