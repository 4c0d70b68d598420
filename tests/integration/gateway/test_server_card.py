"""The server card and the catalog, as programs fetch them before they connect."""

import pytest

from gateway.mcp.versions import STATELESS
from gateway.web.server_card import CATALOG_PATH, PATHS
from tests.integration.gateway.conftest import Service
from tests.integration.gateway.test_protocol_versions import post_stateless


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("accept", ["*/*", "application/mcp-server-card+json"])
async def test_anyone_may_read_the_card_from_anywhere_and_cache_it(
    service: Service, path: str, accept: str
) -> None:
    reply = await service.http.get(path, headers={"accept": accept, "origin": "https://x.example"})
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/mcp-server-card+json"
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["cache-control"] == "public, max-age=3600"


@pytest.mark.parametrize("path", [*PATHS, CATALOG_PATH])
async def test_a_page_may_send_a_preflight_before_it_reads(service: Service, path: str) -> None:
    reply = await service.http.options(path, headers={"origin": "https://x.example"})
    assert reply.status_code == 204
    assert reply.headers["access-control-allow-methods"] == "GET"


async def test_the_card_agrees_with_the_server_info(service: Service) -> None:
    card = (await service.http.get(PATHS[0])).json()
    discovered = (await post_stateless(service, "server/discover")).json()["result"]
    server = discovered["_meta"]["io.modelcontextprotocol/serverInfo"]
    for field in ("title", "version", "description", "websiteUrl", "icons"):
        assert card[field] == server[field]
    assert card["name"].endswith(f"/{server['name']}")
    (remote,) = card["remotes"]
    assert remote["url"] == f"{service.settings.base_url}/mcp"
    assert remote["supportedProtocolVersions"] == discovered["supportedVersions"]
    assert STATELESS in remote["supportedProtocolVersions"]


async def test_the_catalog_leads_to_the_card(service: Service) -> None:
    catalog = await service.http.get(CATALOG_PATH)
    assert catalog.headers["content-type"] == "application/json"
    (entry,) = catalog.json()["entries"]
    card = await service.http.get(entry["url"])
    assert card.headers["content-type"] == entry["type"]
