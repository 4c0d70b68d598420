"""Keys: cached briefly, dropped at once, refused with the reason."""

import asyncio
import hashlib
import json

import pytest

from servicekit.errors import Unauthenticated
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import OpenGateway, Service, request, until


@pytest.fixture(autouse=True)
async def pushes_arrive(service: Service) -> None:
    await service.wait_for_pushes()


async def _status(service: Service) -> int:
    return (await service.post(request("ping"))).status_code


async def _push(service: Service, **push: str) -> None:
    await service.valkey.publish(REVOCATION_CHANNEL, json.dumps({"account_id": "account-1"} | push))


async def _becomes(service: Service, status: int) -> None:
    async def reached() -> bool:
        return await _status(service) == status

    await until(reached, seconds=1)


async def test_a_key_is_resolved_once_for_many_calls(service: Service) -> None:
    await asyncio.gather(*(_status(service) for _ in range(20)))
    await _status(service)
    assert service.backends.access.resolved == 1


async def test_an_unknown_key_is_not_resolved_again_at_once(service: Service) -> None:
    service.backends.access.holders.clear()
    assert {await _status(service) for _ in range(5)} == {401}
    assert service.backends.access.resolved == 1


@pytest.mark.parametrize(
    "push",
    [
        {},
        {"key_id": "key-1"},
        {"key_id": "?", "key_sha256": hashlib.sha256(KEY.encode()).hexdigest()},
    ],
)
async def test_a_revocation_holds_within_a_second(service: Service, push: dict[str, str]) -> None:
    assert await _status(service) == 200
    service.backends.access.holders.clear()
    service.backends.access.refusal = Unauthenticated("This key was revoked.", "KEY_REVOKED")
    assert await _status(service) == 200
    await _push(service, **push)
    await _becomes(service, 401)
    reply = await service.post(request("ping"))
    assert reply.json()["error"]["data"]["reason"] == "KEY_REVOKED"
    assert "revoked" in reply.json()["error"]["message"]


async def test_a_push_for_another_key_drops_nothing(service: Service) -> None:
    await _status(service)
    await _push(service, key_id="key-2")
    await _push(service, account_id="account-2")
    await service.valkey.publish(REVOCATION_CHANNEL, b"{}")

    async def resolved_again() -> bool:
        await _status(service)
        return service.backends.access.resolved > 1

    await until(resolved_again)
    assert service.backends.access.resolved == 2


async def test_a_key_works_again_as_soon_as_the_plan_is_back(service: Service) -> None:
    service.backends.access.holders.clear()
    reason = "The plan Free has no API keys. Upgrade, or connect by OAuth."
    service.backends.access.refusal = Unauthenticated(reason, "KEY_PLAN_LACKS_KEYS")
    reply = await service.post(request("ping"))
    assert (reply.status_code, reply.json()["error"]["message"]) == (401, reason)
    service.backends.access.give(KEY, principal())
    await _push(service, reason="plan")
    await _becomes(service, 200)


async def test_without_a_push_a_revocation_holds_when_the_time_is_up(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(credential_ttl_seconds=0.05) as service:
        await service.wait_for_pushes()
        assert await _status(service) == 200
        service.backends.access.holders.clear()
        await _becomes(service, 401)


async def test_a_disabled_account_is_refused(service: Service) -> None:
    service.backends.access.give(KEY, principal(disabled=True))
    reply = await service.post(request("ping"))
    assert reply.status_code == 401
    assert "disabled" in reply.json()["error"]["message"]
