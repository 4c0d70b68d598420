"""A client that is refused for a scope learns all that it has to request, and is sent to its user."""

from __future__ import annotations

import asyncio

from gateway.authentication.step_ups import StepUps, scopes_from_now_on
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import FakeAccess, principal


def test_the_challenge_names_what_is_granted_and_what_is_needed() -> None:
    granted = ("catalog:read", "account:read")
    assert (
        scopes_from_now_on(granted, "channels:import")
        == "catalog:read account:read channels:import"
    )
    assert scopes_from_now_on((), "catalog:read") == "catalog:read"


def test_the_challenge_names_each_scope_once_and_never_offline_access() -> None:
    granted = ("catalog:read", "offline_access")
    assert (
        scopes_from_now_on(granted, "catalog:read channels:import")
        == "catalog:read channels:import"
    )


def test_a_refusal_is_reported_at_most_once_a_second_for_a_scope() -> None:
    access, clock = FakeAccess(), [100.0]
    step_ups = StepUps(access, lambda: clock[0])
    caller = principal(credential_id="gr_1")

    async def refused_at(*moments: float) -> None:
        for moment in moments:
            clock[0] = moment
            await step_ups.report(caller, "channels:import")

    asyncio.run(refused_at(100.0, 100.5, 100.99, 101.0, 101.5))
    assert access.step_ups == [("gr_1", ("channels:import",))] * 2
    asyncio.run(step_ups.report(caller, "account:read"))
    assert access.step_ups[2:] == [("gr_1", ("account:read",))]


def test_a_refusal_goes_out_although_the_authorization_server_is_away() -> None:
    access = FakeAccess(error=Unavailable("The auth service is away."))
    asyncio.run(StepUps(access).report(principal(credential_id="gr_1"), "channels:import"))
    assert access.step_ups == [("gr_1", ("channels:import",))]
