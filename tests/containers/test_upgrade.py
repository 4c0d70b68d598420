"""`deploy/compose/upgrade` under load: each call's outcome, as its caller sees it at the edge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.containers.deployment import Deployment
from tests.containers.traffic import SUCCEEDED, UNAVAILABLE, Traffic

_UPGRADE: Final = ("env", "SPONSORGRAPH_UPGRADE_SETTLE=4", "deploy/compose/upgrade")


@pytest.mark.parametrize(
    ("gateways", "services", "allowed"),
    [
        pytest.param(
            1, ("auth", "gateway"), {SUCCEEDED, UNAVAILABLE}, id="one gateway, and the site"
        ),
        pytest.param(2, ("gateway",), {SUCCEEDED}, id="two gateways"),
    ],
)
def test_containers_are_replaced_under_load(
    deployment: Deployment,
    gateways: int,
    services: tuple[str, ...],
    allowed: set[str],
    record_property: Callable[[str, object], None],
) -> None:
    """No call fails with two gateways; with one it may be told to come again, which none was when this was measured."""
    deployment.up("--scale", f"gateway={gateways}")
    before = {item for service in services for item in deployment.containers(service)}
    traffic = Traffic(deployment)
    with traffic.going():
        deployment.must(*_UPGRADE, *services)
    after = {item for service in services for item in deployment.containers(service)}
    assert len(after) == len(before) == gateways + len(services) - 1
    assert not before & after
    record_property("outcomes", f"calls {dict(traffic.calls)}, pages {dict(traffic.pages)}")
    assert set(traffic.calls) <= allowed, traffic.calls
    assert set(traffic.pages) <= allowed, traffic.pages
    assert min(traffic.calls[SUCCEEDED], traffic.pages[SUCCEEDED]) > 50
