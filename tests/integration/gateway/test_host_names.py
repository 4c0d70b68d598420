"""A gateway has names that it does not know; pages of strangers are refused by their origin."""

from __future__ import annotations

import pytest

from tests.integration.gateway.conftest import Service, request

NAMES = {
    "of a probe or a pod": "10.1.2.3:8000",
    "of a container": "gateway:8000",
    "of a service in a cluster": "gateway.sponsorgraph.svc.cluster.local",
    "of what a proxy calls": "mcp.internal.example",
}


@pytest.mark.parametrize("name", NAMES)
async def test_a_caller_with_a_key_may_use_any_name_that_leads_here(
    service: Service, name: str
) -> None:
    response = await service.post(request("tools/list"), host=NAMES[name])
    assert response.status_code == 200
    assert (await service.http.get("/healthz", headers={"host": NAMES[name]})).status_code == 200


async def test_a_page_whose_name_was_made_to_lead_here_is_refused_in_spite_of_a_key(
    service: Service,
) -> None:
    response = await service.post(
        request("tools/list"), host="stranger.example:8000", origin="http://stranger.example:8000"
    )
    assert response.status_code == 403
